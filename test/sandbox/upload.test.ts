import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeRecording } from '../support/fit-maker.ts';
import { bearer, openApp, openSandbox, upload } from './support.ts';

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
  it('is stored byte for byte, with its name and metadata, and answered as queued', async () => {
    const sandbox = openApp();
    const response = await upload(sandbox, [
      file(ride),
      { name: 'name', content: 'Morning ride' },
      { name: 'metadata', content: '{"app_version":"1.0","device_id":"garmin-3121-1"}' },
    ]);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      success: true,
      message: '1 file(s) received',
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

  it('of the same bytes updates the record, counts as a duplicate and makes no second one', async () => {
    const sandbox = openApp();
    await upload(sandbox, [file(ride), { name: 'name', content: 'Old' }]);
    const response = await upload(sandbox, [
      file(ride, 'again.fit'),
      { name: 'name', content: 'New' },
    ]);
    expect(await response.json()).toMatchObject({
      success: true,
      results: {
        processed: 0,
        duplicates: 1,
        items: [{ filename: 'again.fit', state: 'stored', fitFileId: 'fit-1' }],
      },
    });
    expect(recordings(sandbox)).toMatchObject([
      { name: 'New', fileName: 'again.fit', receivedCount: 2 },
    ]);
  });

  it('of the same bytes by another athlete is another recording', async () => {
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

  it('may hold several files, whose names go in the same order', async () => {
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
      ['c.fit', null],
      ['b.fit', 'Second'],
    ]);
  });

  it.each([
    ['text', 'Dear diary', 'ride.fit', 'not a FIT file: too short'],
    ['zeroes', new Uint8Array(500), 'ride.fit', 'not a FIT file: no FIT header'],
    [
      'half a recording',
      ride.subarray(0, 300),
      'ride.fit',
      `incomplete: ${ride.length - 300} bytes are missing`,
    ],
    [
      'a recording that still goes on',
      unfinished(),
      'ride.fit',
      'incomplete: its header states no data',
    ],
    [
      'something after the end',
      Buffer.concat([ride, new Uint8Array(40)]),
      'ride.fit',
      'unexpected bytes after its end',
    ],
    ['a name that does not end in .fit', ride, 'ride.fit.gz', 'the file name must end in .fit'],
  ])(
    'of %s fails inside a 200, and the other file is stored',
    async (_what, content, name, reason) => {
      const sandbox = openApp();
      const response = await upload(sandbox, [file(content, name), file(run, 'good.fit')]);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        success: false,
        message: '1 of 2 file(s) could not be taken',
        results: {
          total: 2,
          processed: 1,
          duplicates: 0,
          failed: 1,
          errors: [`${name}: ${reason}`],
          items: [
            { filename: name, state: 'failed', fitFileId: null },
            { filename: 'good.fit', state: 'queued', fitFileId: 'fit-1', jobId: 'job-fit-1' },
          ],
        },
      });
      expect(recordings(sandbox).map(({ fileName }) => fileName)).toEqual(['good.fit']);
    },
  );

  it('takes chained segments and 12-byte headers', async () => {
    const sandbox = openApp();
    const chained = makeRecording({ seed: 3, durationSecs: 30, chained: 2 });
    const short = makeRecording({ seed: 4, durationSecs: 30, headerSize: 12 });
    const response = await upload(sandbox, [file(chained), file(short)]);
    expect(await response.json()).toMatchObject({ success: true, results: { processed: 2 } });
  });

  it.each([
    [
      'no file',
      [{ name: 'name', content: 'x' }],
      'file: Expected at least one part "file" with the recording',
    ],
    [
      'the file under another name',
      [{ name: 'fitFile', fileName: 'a.fit', content: ride }],
      'file: Expected at least one part "file" with the recording',
    ],
    ['a file without a name', [{ name: 'file', content: ride }], 'file: Expected a file name'],
    [
      'more names than files',
      [file(ride), { name: 'name', content: 'a' }, { name: 'name', content: 'b' }],
      'name: Expected at most one name for each file',
    ],
    [
      'metadata that is not JSON',
      [file(ride), { name: 'metadata', content: 'app=1' }],
      'metadata: Expected a JSON object, received text that is not JSON',
    ],
    [
      'metadata that is an array',
      [file(ride), { name: 'metadata', content: '[1]' }],
      'metadata: Expected a JSON object',
    ],
    [
      'metadata that is null',
      [file(ride), { name: 'metadata', content: 'null' }],
      'metadata: Expected a JSON object',
    ],
    [
      'metadata twice',
      [file(ride), { name: 'metadata', content: '{}' }, { name: 'metadata', content: '{}' }],
      'metadata: Expected at most one metadata',
    ],
  ])('with %s is refused as a whole, naming the field', async (_what, parts, message) => {
    const sandbox = openApp();
    const response = await upload(sandbox, parts);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      statusCode: 400,
      message: `Invalid upload: ${message}`,
      data: [{ path: [message.split(':')[0]] }],
    });
    expect(recordings(sandbox)).toEqual([]);
  });

  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{}', 415],
    ['a broken body', { 'content-type': 'multipart/form-data; boundary=B' }, '--B\r\n', 400],
    ['no boundary', { 'content-type': 'multipart/form-data' }, '--B--', 400],
  ])('as %s is refused', async (_what, headers, body, status) => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/workouts/upload-fit', {
      method: 'POST',
      headers: { ...bearer(sandbox), ...headers },
      body,
    });
    expect(response.status).toBe(status);
  });

  it('is answered without items when the knob says so', async () => {
    const sandbox = openApp({ settings: { uploadItems: false } });
    const body = (await (await upload(sandbox, [file(ride)])).json()) as { results: object };
    expect(body.results).toEqual({ total: 1, processed: 1, duplicates: 0, failed: 0, errors: [] });
  });

  it('is answered 200 with success false, and not stored, when the knob says so', async () => {
    const sandbox = openApp({ settings: { successFalse: true } });
    const response = await upload(sandbox, [file(ride)]);
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        success: false,
        message: '1 of 1 file(s) could not be taken',
        results: {
          total: 1,
          processed: 0,
          duplicates: 0,
          failed: 1,
          errors: ['ride.fit: storage is full'],
          items: [{ filename: 'ride.fit', state: 'failed', fitFileId: null }],
        },
      },
    ]);
    expect(recordings(sandbox)).toEqual([]);
  });

  it('leaves only its hash, size and labels when bytes are discarded', async () => {
    const sandbox = openApp({ settings: { discardBytes: true } });
    await upload(sandbox, [file(ride)]);
    const again = await upload(sandbox, [file(ride)]);
    expect(await again.json()).toMatchObject({ results: { duplicates: 1 } });
    expect(recordings(sandbox)).toMatchObject([
      { sha256: sha(ride), size: ride.length, receivedCount: 2, processing: 'discarded' },
    ]);
    expect(sandbox.control.recordingBytes(sha(ride))).toBeNull();
  });
});

describe('many uploads at once', () => {
  it('are each held once, the same bytes too', async () => {
    const sandbox = await openSandbox();
    const { access_token } = sandbox.control.mint();
    const files = Array.from({ length: 12 }, (_, seed) =>
      makeRecording({ seed, durationSecs: 300 }),
    );
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
});

function unfinished(): Uint8Array {
  const bytes = new Uint8Array(ride);
  bytes.fill(0, 4, 8);
  return bytes;
}
