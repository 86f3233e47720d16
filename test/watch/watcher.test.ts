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
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeRecording, unfinished } from '../support/fit-maker.ts';
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
import { anotherRecording, put, sha256, until } from './support.ts';

useWatchedFolder();

const reader = useFolderReader();
/** The options for a folder on a device that can be unplugged. */
const device = () => ({
  filesystemType: { noEvents: undefined, removable: true },
  remote: reader(),
});

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
  while (happened(events, 'problem').length === 0) await clock.advance(1_000);
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
    const kept = happened(events, 'kept').length;
    await until(() => held().length === kept);
    renameSync(`${folder}-away`, folder);
    await until(() => held().length === rides.length);
    expect(held().map(({ receivedCount }) => receivedCount)).toEqual(rides.map(() => 1));
    await until(() => readdirSync(join(dir, 'state/outbox')).length === 0);
  });
});

it('a run with --once sends all recordings of a device, although its copies have room for a few only', async () => {
  const rides = Array.from({ length: 7 }, () => anotherRecording());
  rides.forEach((bytes, i) => put(join(folder, `${i}.fit`), bytes));
  const { running, events } = start({
    once: true,
    roomBytes: 2.5 * (rides[0]?.length ?? 0),
    ...device(),
  });
  await running;
  expect(held().map(({ receivedCount }) => receivedCount)).toEqual(rides.map(() => 1));
  expect(happened(events, 'problem')).toEqual([]);
  expect(readdirSync(join(dir, 'state/outbox'))).toEqual([]);
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
    await clock.advance(3 * 3_600_000);
    rmSync(folder, { recursive: true });
    while (happened(events, 'folder').length < 2) await clock.advance(100);
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
  while (held().length < rides.length) await clock.advance(1_000);
  expect(happened(events, 'obstacle')).toMatchObject([
    { obstacle: 'service', message: expect.stringContaining('(429)') as string },
  ]);
  await until(() => happened(events, 'delivering').length === 1);
  expect(sandbox.control.requests({ route: 'upload-fit' })).toHaveLength(8);
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
  await clock.advance(2 * 3_600_000);
  expect(happened(events, 'unfinished')).toEqual([]);
  await clock.advance(2 * 3_600_000);
  expect(happened(events, 'unfinished')).toMatchObject([{ path, reason: 'incomplete' }]);
  await clock.advance(24 * 3_600_000);
  expect(happened(events, 'unfinished')).toHaveLength(1);
  writeFileSync(path, bytes);
  await until(() => held().length === 1);
});

it('a recording that the service rejects is retried after a day and then after two, in case the service was fixed', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:422*2');
  const asked = () => sandbox.control.requests({ route: 'upload-fit' }).length;
  const { events } = start({ clock });
  await until(() => happened(events, 'ready').length === 1);
  put(join(folder, 'ride.fit'), anotherRecording());
  const refused = () =>
    events.filter((event) => event.event === 'upload' && event.item.outcome === 'rejected').length;
  await clock.advance(5_000);
  await until(() => refused() === 1);
  const hours = async (count: number) => {
    for (let i = 0; i < count; i++) await clock.advance(3_600_000);
  };
  await hours(22);
  expect(asked()).toBe(1);
  await hours(3);
  await until(() => refused() === 2);
  await hours(46);
  expect([asked(), held().length]).toEqual([2, 0]);
  await hours(3);
  await until(() => held().length === 1);
  expect(asked()).toBe(3);
});

it('stashed bytes are kept after a rejection, because they may be the only copy, and sent again', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:503*1', 'upload-fit:422*1');
  const { events } = start({ clock, ...device() });
  await until(() => happened(events, 'ready').length === 1);
  const path = join(folder, 'ride.fit');
  put(path, anotherRecording());
  while (happened(events, 'kept').length === 0) await clock.advance(1_000);
  rmSync(path);
  const refused = () =>
    events.filter((event) => event.event === 'upload' && event.item.outcome === 'rejected').length;
  while (refused() === 0) await clock.advance(1_000);
  expect(held()).toEqual([]);
  while (held().length === 0) await clock.advance(3_600_000);
  await until(() => readdirSync(join(dir, 'state/outbox')).length === 0);
  const outcomes = events.flatMap((event) => (event.event === 'upload' ? event.item.outcome : []));
  expect(outcomes).toEqual(['rejected', 'uploaded']);
});

it('a service that never answers causes the watcher to stash every recording after some seconds, and not before', async () => {
  const clock = manualClock();
  sandbox.control.addFaults('upload-fit:hang*inf');
  const { events, target } = start({ clock });
  await until(() => happened(events, 'ready').length === 1);
  const rides = Array.from({ length: 5 }, () => anotherRecording());
  rides.forEach((ride, i) => put(join(folder, `${i}.fit`), ride));
  await until(() => sandbox.control.requests({ route: 'upload-fit' }).length === 2);
  await clock.advance(4_000);
  expect(target.outbox.count).toBe(0);
  await clock.advance(2_000);
  await until(() => target.outbox.count === rides.length);
  expect(rides.every((ride) => target.outbox.has(sha256(ride)))).toBe(true);
  await sandbox.close();
});

it('a login that cannot send now causes no copy of a recording that was there for a week, so that no archive is copied', async () => {
  const clock = manualClock(Date.now() + 8 * 86_400_000);
  const fresh = anotherRecording();
  for (const name of ['a.fit', 'b.fit']) put(join(folder, name), anotherRecording());
  put(join(folder, 'c.fit'), fresh);
  utimesSync(join(folder, 'c.fit'), clock.now() / 1000, clock.now() / 1000);
  const { target, watcher } = start({ clock, delivers: false });
  await until(() => target.outbox.has(sha256(fresh)));
  expect([target.outbox.count, watcher.snapshot.waiting]).toEqual([1, 3]);
});

it('a watcher that is stopped during an upload counts the recording as waiting, and stashes it for the next run', async () => {
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
  while (happened(events, 'obstacle').length === 0) await clock.advance(1_000);
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

it('a bug in the program ends the watcher instead of leaving it running without work', async () => {
  const { running, target, events } = start();
  await until(() => happened(events, 'ready').length === 1);
  Object.assign(target.marks, {
    isSeen: () => {
      throw new TypeError('a mistake');
    },
  });
  const ended = expect(running).rejects.toThrow('a mistake');
  put(join(folder, 'ride.fit'), anotherRecording());
  await ended;
});

it('a recording that unpacks to more than 4 MB is sent while no other one is, which bounds the memory', async () => {
  const { client } = clientOf(sandbox);
  sandbox.control.addFaults('upload-fit:delay=300ms*inf');
  /** Sizes of the requests in flight, whenever another one begins. */
  const together: number[][] = [];
  const inFlight: number[] = [];
  for (const seed of [1, 2, 3]) {
    const bytes = makeRecording({ seed, sizeBytes: 4_500_000 });
    const path = join(folder, `${seed}.fit.gz`);
    put(path, gzipSync(bytes));
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
