import { expect, it } from 'vitest';
import { foodsHeld, openHome, openSandbox, worldOf } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const meal = (date: string, name: string) =>
  JSON.stringify({ date, items: [{ name, carbs: 25, logged_at: `${date}T10:00:00+01:00` }] });

it('what one run of a sandbox showed of its kind does not hold for the next one at its address', async () => {
  // The data keep the login over both runs.
  const data = scratchDir();
  const first = await openSandbox({ data });
  const { access_token } = first.control.mint();
  const home = openHome({ SYNC_BASE_URL: first.url, SYNC_ACCESS_TOKEN: access_token });
  const one = worldOf(first, home);
  await one.lines(['push', 'nutrition', one.write('a.json', meal('2026-02-15', 'Gel'))]);
  await one.lines(['push', 'nutrition', one.write('b.json', meal('2026-02-16', 'Bar'))]);
  await one.lines(['upload', one.write('a.fit', makeRecording({ seed: 1 }))]);
  await first.close();

  const second = await openSandbox({ data, port: first.port }, 'interface');
  const two = worldOf(second, home);
  await two.lines(['push', 'nutrition', two.write('c.json', meal('2026-02-17', 'Rice'))]);
  await two.lines(['push', 'nutrition', two.write('d.json', meal('2026-02-17', 'Soup'))]);
  // The first run counted what it took: after that, `{}` confirms nothing.
  await two.lines(['upload', two.write('b.fit', makeRecording({ seed: 2 }))]);
  const bodies = second.control.requests({ route: 'nutrition' }).map(({ body }) => body);
  expect(bodies).toHaveLength(2);
  expect(bodies).not.toContainEqual(expect.objectContaining({ items: [] }));
  expect(foodsHeld(second, '2026-02-17').map(({ name }) => name)).toEqual(['Rice', 'Soup']);
});
