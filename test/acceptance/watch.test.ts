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
import {
  anotherRecording,
  events,
  put,
  ready,
  sha256,
  stop,
  until,
  useWorld,
  world,
} from '../watch/support.ts';

describe('a recording in a watched folder', () => {
  useWorld();

  it('is sent if it exists at the start', async () => {
    const bytes = anotherRecording();
    put(join(world.folder, 'deep/er/ride.fit'), bytes);
    const watcher = world.watch();
    await until(() => world.requests() === 1);
    await ready(watcher);
    expect(await stop(watcher)).toBe(0);
    expect(world.hashes()).toEqual([sha256(bytes)]);
    expect(world.recordings()[0]?.receivedCount).toBe(1);
  });

  it('is sent only after its last byte if it is written in pieces of 64 KB over seconds', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const bytes = anotherRecording({ sizeBytes: 640 * 1024 });
    const path = join(world.folder, 'slow.fit');
    for (let at = 0; at < bytes.length; at += 64 * 1024) {
      expect(world.requests()).toBe(0);
      appendFileSync(path, bytes.subarray(at, at + 64 * 1024));
      await sleep(250);
    }
    await until(() => world.requests() === 1);
    await until(() => events(watcher, 'upload').length > 0);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(bytes)]);
    expect(world.requests()).toBe(1);
  });

  it('is sent after its size is patched in at the end of the ride', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const bytes = anotherRecording({ sizeBytes: 200_000 });
    const open = unfinished(bytes);
    const path = join(world.folder, 'edge.fit');
    const file = openSync(path, 'w');
    for (let at = 0; at < open.length; at += 50_000) {
      writeSync(file, open.subarray(at, at + 50_000));
      await sleep(60);
    }
    expect(world.requests()).toBe(0);
    writeSync(file, bytes.subarray(-2));
    writeSync(file, bytes.subarray(0, 14), 0, 14, 0);
    closeSync(file);
    await until(() => world.requests() === 1);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(bytes)]);
  });

  it('is sent after it is moved in', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const bytes = anotherRecording();
    const outside = join(world.home.dir, 'ride.fit');
    put(outside, bytes);
    renameSync(outside, join(world.folder, 'moved.FIT'));
    await until(() => world.requests() === 1);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(bytes)]);
  });

  it('is sent after it is copied into a folder created at the same time', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const all = Array.from({ length: 20 }, () => anotherRecording());
    all.forEach((bytes, i) => put(join(world.folder, `new-${i}/of/many/ride.fit`), bytes));
    await until(() => world.recordings().length === all.length);
    await stop(watcher);
    expect(world.hashes()).toEqual(all.map(sha256).sort());
    expect(world.requests()).toBe(all.length);
  });

  it('is sent from a tree that is moved in, and from a folder that is renamed there', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const [first, second, third] = [anotherRecording(), anotherRecording(), anotherRecording()];
    const outside = join(world.home.dir, 'tree');
    put(join(outside, 'a/b/1.fit'), first);
    renameSync(outside, join(world.folder, 'tree'));
    await until(() => world.recordings().length === 1);
    put(join(world.folder, 'tree/a/b/2.fit'), second);
    await until(() => world.recordings().length === 2);
    renameSync(join(world.folder, 'tree'), join(world.folder, 'named'));
    put(join(world.folder, 'named/a/b/3.fit'), third);
    await until(() => world.recordings().length === 3);
    await stop(watcher);
    expect(world.hashes()).toEqual([first, second, third].map(sha256).sort());
    expect(world.requests()).toBe(3);
  });

  it('is sent from a folder that is removed and created again under the same name', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const rides = Array.from({ length: 5 }, () => anotherRecording());
    for (const [i, bytes] of rides.entries()) {
      rmSync(join(world.folder, 'day'), { recursive: true, force: true });
      mkdirSync(join(world.folder, 'day'));
      await sleep(i * 15);
      put(join(world.folder, 'day/ride.fit'), bytes);
      await until(() => world.requests() === i + 1);
    }
    await stop(watcher);
    expect(world.hashes()).toEqual(rides.map(sha256).sort());
  });

  it('is sent if 300 of them arrive at once', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const all = Array.from({ length: 300 }, () => anotherRecording({ durationSecs: 30 }));
    all.forEach((bytes, i) => put(join(world.folder, `d${i % 7}/ride-${i}.fit`), bytes));
    await until(
      () => world.recordings().length === all.length,
      () => `300 recordings, there are ${world.recordings().length}`,
    );
    await stop(watcher);
    expect(world.hashes()).toEqual(all.map(sha256).sort());
    expect(world.requests()).toBe(all.length);
  });

  it('is sent once if it exists under two names', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const bytes = anotherRecording();
    put(join(world.folder, 'a.fit'), bytes);
    put(join(world.folder, 'b.fit'), bytes);
    await until(() => events(watcher, 'upload').length >= 2);
    copyFileSync(join(world.folder, 'a.fit'), join(world.folder, 'c.fit'));
    await until(() => events(watcher, 'upload').some(({ path }) => String(path).endsWith('c.fit')));
    await stop(watcher);
    expect(world.requests()).toBe(1);
    expect(events(watcher, 'upload').filter(({ outcome }) => outcome === 'uploaded')).toHaveLength(
      1,
    );
  });

  it('is sent if it replaces the previous file at the same path (MyWhoosh)', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const rides = [anotherRecording(), anotherRecording({ durationSecs: 90 }), anotherRecording()];
    for (const [i, bytes] of rides.entries()) {
      put(join(world.folder, 'MyNewActivity-5.6.0.fit'), bytes);
      await until(() => world.recordings().length === i + 1);
    }
    await stop(watcher);
    expect(world.hashes()).toEqual(rides.map(sha256).sort());
    expect(world.requests()).toBe(3);
  });

  it('is sent at once even if its timestamps are old, as after cp -p', async () => {
    const watcher = world.watch();
    await ready(watcher);
    const outside = join(world.home.dir, 'old.fit');
    put(outside, anotherRecording());
    utimesSync(outside, 1_600_000_000, 1_600_000_000);
    renameSync(outside, join(world.folder, 'old.fit'));
    await until(() => world.requests() === 1);
    await stop(watcher);
    expect(world.recordings()).toHaveLength(1);
  });

  it('is sent in order of recording time, independent of its name', async () => {
    const dayOf = new Map<string, number>();
    for (let day = 1; day <= 12; day++) {
      const bytes = anotherRecording({ startTime: new Date(Date.UTC(2026, 1, day, 8)) });
      dayOf.set(sha256(bytes), day);
      put(join(world.folder, `${(day * 5) % 13}.fit`), bytes);
    }
    world.sandbox.control.addFaults('upload-fit:delay=250ms*inf');
    const watcher = world.watch();
    await until(() => world.recordings().length === dayOf.size);
    await stop(watcher);
    const days = world.sandbox.control
      .requests({ route: 'upload-fit' })
      .map(({ parts }) => dayOf.get(parts?.find(({ name }) => name === 'file')?.sha256 ?? ''));
    // The first two are on their way before the other files are found.
    const rest = days.slice(2);
    const sorted = rest.toSorted((a = NaN, b = NaN) => a - b);
    // Two uploads run at once: only neighbours may change places.
    rest.forEach((day, i) => expect(Math.abs(sorted.indexOf(day) - i)).toBeLessThanOrEqual(1));
  });

  it('is sent with at most one other upload in parallel', async () => {
    for (let i = 0; i < 12; i++) put(join(world.folder, `${i}.fit`), anotherRecording());
    world.sandbox.control.addFaults('upload-fit:delay=80ms*inf');
    const watcher = world.watch();
    let most = 0;
    await until(() => {
      const open = world.sandbox.control
        .requests({ route: 'upload-fit' })
        .filter(({ durationMs }) => durationMs === null);
      most = Math.max(most, open.length);
      return world.recordings().length === 12;
    });
    await stop(watcher);
    expect(most).toBe(2);
  });
});

