import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { truncated, unfinished } from '../support/fit-maker.ts';
import { dir, folder, happened, held, sandbox, start, useWatchedFolder } from './in-process.ts';
import { anotherRecording, put, sha256, until } from './support.ts';

useWatchedFolder();

const requests = () => sandbox.control.requests({ route: 'upload-fit' }).length;
const hashes = () =>
  held()
    .map((recording) => recording.sha256)
    .sort();
const sorted = (recordings: readonly Uint8Array[]) => recordings.map(sha256).sort();

/** Starts a watcher, and waits until it has looked at everything and hears what happens. */
async function watching() {
  const { events } = start();
  await until(() => happened(events, 'ready').length === 1);
  return events;
}

describe('a recording in a watched folder', () => {
  it('is sent if it exists at the start', async () => {
    const bytes = anotherRecording();
    put(join(folder, 'deep/er/ride.fit'), bytes);
    await watching();
    await until(() => held().length === 1);
    expect([hashes(), requests()]).toEqual([[sha256(bytes)], 1]);
  });

  it('is sent only after its last byte if it is written in pieces of 64 KB', async () => {
    const events = await watching();
    const bytes = anotherRecording({ sizeBytes: 640 * 1024 });
    const path = join(folder, 'slow.fit');
    for (let at = 0; at < bytes.length; at += 64 * 1024) {
      expect(requests()).toBe(0);
      appendFileSync(path, bytes.subarray(at, at + 64 * 1024));
      await sleep(100);
    }
    await until(() => happened(events, 'upload').length > 0);
    expect([hashes(), requests()]).toEqual([[sha256(bytes)], 1]);
  });

  it('is reported once, although a file that was just written is read again', async () => {
    const readings: string[] = [];
    const { events } = start({ pollMs: 100, onRead: (path) => readings.push(path) });
    const paths = ['ride.fit', 'settings.fit'].map((name) => join(folder, name));
    for (const [index, path] of paths.entries())
      put(path, anotherRecording({ type: 4 - 2 * index }));
    await until(() => paths.every((path) => readings.filter((read) => read === path).length > 2));
    await until(() => happened(events, 'upload').length > 1);
    const outcomes = events.map((notice) => notice.event === 'upload' && notice.item.outcome);
    expect(outcomes.filter(Boolean).sort()).toEqual(['skipped', 'uploaded']);
  });

  it('is sent after its size is patched in at the end of the ride', async () => {
    await watching();
    const bytes = anotherRecording({ sizeBytes: 200_000 });
    const open = unfinished(bytes);
    const path = join(folder, 'edge.fit');
    const file = openSync(path, 'w');
    for (let at = 0; at < open.length; at += 50_000) {
      writeSync(file, open.subarray(at, at + 50_000));
      await sleep(60);
    }
    expect(requests()).toBe(0);
    writeSync(file, bytes.subarray(-2));
    writeSync(file, bytes.subarray(0, 14), 0, 14, 0);
    closeSync(file);
    await until(() => held().length === 1);
    expect(hashes()).toEqual([sha256(bytes)]);
  });

  it('is sent after it is moved in, also with old timestamps, as after cp -p', async () => {
    await watching();
    const bytes = anotherRecording();
    const outside = join(dir, 'ride.fit');
    put(outside, bytes);
    utimesSync(outside, 1_600_000_000, 1_600_000_000);
    renameSync(outside, join(folder, 'moved.FIT'));
    await until(() => held().length === 1);
    expect(hashes()).toEqual([sha256(bytes)]);
  });

  it('is sent after it is copied into a folder created at the same time', async () => {
    await watching();
    const all = Array.from({ length: 20 }, () => anotherRecording());
    all.forEach((bytes, i) => put(join(folder, `new-${i}/of/many/ride.fit`), bytes));
    await until(() => held().length === all.length);
    expect(hashes()).toEqual(sorted(all));
    expect(requests()).toBe(all.length);
  });

  it('is sent from a tree that is moved in, and from a folder that is renamed there', async () => {
    await watching();
    const [first, second, third] = [anotherRecording(), anotherRecording(), anotherRecording()];
    const outside = join(dir, 'tree');
    put(join(outside, 'a/b/1.fit'), first);
    renameSync(outside, join(folder, 'tree'));
    await until(() => held().length === 1);
    put(join(folder, 'tree/a/b/2.fit'), second);
    await until(() => held().length === 2);
    renameSync(join(folder, 'tree'), join(folder, 'named'));
    put(join(folder, 'named/a/b/3.fit'), third);
    await until(() => held().length === 3);
    expect(hashes()).toEqual(sorted([first, second, third]));
    expect(requests()).toBe(3);
  });

  it('is sent from a folder that is removed and created again under the same name', async () => {
    await watching();
    const rides = Array.from({ length: 5 }, () => anotherRecording());
    for (const [i, bytes] of rides.entries()) {
      rmSync(join(folder, 'day'), { recursive: true, force: true });
      mkdirSync(join(folder, 'day'));
      await sleep(i * 15);
      put(join(folder, 'day/ride.fit'), bytes);
      await until(() => held().length === i + 1);
    }
    expect(hashes()).toEqual(sorted(rides));
  });

  it('is sent if 300 of them arrive at once', async () => {
    await watching();
    const all = Array.from({ length: 300 }, () => anotherRecording({ durationSecs: 30 }));
    all.forEach((bytes, i) => put(join(folder, `d${i % 7}/ride-${i}.fit`), bytes));
    await until(
      () => held().length === all.length,
      () => `300 recordings, there are ${held().length}`,
    );
    expect(hashes()).toEqual(sorted(all));
    expect(requests()).toBe(all.length);
  });

  it('is sent once if it exists under two names', async () => {
    const events = await watching();
    const bytes = anotherRecording();
    put(join(folder, 'a.fit'), bytes);
    put(join(folder, 'b.fit'), bytes);
    const outcomes = () =>
      events.flatMap((event) => (event.event === 'upload' ? [event.item.outcome] : []));
    await until(() => outcomes().length === 2);
    copyFileSync(join(folder, 'a.fit'), join(folder, 'c.fit'));
    await until(() => outcomes().length === 3);
    expect([outcomes().sort(), requests()]).toEqual([['skipped', 'skipped', 'uploaded'], 1]);
  });

  it('is sent if it replaces the previous file at the same path (MyWhoosh)', async () => {
    await watching();
    const rides = [anotherRecording(), anotherRecording({ durationSecs: 90 }), anotherRecording()];
    for (const [i, bytes] of rides.entries()) {
      put(join(folder, 'MyNewActivity-5.6.0.fit'), bytes);
      await until(() => held().length === i + 1);
    }
    expect(hashes()).toEqual(sorted(rides));
    expect(requests()).toBe(3);
  });

  it('is sent in order of recording time, with at most one other upload in parallel', async () => {
    const dayOf = new Map<string, number>();
    for (let day = 1; day <= 12; day++) {
      const bytes = anotherRecording({ startTime: new Date(Date.UTC(2026, 1, day, 8)) });
      dayOf.set(sha256(bytes), day);
      put(join(folder, `${(day * 5) % 13}.fit`), bytes);
    }
    sandbox.control.addFaults('upload-fit:delay=100ms*inf');
    start();
    const uploads = () => sandbox.control.requests({ route: 'upload-fit' });
    let most = 0;
    await until(() => {
      most = Math.max(most, uploads().filter(({ durationMs }) => durationMs === null).length);
      return held().length === dayOf.size;
    });
    expect(most).toBe(2);
    const days = uploads().map(({ parts }) =>
      dayOf.get(parts?.find(({ name }) => name === 'file')?.sha256 ?? ''),
    );
    // The first two are on their way before the other files are found.
    const rest = days.slice(2);
    const inOrder = rest.toSorted((a = NaN, b = NaN) => a - b);
    // Two uploads run at once: only neighbours may change places.
    rest.forEach((day, i) => expect(Math.abs(inOrder.indexOf(day) - i)).toBeLessThanOrEqual(1));
  });
});

