import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeRecording, unfinished, withBrokenCrc } from '../support/fit-maker.ts';
import { clientOf } from '../support/delivery.ts';
import {
  ONE_TRY,
  dir,
  folder,
  happened,
  held,
  sandbox,
  start,
  useFolderReader,
  useWatchedFolder,
} from './in-process.ts';
import { manualClock } from './manual-clock.ts';
import type { FilesystemType } from '../../src/watch/find/filesystem-type.ts';
import { makeZip } from '../support/zip-maker.ts';
import { fit, gpx, ridePoints } from '../support/tracks.ts';
import { anotherRecording, put, sha256, until } from './support.ts';

useWatchedFolder();

const HOUR = 3_600_000;
const reader = useFolderReader();
/** The options for a folder on a device that can be unplugged. */
const device = () => ({
  filesystemType: { noEvents: undefined, removable: true },
  remote: reader(),
});

/** Leaves the copy of a recording whose label states this size, as a watcher that was killed does. */
/** @param track of a conversion */
function leaveCopy(size: number, track?: Record<string, unknown>): void {
  const ride = anotherRecording();
  const copy = join(dir, 'state/outbox', sha256(ride), 'of-a-dead-process');
  put(join(copy, 'left.fit'), ride);
  const label = { account: 'me', path: '/card/left.fit', size, recordedAt: 1, track };
  put(join(copy, 'copy.json'), JSON.stringify(label));
}

it('a ledger that cannot be written while an upload is answered costs that recording a second request, and delivery continues', async () => {
  const { client } = clientOf(sandbox);
  let answered = 0;
  const { events, database } = start({
    async client() {
      const service = await client();
      return {
        ...service,
        async uploadRecording(...args) {
          const answer = await service.uploadRecording(...args);
          if (++answered === 1) database.exec('PRAGMA query_only = ON');
          return answer;
        },
      };
    },
  });
  put(join(folder, 'ride.fit'), anotherRecording());
  await until(() => happened(events, 'obstacle').length === 1);
  expect(happened(events, 'obstacle')).toMatchObject([{ obstacle: 'storage' }]);
  database.exec('PRAGMA query_only = OFF');
  await until(() => happened(events, 'upload').length === 1);
  expect(happened(events, 'upload')).toMatchObject([{ item: { outcome: 'duplicate' } }]);
  put(join(folder, 'next.fit'), anotherRecording());
  await until(() => happened(events, 'upload').length === 2);
  expect(held().map(({ receivedCount }) => receivedCount)).toEqual([2, 1]);
});

