import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type World, foodsHeld, openLoggedInWorld, sendingLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

/** The machine before and after a flight. */
const HOME = { TZ: 'Europe/Berlin' };
const AWAY = { TZ: 'America/New_York' };

const PASTA = { logged_at: '2026-05-05T12:00:00', name: 'Pasta', carbs: 95 };
/** 01:30 of 6 May in Berlin, 19:30 of 5 May in New York. */
const LATE = { logged_at: '2026-05-05T23:30:00Z', name: 'Tea', carbs: 5 };

function writeInput(world: World, name: string, value: unknown): string {
  const path = join(world.home.dir, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** Every item of the athlete, by day. */
function held({ sandbox }: World): Record<string, readonly (readonly unknown[])[]> {
  const days = sandbox.control.state('athlete-1').athletes[0]?.nutrition ?? [];
  return Object.fromEntries(
    days
      .map(({ date }) => date)
      .sort()
      .map((date) => [date, foodsHeld(sandbox, date).map((item) => [item.name, item.logged_at])]),
  );
}

function daysWithFood(world: World): string[] {
  return Object.entries(held(world)).flatMap(([date, items]) => (items.length > 0 ? date : []));
}

const FIRST = {
  '2026-05-05': [['Pasta', '2026-05-05T12:00:00+02:00']],
  '2026-05-06': [['Tea', '2026-05-06T01:30:00+02:00']],
};

describe('after a flight', () => {
  it('an unchanged nutrition file sends nothing and moves nothing', async () => {
    const world = await openLoggedInWorld();
    const file = writeInput(world, 'food.json', { items: [PASTA, LATE] });
    expect((await world.sync(['push', 'nutrition', file], { env: HOME })).code).toBe(0);
    expect(held(world)).toEqual(FIRST);
    world.sandbox.control.clearRequests();

    const again = await world.sync(['push', 'nutrition', file, '--json'], { env: AWAY });
    expect(again.code).toBe(0);
    expect(ndjson(again.stdout)).toMatchObject([
      { date: '2026-05-05', outcome: 'skipped', zone: 'Europe/Berlin', zoneFrom: 'machine' },
      { date: '2026-05-06', outcome: 'skipped', zone: 'Europe/Berlin', zoneFrom: 'machine' },
      { total: 2, skipped: 2 },
    ]);
    expect(again.stderr).toContain('read in Europe/Berlin, as then');
    expect(again.stderr).toContain('sync config set timezone America/New_York');
    expect(sendingLines(world.sandbox)).toEqual([]);
    expect(held(world)).toEqual(FIRST);
  });

  it('a changed item replaces the earlier version, and a new one is read in the new zone', async () => {
    const world = await openLoggedInWorld();
    const file = writeInput(world, 'food.json', { items: [PASTA] });
    expect((await world.sync(['push', 'nutrition', file], { env: HOME })).code).toBe(0);
    const dinner = { logged_at: '2026-05-05T19:00:00', name: 'Dinner', carbs: 60 };
    writeInput(world, 'food.json', { items: [PASTA, dinner] });
    expect((await world.sync(['push', 'nutrition', file], { env: AWAY })).code).toBe(0);
    expect(held(world)['2026-05-05']?.toSorted()).toEqual([
      ['Dinner', '2026-05-05T19:00:00-04:00'],
      ['Pasta', '2026-05-05T12:00:00+02:00'],
    ]);
  });

  it('an unchanged wellness file sends nothing and moves nothing', async () => {
    const world = await openLoggedInWorld();
    const file = writeInput(world, 'day.json', { date: '2026-05-05T23:30:00Z', hrv: 61 });
    expect((await world.sync(['push', 'wellness', file], { env: HOME })).code).toBe(0);
    world.sandbox.control.clearRequests();
    const again = await world.sync(['push', 'wellness', file, '--json'], { env: AWAY });
    expect(ndjson(again.stdout)[0]).toMatchObject({ date: '2026-05-06', outcome: 'skipped' });
    expect(sendingLines(world.sandbox)).toEqual([]);
    const { wellness = [] } = world.sandbox.control.state('athlete-1').athletes[0] ?? {};
    expect(wellness.map(({ date }) => date)).toEqual(['2026-05-06']);
  });
});

describe('the zone of an earlier reading', () => {
  const day = JSON.stringify({ date: '2026-05-05T23:30:00Z', hrv: 61 });

  /** The day that a record is on, by the flags and the machine. */
  async function dayIn(world: World, env: NodeJS.ProcessEnv, ...flags: string[]) {
    const args = ['push', 'wellness', '-', '--json', ...flags];
    const { date, zone } = ndjson((await world.sync(args, { input: day, env })).stdout)[0] ?? {};
    return [date, zone];
  }

  it('gives way to a zone that the user names, and that one then stays', async () => {
    const world = await openLoggedInWorld();
    expect(await dayIn(world, HOME)).toEqual(['2026-05-06', 'Europe/Berlin']);
    expect(await dayIn(world, AWAY)).toEqual(['2026-05-06', 'Europe/Berlin']);
    expect(await dayIn(world, AWAY, '--tz', 'America/New_York')).toEqual([
      '2026-05-05',
      'America/New_York',
    ]);
    expect(await dayIn(world, HOME)).toEqual(['2026-05-05', 'America/New_York']);
  });

  it.each(['interface', 'coach-watts'] as const)(
    'leaves what was sent where it is, and a warning says how food moves (%s)',
    async (platform) => {
      const world = await openLoggedInWorld({ platform });
      const file = writeInput(world, 'food.json', { items: [LATE] });
      await world.sync(['push', 'nutrition', file], { env: HOME });
      const chosen = ['push', 'nutrition', file, '--tz', 'America/New_York'];
      const first = await world.sync(chosen);
      expect(first.stderr).toContain('What was sent for 2026-05-06 stays there');
      expect(daysWithFood(world)).toEqual(['2026-05-06']);
      expect((await world.sync(chosen)).stderr).not.toContain('stays there');
      await world.sync(['undo', 'nutrition', '2026-05-06']);
      await world.sync([...chosen, '--force']);
      expect(daysWithFood(world)).toEqual(['2026-05-05']);
    },
  );

  it('is not recorded by --dry-run', async () => {
    const world = await openLoggedInWorld();
    expect(await dayIn(world, HOME, '--dry-run')).toEqual(['2026-05-06', 'Europe/Berlin']);
    expect(await dayIn(world, AWAY)).toEqual(['2026-05-05', 'America/New_York']);
  });
});

it('a machine in UTC that decides about a day causes one warning, and a finding of doctor', async () => {
  const world = await openLoggedInWorld();
  const days = ['2026-05-04T20:00:00Z', '2026-05-05T20:00:00Z'].map((date) => ({ date, hrv: 61 }));
  const push = async (
    env: NodeJS.ProcessEnv,
    text = JSON.stringify(days),
    ...flags: readonly string[]
  ) => {
    const args = ['push', 'wellness', '-', ...flags];
    const { stderr } = await world.sync(args, { input: text, env });
    return stderr.match(/Days are counted in/g)?.length ?? 0;
  };
  expect(await push({ TZ: 'Etc/UTC' })).toBe(1);
  // Without a platform, too.
  const alone = { TZ: 'Etc/UTC', SYNC_BASE_URL: undefined };
  expect(await push(alone, undefined, '--profile', 'new', '--dry-run')).toBe(1);
  expect(await push({ TZ: 'Etc/UTC' }, JSON.stringify({ date: '2026-05-05', hrv: 62 }))).toBe(0);
  expect(await push({ TZ: 'Europe/London' })).toBe(0);
  expect(await push({ SYNC_TIMEZONE: 'UTC' })).toBe(0);
  const zoneFinding = async (env: NodeJS.ProcessEnv) =>
    (await world.lines(['doctor'], { env })).find(({ check }) => check === 'zone');
  expect(await zoneFinding({ TZ: 'UTC' })).toMatchObject({ state: 'odd' });
  expect(await zoneFinding({ SYNC_TIMEZONE: 'UTC' })).toMatchObject({ state: 'good' });
});
