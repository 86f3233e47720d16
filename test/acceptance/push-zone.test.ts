import { describe, expect, it } from 'vitest';
import { type World, openLoggedInWorld, requestLines } from '../support/acceptance.ts';
import { ndjson } from '../support/program.ts';

/** 05:30 in New York, 00:30 of the next day on Kiritimati, 23:30 of the day before on Samoa. */
const INSTANT = JSON.stringify({ date: '2026-02-14T10:30:00Z', hrv: 66 });

/** The date under which the service holds the record, and what the program says about the zone. */
async function datedBy(
  world: World,
  { args = [], env = {} }: { args?: string[]; env?: NodeJS.ProcessEnv },
  input = INSTANT,
) {
  const json = await world.sync(['push', 'wellness', '-', '--json', '--force', ...args], {
    input,
    env,
  });
  const text = await world.sync(['push', 'wellness', '-', '--force', ...args], { input, env });
  expect([json.code, text.code]).toEqual([0, 0]);
  const { date, zoneUsed, zone } = ndjson(json.stdout)[0] ?? {};
  const held = world.sandbox.control.state('athlete-1').athletes[0]?.wellness ?? [];
  expect(held.map((record) => record.date)).toEqual([date]);
  world.sandbox.control.clearState();
  return { date, zoneUsed, zone, said: /\(dates in (.+)\)/.exec(text.stdout)?.[1] };
}

const used = (date: string, zone: string) => ({ date, zoneUsed: true, zone, said: zone });

describe('the zone of a push', () => {
  it('is taken from --tz, SYNC_TIMEZONE, the profile and the machine, in this order, and shown', async () => {
    const world = await openLoggedInWorld({ env: { TZ: 'America/New_York' } });
    expect(await datedBy(world, {})).toEqual(used('2026-02-14', 'America/New_York'));

    expect((await world.sync(['config', 'set', 'timezone', 'Pacific/Kiritimati'])).code).toBe(0);
    expect(await datedBy(world, {})).toEqual(used('2026-02-15', 'Pacific/Kiritimati'));

    const env = { SYNC_TIMEZONE: 'Pacific/Pago_Pago' };
    expect(await datedBy(world, { env })).toEqual(used('2026-02-13', 'Pacific/Pago_Pago'));

    const args = ['--tz', 'Asia/Tokyo'];
    expect(await datedBy(world, { args, env })).toEqual(used('2026-02-14', 'Asia/Tokyo'));
  });

  it('is not mentioned if no date depended on it', async () => {
    const world = await openLoggedInWorld();
    const plain = JSON.stringify({ date: '2026-02-14', hrv: 66 });
    const not = { zoneUsed: false, zone: undefined, said: undefined };
    expect(await datedBy(world, { args: ['--tz', 'Pacific/Kiritimati'] }, plain)).toEqual({
      date: '2026-02-14',
      ...not,
    });
    // A numeric offset says where the athlete was ...
    const offset = JSON.stringify({ date: '2026-02-14T23:30:00-05:00', hrv: 66 });
    expect(await datedBy(world, { env: { SYNC_TIMEZONE: 'Asia/Tokyo' } }, offset)).toEqual({
      date: '2026-02-14',
      ...not,
    });
    // ... unless a flag overrides it.
    expect(await datedBy(world, { args: ['--tz', 'Asia/Tokyo'] }, offset)).toEqual(
      used('2026-02-15', 'Asia/Tokyo'),
    );
  });

  it('is required if the machine has none; times are then shown in UTC with a note', async () => {
    const world = await openLoggedInWorld();
    for (const TZ of ['', 'Foo/Bar', 'CET-1CEST']) {
      const env = { TZ };
      const push = await world.sync(['push', 'wellness', '-'], { input: INSTANT, env });
      expect([push.code, push.stdout]).toEqual([2, '']);
      expect(push.stderr).toContain(TZ === '' ? 'TZ is set, but empty' : `TZ is "${TZ}"`);
      expect(push.stderr).toContain('--tz Europe/Berlin');
      const seed = await world.sync(['seed', '--days', '1'], { env });
      expect([seed.code, seed.stdout, seed.stderr]).toEqual([2, '', push.stderr]);
      const since = await world.sync(['workouts', '--since', '2026-02-01'], { env });
      expect([since.code, since.stderr]).toEqual([2, push.stderr]);
      expect(requestLines(world.sandbox)).toEqual([]);
      const lines = await world.lines(['doctor'], { code: 2, env });
      expect(lines.filter(({ state }) => state === 'bad')).toMatchObject([{ check: 'zone' }]);
      const list = await world.sync(['workouts'], { env });
      expect([list.code, list.stderr]).toEqual([0, /Times are shown in UTC\./]);
      world.sandbox.control.clearRequests();
      const named = { ...env, SYNC_TIMEZONE: 'Asia/Tokyo' };
      expect(await datedBy(world, { env: named })).toEqual(used('2026-02-14', 'Asia/Tokyo'));
      world.sandbox.control.clearRequests();
    }
  });
});