it('a ledger that cannot be written while a device is read delays its recordings by some seconds', async () => {
  const clock = manualClock();
  const { events, database } = start({ clock, ...device() });
  await until(() => happened(events, 'ready').length === 1);
  database.exec('PRAGMA query_only = ON');
  for (const name of ['a.fit', 'b.fit']) put(join(folder, name), anotherRecording());
  await clock.advanceUntil(() => happened(events, 'problem').length > 0);
  database.exec('PRAGMA query_only = OFF');
  const since = clock.monotonic();
  while (held().length < 2 && clock.monotonic() < since + 120_000) {
    await clock.advance(1_000);
    // An answer of the service takes real time.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(held()).toHaveLength(2);
});

describe('a device that can be unplugged', () => {
  it('is read once: the watcher copies its recordings first and sends the copies', async () => {
    const rides = Array.from({ length: 6 }, () => anotherRecording());
    rides.forEach((bytes, i) => put(join(folder, `${i}.fit`), bytes));
    sandbox.control.addFaults('upload-fit:delay=100ms*inf');
    const { events } = start({ ...device() });
    await until(() => happened(events, 'kept').length >= 2);
    // Pulled out while the first are on their way.
    renameSync(folder, `${folder}-away`);
    // One more may have been read, and is copied now.
    const kept = happened(events, 'kept').length;
    await until(() => held().length >= kept);
    renameSync(`${folder}-away`, folder);
    await until(() => held().length === rides.length);
    expect(held().map(({ receivedCount }) => receivedCount)).toEqual(rides.map(() => 1));
    await until(() => readdirSync(join(dir, 'state/outbox')).length === 0);
  });
});

it('a recording that still grows on a device is sent once, when it is complete, and its bytes are not read before', async () => {
  const bytes = anotherRecording();
  const path = join(folder, 'ride.fit');
  const read: string[] = [];
  put(path, bytes.subarray(0, bytes.length / 2));
  const { watcher } = start({ pollMs: 200, ...device(), onRead: (each) => read.push(each) });
  await until(() => watcher.snapshot.unfinished === 1);
  expect(read).toEqual([]);
  put(path, bytes);
  await until(() => held().length === 1);
  await until(() => watcher.snapshot.unfinished === 0);
  expect([held()[0]?.receivedCount, read]).toEqual([1, [path]]);
});

it('the state of a watcher counts as many incomplete recordings as its report: a damaged one is none', async () => {
  put(join(folder, 'open.fit'), unfinished(anotherRecording()));
  put(join(folder, 'damaged.fit'), withBrokenCrc(anotherRecording()));
  const { events, watcher } = start({});
  await until(() => happened(events, 'ready').length === 1);
  expect(happened(events, 'ready')).toMatchObject([{ files: 2, incomplete: 1 }]);
  expect(watcher.snapshot.unfinished).toBe(1);
});

it('a recording in a zip archive with its name is unpacked and sent from a device, as from a local folder', async () => {
  const bytes = anotherRecording();
  put(join(folder, 'ride.fit'), makeZip([{ name: 'ride.fit', bytes }]));
  start({ ...device() });
  await until(() => held().length === 1);
  expect(held()[0]?.sha256).toBe(sha256(bytes));
});

describe('a device that disappears', () => {
  it('leaves no recording behind that was read, and is read again when it is back', async () => {
    const rides = Array.from({ length: 6 }, () => anotherRecording());
    rides.forEach((bytes, i) => put(join(folder, `${i}.fit`), bytes));
    put(join(folder, 'open.fit'), unfinished(anotherRecording()));
    sandbox.control.addFaults('upload-fit:delay=1s*2');
    const { events, watcher } = start({ ...device() });
    const states = () => happened(events, 'folder').slice(1);
    await until(() => happened(events, 'kept').length === rides.length);
    await until(() => watcher.snapshot.unfinished === 1);
    await until(() => happened(events, 'ready').length === 1);
    expect(happened(events, 'ready')).toMatchObject([{ files: rides.length + 1 }]);
    renameSync(folder, `${folder}-away`);
    await until(() => states().length > 0);
    const reason = 'It disappeared.';
    expect(states()).toEqual([{ event: 'folder', folder, state: 'waiting', reason }]);
    await until(() => held().length === rides.length);
    await until(() => watcher.snapshot.waiting === 0);
    expect(watcher.snapshot).toMatchObject({ unfinished: 0, folders: [{ reason }] });
    renameSync(`${folder}-away`, folder);
    await until(() => states().length === 2);
    await until(() => watcher.snapshot.unfinished === 1);
    expect(states()).toMatchObject([{ reason }, { state: 'watching' }]);
    expect(held().map(({ receivedCount }) => receivedCount)).toEqual(rides.map(() => 1));
  });

  it('names the recordings that stayed on it, although its mount point is a local folder now', async () => {
    put(join(folder, 'ride.fit'), anotherRecording());
    const huge = join(folder, 'huge.fit.gz');
    put(huge, '');
    truncateSync(huge, 256 * 1024 * 1024 + 1);
    const { events } = start({
      filesystemType: () => ({ noEvents: undefined, removable: existsSync(folder) }),
      remote: reader(),
    });
    await until(() => held().length === 1 && happened(events, 'ready').length === 1);
    renameSync(folder, `${folder}-away`);
    await until(() => happened(events, 'folder').length === 2);
    const reason = 'It disappeared with 1 recording that is not sent: plug it in again.';
    const waits = { event: 'folder', folder, state: 'waiting', reason, left: 1 };
    expect(happened(events, 'folder')[1]).toEqual(waits);
  });

  it('is watched again within two seconds of its return, also after hours without a change', async () => {
    const clock = manualClock();
    put(join(folder, 'ride.fit'), anotherRecording());
    const { events } = start({ clock });
    await until(() => held().length === 1);
    await clock.advance(HOUR);
    rmSync(folder, { recursive: true });
    await clock.advanceUntil(() => happened(events, 'folder').length >= 2);
    mkdirSync(folder);
    await clock.advance(2_000);
    await until(() => happened(events, 'folder').length === 3);
    expect(happened(events, 'folder').slice(1)).toEqual([
      { event: 'folder', folder, state: 'waiting', reason: 'It disappeared.' },
      { event: 'folder', folder, state: 'watching' },
    ]);
  });
});

it('a service that rejects requests as too many gets growing pauses, is reported once, and then receives everything', async () => {
  const clock = manualClock();
  const rides = [anotherRecording(), anotherRecording()];
  rides.forEach((bytes, i) => put(join(folder, `${i}.fit`), bytes));
  // One try a call, as the watcher's connection has it: half a minute of 429, none says how long.
  sandbox.control.addFaults('upload-fit:429*6');
  const { events } = start({ clock, client: clientOf(sandbox, {}, { policy: ONE_TRY }).client });
  await until(() => happened(events, 'obstacle').length === 1);
  await clock.advanceUntil(() => held().length >= rides.length);
  expect(happened(events, 'obstacle')).toMatchObject([
    { obstacle: 'service', message: expect.stringContaining('(429)') as string },
  ]);
  await until(() => happened(events, 'delivering').length === 1);
  expect(sandbox.control.requests({ route: 'upload-fit' })).toHaveLength(8);
  // Each copy that waited was reported.
  expect(happened(events, 'kept')).toHaveLength(rides.length);
});

it('an outage that ends because no recording is left to send is not reported as a delivery', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:503*inf');
  const { client } = clientOf(sandbox, {}, { policy: ONE_TRY });
  const { events, watcher } = start({ clock, client });
  const path = join(folder, 'ride.fit');
  put(path, anotherRecording());
  await clock.advanceUntil(() => happened(events, 'obstacle').length > 0);
  rmSync(path);
  rmSync(join(dir, 'state/outbox'), { recursive: true });
  await clock.advanceUntil(() => watcher.breaker.state.state === 'closed');
  expect(happened(events, 'delivering')).toEqual([]);
});

