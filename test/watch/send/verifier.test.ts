import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secret.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { clientOf } from '../../support/delivery.ts';
import { fit, gpx, ridePoints } from '../../support/tracks.ts';
import {
  ONE_TRY,
  dir,
  folder,
  happened,
  held,
  sandbox,
  start,
  useWatchedFolder,
} from '../in-process.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { anotherRecording, put, sha256, until } from '../support.ts';

useWatchedFolder();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const uploaded = (events: readonly WatchNotice[]) =>
  events.filter((event) => event.event === 'upload' && event.item.outcome === 'uploaded').length;
const checks = () => sandbox.control.requests({ route: 'workouts' }).length;

/** Starts a watcher with a service that does not process uploads, and waits for these uploads. */
async function startAndUpload(
  clock: ManualClock,
  rides: readonly Uint8Array[],
  options: Parameters<typeof start>[0] = {},
) {
  sandbox.control.settings({ processingMs: null });
  rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
  const watcher = start({
    clock,
    client: clientOf(sandbox, {}, { policy: ONE_TRY }).client,
    ...options,
  });
  await until(() => uploaded(watcher.events) === rides.length);
  return watcher;
}

/** Advances the clock in steps, so that answers can arrive in between. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += MINUTE) await clock.advance(MINUTE);
}

describe('an hour after an upload, a watcher', () => {
  it('reports each recording that did not become a workout once, and no others', async () => {
    const clock = manualClock();
    const rides = [1, 2, 3].map((day) =>
      anotherRecording({ startTime: new Date(Date.UTC(2026, 1, day)) }),
    );
    const { events } = await startAndUpload(clock, rides);
    await sandbox.control.process({ sha256: sha256(rides[0] as Uint8Array) });
    await sandbox.control.process({ sha256: sha256(rides[1] as Uint8Array), outcome: 'duplicate' });
    await pass(clock, 59 * MINUTE);
    expect([checks(), happened(events, 'missing')]).toEqual([0, []]);
    await pass(clock, 3 * MINUTE);
    await until(() => happened(events, 'missing').length > 0);
    const checked = checks();
    await pass(clock, 5 * HOUR);
    expect(checks()).toBe(checked);
    expect(happened(events, 'missing')).toEqual([
      {
        event: 'missing',
        path: join(folder, '2.fit'),
        sha256: sha256(rides[2] as Uint8Array),
        uploadedAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
  });

  it('sends a GPX file whose ride is only in a recording that did not become a workout', async () => {
    const clock = manualClock();
    const ride = ridePoints(600);
    const { events } = await startAndUpload(clock, [fit(ride)]);
    put(join(folder, 'ride.gpx'), gpx([{ segments: [ride] }]));
    const outcomes = () =>
      events.flatMap((event) => (event.event === 'upload' ? [event.item.outcome] : []));
    await clock.advanceUntil(() => outcomes().includes('covered'));
    expect(held()).toHaveLength(1);
    await clock.advanceUntil(() => happened(events, 'missing').length > 0, MINUTE);
    await clock.advanceUntil(() => held().length >= 2, MINUTE);
    expect(outcomes()).toEqual(['uploaded', 'covered', 'uploaded']);
  });

  it('checks the due uploads at once after a restart, and none twice', async () => {
    const clock = manualClock();
    const { end } = await startAndUpload(clock, [anotherRecording()]);
    await end();
    await clock.advance(2 * HOUR);
    const second = start({ clock });
    await until(() => happened(second.events, 'missing').length === 1);
    await second.end();
    const before = checks();
    const third = start({ clock });
    await until(() => happened(third.events, 'ready').length === 1);
    await pass(clock, 2 * HOUR);
    expect([happened(third.events, 'missing'), checks()]).toEqual([[], before]);
  });

  it('does not accept the workout of another recording from the same time', async () => {
    const clock = manualClock();
    const startTime = new Date('2026-02-15T07:10:00Z');
    const [first, second] = [anotherRecording({ startTime }), anotherRecording({ startTime })];
    const { events } = await startAndUpload(clock, [first]);
    await pass(clock, 30 * MINUTE);
    put(join(folder, 'other device.fit'), second);
    await until(() => uploaded(events) === 2);
    await sandbox.control.process({ sha256: sha256(second) });
    await pass(clock, 31 * MINUTE);
    await until(() => happened(events, 'missing').length > 0);
    expect(happened(events, 'missing')).toMatchObject([{ sha256: sha256(first) }]);
  });

  it('shares the reports with a second watcher of the account, each recording once', async () => {
    const clock = manualClock();
    const { events } = await startAndUpload(clock, [anotherRecording()]);
    const elsewhere = join(dir, 'Zwift');
    mkdirSync(elsewhere);
    const other = start({ clock, folders: [elsewhere] });
    await until(() => happened(other.events, 'ready').length === 1);
    sandbox.control.addFaults('workouts:delay=300ms*2');
    await pass(clock, 61 * MINUTE);
    // Both are waiting for their answer.
    await until(() => checks() === 2);
    const missing = () => [...events, ...other.events].filter(({ event }) => event === 'missing');
    await until(() => missing().length > 0);
    await pass(clock, HOUR);
    expect(missing()).toHaveLength(1);
  });
});

describe('a check of uploads that fails', () => {
  it('is repeated later, leaves uploads running, and is not reported', async () => {
    const clock = manualClock();
    const { events } = await startAndUpload(clock, [anotherRecording()]);
    sandbox.control.addFaults('workouts:503*3', 'workouts:reset*1');
    await pass(clock, 61 * MINUTE);
    await until(() => checks() >= 1);
    put(join(folder, 'next.fit'), anotherRecording());
    await until(() => uploaded(events) === 2);
    for (let minutes = 0; happened(events, 'missing').length === 0; minutes++) {
      expect(minutes).toBeLessThan(40);
      await clock.advance(MINUTE);
    }
    expect(happened(events, 'missing')).toHaveLength(1);
    expect(happened(events, 'obstacle')).toEqual([]);
  });

  it('is repeated after an hour if the platform refuses it: it may have no such endpoint', async () => {
    const clock = manualClock();
    await startAndUpload(clock, [anotherRecording()]);
    sandbox.control.addFaults('workouts:404*inf');
    await pass(clock, 61 * MINUTE);
    await until(() => checks() === 1);
    await pass(clock, 58 * MINUTE);
    expect(checks()).toBe(1);
    await pass(clock, 5 * MINUTE);
    await until(() => checks() === 2);
  });

  it('stays the only one while it waits for an answer, and uploads continue', async () => {
    const clock = manualClock();
    const { events, end } = await startAndUpload(clock, [anotherRecording()]);
    sandbox.control.addFaults('workouts:hang*inf');
    await pass(clock, 61 * MINUTE);
    await until(() => checks() === 1);
    for (const name of ['a', 'b', 'c']) put(join(folder, `${name}.fit`), anotherRecording());
    await until(() => uploaded(events) === 4);
    await pass(clock, HOUR);
    expect(checks()).toBe(1);
    // It is broken off: nothing of it holds up the end.
    await end();
  });

  it('is reported once and not repeated if the scope is missing', async () => {
    const clock = manualClock();
    const { client } = clientOf(sandbox, { scopes: ['workout:write'] });
    const { events } = await startAndUpload(clock, [anotherRecording()], { client });
    await pass(clock, 61 * MINUTE);
    await until(() => happened(events, 'unverified').length > 0);
    put(join(folder, 'next.fit'), anotherRecording());
    await until(() => uploaded(events) === 2);
    await pass(clock, 3 * HOUR);
    expect(happened(events, 'unverified')).toMatchObject([
      { message: expect.stringContaining('workout:read') as string },
    ]);
    expect([checks(), happened(events, 'login-needed')]).toEqual([1, []]);
  });
});

describe('a check of uploads while nothing can be delivered', () => {
  it('waits until delivery continues', async () => {
    const clock = manualClock();
    const { events } = await startAndUpload(clock, [anotherRecording()]);
    sandbox.control.addFaults('upload-fit:503*inf');
    put(join(folder, 'next.fit'), anotherRecording());
    await until(() => happened(events, 'obstacle').length === 1);
    await pass(clock, 90 * MINUTE);
    expect(checks()).toBe(0);
    sandbox.control.clearFaults();
    for (let i = 0; i < 60 && held().length < 2; i++) await clock.advance(MINUTE);
    await pass(clock, 2 * MINUTE);
    await until(() => happened(events, 'missing').length === 1);
  });

  it('sends no request if the login has ended, and reports that once', async () => {
    const clock = manualClock();
    const token = new Secret(sandbox.control.mint().access_token);
    let asked = 0;
    let dead = false;
    const { client } = clientOf(
      sandbox,
      {},
      {
        accessToken: () => {
          asked++;
          return dead
            ? Promise.reject(new SyncError('AUTH_EXPIRED', 'The login has ended.'))
            : Promise.resolve(token);
        },
      },
    );
    const { events } = await startAndUpload(clock, [anotherRecording()], { client });
    dead = true;
    await pass(clock, 61 * MINUTE);
    await until(() => happened(events, 'login-needed').length === 1);
    const before = asked;
    await pass(clock, 2 * HOUR);
    expect([asked, checks(), happened(events, 'login-needed').length]).toEqual([before, 0, 1]);
  });
});

describe.each([
  ['back by a year', -365 * 24 * HOUR],
  ['back by half an hour', -HOUR / 2],
  ['ahead by a year', 365 * 24 * HOUR],
])('a wall clock that is set %s after an upload', (_, ms) => {
  it('does not change the time at which the upload is checked', async () => {
    const clock = manualClock();
    const { events } = await startAndUpload(clock, [anotherRecording()]);
    await pass(clock, 2 * MINUTE);
    clock.jump(ms);
    await pass(clock, 57 * MINUTE);
    expect(checks()).toBe(0);
    await pass(clock, 3 * MINUTE);
    await until(() => happened(events, 'missing').length === 1);
    const before = checks();
    await pass(clock, HOUR);
    expect([checks(), happened(events, 'missing').length]).toEqual([before, 1]);
  });
});
