import { expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { openLoggedInWorld } from '../support/acceptance.ts';

const meals = JSON.stringify([
  {
    date: '2026-05-17',
    items: [{ name: 'Oats', calories: 300, logged_at: '2026-05-17T07:00:00+02:00' }],
  },
]);

it('sync import counts no nutrition that the platform has from another file', async () => {
  const world = await openLoggedInWorld();
  const sent = world.write('meals.json', meals);
  expect((await world.sync(['push', 'nutrition', sent])).code).toBe(0);
  const copy = world.write('export/meals.json', meals);
  for (const flags of [[], ['--dry-run']]) {
    const { code, stderr } = await world.sync(['import', copy, ...flags]);
    expect([code, stderr]).toEqual([0, 'There is nothing to send.\n']);
  }
});

it('sync import counts no recording that was undone, and names what sends it', async () => {
  const world = await openLoggedInWorld();
  const ride = world.write('rides/ride.fit', makeRecording({ sizeBytes: 3_000 }));
  expect((await world.sync(['upload', ride])).code).toBe(0);
  await world.sandbox.control.process();
  expect((await world.sync(['undo', 'upload', ride, '--yes'])).code).toBe(0);
  const { code, stdout, stderr } = await world.sync(['import', ride, '--yes']);
  expect(stdout).toMatch(
    /^Recordings undone before +1 .*no: `sync upload --force FILE` sends them$/m,
  );
  expect([code, stderr]).toEqual([0, 'There is nothing to send.\n']);
});

it('sync import names the profile in the command for files of no known program', async () => {
  const world = await openLoggedInWorld();
  const foods = world.write(
    'foods.json',
    '{"foods": [{"name": "Oats", "carbs": 60, "logged_at": "2026-05-17T07:00:00Z"}]}',
  );
  const coach = ['import', foods, '--dry-run', '--profile', 'coach'];
  const command = '`sync push nutrition FILE --profile coach` sends it';
  for (const flags of [[], ['--json']])
    expect((await world.sync([...coach, ...flags])).stdout).toContain(command);
});