it('a folder without filesystem events is polled, with a message that gives the reason, and new files are found', async () => {
  const clock = manualClock();
  const why = 'It is on a network.';
  const { events } = start({ clock, filesystemType: { noEvents: why, removable: false } });
  await until(() => happened(events, 'ready').length === 1);
  expect(happened(events, 'folder')).toEqual([
    { event: 'folder', folder, state: 'polling', reason: why },
  ]);
  const ride = anotherRecording();
  put(join(folder, 'sub/ride.fit'), ride);
  await clock.advance(29_000);
  expect(held()).toEqual([]);
  await clock.advance(2_000);
  await until(() => held().length === 1);
  expect(held()[0]?.sha256).toBe(sha256(ride));
});

describe('a file that changes without an event', () => {
  /** Makes a hard link in the folder to a file outside: writes there cause no event. */
  function behindItsBack(bytes: Uint8Array): { readonly complete: () => void } {
    const outside = join(dir, 'same-file');
    writeFileSync(outside, unfinished(bytes));
    linkSync(outside, join(folder, 'ride.fit'));
    return { complete: () => writeFileSync(outside, bytes) };
  }

  it('is found by the next check of incomplete files', async () => {
    const clock = manualClock();
    const ride = anotherRecording();
    const { complete } = behindItsBack(ride);
    const { events } = start({ clock });
    await until(() => happened(events, 'ready').length === 1);
    complete();
    await clock.advance(2_000);
    await until(() => held().length === 1);
    expect(held()[0]?.sha256).toBe(sha256(ride));
  });

  it('is found by the next rescan after the last of these checks', async () => {
    const clock = manualClock();
    const { complete } = behindItsBack(anotherRecording());
    const { events } = start({ clock });
    await until(() => happened(events, 'ready').length === 1);
    await clock.advance(30 * 60_000);
    complete();
    await clock.advance(60_000);
    await clock.advance(4 * 60_000 + 5_000);
    await until(() => held().length === 1);
  });
});

