import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { clientOf } from '../../support/delivery.ts';
import { wellnessFile } from '../../support/wellness-files.ts';
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
import { anotherRecording, put, until } from '../support.ts';

useWatchedFolder();

/** Noon in Berlin. */
const NOON = Date.parse('2026-02-16T11:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let clock: ManualClock;
beforeEach(() => {
  clock = manualClock(NOON);
  mkdirSync(join(folder, 'Activity'));
});

/** Writes a file that has not changed for an hour. @param path below the device */
function putOld(path: string, bytes: Uint8Array): void {
  const absolute = join(folder, path);
  put(absolute, bytes);
  const at = (clock.now() - HOUR) / 1000;
  utimesSync(absolute, at, at);
}

/** The bodies of the requests that reached the service. */
const bodies = () => sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);
/** What the platform holds of a day. */
const dayThere = (date: string) =>
  sandbox.control
    .state()
    .athletes.flatMap(({ wellness }) => wellness.filter((day) => day.date === date));

const days = (events: readonly WatchNotice[]) =>
  events.flatMap((notice) =>
    notice.event === 'day' ? [{ outcome: notice.item.outcome, ...notice.fields }] : [],
  );

const online = () => clientOf(sandbox, {}, { policy: ONE_TRY }).client;
const offline = () => Promise.reject(new SyncError('NETWORK', 'No connection.'));

const watch = (options: Parameters<typeof start>[0] = {}) =>
  start({
    clock,
    wellness: true,
    folders: [join(folder, 'Activity')],
    client: online(),
    ...options,
  });

/** Advances the clock in steps, so that answers can arrive in between. */
async function pass(ms: number, step = MINUTE): Promise<void> {
  for (let at = 0; at < ms; at += step) await clock.advance(step);
}

