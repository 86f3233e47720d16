import { describe, expect, it } from 'vitest';
import { openLoggedInWorld } from '../support/acceptance.ts';

/** Every command that docs/dates.md names: each counts days in a zone. */
const COUNTING = [
  ['explain', 'today'],
  ['undo', 'nutrition', 'today'],
  ['undo', 'wellness', 'today'],
  ['undo', 'upload', 'today'],
  ['workouts', '--since', '7d'],
  ['verify', '--since', '7d'],
  ['upload', '.', '--since', '7d'],
  ['import', '.', '--since', '7d'],
  ['push', 'wellness', 'day.json'],
  ['push', 'nutrition', 'day.json'],
  ['seed', '--days', '1'],
];

describe('--tz', () => {
  it.each(COUNTING)('is a flag of sync %s %s', async (...args) => {
    const world = await openLoggedInWorld();
    const { code, stderr } = await world.sync([...args, '--tz', 'Europe/Atlantis']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Atlantis')]);
  });

  it('decides which day today is', async () => {
    const world = await openLoggedInWorld();
    for (const [zone, date] of [
      ['Pacific/Kiritimati', 14],
      ['Pacific/Pago_Pago', -11],
    ] as const) {
      const [day] = await world.lines(['explain', 'today', '--tz', zone]);
      const today = new Date(Date.now() + date * 3_600_000).toISOString().slice(0, 10);
      expect(day).toMatchObject({ date: today });
    }
  });
});

describe('a mistyped path', () => {
  it.each([['upload'], ['import'], ['push', 'wellness'], ['push', 'nutrition']])(
    'is answered with the name beside it: sync %s %s',
    async (...args) => {
      const world = await openLoggedInWorld();
      const path = world.write('morning.json', '{}');
      const { stdout, stderr } = await world.sync([...args, path.replace('morning', 'mornin')]);
      expect(`${stdout}${stderr}`).toContain('no such file or folder. Did you mean morning.json?');
    },
  );

  it('is not guessed in a folder that is missing, too', async () => {
    const world = await openLoggedInWorld();
    const { stdout } = await world.sync(['upload', 'no-such/ride.fit']);
    expect(stdout).toContain('There is no such file or folder.');
  });
});

it('sync push FILE names the commands for its kinds', async () => {
  const world = await openLoggedInWorld();
  const { code, stderr } = await world.sync(['push', 'morning.json']);
  expect(code).toBe(2);
  expect(stderr).toContain('sync push wellness morning.json');
  expect(stderr).toContain('sync push nutrition morning.json');
});