it('an incomplete recording is reported once after three hours, and still sent when it is complete', async () => {
  const clock = manualClock();
  const bytes = anotherRecording();
  const path = join(folder, 'crashed.fit');
  put(path, unfinished(bytes));
  const { events } = start({ clock });
  await until(() => happened(events, 'ready').length === 1);
  await clock.advance(2 * HOUR);
  expect(happened(events, 'unfinished')).toEqual([]);
  await clock.advance(2 * HOUR);
  expect(happened(events, 'unfinished')).toMatchObject([{ path, reason: 'incomplete' }]);
  await clock.advance(4 * HOUR);
  expect(happened(events, 'unfinished')).toHaveLength(1);
  writeFileSync(path, bytes);
  await until(() => held().length === 1);
});

it('a recording that the service rejects is retried after a day and then after two, in case the service was fixed', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:422*2');
  const asked = () => sandbox.control.requests({ route: 'upload-fit' }).length;
  const { events, watcher } = start({ clock });
  await until(() => happened(events, 'ready').length === 1);
  put(join(folder, 'ride.fit'), anotherRecording());
  const refused = () =>
    events.filter((event) => event.event === 'upload' && event.item.outcome === 'rejected').length;
  await clock.advance(5_000);
  await until(() => refused() === 1);
  /** The machine sleeps for hours, and rescans then. */
  const sleepFor = async (hours: number) => {
    clock.jump(hours * HOUR);
    const since = clock.now();
    await clock.advanceUntil(() => (watcher.snapshot.lastRescanAt ?? 0) > since);
  };
  await sleepFor(23);
  expect(asked()).toBe(1);
  await sleepFor(2);
  await until(() => refused() === 2);
  await sleepFor(47);
  expect([asked(), held().length]).toEqual([2, 0]);
  await sleepFor(2);
  await until(() => held().length === 1);
  expect(asked()).toBe(3);
});

it('a copy is kept after a rejection, because it may be the only one, and sent again', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:503*1', 'upload-fit:422*1');
  const { events } = start({ clock, ...device() });
  await until(() => happened(events, 'ready').length === 1);
  const path = join(folder, 'ride.fit');
  put(path, anotherRecording());
  await clock.advanceUntil(() => happened(events, 'kept').length > 0);
  rmSync(path);
  const refused = () =>
    events.filter((event) => event.event === 'upload' && event.item.outcome === 'rejected').length;
  await clock.advanceUntil(() => refused() > 0);
  expect(held()).toEqual([]);
  clock.jump(25 * HOUR);
  await clock.advanceUntil(() => held().length > 0);
  await until(() => readdirSync(join(dir, 'state/outbox')).length === 0);
  const outcomes = events.flatMap((event) => (event.event === 'upload' ? event.item.outcome : []));
  expect(outcomes).toEqual(['rejected', 'uploaded']);
});

it('a new GPX file waits until the old recordings are read that may cover it', async () => {
  const clock = manualClock(Date.now() + 14 * 86_400_000);
  for (let i = 0; i < 20; i++) {
    put(join(folder, `${i}.fit`), anotherRecording({ paddingBytes: 200_000 }));
  }
  const ride = ridePoints(600);
  put(join(folder, 'ride.fit'), fit(ride));
  const path = join(folder, 'new.gpx');
  put(path, gpx([{ segments: [ride] }]));
  const minuteAgo = new Date(clock.now() - 60_000);
  utimesSync(path, minuteAgo, minuteAgo);
  const { events } = start({ clock });
  const outcomeOf = (file: string) =>
    events.flatMap((event) =>
      event.event === 'upload' && event.item.path === file ? [event.item.outcome] : [],
    );
  await until(() => outcomeOf(path).length > 0);
  expect(outcomeOf(path)).toEqual(['covered']);
});

