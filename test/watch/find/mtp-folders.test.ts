import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesystemType } from '../../../src/watch/find/filesystem-type.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { type MtpDevice, mountMtp, whyNoMtp } from '../../support/mtp-mount.ts';
import { wellnessFile } from '../../support/wellness-files.ts';
import {
  folder,
  happened,
  held,
  sandbox,
  start,
  useFolderReader,
  useWatchedFolder,
} from '../in-process.ts';
import { anotherRecording, put, sha256, until } from '../support.ts';

useWatchedFolder();

const noMtp = whyNoMtp();
const note = noMtp === undefined ? '' : ` (skipped: ${noMtp})`;

const reader = useFolderReader();

describe.skipIf(noMtp !== undefined)(`a watched folder on an MTP mount${note}`, () => {
  let device: MtpDevice;
  /** On the device, as it is mounted. */
  let activities: string;
  beforeEach(async () => {
    device = await mountMtp();
    activities = join(device.mount, 'Internal Storage', 'GARMIN', 'Activity');
    mkdirSync(onDevice(''), { recursive: true });
  });

  /** Where a file of the folder is on the device itself. */
  function onDevice(name: string): string {
    return join(device.source, 'Internal Storage', 'GARMIN', 'Activity', name);
  }

  /** Writes recordings to the device. @returns their hashes, sorted */
  function record(count: number, bytes?: number): string[] {
    const hashes: string[] = [];
    for (let index = 0; index < count; index++) {
      const recording = anotherRecording(bytes === undefined ? {} : { durationSecs: bytes / 30 });
      put(onDevice(`2026-11-${String(index + 1).padStart(3, '0')}.fit`), recording);
      hashes.push(sha256(recording));
    }
    return hashes.sort();
  }

  function watch(options: Parameters<typeof start>[0] & { silenceMs?: number } = {}) {
    const { silenceMs, ...given } = options;
    return start({
      folders: [folder, activities],
      pollMs: 200,
      remote: { ...reader(), silenceMs },
      filesystemType,
      ...given,
    });
  }

  const sent = () =>
    held()
      .map((recording) => recording.sha256)
      .sort();
  const uploads = () => sandbox.control.requests({ route: 'upload-fit' }).length;
  const reasons = (events: readonly WatchNotice[]) =>
    happened(events, 'folder').flatMap((notice) =>
      notice.event === 'folder' && notice.folder === activities ? [notice.reason] : [],
    );
  /** Calls after which only names are asked for. */
  const quiet = async () => {
    const before = device.counts().calls['readdir'] ?? 0;
    await until(() => (device.counts().calls['readdir'] ?? 0) > before + 1);
  };

  it('opens each file once, reads its bytes once, and one at a time', async () => {
    const hashes = record(12);
    put(onDevice('damaged.fit'), anotherRecording().subarray(0, 500));
    put(onDevice('packed.fit.gz'), gzipSync(anotherRecording()));
    const { watcher } = watch();
    await until(() => sent().length === 13);
    await quiet();
    const { opens, bytes, most, refused } = device.counts();
    expect(Object.values(opens)).toEqual(Array.from({ length: 14 }, () => 1));
    expect(bytes[`/Internal Storage/GARMIN/Activity/damaged.fit`]).toBe(500);
    expect({ most, refused }).toEqual({ most: 1, refused: 0 });
    expect(sent()).toEqual(expect.arrayContaining(hashes));
    expect(uploads()).toBe(13);
    expect(watcher.snapshot).toMatchObject({ waiting: 0, unfinished: 1 });
  });

  it.each([
    ['whose files have the present as their time', {}],
    ['whose files have no time', { times: 'none' }],
    ['whose files have no size', { sizes: false }],
  ] as const)('%s, is not read again by the next watcher', async (_what, behaviour) => {
    device.behave(behaviour);
    const hashes = record(3);
    const first = watch();
    await until(() => sent().length === 3);
    await first.end();
    const { opens } = device.counts();
    const more = anotherRecording();
    put(onDevice('new.fit'), more);
    watch();
    await until(() => sent().length === 4);
    await quiet();
    expect(sent()).toEqual([...hashes, sha256(more)].sort());
    expect(uploads()).toBe(4);
    expect(device.counts().opens).toEqual({
      ...opens,
      '/Internal Storage/GARMIN/Activity/new.fit': 1,
    });
  });

  it('that hangs keeps no other folder waiting, and is waited for', async () => {
    const hashes = record(2);
    device.behave({ state: 'hanging' });
    const { events, watcher, end } = watch({ silenceMs: 1_500 });
    await until(() => happened(events, 'ready').length === 1);
    const ride = anotherRecording();
    put(join(folder, 'ride.fit'), ride);
    await until(() => sent().includes(sha256(ride)));
    await until(() => reasons(events).includes('The Garmin Edge 840 does not answer.'));
    expect(watcher.snapshot.folders).toContainEqual({
      path: activities,
      state: 'silent',
      reason: 'The Garmin Edge 840 does not answer.',
    });
    device.behave({});
    await until(() => sent().length === 3);
    expect(sent()).toEqual([...hashes, sha256(ride)].sort());
    device.behave({ state: 'hanging' });
    // The device never answers.
    await end();
  });

  it('that another program reads is waited for', async () => {
    const hashes = record(2);
    const reader = openSync(join(activities, '2026-11-001.fit'), 'r');
    const { events } = watch();
    const reason = 'The Garmin Edge 840 is busy: another program uses it.';
    await until(() => reasons(events).includes(reason));
    closeSync(reader);
    await until(() => sent().length === 2);
    expect(sent()).toEqual(hashes);
  });

  it('of a device that gives out whole files only is reported, with what to do', async () => {
    record(2);
    device.behave({ parts: false });
    const { events } = watch();
    const reason =
      'The Garmin Edge 840 gives out whole files only: copy its recordings with the file manager, into a folder that is watched.';
    await until(() => reasons(events).includes(reason));
    expect(device.counts().calls['open']).toBe(1);
  });

  it.each(['gone', 'unplugged', 'hanging'] as const)(
    'loses nothing if the device is %s in the middle of a copy, and sends nothing twice',
    async (state) => {
      const hashes = record(5, 600_000);
      device.behave({ after: { bytes: 900_000, state } });
      const { events, watcher } = watch({ silenceMs: 1_500 });
      await until(() => watcher.snapshot.folders[1]?.state === 'polling');
      const away = state === 'hanging' ? 'silent' : 'waiting';
      await until(() => watcher.snapshot.folders[1]?.state === away);
      await until(() => watcher.snapshot.waiting === 0);
      const before = sent();
      expect(before.length).toBeLessThan(5);
      expect(before.length).toBeGreaterThan(0);
      if (state !== 'hanging') {
        const left = 5 - before.length;
        const reason = `It disappeared with ${left} recordings that are not sent: plug it in again.`;
        expect(reasons(events).at(-1)).toBe(reason);
      }
      device.behave({});
      await until(() => sent().length === 5);
      await quiet();
      expect(sent()).toEqual(hashes);
      expect(uploads()).toBe(5);
      const opened = Object.values(device.counts().opens);
      // One file was cut, and opened again.
      expect(opened.reduce((sum, count) => sum + count)).toBe(6);
    },
  );

  it('with 500 files and 50 ms a call starves nothing', async () => {
    for (let index = 0; index < 500; index++) put(onDevice(`${index}.fit`), 'not a recording');
    device.behave({ delay: 0.05 });
    const { events } = watch();
    await until(() => happened(events, 'ready').length === 1);
    await until(() => (device.counts().calls['readdir'] ?? 0) > 0);
    for (let ride = 0; ride < 5; ride++) {
      const bytes = anotherRecording();
      put(join(folder, `ride-${ride}.fit`), bytes);
      await until(() => sent().includes(sha256(bytes)));
    }
    // The device is still asked about its files.
    expect(device.counts().calls['getattr']).toBeLessThan(500);
  });

  it('sends only new recordings with --new-only, without reading the others', async () => {
    record(3);
    const { events } = watch({ newOnly: true });
    await until(() => reasons(events).length > 0);
    await quiet();
    expect(device.counts().opens).toEqual({});
    const ride = anotherRecording();
    put(onDevice('ride.fit'), ride);
    await until(() => sent().length === 1);
    expect(sent()).toEqual([sha256(ride)]);
  });

  it('tells a ride from an older one by its content, if the device was away at the start', async () => {
    device.behave({ state: 'unplugged' });
    const { events } = watch({ newOnly: true });
    await until(() => reasons(events).includes('The Garmin Edge 840 is not plugged in.'));
    const old = anotherRecording({ startTime: new Date('2020-05-01T08:00:00Z') });
    const ride = anotherRecording({ startTime: new Date(Date.now() + 60_000) });
    put(onDevice('old.fit'), old);
    put(onDevice('ride.fit'), ride);
    device.behave({});
    await until(() => sent().length === 1);
    await quiet();
    expect(sent()).toEqual([sha256(ride)]);
    expect(Object.values(device.counts().opens)).toEqual([1, 1]);
  });

  describe('with wellness', () => {
    const WITH_WELLNESS = { pollMs: 1_000, wellness: true };
    const FEB14 = { date: '2026-02-14', restingHr: 52 };
    const bodies = () => sandbox.control.requests({ route: 'wellness' }).map(({ body }) => body);
    beforeEach(() => {
      put(onDevice('../Monitor/1.FIT'), wellnessFile({ restingHr: { '2026-02-14T22:00:00': 52 } }));
      put(onDevice('../HRVStatus/2.FIT'), wellnessFile({ hrv: { '2026-02-15T06:50:00': 66 } }));
    });

    it('is read once, by one reader, and sent once', async () => {
      put(onDevice('ride.fit'), anotherRecording());
      const first = watch(WITH_WELLNESS);
      await until(() => happened(first.events, 'day').length === 2);
      await until(() => held().length === 1);
      await first.end();
      const { opens } = device.counts();
      const second = watch(WITH_WELLNESS);
      await until(() => happened(second.events, 'ready').length === 1);
      const listed = device.counts().calls['readdir'] ?? 0;
      await until(() => (device.counts().calls['readdir'] ?? 0) > listed + 5);
      await second.end();
      const { most, refused, opens: after } = device.counts();
      expect({ most, refused, after }).toEqual({ most: 1, refused: 0, after: opens });
      expect(opens['/Internal Storage/GARMIN/Monitor/1.FIT']).toBe(1);
      expect(bodies()).toEqual([FEB14, { date: '2026-02-15', hrv: 66 }]);
    });

    it('does not keep the days of another folder waiting for long if the device hangs', async () => {
      put(
        join(folder, 'Monitor/3.FIT'),
        wellnessFile({ restingHr: { '2026-02-13T22:00:00': 50 } }),
      );
      device.behave({ state: 'hanging' });
      const { events, end } = watch({ ...WITH_WELLNESS, silenceMs: 300 });
      await until(() => happened(events, 'day').length === 1);
      expect(bodies()).toEqual([{ date: '2026-02-13', restingHr: 50 }]);
      await end();
    });
  });
});