describe('a file that is not a finished activity', () => {
  useWorld();

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
    for (const [path, bytes] of Object.entries(tree)) put(join(world.folder, path), bytes);
    const watcher = world.watch();
    await ready(watcher);
    await until(() => world.requests() === 1);
    // Again, as events this time.
    for (const [path, bytes] of Object.entries(tree)) put(join(world.folder, 'again', path), bytes);
    const last = anotherRecording({ startTime: new Date('2026-03-01T08:00:00Z') });
    put(join(world.folder, 'again/GARMIN/ACTIVITY/last.fit'), last);
    await until(() => world.requests() === 2);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(ride), sha256(last)].sort());
    expect(world.requests()).toBe(2);
  });

  it('is not sent while it is cut off, but after it is completed', async () => {
    const bytes = anotherRecording({ sizeBytes: 100_000 });
    const path = join(world.folder, 'copy.fit');
    put(path, truncated(bytes, 40_000));
    const watcher = world.watch();
    await ready(watcher);
    const other = anotherRecording();
    put(join(world.folder, 'other.fit'), other);
    await until(() => world.requests() === 1);
    expect(world.hashes()).toEqual([sha256(other)]);
    appendFileSync(path, bytes.subarray(-40_000));
    await until(() => world.requests() === 2);
    await stop(watcher);
    expect(world.hashes()).toEqual([sha256(bytes), sha256(other)].sort());
  });

  it('is reported once across restarts if it stays incomplete for hours, and sent when complete', async () => {
    const bytes = anotherRecording();
    const path = join(world.folder, 'crashed.fit');
    put(path, unfinished(bytes));
    utimesSync(path, Date.now() / 1000 - 5 * 3600, Date.now() / 1000 - 5 * 3600);
    const watcher = world.watch();
    await watcher.waitFor(/"event":"unfinished"/);
    await ready(watcher);
    await stop(watcher);
    expect(events(watcher, 'unfinished')).toMatchObject([{ path, reason: 'incomplete' }]);

    const next = world.watch();
    await ready(next);
    put(path, bytes);
    await until(() => world.requests() === 1);
    await stop(next);
    expect(events(next, 'unfinished')).toEqual([]);
    expect(world.hashes()).toEqual([sha256(bytes)]);
  });
});