it('a GPX file waits while a FIT recording beside it is still being written', async () => {
  const clock = manualClock();
  const ride = ridePoints(600);
  const whole = fit(ride);
  const [track, recording] = [join(folder, 'a.gpx'), join(folder, 'b.fit')];
  const { events } = start({ clock });
  await until(() => events.some(({ event }) => event === 'ready'));
  put(recording, whole.subarray(0, 1_000));
  put(track, gpx([{ segments: [ride] }]));
  await until(() => existsSync(join(dir, 'state/outbox')));
  for (let size = 1_100; size < 1_800; size += 100) {
    put(recording, whole.subarray(0, size));
    await clock.advance(2_000);
  }
  put(recording, whole);
  const outcomes = () =>
    events.flatMap((event) => (event.event === 'upload' ? event.item.outcome : []));
  await clock.advanceUntil(() => outcomes().length === 2);
  expect(outcomes()).toEqual(['uploaded', 'covered']);
});

it('a FIT recording that comes while the platform is asked about a GPX file of its ride is sent first', async () => {
  const ride = ridePoints(600);
  const whole = fit(ride);
  const { client } = clientOf(sandbox);
  sandbox.control.addFaults('upload-fit:delay=500ms');
  let isAsked = false;
  const { events, target } = start({
    async client() {
      const service = await client();
      return {
        ...service,
        async listWorkouts(...given: Parameters<typeof service.listWorkouts>) {
          if (!isAsked) {
            isAsked = true;
            put(join(folder, 'b.fit'), whole);
            await until(() => target.outbox.has(sha256(whole)));
          }
          return await service.listWorkouts(...given);
        },
      };
    },
  });
  await until(() => events.some(({ event }) => event === 'ready'));
  put(join(folder, 'a.gpx'), gpx([{ segments: [ride] }]));
  const outcomes = () =>
    events.flatMap((event) => (event.event === 'upload' ? event.item.outcome : []));
  await until(() => outcomes().length === 2);
  expect(outcomes()).toEqual(['uploaded', 'covered']);
});

it('a file that was read before the watcher stopped is not read again', async () => {
  const clock = manualClock(Date.now() + 3_600_000);
  const count = 40;
  for (let i = 0; i < count; i++) put(join(folder, `${i}.fit`), anotherRecording());
  const first = new Set<string>();
  const stopped = start({
    ...{ clock, delivers: false },
    onRead(path) {
      first.add(path);
      if (first.size === 3) void stopped.end();
    },
  });
  await stopped.running;
  const second = new Set<string>();
  start({ clock, delivers: false, onRead: (path) => second.add(path) });
  await until(() => new Set([...first, ...second]).size === count);
  expect([...second].filter((path) => first.has(path))).toEqual([]);
});

describe('while nothing can be sent', () => {
  const week = 7 * 86_400_000;

  it('fresh recordings are copied first and without a bound, and older ones as far as 64 MB wait', async () => {
    const at = (name: string, ms: number) => utimesSync(join(folder, name), ms / 1000, ms / 1000);
    const clock = manualClock(Date.now() + 2 * week);
    leaveCopy(52_000_000);
    for (let i = 0; i < 4; i++) {
      put(join(folder, `old-${i}.fit`), anotherRecording({ paddingBytes: 4_000_000 }));
    }
    for (let i = 0; i < 2; i++) {
      put(join(folder, `new-${i}.fit`), anotherRecording({ paddingBytes: 4_000_000 }));
      at(`new-${i}.fit`, clock.now());
    }
    const { target, watcher, events } = start({ clock, delivers: false });
    const copied = () => target.outbox.all.map(({ path }) => basename(path));
    await until(() => happened(events, 'ready').length === 1 && copied().length >= 5);
    await clock.advance(1_000);
    expect(copied()).toEqual(expect.arrayContaining(['left.fit', 'new-0.fit', 'new-1.fit']));
    expect([copied().length, watcher.snapshot.waiting]).toEqual([5, 7]);
    const late = anotherRecording();
    put(join(folder, 'late.fit'), late);
    at('late.fit', clock.now());
    await until(() => target.outbox.has(sha256(late)));
    expect(copied()).toHaveLength(6);
  });

  it('older recordings do not wait for copies of conversions', async () => {
    const clock = manualClock(Date.now() + 2 * week);
    leaveCopy(68_000_000, { digest: 'abc', richness: 1 });
    const old = anotherRecording();
    put(join(folder, 'old.fit'), old);
    const { target } = start({ clock, delivers: false });
    await until(() => target.outbox.has(sha256(old)));
  });

  it('one recording fits, however large it is, and the next after it was sent', async () => {
    put(join(folder, 'a.fit'), anotherRecording({ paddingBytes: 68_000_000 }));
    put(join(folder, 'b.fit'), anotherRecording());
    const clock = manualClock(Date.now() + 2 * week);
    sandbox.control.addFaults('upload-fit:503*1');
    const { target, events } = start({
      clock,
      client: clientOf(sandbox, {}, { policy: ONE_TRY }).client,
    });
    await until(() => happened(events, 'obstacle').length === 1);
    expect(target.outbox.all).toHaveLength(1);
    await clock.advanceUntil(() => held().length >= 2);
    await until(() => target.outbox.all.length === 0);
  });
});