describe('a file that is not a finished activity', () => {
  it('is not sent from a tree with all file types of a watch', async () => {
    const ride = anotherRecording();
    const tree: Record<string, Uint8Array | string> = {
      'GARMIN/ACTIVITY/E2FA1234.FIT': ride,
      'GARMIN/MONITOR/M2F00001.FIT': anotherRecording({ type: 32 }),
      'GARMIN/SLEEP/S2F00001.FIT': anotherRecording({ type: 49 }),
      'GARMIN/METRICS/X2F00001.FIT': anotherRecording({ type: 44 }),
      'GARMIN/SETTINGS/SETTINGS.FIT': anotherRecording({ type: 2 }),
      'GARMIN/SPORTS/RUNNING.FIT': anotherRecording({ type: 3 }),
      'GARMIN/COURSES/LOOP.FIT': anotherRecording({ type: 6 }),
      'GARMIN/WORKOUTS/PLAN.FIT': anotherRecording({ type: 5 }),
      'GARMIN/TOTALS/TOTALS.FIT': anotherRecording({ type: 10 }),
      'GARMIN/DEVICE.FIT': anotherRecording({ type: 1 }),
      'GARMIN/TEMPFIT/T.FIT': anotherRecording(),
      'GARMIN/NEWFILES/N.FIT': anotherRecording(),
      'GARMIN/GARMINDEVICE.XML': '<Device/>',
      'GARMIN/ACTIVITY/._E2FA1234.FIT': anotherRecording(),
      'GARMIN/ACTIVITY/inProgressActivity.fit': anotherRecording(),
      'GARMIN/ACTIVITY/ride.fit.tmp': anotherRecording(),
      'GARMIN/ACTIVITY/ride.fit.part': anotherRecording(),
      'GARMIN/.Trash/old.fit': anotherRecording(),
    };
    for (const [path, bytes] of Object.entries(tree)) put(join(folder, path), bytes);
    await watching();
    await until(() => requests() === 1);
    // Again, as events this time.
    for (const [path, bytes] of Object.entries(tree)) put(join(folder, 'again', path), bytes);
    const last = anotherRecording({ startTime: new Date('2026-03-01T08:00:00Z') });
    put(join(folder, 'again/GARMIN/ACTIVITY/last.fit'), last);
    await until(() => held().length === 2);
    expect(hashes()).toEqual(sorted([ride, last]));
    expect(requests()).toBe(2);
  });

  it('is not sent while it is cut off, but after it is completed', async () => {
    const bytes = anotherRecording({ sizeBytes: 100_000 });
    const path = join(folder, 'copy.fit');
    put(path, truncated(bytes, 40_000));
    await watching();
    const other = anotherRecording();
    put(join(folder, 'other.fit'), other);
    await until(() => held().length === 1);
    expect(hashes()).toEqual([sha256(other)]);
    appendFileSync(path, bytes.subarray(-40_000));
    await until(() => held().length === 2);
    expect(hashes()).toEqual(sorted([bytes, other]));
  });

  it('is reported once across restarts if it stays incomplete for hours, and sent when complete', async () => {
    const bytes = anotherRecording();
    const path = join(folder, 'crashed.fit');
    put(path, unfinished(bytes));
    utimesSync(path, Date.now() / 1000 - 5 * 3600, Date.now() / 1000 - 5 * 3600);
    const { events, end } = start();
    await until(() => happened(events, 'ready').length === 1);
    expect(happened(events, 'unfinished')).toMatchObject([{ path, reason: 'incomplete' }]);
    await end();

    const next = await watching();
    put(path, bytes);
    await until(() => held().length === 1);
    expect(happened(next, 'unfinished')).toEqual([]);
    expect(hashes()).toEqual([sha256(bytes)]);
  });
});
