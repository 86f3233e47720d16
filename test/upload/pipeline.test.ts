import { noFacts } from '../support/platform-facts.ts';
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { uploadLedger } from '../../src/ledger/uploads.ts';
import { Uploader } from '../../src/upload/uploader.ts';
import type { UploadProgress } from '../../src/upload/report.ts';
import { markIn } from '../ledger/support.ts';
import { clientOf } from '../support/delivery.ts';
import { type RecordingOptions, makeRecording, truncated } from '../support/fit-maker.ts';
import { until } from '../support/until.ts';
import { type BatchOptions, openUploads, outcomes, put, sha256 } from './support.ts';
import { NO_ACTIVITY, NO_WORKOUT } from '../support/activity.ts';

afterEach(() => vi.restoreAllMocks());

/** Puts so many recordings into a folder: `0.fit`, `1.fit`, ... */
function putRides(dir: string, count: number, { seed = 0, ...size }: RecordingOptions = {}): void {
  for (let i = 0; i < count; i++) {
    put(dir, `${i}.fit`, makeRecording({ seed: seed + i, sizeBytes: 2_000, ...size }));
  }
}

const RIDE = makeRecording({ seed: 1, sizeBytes: 2_000 });
const SETTINGS = makeRecording({ seed: 2, sizeBytes: 2_000, type: 2 });

const aText = expect.any(String) as unknown;

/** Start and a number made from the file id of {@link RIDE}. */
const WIRE_NAME = '2026-02-15-07-30-00-3610000940.fit';
const RIDE_ACTIVITY = {
  name: 'Ride',
  startedAt: Date.UTC(2026, 1, 15, 7, 30),
  offsetMinutes: undefined,
  movingSecs: 600,
  distanceMeters: 4922.63,
};