it('every recording is copied before the first of them were sent, so that it arrives although its file is deleted', async () => {
  const rides = Array.from({ length: 180 }, () => anotherRecording());
  rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
  const { client } = clientOf(sandbox);
  let send: () => void = () => undefined;
  const mayBeSent = new Promise<void>((resolve) => (send = resolve));
  const { target, events } = start({ client: () => mayBeSent.then(client) });
  await until(() => happened(events, 'ready').length === 1);
  const late = anotherRecording();
  put(join(folder, 'late.fit'), late);
  await until(() => target.outbox.has(sha256(late)));
  expect(held()).toEqual([]);
  expect(target.outbox.all).toHaveLength(rides.length + 1);
  rmSync(folder, { recursive: true });
  send();
  await until(() => held().length === rides.length + 1);
  expect(held().every(({ receivedCount }) => receivedCount === 1)).toBe(true);
});

describe('a disk that takes no copies', () => {
  const rides = [1, 2, 3, 4, 5].map(() => anotherRecording());
  const noCopies = () => put(join(dir, 'state/outbox'), 'a file where the folder should be');

  it('costs no recording: one at a time is sent from memory', async () => {
    noCopies();
    rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
    let [inFlight, most] = [0, 0];
    const { client } = clientOf(sandbox);
    const { events, running } = start({
      once: true,
      async client() {
        const service = await client();
        return {
          ...service,
          async uploadRecording(...args) {
            most = Math.max(most, ++inFlight);
            return await service.uploadRecording(...args).finally(() => inFlight--);
          },
        };
      },
    });
    await running;
    expect(held().map(({ receivedCount }) => receivedCount)).toEqual([1, 1, 1, 1, 1]);
    expect([most, happened(events, 'not-copied').length]).toEqual([1, 1]);
    expect(happened(events, 'problem')).toEqual([]);
  });

  it('bounds the memory: a device and a local folder are not sent from at the same time', async () => {
    noCopies();
    const card = join(dir, 'card');
    rides.forEach((ride, i) => put(join(i < 2 ? folder : card, `${i}.fit`), ride));
    sandbox.control.addFaults('upload-fit:delay=200ms*inf');
    const uploads = () => sandbox.control.requests({ route: 'upload-fit' });
    start({
      folders: [folder, card],
      pollMs: 300,
      remote: reader(),
      filesystemType: (path) => ({ noEvents: undefined, removable: path === card }),
    });
    let most = 0;
    await until(() => {
      most = Math.max(most, uploads().filter(({ durationMs }) => durationMs === null).length);
      return held().length === rides.length;
    });
    expect(most).toBe(1);
  });

  it.each([
    ['a device', device],
    ['a local folder', () => ({})],
  ])(
    'delays the recordings of %s until the platform answers, and then each is sent once',
    async (_, place) => {
      noCopies();
      rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
      sandbox.control.addFaults('upload-fit:503*2');
      const { client } = clientOf(sandbox, {}, { policy: ONE_TRY });
      const { watcher } = start({ pollMs: 200, client, ...place() });
      await until(() => held().length === rides.length);
      expect(held().every(({ receivedCount }) => receivedCount === 1)).toBe(true);
      await until(() => watcher.snapshot.waiting === 0);
    },
  );

  it('ends a run with --once after some failures of the platform', async () => {
    noCopies();
    put(join(folder, 'ride.fit'), anotherRecording());
    sandbox.control.addFaults('upload-fit:503(retry-after=3600)*inf');
    const { client } = clientOf(sandbox, {}, { policy: ONE_TRY });
    const { events, running } = start({ once: true, client });
    await running;
    const outcomes = happened(events, 'upload').map((each) => 'item' in each && each.item.outcome);
    expect(outcomes).toEqual(['failed']);
  });

  it('says at the end of a run with --once for each recording why it failed', async () => {
    for (const name of ['a', 'b', 'c']) put(join(folder, `${name}.fit`), anotherRecording());
    sandbox.control.addFaults('upload-fit:503*1', 'upload-fit:500*inf');
    const { client } = clientOf(sandbox, {}, { policy: ONE_TRY });
    const { events, running } = start({ once: true, client });
    await running;
    const why = happened(events, 'upload').map((each) => 'item' in each && each.item);
    const said = (status: number) =>
      expect.objectContaining({
        message: expect.stringContaining(`(${status})`) as string,
      }) as unknown;
    expect(why).toHaveLength(3);
    expect(why).toEqual(expect.arrayContaining([said(503), said(500)]));
  });
});

