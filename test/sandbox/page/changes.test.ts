import { expect, it } from 'vitest';
import { openApp } from '../support.ts';

it('the number of changes is another one after a request, its answer, and a change by the control endpoints', async () => {
  const { app, world } = openApp({ faults: ['workouts:delay=50ms'] });
  const read = async () => Number(await (await app.request('/_sandbox/page/changes')).text());
  const seen = [await read(), await read()];
  const answer = app.request('/api/workouts');
  seen.push(await read());
  await answer;
  seen.push(await read());
  await app.request('/_sandbox/faults', { method: 'DELETE' });
  seen.push(await read());
  expect(seen.map((each) => each - (seen[0] ?? 0))).toEqual([0, 0, 1, 2, 3]);
  expect(openApp().world.changes).not.toBe(world.changes);
});