describe('a recording', () => {
  it('is sent once: a second run makes no request and does not read the login', async () => {
    const { dir, run, asked } = await openUploads();
    put(dir, 'a.fit', RIDE);
    await run(['a.fit']);
    const before = asked();
    const { byPath, requests } = await run(['a.fit', '.']);
    const skipped = { outcome: 'skipped', reason: 'already-uploaded', sha256: sha256(RIDE) };
    expect(byPath).toEqual({ 'a.fit': skipped });
    expect([requests, asked()]).toEqual([[], before]);
  });

  it('is identified by its bytes: it is not sent again if renamed, copied, packed or touched', async () => {
    const { dir, run, recordings } = await openUploads();
    put(dir, 'a.fit', RIDE);
    await run(['a.fit']);
    put(dir, 'other/name.fit', RIDE);
    put(dir, 'packed.fit.gz', gzipSync(RIDE));
    utimesSync(join(dir, 'a.fit'), 1, 1);
    const { items, requests } = await run(['.']);
    expect(outcomes(items)).toEqual({
      './a.fit': 'skipped already-uploaded',
      './other/name.fit': 'skipped already-uploaded',
      './packed.fit.gz': 'skipped already-uploaded',
    });
    expect([requests, recordings().length]).toEqual([[], 1]);
  });

  it('is one request under two names in one run', async () => {
    for (const force of [false, true]) {
      const { dir, run } = await openUploads();
      for (const name of ['a.fit', 'b.fit', 'c.fit']) put(dir, name, RIDE);
      const { items, requests, elsewhere } = await run(['.'], { force });
      expect(elsewhere).toEqual([]);
      const skipped = 'skipped already-uploaded';
      expect(Object.values(outcomes(items)).sort()).toEqual([skipped, skipped, 'uploaded']);
      expect(requests).toHaveLength(1);
    }
  });

  it('is unpacked', async () => {
    const { dir, run, recordings } = await openUploads();
    put(dir, 'Ride.FIT.gz', gzipSync(RIDE));
    const { requests, byPath } = await run(['Ride.FIT.gz']);
    expect(requests[0]?.parts?.find(({ name }) => name === 'file')).toMatchObject({
      fileName: WIRE_NAME,
      sha256: sha256(RIDE),
    });
    expect(byPath['Ride.FIT.gz']).toMatchObject({ sha256: sha256(RIDE), size: 2_000 });
    expect(recordings()).toHaveLength(1);
  });

  it('is sent again with --force, and the platform recognises it', async () => {
    const { dir, run, recordings, ledger } = await openUploads();
    put(dir, 'a.fit', RIDE);
    await run(['a.fit']);
    const { byPath, requests } = await run(['a.fit'], { force: true });
    expect(byPath['a.fit']).toMatchObject({
      outcome: 'duplicate',
      attempts: 1,
      service: { state: 'stored', fitFileId: 'fit-1', workoutId: 'workout-1' },
    });
    expect([requests.length, recordings().length]).toEqual([1, 1]);
    expect(ledger.find(sha256(RIDE))).toMatchObject({ state: 'confirmed', attempts: 2 });
  });

  it('is a confirmed duplicate if the platform has it from another source', async () => {
    const { sandbox, dir, run, ledger } = await openUploads();
    put(dir, 'a.fit', RIDE);
    const other = await clientOf(sandbox).client();
    const { frameUpload } = await import('../../src/upload/multipart.ts');
    const fields = { filePart: 'file', fileName: 'x.fit', name: undefined, metadata: {} };
    const upload = frameUpload(RIDE, fields);
    await other.uploadRecording(upload, noFacts(), new AbortController().signal);
    expect((await run(['a.fit'])).byPath['a.fit']).toMatchObject({ outcome: 'duplicate' });
    expect(ledger.find(sha256(RIDE))?.state).toBe('confirmed');
  });

  it('renames its workout with --name, if the user names the file and the platform offers it', async () => {
    const { sandbox, dir, run, recordings } = await openUploads();
    sandbox.control.settings({ processingMs: null });
    put(dir, 'a.fit', RIDE);
    const note = async (options: BatchOptions, path = 'a.fit') => {
      const [item] = (await run([path], options)).items;
      return item?.outcome === 'duplicate' || item?.outcome === 'uploaded' ? item.note : item;
    };
    const title = async () => {
      await sandbox.control.process();
      return recordings()[0]?.name;
    };
    expect(await note({ name: 'One' })).toBeUndefined();
    // Not a workout yet: the upload itself renames it.
    expect(await note({ name: 'Two' })).toBeUndefined();
    expect(await title()).toBe('Two');
    expect(await note({ name: 'Three' })).toBe('The workout has the new name.');
    expect(await title()).toBe('Three');
    expect(await note({ force: true })).toBeUndefined();
    expect(await note({ name: 'Four' }, '.')).toMatchObject({ reason: 'already-uploaded' });
    expect(await title()).toBe('Three');
    sandbox.control.addFaults('workout-update:405*inf');
    expect(await note({ name: 'Five' })).toBe(
      'The platform ignores --name for a recording that it has: rename the workout there.',
    );
  });

  const ODD_NAMES = ['semi;colon"2.FIT', 'ünï 骑行 🚴.fit', 'two\nlines.fit'];
  it.each(ODD_NAMES)('has the same name on the wire in a file %s', async (name) => {
    const { dir, run } = await openUploads();
    put(dir, name, RIDE);
    const { requests } = await run(['.']);
    const parts = new Map(requests[0]?.parts?.map((part) => [part.name, part]));
    expect(parts.get('file')?.fileName).toBe(WIRE_NAME);
    expect(parts.get('metadata')?.text).toContain(JSON.stringify(name));
  });

  it.each([
    ['fails', 'upload-fit:503*inf'],
    ['is refused', 'upload-fit:422*inf'],
  ])('stays delivered if --force %s', async (_how, fault) => {
    const { sandbox, dir, run, ledger } = await openUploads();
    put(dir, 'a.fit', RIDE);
    await run(['a.fit']);
    sandbox.control.addFaults(fault);
    const { byPath } = await run(['a.fit'], { force: true });
    expect(byPath['a.fit']?.outcome).toMatch(/^(?:failed|rejected)$/);
    const kept = { state: 'confirmed', service: { state: 'queued' } };
    expect(ledger.find(sha256(RIDE))).toMatchObject(kept);
    const again = await run(['a.fit']);
    expect(outcomes(again.items)).toEqual({ 'a.fit': 'skipped already-uploaded' });
    expect(again.requests).toEqual([]);
  });
});