it('a recording that would replace a longer one is read and reported once, and leaves no copy', async () => {
  const about = { seed: 7, startTime: new Date('2026-02-15T07:10:00Z') };
  const old = (name: string, bytes: Uint8Array) => {
    put(join(folder, name), bytes);
    utimesSync(join(folder, name), 1_600_000_000, 1_600_000_000);
  };
  const read: string[] = [];
  const clock = manualClock(Date.now() + 60_000);
  const { events, target } = start({
    clock,
    pollMs: 1_000,
    onRead: (path) => read.push(basename(path)),
  });
  old('whole.fit', makeRecording({ ...about, durationSecs: 600 }));
  await clock.advanceUntil(() => held().length > 0);
  old('part.fit', makeRecording({ ...about, durationSecs: 300 }));
  await clock.advanceUntil(() => happened(events, 'upload').length >= 2);
  await clock.advance(60_000);
  expect(happened(events, 'upload')[1]).toMatchObject({
    item: { outcome: 'skipped', reason: 'shorter' },
  });
  expect(happened(events, 'upload')).toHaveLength(2);
  expect([read, target.outbox.all, held().length]).toEqual([['whole.fit', 'part.fit'], [], 1]);
});

it('a recording that is cut off is counted as incomplete once everything was looked at', async () => {
  const bytes = anotherRecording();
  put(join(folder, 'whole.fit'), anotherRecording());
  put(join(folder, 'cut.fit'), bytes.subarray(0, bytes.length / 2));
  put(join(folder, 'none.fit'), 'no recording');
  const { events } = start();
  await until(() => happened(events, 'ready').length === 1);
  expect(happened(events, 'ready')).toMatchObject([{ files: 3, incomplete: 1 }]);
});

it('copies of more than 1 GB are reported once', async () => {
  const size = 1_100_000_000;
  leaveCopy(size);
  const { events } = start({ delivers: false });
  await until(() => happened(events, 'ready').length === 1);
  const rides = [anotherRecording(), anotherRecording()];
  rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
  await until(() => happened(events, 'kept').length === 2);
  const bytes = size + (rides[0]?.length ?? 0);
  expect(happened(events, 'many-copies')).toMatchObject([{ copies: 2, bytes }]);
});

it('a watcher that is stopped during an upload counts the recording as waiting, and keeps its copy for the next run', async () => {
  sandbox.control.addFaults('upload-fit:hang-after*1');
  const { watcher, events, end } = start();
  await until(() => happened(events, 'ready').length === 1);
  const ride = anotherRecording();
  put(join(folder, 'ride.fit'), ride);
  await until(() => held().length === 1);
  await end();
  expect(readdirSync(join(dir, 'state/outbox'))).toEqual([sha256(ride)]);
  expect(watcher.snapshot).toMatchObject({ waiting: 1, sending: 0 });
});