/** Advances the clock until a condition holds. */
async function passUntil(condition: () => boolean, step = MINUTE): Promise<void> {
  for (let steps = 0; !condition(); steps++) {
    if (steps > 2_000) throw new Error(`still not: ${String(condition)}`);
    await clock.advance(step);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Lets minutes pass, in each of which the service may answer. */
async function stayAwake(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(MINUTE);
    // An answer of the service takes real time.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The machine sleeps, and is awake for some minutes then. */
async function sleepFor(ms: number): Promise<void> {
  clock.jump(ms);
  await stayAwake(5);
}

/** Waits until a watcher has nothing to do, and then for an hour of its clock. */
async function settle(events: readonly WatchNotice[]): Promise<void> {
  await until(() => happened(events, 'ready').length === 1);
  await pass(HOUR, 5 * MINUTE);
}

const FEB14 = { '2026-02-14T07:00:00': 78, '2026-02-14T22:00:00': 52 };
const SENT14 = { date: '2026-02-14', restingHr: 52 };

describe('a watcher with wellness', () => {
  it('sends a day after all recordings that wait, however slow their uploads are', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    for (let i = 0; i < 6; i++) putOld(`Activity/${i}.fit`, anotherRecording());
    sandbox.control.addFaults('upload-fit:delay=100ms*inf');
    const { events } = watch();
    await passUntil(() => days(events).length === 1, 2_000);
    const routes = sandbox.control.requests().map(({ route }) => route);
    expect(routes).toEqual([...Array<string>(6).fill('upload-fit'), 'wellness']);
  });

  it('sends each completed day of the folders beside the watched one once, after the rides', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    putOld('HRVStatus/2.FIT', wellnessFile({ hrv: { '2026-02-14T06:50:00': 66 } }));
    putOld('Metrics/3.FIT', wellnessFile({ vo2max: { '2026-02-15T18:00:00': 52.3 } }));
    putOld('Activity/ride.fit', anotherRecording());
    const { events, end } = watch();
    await until(() => happened(events, 'day').length === 2);
    expect(days(events)).toEqual([
      { outcome: 'pushed', ...SENT14, hrv: 66 },
      { outcome: 'pushed', date: '2026-02-15', vo2max: 52.3 },
    ]);
    const order = events.map(({ event }) => event);
    expect(order.indexOf('upload')).toBeLessThan(order.indexOf('day'));
    await end();
    const second = watch();
    await settle(second.events);
    expect([days(second.events), bodies().length]).toEqual([[], 2]);
  });

  it('reads no wellness file without the option', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const { events, database } = watch({ wellness: false });
    await settle(events);
    expect(bodies()).toEqual([]);
    expect(database.all('SELECT * FROM wellness_files')).toEqual([]);
  });

  it("sends today after midnight in the athlete's zone, with its last value", async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: { '2026-02-16T07:00:00': 78 } }));
    putOld('Metrics/2.FIT', wellnessFile({ vo2max: { '2026-02-16T08:00:00': 50 } }));
    const { events } = watch();
    await settle(events);
    putOld('Monitor/3.FIT', wellnessFile({ restingHr: { '2026-02-16T22:00:00': 51 } }));
    // 23:55 in Berlin.
    await pass(NOON + 11 * HOUR - 5 * MINUTE - clock.now(), 5 * MINUTE);
    expect(bodies()).toEqual([]);
    await passUntil(() => happened(events, 'day').length > 0);
    expect(bodies()).toEqual([{ date: '2026-02-16', restingHr: 51, vo2max: 50 }]);
  });

  it('sends a day again if a later file completes it, also after a restart', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const { events, end } = watch();
    await until(() => happened(events, 'day').length === 1);
    putOld('Metrics/2.FIT', wellnessFile({ vo2max: { '2026-02-14T18:00:00': 52.3 } }));
    await passUntil(() => happened(events, 'day').length === 2);
    await end();
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: { ...FEB14, '2026-02-14T23:00:00': 50 } }));
    const second = watch();
    await until(() => happened(second.events, 'day').length === 1);
    await settle(second.events);
    expect(bodies()).toEqual([
      SENT14,
      { date: SENT14.date, vo2max: 52.3 },
      { ...SENT14, restingHr: 50 },
    ]);
  });

  it('sends the days of a device that left before the service was back', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    putOld('Activity/ride.fit', anotherRecording());
    let isOnline = false;
    const client = online();
    const { events } = watch({ client: () => (isOnline ? client() : offline()) });
    await until(() => happened(events, 'obstacle').length === 1);
    await pass(10 * MINUTE);
    renameSync(folder, join(dir, 'unplugged'));
    await sleepFor(3 * DAY);
    expect(bodies()).toEqual([]);
    isOnline = true;
    await passUntil(() => happened(events, 'day').length === 1);
    expect([bodies(), held().length]).toEqual([[SENT14], 1]);
  });

  it('sends the days of an offline week when the service is back, and reports the wait once', async () => {
    let isOnline = false;
    const client = online();
    const { events } = watch({ client: () => (isOnline ? client() : offline()) });
    for (let day = 16; day < 23; day++) {
      putOld(
        `Monitor/${day}.FIT`,
        wellnessFile({ restingHr: { [`2026-02-${day}T22:00:00`]: day + 30 } }),
      );
      await sleepFor(DAY);
    }
    expect(happened(events, 'days-waiting')).toEqual([
      { event: 'days-waiting', code: 'NETWORK', message: 'No connection.', days: 1 },
    ]);
    isOnline = true;
    await passUntil(() => happened(events, 'day').length === 7);
    expect(
      bodies()
        .map((body) => (body as { restingHr: number }).restingHr)
        .sort(),
    ).toEqual([46, 47, 48, 49, 50, 51, 52]);
  });

  it('keeps measurements while there is no login', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const { events, end } = watch({ delivers: false });
    await settle(events);
    await end();
    rmSync(join(folder, 'Monitor'), { recursive: true });
    const second = watch();
    await until(() => happened(second.events, 'day').length === 1);
    expect(bodies()).toEqual([SENT14]);
  });

  it('sends no weight of a scale that others use, and says so once', async () => {
    const weight = { '2026-02-14T07:00:00': 72.4 };
    putOld('Weight/1.FIT', wellnessFile({ weight, user: 1 }));
    putOld('Weight/2.FIT', wellnessFile({ weight: { '2026-01-02T07:00:00': 61 }, user: 2 }));
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const { events } = watch();
    await until(() => happened(events, 'day').length === 1);
    await settle(events);
    expect(bodies()).toEqual([SENT14]);
    expect(happened(events, 'weights-left')).toHaveLength(1);
  });

  it('reads a file that is still being written again', async () => {
    const whole = wellnessFile({ restingHr: FEB14 });
    put(join(folder, 'Monitor/1.FIT'), whole.subarray(0, whole.length - 12));
    const { events } = watch();
    await settle(events);
    expect(bodies()).toEqual([]);
    expect(happened(events, 'problem')).toEqual([]);
    put(join(folder, 'Monitor/1.FIT'), whole);
    await passUntil(() => happened(events, 'day').length === 1);
    expect(bodies()).toEqual([SENT14]);
  });

  it('sends nothing of a damaged file, and reports it once', async () => {
    const damaged = wellnessFile({ restingHr: FEB14 });
    // A byte of a heart rate: the checksum shows it.
    damaged[damaged.length - 3] = 99;
    putOld('Monitor/1.FIT', damaged);
    putOld('Monitor/2.FIT', wellnessFile({ restingHr: { '2026-02-15T22:00:00': 50 } }));
    const { events } = watch();
    await until(() => happened(events, 'day').length === 1);
    await settle(events);
    expect(bodies()).toEqual([{ date: '2026-02-15', restingHr: 50 }]);
    expect(happened(events, 'problem')).toMatchObject([
      {
        path: join(folder, 'Monitor/1.FIT'),
        message: expect.stringContaining('checksum') as string,
      },
    ]);
  });
});

