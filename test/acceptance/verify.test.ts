import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type World, openLoggedInWorld, sha256 } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';
import { openTinyService } from '../support/tiny-service.ts';
import { DatabaseSync } from '../support/sqlite.ts';

const START = new Date('2026-02-15T07:10:00Z');
const ride = makeRecording({ seed: 5, startTime: START, durationSecs: 60 });

/** Moves all uploads into the past by `ms`. */
function age(world: World, ms: number): void {
  const ledger = new DatabaseSync(join(world.home.dir, 'state', 'ledger.db'));
  ledger.prepare('UPDATE uploads SET changed_at = changed_at - ?').run(ms);
  ledger.close();
}

/** A service that took the ride, and lists these workouts. */
async function openPlatform(workouts: [status: number, body: unknown], recording = ride) {
  const world = await openLoggedInWorld();
  world.write('ride.fit', recording);
  const tiny = await openTinyService({
    'POST /api/workouts/upload-fit': [200, { success: true, results: { processed: 1 } }],
    'GET /api/workouts': workouts,
  });
  Object.assign(world.home.env, { SYNC_BASE_URL: tiny.url, SYNC_ACCESS_TOKEN: 'token' });
  expect((await world.sync(['upload', 'ride.fit'])).code).toBe(0);
  return { world, tiny };
}

describe('sync verify', () => {
  it('finds the workout of each recording, under any name', async () => {
    const world = await openLoggedInWorld();
    for (let day = 0; day < 3; day++) {
      const startTime = new Date(START.getTime() + day * 86_400_000);
      world.write(
        `rides/a;b ü ${day}.fit`,
        makeRecording({ seed: day, startTime, durationSecs: 60 }),
      );
    }
    await world.sync(['upload', 'rides']);
    const { code, stdout } = await world.sync(['verify']);
    expect([code, stdout]).toEqual([0, '3 recordings: 3 are workouts.\n']);
    const { stdout: lines } = await world.sync(['verify', '--since', '2026-02-16', '--json']);
    expect(ndjson(lines).at(-1)).toMatchObject({ type: 'summary', total: 2, present: 2 });
  });

  it('asks for a login if there is none, although recordings were sent before', async () => {
    const world = await openLoggedInWorld();
    world.write('ride.fit', ride);
    await world.sync(['upload', 'ride.fit']);
    await world.sync(['logout']);
    const { code, stdout, stderr } = await world.sync(['verify']);
    expect([code, stdout, stderr]).toEqual([4, '', expect.stringContaining('sync login')]);
  });

  it('exits 5 for a recording without a workout, and 6 an hour after the upload', async () => {
    const { world } = await openPlatform([200, []]);
    const early = await world.sync(['verify', '--json']);
    const item = {
      type: 'verify',
      path: 'ride.fit',
      sha256: sha256(ride),
      startedAt: START.toISOString(),
      uploadedAt: expect.any(String) as unknown,
    };
    const none = { type: 'summary', total: 1, present: 0, missing: 0, pending: 0, notKnown: 0 };
    expect([early.code, ndjson(early.stdout)]).toEqual([
      5,
      [
        { ...item, outcome: 'pending' },
        { ...none, pending: 1 },
      ],
    ]);
    age(world, 3_600_000);
    const late = await world.sync(['verify', '--json']);
    expect([late.code, ndjson(late.stdout)]).toEqual([
      6,
      [
        { ...item, outcome: 'missing' },
        { ...none, missing: 1 },
      ],
    ]);
    expect((await world.sync(['verify'])).stdout).toMatch(
      /^Sun 15 Feb.* 08:10 {2}Ride .*\n {2}ride\.fit: missing\. .*\n1 recording: 1 missing\.\n$/,
    );
  });

  it('states no start of a recording whose clock was not set', async () => {
    const startTime = new Date('1989-12-31T00:05:00Z');
    const { world } = await openPlatform([200, []], makeRecording({ startTime, durationSecs: 60 }));
    const { stdout } = await world.sync(['verify', '--since', 'today']);
    expect(stdout).toMatch(/^Ride .*\n {2}ride\.fit: not a workout yet\./);
  });

  it('exits 4 and names workout:read if the login lacks it', async () => {
    const message = 'Insufficient scope. Required: workout:read';
    const { world } = await openPlatform([403, { statusCode: 403, message }]);
    const { code, stdout } = await world.sync(['verify', '--json']);
    expect([code, ndjson(stdout)]).toMatchObject([
      4,
      [{ type: 'error', code: 'SCOPE_MISSING', message: /workout:read/ }],
    ]);
  });

  it('sends no request if nothing was uploaded in the period', async () => {
    const { world, tiny } = await openPlatform([500, {}]);
    const { code, stdout } = await world.sync(['verify', '--since', 'today']);
    expect(stdout).toMatch(
      /^No recording to verify: none that was recorded since 20.* was uploaded/,
    );
    expect(code).toBe(0);
    expect(tiny.requests.filter(({ path }) => path.startsWith('/api/workouts?'))).toEqual([]);
  });
});