it('a clock that is set back by a day during an outage lengthens neither the pause that the service requested nor the rescan interval', async () => {
  const clock = manualClock();
  const why = 'It is a network folder.';
  const { client } = clientOf(sandbox, {}, { policy: ONE_TRY });
  const { events } = start({ clock, filesystemType: { noEvents: why, removable: false }, client });
  await until(() => happened(events, 'ready').length === 1);
  sandbox.control.addFaults('upload-fit:503(retry-after=10)*1');
  const [first, second] = [anotherRecording(), anotherRecording()];
  put(join(folder, 'first.fit'), first);
  await clock.advanceUntil(() => happened(events, 'obstacle').length > 0);
  clock.jump(-86_400_000);
  put(join(folder, 'second.fit'), second);
  for (let i = 0; i < 40; i++) await clock.advance(1_000);
  await until(() => held().length === 2);
  expect(happened(events, 'delivering')).toHaveLength(1);
});

it('a machine that slept rescans everything when it wakes up', async () => {
  const clock = manualClock();
  const { events } = start({ clock, pollMs: 86_400_000 });
  await until(() => happened(events, 'ready').length === 1);
  put(join(folder, 'ride.fit'), anotherRecording());
  await clock.advance(20_000);
  expect(held()).toEqual([]);
  clock.jump(3_600_000);
  // Should it have been busy at that moment, it notices when it looks around next.
  await until(() => {
    void clock.advance(1_000);
    return held().length === 1;
  });
});

it.each([
  ['a file event', { newOnly: true }, 'isSeen'],
  ['a rescan', { newOnly: true, pollMs: 100 }, 'isSeen'],
  ['a probe', { pollMs: 3_600_000 }, 'filesystemType'],
] as const)(
  'a bug that shows in %s ends the watcher instead of leaving it without work',
  async (...test) => {
    const [, options, wrong] = test;
    const mistake = () => {
      throw new TypeError('a mistake');
    };
    let type = (): FilesystemType => ({ noEvents: undefined, removable: false });
    const { running, target, events } = start({ ...options, filesystemType: () => type() });
    await until(() => happened(events, 'ready').length === 1);
    if (wrong === 'filesystemType') type = mistake;
    else Object.assign(target.marks, { isSeen: mistake });
    const ended = expect(running).rejects.toThrow('a mistake');
    put(join(folder, 'ride.fit'), anotherRecording());
    await ended;
  },
);

it('a recording that unpacks to more than 4 MB is sent while no other one is, which bounds the memory', async () => {
  const { client } = clientOf(sandbox);
  sandbox.control.addFaults('upload-fit:delay=300ms*inf');
  /** Sizes of the requests in flight, whenever another one begins. */
  const together: number[][] = [];
  const inFlight: number[] = [];
  for (const seed of [1, 2, 3]) {
    const bytes = makeRecording({ seed, paddingBytes: 4_500_000 });
    const path = join(folder, `${seed}.fit.gz`);
    put(path, gzipSync(bytes, { level: 1 }));
    // The oldest recordings are sent first.
    utimesSync(path, 1_600_000_000, 1_600_000_000);
  }
  for (const seed of [4, 5, 6]) put(join(folder, `${seed}.fit`), anotherRecording());
  const { events } = start({
    async client() {
      const service = await client();
      return {
        ...service,
        async uploadRecording(...args) {
          const length = Buffer.concat(args[0].body).length;
          inFlight.push(length);
          together.push([...inFlight]);
          const answer = await service.uploadRecording(...args);
          inFlight.splice(inFlight.indexOf(length), 1);
          return answer;
        },
      };
    },
  });
  await until(() => happened(events, 'upload').length === 6);
  expect(held()).toHaveLength(6);
  const large = together.filter((sizes) => sizes.some((size) => size > 4_500_000));
  expect(large.map(({ length }) => length)).toEqual([1, 1, 1]);
});