describe('a day that cannot be sent', () => {
  it('costs no other day if the platform refuses it, is reported once, and offered again later', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    putOld('Monitor/2.FIT', wellnessFile({ restingHr: { '2026-02-15T22:00:00': 50 } }));
    sandbox.control.addFaults('wellness:422*1');
    const { events } = watch();
    await until(() => happened(events, 'day').length === 2);
    expect(days(events)).toMatchObject([{ outcome: 'rejected' }, { outcome: 'pushed' }]);
    await sleepFor(23 * HOUR);
    expect(bodies()).toHaveLength(2);
    await sleepFor(2 * HOUR);
    await passUntil(() => bodies().length === 3);
    await until(() => happened(events, 'day').length === 3);
    expect(dayThere('2026-02-14')).toHaveLength(1);
  });

  it('is offered six times at most', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    sandbox.control.addFaults('wellness:422*99');
    const { events } = watch();
    await until(() => happened(events, 'day').length === 1);
    for (let month = 0; month < 10; month++) await sleepFor(33 * DAY);
    expect([bodies().length, happened(events, 'day').length]).toEqual([6, 1]);
  });

  it('waits while the service fails, and delays no ride', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    sandbox.control.addFaults('wellness:503*2');
    const { events } = watch();
    await until(() => happened(events, 'days-waiting').length === 1);
    put(join(folder, 'Activity/ride.fit'), anotherRecording());
    await until(() => held().length === 1);
    await stayAwake(4);
    expect(bodies()).toHaveLength(1);
    await passUntil(() => happened(events, 'day').length === 1);
    expect(happened(events, 'obstacle')).toEqual([]);
    expect(happened(events, 'days-waiting')).toHaveLength(1);
    expect(days(events)).toEqual([{ outcome: 'pushed', ...SENT14 }]);
  });

  it('waits for a login that has ended, and counts as waiting', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const ended = () => Promise.reject(new SyncError('AUTH_EXPIRED', 'The login has ended.'));
    const { events, watcher } = watch({ client: ended });
    await until(() => happened(events, 'login-needed').length === 1);
    await settle(events);
    expect(happened(events, 'login-needed')).toHaveLength(1);
    expect(watcher.snapshot.days).toEqual({ sent: 0, waiting: 1 });
  });

  it('is reported once if the login lacks the scope, and rides are sent', async () => {
    putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
    const { client } = clientOf(sandbox, { scopes: ['workout:write'] }, { policy: ONE_TRY });
    const { events } = watch({ client });
    await until(() => happened(events, 'days-waiting').length === 1);
    await settle(events);
    put(join(folder, 'Activity/ride.fit'), anotherRecording());
    await until(() => held().length === 1);
    await stayAwake(20);
    expect(bodies()).toHaveLength(1);
    expect(happened(events, 'days-waiting')).toMatchObject([{ code: 'SCOPE_MISSING', days: 1 }]);
    expect(happened(events, 'login-needed')).toEqual([]);
  });
});

it('two watchers of an account send each day once', async () => {
  putOld('Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
  putOld('other/Monitor/1.FIT', wellnessFile({ restingHr: FEB14 }));
  sandbox.control.addFaults('wellness:delay=100ms*2');
  const both = [watch(), watch({ folders: [join(folder, 'other')] })];
  const all = () => both.flatMap(({ events }) => days(events));
  await until(() => all().length > 0);
  for (const { events } of both) await settle(events);
  expect([all(), bodies()]).toEqual([[{ outcome: 'pushed', ...SENT14 }], [SENT14]]);
});