describe('a file that is not a recording', () => {
  it('is invalid if named by the user, skipped in a folder, and sent with --any-type', async () => {
    const { dir, run } = await openUploads();
    put(dir, 'settings.fit', SETTINGS);
    const named = await run(['settings.fit']);
    expect(outcomes(named.items)).toEqual({ 'settings.fit': 'invalid not-an-activity' });
    expect(named.items).toMatchObject([{ detail: /--any-type sends it all the same/ }]);
    const found = outcomes((await run(['.'])).items);
    expect(found).toEqual({ './settings.fit': 'skipped not-an-activity' });
    const { requests } = await run(['settings.fit'], { anyType: true });
    expect(requests).toHaveLength(1);
  });

  it('is checked again when it is complete', async () => {
    const { dir, run } = await openUploads();
    put(dir, 'a.fit', truncated(RIDE, 100));
    expect(outcomes((await run(['.'])).items)).toEqual({ './a.fit': 'invalid incomplete' });
    put(dir, 'a.fit', RIDE);
    expect(outcomes((await run(['.'])).items)).toEqual({ './a.fit': 'uploaded' });
  });
});

describe('a response that rejects an upload', () => {
  it.each([
    ['in a body of success', 'upload-fit:success-false', undefined],
    ['by a status', 'upload-fit:422', 422],
  ])('rejects one recording, %s, without stopping the rest', async (_how, fault, status) => {
    const { sandbox, dir, run, ledger } = await openUploads();
    put(dir, '1.fit', RIDE);
    put(dir, '2.fit', makeRecording({ seed: 3, sizeBytes: 2_000 }));
    sandbox.control.addFaults(fault);
    const { items, byPath, requests } = await run(['1.fit', '2.fit'], { jobs: 1 });
    expect(outcomes(items)).toEqual({ '1.fit': 'rejected', '2.fit': 'uploaded' });
    expect(byPath['1.fit']).toEqual({
      outcome: 'rejected',
      activity: RIDE_ACTIVITY,
      sha256: sha256(RIDE),
      size: 2_000,
      attempts: 1,
      message: aText,
      ...(status === undefined ? {} : { status }),
    });
    expect(requests).toHaveLength(2);
    expect(ledger.find(sha256(RIDE))).toMatchObject({ state: 'rejected', attempts: 1 });
    // The service may have fixed the refusal: the next run tries again.
    expect(outcomes((await run(['1.fit'])).items)).toEqual({ '1.fit': 'uploaded' });
  });

  it.each([
    ['an address where nothing is', 'upload-fit:404*inf', '(404)'],
    ['the page of somebody in between', 'upload-fit:html(status=400)*inf', '400'],
  ])('rejects no recording if it comes from %s: none is lost', async (_, fault, says) => {
    const { sandbox, dir, run, ledger } = await openUploads();
    sandbox.control.addFaults(fault);
    putRides(dir, 12);
    const { items, requests } = await run(['.'], { jobs: 1 });
    expect(items).toHaveLength(12);
    const message = expect.stringContaining(says) as unknown;
    for (const item of items) {
      expect(item).toMatchObject({ outcome: 'failed', code: 'REJECTED', message });
    }
    expect(requests).toHaveLength(3);
    expect(ledger.counts()).toEqual({
      pending: 3,
      confirmed: 0,
      rejected: 0,
      undoing: 0,
      undone: 0,
      held: 0,
    });
  });

  it('moves recordings that failed before to the end, so that they delay no others', async () => {
    const { sandbox, dir, run, recordings } = await openUploads();
    const names = Array.from({ length: 12 }, (_, i) => `${String(i).padStart(2, '0')}.fit`);
    names.forEach((name, i) => put(dir, name, makeRecording({ seed: i, sizeBytes: 2_000 })));
    // The first of them are more than the service can take, today and tomorrow.
    const { control } = sandbox;
    control.addFaults('upload-fit:500*inf');
    const first = await run(['.'], { jobs: 1 });
    const failed = names.slice(0, 3);
    expect(first.requests.length).toBeGreaterThan(3);
    control.clearFaults();
    const second = await run(['.'], { jobs: 1 });
    const order = second.items.map(({ path }) => path.slice(2));
    expect(order).toEqual([...names.slice(3), ...failed]);
    expect(recordings()).toHaveLength(12);
  });

  it('rejects one recording with 500 in three runs if the platform accepts others meanwhile', async () => {
    const { sandbox, dir, run, ledger, recordings } = await openUploads();
    const poison = sha256(RIDE);
    const { client: real } = clientOf(sandbox);
    const client = async () => {
      const service = await real();
      const uploadRecording: typeof service.uploadRecording = async (upload, ...more) => {
        const isPoison = Buffer.concat(upload.body).includes(Buffer.from(RIDE));
        if (isPoison) sandbox.control.addFaults('upload-fit:500*4');
        return await service.uploadRecording(upload, ...more);
      };
      return { ...service, uploadRecording };
    };
    put(dir, 'poison.fit', RIDE);
    put(dir, 'z.fit', makeRecording({ seed: 7, sizeBytes: 2_000 }));
    const go = async () => (await run(['.'], { jobs: 1, client })).byPath['./poison.fit'];
    const later = { outcome: 'failed', code: 'SERVICE_UNAVAILABLE', attempts: 4 };
    expect([await go(), await go()]).toMatchObject([later, later]);
    expect(await go()).toEqual({
      outcome: 'rejected',
      activity: RIDE_ACTIVITY,
      status: 500,
      attempts: 4,
      sha256: poison,
      size: 2_000,
      message: expect.stringMatching(/^the platform failed .* 3 runs \(500\)/) as unknown,
    });
    expect(ledger.find(poison)).toMatchObject({ state: 'rejected', refusals: 1, attempts: 12 });
    expect(await go()).toMatchObject({ outcome: 'rejected' });
    expect(recordings()).toHaveLength(1);
    // Once the service can, it takes it.
    expect((await run(['.'])).byPath['./poison.fit']).toMatchObject({ outcome: 'uploaded' });
    expect(ledger.find(poison)).toMatchObject({ state: 'confirmed', refusals: 0 });
  });

  it('counts 500 for everything as an outage over any number of runs', async () => {
    const { sandbox, dir, run } = await openUploads();
    put(dir, 'before.fit', makeRecording({ seed: 8, sizeBytes: 2_000 }));
    await run(['before.fit'], { jobs: 1 });
    rmSync(join(dir, 'before.fit'));
    const takenAt = Date.now();
    await until(() => Date.now() > takenAt);
    sandbox.control.addFaults('upload-fit:500*inf');
    put(dir, 'a.fit', RIDE);
    put(dir, 'b.fit', makeRecording({ seed: 7, sizeBytes: 2_000 }));
    for (let i = 0; i < 5; i++) {
      const { items } = await run(['.'], { jobs: 1 });
      expect(items.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    }
    sandbox.control.clearFaults();
    const { items } = await run(['.']);
    expect(items.map(({ outcome }) => outcome)).toEqual(['uploaded', 'uploaded']);
  });

  it('ends the batch without further requests if a scope is missing', async () => {
    const { sandbox, dir, run, ledger } = await openUploads();
    const { client } = clientOf(sandbox, { scopes: ['health:write'] });
    putRides(dir, 12);
    const { items, requests } = await run(['.'], { client, jobs: 2 });
    expect(items.map((item) => 'code' in item && item.code)).toEqual(
      Array(12).fill('SCOPE_MISSING'),
    );
    // Only the requests that were in flight together.
    expect(requests.length).toBeLessThanOrEqual(2);
    const counts = {
      pending: requests.length,
      confirmed: 0,
      rejected: 0,
      undoing: 0,
      undone: 0,
      held: 0,
    };
    expect(ledger.counts()).toEqual(counts);
  });
});

describe('a login that has ended', () => {
  const dead = new SyncError('AUTH_EXPIRED', 'The login has ended.', { hint: 'Run `sync login`.' });

  it('fails every file with a hint after the first one, without reading the rest', async () => {
    const { dir, run, ledger } = await openUploads();
    putRides(dir, 30);
    put(dir, 'bad.fit', 'not a recording');
    const client = vi.fn(() => Promise.reject(dead));
    const upload = vi.spyOn(Uploader.prototype, 'uploadUnlessBusy');
    const { items, requests } = await run(['.'], { client, jobs: 1 });
    expect(items).toHaveLength(31);
    expect(client).toHaveBeenCalledOnce();
    expect(upload).toHaveBeenCalledOnce();
    expect(requests).toEqual([]);
    const { code, message, hint } = dead;
    const failure = { outcome: 'failed', code, message, hint };
    for (const item of items.slice(1)) expect(item).toEqual({ path: item.path, ...failure });
    expect(items[0]).toMatchObject({ ...failure, attempts: 0 });
    expect(ledger.counts()).toEqual({
      pending: 0,
      confirmed: 0,
      rejected: 0,
      undoing: 0,
      undone: 0,
      held: 0,
    });
  });

  it.each([
    ['confirmed', { outcome: 'skipped', reason: 'already-uploaded' }],
    ['undone', { outcome: 'skipped', reason: 'undone' }],
    ['rejected', { outcome: 'failed', code: 'AUTH_EXPIRED' }],
  ] as const)(
    'does not change the state of a copied recording that is %s',
    async (state, outcome) => {
      const { dir, run, ledger, sandbox } = await openUploads();
      put(dir, 'a.fit', RIDE);
      if (state === 'rejected') sandbox.control.addFaults('upload-fit:422');
      await run(['a.fit']);
      if (state === 'undone') {
        ledger.beginUndo(sha256(RIDE), 'workout-1');
        ledger.endUndo(sha256(RIDE));
      }
      put(dir, 'copy.fit', RIDE);
      const { items } = await run(['copy.fit'], { client: () => Promise.reject(dead) });
      expect(items).toMatchObject([outcome]);
      expect(ledger.find(sha256(RIDE))?.state).toBe(state);
    },
  );

  it('fails large files that wait for their turn, too', async () => {
    const { dir, run } = await openUploads();
    putRides(dir, 4, { paddingBytes: 4_200_000 });
    const client = vi.fn(() => Promise.reject(dead));
    const { items } = await run(['.'], { client, jobs: 4 });
    expect(items).toHaveLength(4);
    expect(client).toHaveBeenCalledOnce();
  });
});

describe('a failing service', () => {
  it('recognises in the next run an upload that it accepted without an answer', async () => {
    const { sandbox, dir, run, recordings, ledger } = await openUploads();
    put(dir, 'a.fit', RIDE);
    sandbox.control.addFaults('upload-fit:reset-after*4');
    const { byPath } = await run(['a.fit']);
    expect(byPath['a.fit']).toMatchObject({ outcome: 'failed', code: 'NETWORK', attempts: 4 });
    expect(ledger.find(sha256(RIDE))?.state).toBe('pending');
    expect((await run(['a.fit'])).byPath['a.fit']).toMatchObject({ outcome: 'duplicate' });
    expect(recordings()).toHaveLength(1);
    expect(ledger.find(sha256(RIDE))?.state).toBe('confirmed');
  });

  it('gets no more requests after three unanswered files; the next run sends them all', async () => {
    const { sandbox, dir, run, recordings } = await openUploads();
    putRides(dir, 20);
    sandbox.control.addFaults('upload-fit:503*inf');
    const upload = vi.spyOn(Uploader.prototype, 'uploadUnlessBusy');
    const { items, requests } = await run(['.'], { jobs: 1 });
    expect(items.map((item) => 'code' in item && item.code)).toEqual(
      Array(20).fill('SERVICE_UNAVAILABLE'),
    );
    expect(requests).toHaveLength(3 * 4);
    // None was read after the third.
    expect(upload).toHaveBeenCalledTimes(3);
    sandbox.control.clearFaults();
    const second = await run(['.']);
    expect(Object.values(outcomes(second.items))).toEqual(Array(20).fill('uploaded'));
    expect(recordings()).toHaveLength(20);
  });

  it('gets requests for all files if it answers in between', async () => {
    const { sandbox, dir, run } = await openUploads();
    putRides(dir, 9);
    // Two files fail, one is answered, and so on: never three in a row.
    for (let i = 0; i < 3; i++) sandbox.control.addFaults('upload-fit:503*8', 'upload-fit:422');
    const { items, requests } = await run(['.'], { jobs: 1 });
    expect(items.map(({ outcome }) => outcome)).toEqual(
      [1, 2, 3].flatMap(() => ['failed', 'failed', 'rejected']),
    );
    expect(requests).toHaveLength(3 * 9);
  });
});

describe('an interruption', () => {
  it('ends the run with its reason and releases the claims in flight', async () => {
    const { sandbox, dir, run, ledger } = await openUploads();
    putRides(dir, 6);
    sandbox.control.addFaults('upload-fit:hang*inf');
    const abort = new AbortController();
    const reason = new SyncError('INTERRUPTED', 'Interrupted.');
    const upload = vi.spyOn(Uploader.prototype, 'uploadUnlessBusy');
    const running = run(['.'], { signal: abort.signal, jobs: 3 });
    await expect.poll(() => sandbox.control.requests().length).toBe(3);
    abort.abort(reason);
    expect(await running).toMatchObject({ failed: reason, items: [] });
    await nextTurn();
    // None was read after the interruption.
    expect(upload).toHaveBeenCalledTimes(3);
    expect(ledger.counts()).toEqual({
      pending: 3,
      confirmed: 0,
      rejected: 0,
      undoing: 0,
      undone: 0,
      held: 0,
    });
    sandbox.control.clearFaults();
    const again = await run(['.']);
    expect(Object.values(outcomes(again.items))).toEqual(Array(6).fill('uploaded'));
  });

  it('sends nothing if it happens before the start', async () => {
    const { dir, run } = await openUploads();
    put(dir, 'a.fit', RIDE);
    const abort = new AbortController();
    abort.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
    const { failed, requests } = await run(['.'], { signal: abort.signal });
    expect(failed).toMatchObject({ code: 'INTERRUPTED' });
    expect(requests).toEqual([]);
  });

  it('ends reading: no recording is read ahead after it', async () => {
    const { dir, run } = await openUploads();
    putRides(dir, 6);
    const abort = new AbortController();
    const reason = new SyncError('INTERRUPTED', 'Interrupted.');
    const client = async () => {
      abort.abort(reason);
      // Time in which a recording would be read ahead.
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      throw reason;
    };
    const upload = vi.spyOn(Uploader.prototype, 'uploadUnlessBusy');
    const { failed } = await run(['.'], { signal: abort.signal, jobs: 1, client });
    expect(failed).toBe(reason);
    expect(upload).toHaveBeenCalledTimes(1);
  });
});

describe('another process', () => {
  it('is waited for if it is sending the same recording, and its result counts', async () => {
    const { dir, run, state, database } = await openUploads();
    put(dir, 'a.fit', RIDE);
    const theirs = uploadLedger(database, 'athlete:1', markIn(state), Date.now);
    theirs.claim(
      { sha256: sha256(RIDE), path: 'x', size: 1, activity: NO_ACTIVITY, workout: NO_WORKOUT },
      false,
    );
    const running = run(['a.fit']);
    setTimeout(() => theirs.confirm(sha256(RIDE), 1, {}), 100);
    const { items, requests, elsewhere } = await running;
    expect(outcomes(items)).toEqual({ 'a.fit': 'skipped already-uploaded' });
    expect([requests, elsewhere]).toEqual([[], [1]]);
  });
});

it('names the remedy for a recording that is packed twice', async () => {
  const { dir, run } = await openUploads();
  put(dir, 'a.fit.gz', gzipSync(gzipSync(RIDE)));
  const { byPath } = await run(['a.fit.gz']);
  expect(byPath['a.fit.gz']).toMatchObject({
    reason: 'not-fit',
    detail: 'This is a gzip archive: unpack it with gunzip.',
  });
});

describe('--dry-run', () => {
  it('shows the request, sends nothing and writes nothing', async () => {
    const { sandbox, dir, run, database, known, asked } = await openUploads();
    put(dir, 'a.fit', RIDE);
    put(dir, 'bad.fit', 'not a recording');
    const { byPath, requests } = await run(['.'], { dryRun: true, name: 'N', metadata: { a: 1 } });
    const hash = sha256(RIDE);
    expect(byPath['./a.fit']).toEqual({
      outcome: 'would-upload',
      activity: { ...RIDE_ACTIVITY, name: 'N' },
      sha256: hash,
      size: 2_000,
      request: {
        method: 'POST',
        url: `${sandbox.url}/api/workouts/upload-fit`,
        parts: [
          { name: 'name', value: 'N' },
          {
            name: 'metadata',
            value: expect.stringMatching(/version":"[^"]+".*"a":1/) as unknown,
          },
          { name: 'file', filename: WIRE_NAME, size: 2_000, sha256: hash },
        ],
      },
    });
    expect(byPath['./bad.fit']).toMatchObject({ outcome: 'invalid', reason: 'not-fit' });
    expect([requests, asked()]).toEqual([[], 0]);
    // Writes what is only remembered so far.
    known.flush();
    for (const table of ['uploads', 'known_files', 'token_accounts']) {
      expect(database.all(`SELECT * FROM ${table}`)).toEqual([]);
    }
  });

  it('skips uploaded recordings, unless forced', async () => {
    const { dir, run } = await openUploads();
    put(dir, 'a.fit', RIDE);
    put(dir, 'copy.fit', RIDE);
    await run(['a.fit']);
    expect(outcomes((await run(['.'], { dryRun: true })).items)).toEqual({
      './a.fit': 'skipped already-uploaded',
      './copy.fit': 'skipped already-uploaded',
    });
    const forced = await run(['a.fit'], { dryRun: true, force: true });
    expect(outcomes(forced.items)).toEqual({ 'a.fit': 'would-upload' });
  });

  it('lists the request of a recording once, as a run sends it', async () => {
    const { dir, run } = await openUploads();
    put(dir, 'a.fit', RIDE);
    put(dir, 'copy.fit', RIDE);
    for (const force of [false, true]) {
      expect(outcomes((await run(['.'], { dryRun: true, force })).items)).toEqual({
        './a.fit': 'would-upload',
        './copy.fit': 'skipped already-uploaded',
      });
    }
  });
});

describe('many files', () => {
  it('are sent as many at once as requested, and large ones one at a time', async () => {
    const { sandbox, dir, run } = await openUploads();
    putRides(join(dir, 'small'), 8);
    putRides(join(dir, 'large'), 3, { seed: 50, paddingBytes: 4_200_000 });
    for (let i = 0; i < 3; i++) {
      const recording = makeRecording({ seed: 60 + i, paddingBytes: 4_200_000 });
      put(dir, `packed/${i}.fit.gz`, gzipSync(recording, { level: 1 }));
    }
    sandbox.control.addFaults('upload-fit:delay=40ms*inf');
    /** Returns the largest number of requests in flight at once, from the record of the sandbox. */
    const mostAtOnce = (requests: Awaited<ReturnType<typeof run>>['requests']) => {
      const spans = requests.map(({ receivedAt, durationMs }) => {
        const from = Date.parse(receivedAt);
        return [from, from + (durationMs ?? 0)] as const;
      });
      return Math.max(
        ...spans.map(([at]) => spans.filter(([from, to]) => from <= at && at < to - 5).length),
      );
    };
    const small = await run(['small'], { jobs: 3 });
    expect(small.items).toHaveLength(8);
    expect(mostAtOnce(small.requests)).toBeLessThanOrEqual(3);
    expect(mostAtOnce(small.requests)).toBeGreaterThan(1);
    const large = await run(['large'], { jobs: 3 });
    expect(Object.values(outcomes(large.items))).toEqual(Array(3).fill('uploaded'));
    expect(mostAtOnce(large.requests)).toBe(1);
    const packed = await run(['packed'], { jobs: 3 });
    expect(Object.values(outcomes(packed.items))).toEqual(Array(3).fill('uploaded'));
    expect(mostAtOnce(packed.requests)).toBe(1);
  });

  it.each([
    ['a folder', ['usb', 'other']],
    ['named files', ['usb/1.fit', 'usb/2.fit', 'usb/3.fit', 'usb/4.fit', 'other/a.fit']],
  ])('fail for now if %s went away with its device, and others are sent', async (_what, paths) => {
    const { dir, run } = await openUploads();
    const rides = [11, 12, 13, 14].map((seed) => makeRecording({ seed, sizeBytes: 2_000 }));
    for (const [i, ride] of rides.entries()) put(dir, `usb/${i + 1}.fit`, ride);
    put(dir, 'other/a.fit', RIDE);
    let unplugged = false;
    const onProgress = ({ done }: UploadProgress) => {
      if (done !== 1 || unplugged) return;
      unplugged = true;
      renameSync(join(dir, 'usb'), join(dir, 'away'));
    };
    const { items } = await run(paths, { jobs: 1, onProgress });
    const message = 'usb is gone (unplugged?).';
    const hint = 'Run the same command again to continue.';
    const gone = { outcome: 'failed', code: 'FOLDER_GONE', message, hint };
    expect(items).toEqual([
      expect.objectContaining({ path: 'usb/1.fit', outcome: 'uploaded' }),
      { path: 'usb/2.fit', ...gone },
      { path: 'usb/3.fit', ...gone },
      { path: 'usb/4.fit', ...gone },
      expect.objectContaining({ path: 'other/a.fit', outcome: 'uploaded' }),
    ]);
    renameSync(join(dir, 'away'), join(dir, 'usb'));
    expect(Object.values(outcomes((await run(paths)).items)).toSorted()).toEqual([
      ...Array<string>(2).fill('skipped already-uploaded'),
      ...Array<string>(3).fill('uploaded'),
    ]);
  });

  it('have a progress that ends with all of them', async () => {
    const { dir, run } = await openUploads();
    putRides(dir, 5);
    const { progress } = await run(['.'], { jobs: 1 });
    const at = (done: number, i: number) => ({
      done,
      total: 5,
      sentBytes: done * 2_000,
      current: `./${i}.fit`,
    });
    expect(progress).toMatchObject([0, 1, 2, 3, 4].flatMap((i) => [at(i, i), at(i + 1, i)]));
  });

  it('are each reported once, also if they do not exist', async () => {
    const { dir, run } = await openUploads();
    mkdirSync(join(dir, 'empty'));
    const { items, requests } = await run(['empty', 'missing', 'missing']);
    const missing = { path: 'missing', outcome: 'invalid' };
    expect(items).toMatchObject([missing, missing]);
    expect(requests).toEqual([]);
  });
});
