import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { SyncError } from '../../src/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../support/delivery.ts';
import { makeRecording, truncated } from '../support/fit-maker.ts';
import { makeZip } from '../support/zip-maker.ts';
import { type BatchOptions, openUploads, outcomes, put, sha256 } from './support.ts';

const RIDE = makeRecording({ seed: 1, sizeBytes: 2_000 });
const RUN = makeRecording({ seed: 2, sizeBytes: 3_000 });
const SETTINGS = makeRecording({ seed: 3, sizeBytes: 2_000, type: 2 });

/** A folder, a ledger and a sandbox, and uploads to it: their outcomes, and the names that were sent. */
async function open(options: Parameters<typeof openUploads>[0] = {}) {
  const world = await openUploads(options);
  const run = async (paths: string[], given: BatchOptions = {}) => {
    const { items, requests, archives, failed } = await world.run(paths, given);
    const names = requests
      .flatMap(({ parts }) => parts?.find(({ name }) => name === 'metadata')?.text ?? [])
      .map((text) => (JSON.parse(text) as { file_name: string }).file_name);
    return { items: outcomes(items), archives, failed, names: names.sort() };
  };
  return { ...world, run };
}

describe('uploading an archive', () => {
  it('sends each recording in it, at any depth, once and under its own hash', async () => {
    const { dir, temp, run, ledger, recordings } = await open();
    const inner = makeZip([
      { name: 'again.fit', bytes: RIDE },
      { name: 'run_ACTIVITY.fit', bytes: RUN, stored: true },
    ]);
    put(
      dir,
      'rides.zip',
      makeZip([
        { name: 'activities/1.fit.gz', bytes: gzipSync(RIDE), stored: true },
        { name: 'activities/2.gpx.gz', bytes: gzipSync('<gpx/>') },
        { name: 'activities/3.tcx', bytes: '<TrainingCenterDatabase/>' },
        { name: 'media/4.jpg', bytes: 'x' },
        { name: 'activities/5.fit', bytes: makeZip([{ name: 'renamed.fit', bytes: RIDE }]) },
        { name: 'parts/inner.zip', bytes: inner },
        { name: 'settings.fit', bytes: SETTINGS },
      ]),
    );
    const first = await run(['rides.zip'], { force: false });
    expect(first.items).toEqual({
      'rides.zip/activities/1.fit.gz': 'uploaded',
      'rides.zip/activities/5.fit': 'skipped already-uploaded',
      'rides.zip/parts/inner.zip/again.fit': 'skipped already-uploaded',
      'rides.zip/parts/inner.zip/run_ACTIVITY.fit': 'uploaded',
      'rides.zip/settings.fit': 'skipped not-an-activity',
      'rides.zip/activities/2.gpx.gz': 'skipped not-an-activity',
      'rides.zip/activities/3.tcx': 'skipped not-an-activity',
    });
    expect(first.names).toEqual(['1.fit.gz', 'run_ACTIVITY.fit']);
    expect(recordings()).toHaveLength(2);
    expect(ledger.find(sha256(RIDE))).toMatchObject({
      state: 'confirmed',
      path: 'rides.zip/activities/1.fit.gz',
    });
    // The same recording as a file of its own is known by its hash.
    put(dir, 'ride.fit', RIDE);
    const second = await run(['rides.zip', 'ride.fit']);
    expect(second.names).toEqual([]);
    expect(new Set(Object.values(second.items))).toEqual(
      new Set(['skipped already-uploaded', 'skipped not-an-activity']),
    );
    expect(readdirSync(temp)).toEqual([]);
  });

  it('reports what cannot be read in it, and sends the rest of the batch', async () => {
    const { dir, temp, run } = await open();
    const bomb = makeZip([{ name: 'bomb.fit', bytes: fitOfZeros(200 * 1024 * 1024) }]);
    put(
      dir,
      'mixed.zip',
      makeZip([
        { name: 'cut.fit', bytes: truncated(RIDE, 100) },
        { name: 'cut.fit.gz', bytes: gzipSync(RIDE).subarray(0, 200) },
        { name: 'locked.fit', bytes: RIDE, lies: { flags: 1 } },
        { name: 'text.fit', bytes: 'no recording' },
        { name: 'whole.fit', bytes: RUN },
        { name: 'bad.zip', bytes: makeZip([{ name: 'a', bytes: 'b'.repeat(99) }]).subarray(0, 60) },
      ]),
    );
    put(dir, 'bomb.zip', bomb);
    put(dir, 'cut.zip', makeZip([{ name: 'a.fit', bytes: RIDE }]).subarray(0, -30));
    put(dir, 'ride.fit', RIDE);
    const { items, names } = await run(['bomb.zip', 'cut.zip', 'mixed.zip', 'ride.fit']);
    expect(items).toEqual({
      'bomb.zip/bomb.fit': 'invalid unreadable',
      'cut.zip': 'invalid incomplete',
      'mixed.zip/bad.zip': 'invalid incomplete',
      'mixed.zip/cut.fit': 'invalid incomplete',
      'mixed.zip/cut.fit.gz': 'invalid incomplete',
      'mixed.zip/locked.fit': 'invalid unreadable',
      'mixed.zip/text.fit': 'invalid not-fit',
      'mixed.zip/whole.fit': 'uploaded',
      'ride.fit': 'uploaded',
    });
    expect(names).toEqual(['ride.fit', 'whole.fit']);
    expect(readdirSync(temp)).toEqual([]);
  });

  it('sends a recording with the name of an archive as any other file', async () => {
    const { dir, run } = await open();
    put(dir, 'ride.zip', RIDE);
    expect((await run(['ride.zip'])).items).toEqual({ 'ride.zip': 'uploaded' });
  });

  it('does not open archives in a folder, and counts them', async () => {
    const { dir, run } = await open();
    put(dir, 'r/rides.zip', makeZip([{ name: 'a.fit', bytes: RIDE }]));
    const { items, archives, names } = await run(['r']);
    expect([items, names]).toEqual([{}, []]);
    expect(archives).toEqual(['r/rides.zip']);
  });

  it('shows requests for the recordings in it with --dry-run, and sends none', async () => {
    const { dir, run } = await open();
    put(dir, 'rides.zip', makeZip([{ name: 'a.fit', bytes: RIDE }]));
    const { items, names } = await run(['rides.zip'], { dryRun: true });
    expect(items).toEqual({ 'rides.zip/a.fit': 'would-upload' });
    expect(names).toEqual([]);
  });

  it('stops at an interruption, and the next run sends the rest', async () => {
    const { dir, temp, run, recordings } = await open();
    const members = Array.from({ length: 30 }, (_, seed) => ({
      name: `${seed}.fit`,
      bytes: makeRecording({ seed: seed + 10, sizeBytes: 2_000 }),
    }));
    put(dir, 'rides.zip', makeZip([{ name: 'inner.zip', bytes: makeZip(members) }]));
    const stop = new AbortController();
    let seen = 0;
    const onItem = () => {
      if (++seen === 5) stop.abort(new Error('interrupted'));
    };
    const first = await run(['rides.zip'], { signal: stop.signal, onItem });
    expect(first.failed).toEqual(new Error('interrupted'));
    expect(recordings().length).toBeLessThan(30);
    expect(readdirSync(temp)).toEqual([]);
    const second = await run(['rides.zip']);
    expect(Object.keys(second.items)).toHaveLength(30);
    expect(recordings()).toHaveLength(30);
  });

  it('reads no more of it after the disk of the ledger failed', async () => {
    const { dir, sandbox, temp, run } = await open();
    const members = Array.from({ length: 30 }, (_, seed) => ({
      name: `${seed}.fit`,
      bytes: makeRecording({ seed: seed + 10, sizeBytes: 2_000 }),
    }));
    put(dir, 'rides.zip', makeZip(members));
    const { client } = clientOf(sandbox);
    let calls = 0;
    const current: string[] = [];
    const { failed } = await run(['rides.zip'], {
      client: () => {
        const full = new SyncError('STORAGE', 'The disk is full.');
        return calls++ === 0 ? Promise.reject(full) : client();
      },
      onProgress: (progress) => current.push(progress.current),
    });
    expect(failed).toMatchObject({ code: 'STORAGE' });
    expect(new Set(current).size).toBeLessThan(10);
    expect(readdirSync(temp)).toEqual([]);
  });

  it('reads no more of it after repeated failures of the platform', async () => {
    const { dir, run } = await open({ faults: ['upload-fit:503*inf'] });
    const members = Array.from({ length: 20 }, (_, seed) => ({
      name: `${seed}.fit`,
      bytes: makeRecording({ seed: seed + 10, sizeBytes: 2_000 }),
    }));
    put(dir, 'rides.zip', makeZip(members));
    const { items, names } = await run(['rides.zip']);
    expect(new Set(Object.values(items))).toEqual(new Set(['failed']));
    expect(Object.keys(items)).toHaveLength(20);
    expect(new Set(names).size).toBeLessThan(10);
  });
});

/** Makes a FIT file whose header states its size, and with nothing but zeroes behind it. */
function fitOfZeros(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.set(RIDE.subarray(0, 14));
  bytes.writeUInt32LE(size - 16, 4);
  return bytes;
}
