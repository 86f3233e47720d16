import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeRecording } from '../../support/fit-maker.ts';
import { bearer, expectError, openApp, openSandbox, upload } from '../support.ts';

const ride = makeRecording({ seed: 1, durationSecs: 60 });
const run = makeRecording({ seed: 2, durationSecs: 60, sport: 1 });
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const file = (content: Uint8Array | string, fileName = 'ride.fit') => ({
  name: 'file',
  fileName,
  content,
});
const recordings = (sandbox: ReturnType<typeof openApp>, athlete = 'athlete-1') =>
  sandbox.control.state(athlete).athletes[0]?.recordings ?? [];

describe('an upload', () => {
  it('is stored byte for byte with name and metadata, and answered as queued', async () => {
    const sandbox = openApp();
    const response = await upload(sandbox, [
      file(ride),
      { name: 'name', content: 'Morning ride' },
      { name: 'metadata', content: '{"app_version":"1.0","device_id":"garmin-3121-1"}' },
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      message: 'Processed 1 files. 0 duplicates. 0 failed.',
      results: {
        total: 1,
        processed: 1,
        duplicates: 0,
        failed: 0,
        errors: [],
        items: [{ filename: 'ride.fit', state: 'queued', fitFileId: 'fit-1', jobId: 'job-fit-1' }],
      },
    });
    expect(recordings(sandbox)).toEqual([
      {
        fitFileId: 'fit-1',
        sha256: sha(ride),
        size: ride.length,
        fileName: 'ride.fit',
        name: 'Morning ride',
        metadata: { app_version: '1.0', device_id: 'garmin-3121-1' },
        receivedCount: 1,
        firstReceivedAt: expect.any(String) as string,
        lastReceivedAt: expect.any(String) as string,
        processing: 'queued',
      },
    ]);
    expect(sandbox.control.recordingBytes(sha(ride))).toEqual(new Uint8Array(ride));
  });

  it('of known bytes is queued until there is a workout, without its name and metadata', async () => {
    const sandbox = openApp({ settings: { processingMs: null } });
    await upload(sandbox, [file(ride), { name: 'name', content: 'Old' }]);
    const again = async () =>
      await (
        await upload(sandbox, [
          file(ride, 'again.fit'),
          { name: 'name', content: 'New' },
          { name: 'metadata', content: '{"a":1}' },
        ])
      ).json();
    expect(await again()).toEqual({
      success: true,
      message: 'Processed 0 files. 1 duplicates. 0 failed.',
      results: {
        total: 1,
        processed: 0,
        duplicates: 1,
        failed: 0,
        errors: [],
        items: [{ filename: 'again.fit', state: 'queued', fitFileId: 'fit-1', jobId: 'job-fit-1' }],
      },
    });
    await sandbox.control.process();
    expect(await again()).toMatchObject({
      results: {
        items: [
          { filename: 'again.fit', state: 'stored', fitFileId: 'fit-1', workoutId: 'workout-1' },
        ],
      },
    });
    expect(recordings(sandbox)).toMatchObject([
      { name: 'New', fileName: 'ride.fit', metadata: null, receivedCount: 3 },
    ]);
  });

  it('of the same bytes by another athlete is a separate recording', async () => {
    const sandbox = openApp();
    await upload(sandbox, [file(ride)]);
    const other = await upload(
      sandbox,
      [file(ride)],
      bearer(sandbox, ['workout:write'], 'athlete-2'),
    );
    expect(await other.json()).toMatchObject({ results: { processed: 1, duplicates: 0 } });
    expect([recordings(sandbox).length, recordings(sandbox, 'athlete-2').length]).toEqual([1, 1]);
    expect(sandbox.control.recordingBytes(sha(ride), 'athlete-3')).toBeNull();
  });

  it('can contain several files, with names in the same order', async () => {
    const sandbox = openApp();
    const response = await upload(sandbox, [
      { name: 'name', content: 'First' },
      file(ride, 'a.fit'),
      file(run, 'b.fit'),
      { name: 'name', content: 'Second' },
      file(ride, 'c.fit'),
      { name: 'unknown', content: 'ignored' },
    ]);
    expect(await response.json()).toMatchObject({
      success: true,
      results: { total: 3, processed: 2, duplicates: 1, failed: 0 },
    });
    expect(recordings(sandbox).map(({ fileName, name }) => [fileName, name])).toEqual([
      ['a.fit', 'First'],
      ['b.fit', 'Second'],
    ]);
  });

  it.each([
    ['text', 'Dear diary', 'ride.fit'],
    ['nothing', '', 'ride.fit'],
    ['half a recording', ride.subarray(0, 300), 'ride.fit'],
    ['another name', ride, 'ride.bin'],
  ])('of %s is queued, even if it becomes no workout', async (_what, content, name) => {
    const sandbox = openApp();
    const response = await upload(sandbox, [file(content, name)]);
    expect(await response.json()).toMatchObject({
      success: true,
      results: { processed: 1, failed: 0, items: [{ filename: name, state: 'queued' }] },
    });
    await sandbox.control.process();
    expect(recordings(sandbox)).toMatchObject([
      { fileName: name, processing: content === ride ? 'workout' : 'none' },
    ]);
  });

  it.each([
    ['semi;colon.fit', 'semi'],
    ['a=b.fit', 'upload.fit'],
    ['Ünï 🚴 %22q%22.fit', 'Ünï 🚴 %22q%22.fit'],
  ])('with the file name %s is stored as %s', async (sent, stored) => {
    const sandbox = openApp();
    await upload(sandbox, [file(ride, sent)]);
    expect(recordings(sandbox)).toMatchObject([{ fileName: stored }]);
  });

  it.each([
    ['metadata that is no JSON', [{ name: 'metadata', content: 'app=1' }]],
    [
      'more names than files',
      [
        { name: 'name', content: 'a' },
        { name: 'name', content: 'b' },
      ],
    ],
  ])('with %s is accepted', async (_what, parts) => {
    const sandbox = openApp();
    expect((await upload(sandbox, [file(ride), ...parts])).status).toBe(200);
    expect(recordings(sandbox)).toMatchObject([{ metadata: null }]);
  });

  it('can have chained segments and 12-byte headers', async () => {
    const sandbox = openApp();
    const chained = makeRecording({ seed: 3, durationSecs: 30, chained: 2 });
    const short = makeRecording({ seed: 4, durationSecs: 30, headerSize: 12 });
    const response = await upload(sandbox, [file(chained), file(short)]);
    expect(await response.json()).toMatchObject({ success: true, results: { processed: 2 } });
  });

  it.each([
    ['no file', [{ name: 'name', content: 'x' }], 'File field missing'],
    [
      'the file under another name',
      [{ name: 'fitFile', fileName: 'a.fit', content: ride }],
      'File field missing',
    ],
  ])('with %s is refused as a whole', async (_what, parts, message) => {
    const sandbox = openApp();
    const response = await upload(sandbox, parts);
    const more = { statusMessage: message };
    await expectError(response, '/api/workouts/upload-fit', 400, message, more);
    expect(recordings(sandbox)).toEqual([]);
  });

  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{}'],
    ['a broken body', { 'content-type': 'multipart/form-data; boundary=B' }, '--B\r\n'],
    ['no boundary', { 'content-type': 'multipart/form-data' }, '--B--'],
  ])('as %s is refused', async (_what, headers, body) => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/workouts/upload-fit', {
      method: 'POST',
      headers: { ...bearer(sandbox), ...headers },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: 'No file uploaded' },
    ]);
  });

  it('is answered 200 with success false and not stored by a fault', async () => {
    const sandbox = openApp({ faults: ['upload-fit:success-false'] });
    const response = await upload(sandbox, [file(ride)]);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        success: false,
        message: 'Processed 0 files. 0 duplicates. 1 failed.',
        results: {
          total: 1,
          processed: 0,
          duplicates: 0,
          failed: 1,
          errors: ['ride.fit: storage is full'],
          items: [{ filename: 'ride.fit', state: 'failed' }],
        },
      },
    ]);
    expect(recordings(sandbox)).toEqual([]);
  });
});

it('many uploads at once are stored once per distinct bytes', async () => {
  const sandbox = await openSandbox();
  const { access_token } = sandbox.control.mint();
  const files = Array.from({ length: 12 }, (_, seed) => makeRecording({ seed, durationSecs: 300 }));
  const send = async (content: Uint8Array) => {
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(content)]), 'ride.fit');
    const response = await fetch(`${sandbox.url}/api/workouts/upload-fit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}` },
      body,
    });
    return (await response.json()) as { results: { processed: number; duplicates: number } };
  };
  const answers = await Promise.all([...files, ...files, ...files].map(send));
  const sum = (pick: 'processed' | 'duplicates') =>
    answers.reduce((total, { results }) => total + results[pick], 0);
  expect([sum('processed'), sum('duplicates')]).toEqual([12, 24]);
  const held = sandbox.control.state('athlete-1').athletes[0]?.recordings ?? [];
  expect(held.map(({ sha256, receivedCount }) => [sha256, receivedCount]).sort()).toEqual(
    files.map((bytes) => [sha(bytes), 3]).sort(),
  );
});
