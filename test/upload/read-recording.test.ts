import { randomFillSync } from 'node:crypto';
import { appendFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  type BufferSource,
  MAX_RECORDING_BYTES,
  MAX_UNPACKED_BYTES,
  contentsOf,
  readFile,
  reusedBuffer,
} from '../../src/upload/read-recording.ts';
import { identify } from '../../src/upload/identify.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { makeZip } from '../support/zip-maker.ts';
import { put, scratchDir } from './support.ts';

const fresh: BufferSource = (size) => Buffer.alloc(size);
const LARGE = makeRecording({ seed: 3, sizeBytes: 2_000_000 });
const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 31) & 255));

function read(path: string, buffers = fresh) {
  const contents = readFile(path, buffers);
  if ('problem' in contents) throw new Error(contents.problem);
  return contents;
}

describe('reading a file', () => {
  it('returns its bytes, in the given buffer, and its stamp', () => {
    const path = put(scratchDir(), 'a.fit', BYTES);
    const buffer = Buffer.alloc(BYTES.length);
    const { bytes, stamp } = read(path, () => buffer);
    expect(bytes.equals(BYTES)).toBe(true);
    expect(bytes.buffer).toBe(buffer.buffer);
    const { size, mtimeMs, ctimeMs } = statSync(path);
    expect(stamp).toEqual({ size, mtimeMs, ctimeMs });
  });

  it('leaves nothing of the previous file in a reused buffer', () => {
    const dir = scratchDir();
    const shared = Buffer.alloc(200_000);
    read(put(dir, 'long.fit', BYTES), () => shared);
    expect(read(put(dir, 'short.fit', 'abc'), () => shared).bytes.toString()).toBe('abc');
    expect(read(put(dir, 'empty.fit'), () => shared).bytes).toHaveLength(0);
  });

  it.each<[string, (path: string) => void]>([
    ['grows', (path) => appendFileSync(path, 'more')],
    ['shrinks', (path) => truncateSync(path, 10)],
    [
      'is written anew with the same length',
      (path) => writeFileSync(path, Buffer.alloc(BYTES.length, 1)),
    ],
  ])('rejects a file that %s while it is read', (_how, change) => {
    const path = put(scratchDir(), 'a.fit', BYTES);
    // The buffer is asked for between the first look at the file and the reading.
    const buffers: BufferSource = (size) => {
      change(path);
      return Buffer.alloc(size);
    };
    expect(readFile(path, buffers)).toEqual({
      problem: 'It changed while it was read: it is still being written.',
      reason: 'incomplete',
    });
  });

  it('rejects a file above the size limit', () => {
    const path = put(scratchDir(), 'huge.fit');
    truncateSync(path, MAX_RECORDING_BYTES + 1);
    let asked = false;
    const contents = readFile(path, (size) => {
      asked = true;
      return Buffer.alloc(size);
    });
    expect(contents).toEqual({
      problem: 'It is larger than any recording (256 MB).',
      reason: 'unreadable',
    });
    expect(asked).toBe(false);
  });

  it('describes the problem of a folder and of a missing file', () => {
    const dir = scratchDir();
    expect(readFile(dir, fresh)).toEqual({ problem: 'It is a folder.', reason: 'unreadable' });
    expect(readFile(join(dir, 'no.fit'), fresh)).toEqual({
      problem: 'There is no such file or folder.',
      reason: 'unreadable',
    });
  });

  it.skipIf(process.platform === 'win32')('leaves no file open', () => {
    const dir = scratchDir();
    const path = put(dir, 'a.fit', BYTES);
    const huge = put(dir, 'huge.fit');
    truncateSync(huge, MAX_RECORDING_BYTES + 1);
    const failing: BufferSource = () => {
      throw new Error('no memory');
    };
    const open = () => readdirSync('/dev/fd').length;
    const before = open();
    for (let i = 0; i < 30; i++) {
      readFile(path, fresh);
      readFile(huge, fresh);
      readFile(dir, fresh);
      readFile(path, failing);
    }
    // Other tests of this process may open a file meanwhile.
    expect(open() - before).toBeLessThan(15);
  });
});

describe('reading a packed file', () => {
  const RIDE = Buffer.from(makeRecording({ seed: 1, sizeBytes: 20_000 }));
  const packed = gzipSync(RIDE);

  it('unpacks it and keeps the stamp of the file', () => {
    const path = put(scratchDir(), 'a.fit.gz', packed);
    const { bytes, stamp } = read(path);
    expect(bytes.equals(RIDE)).toBe(true);
    expect(stamp.size).toBe(packed.length);
  });

  it('unpacks a recording of several segments, and one in several gzip members', () => {
    const dir = scratchDir();
    const chained = Buffer.from(makeRecording({ seed: 2, sizeBytes: 5_000, chained: 2 }));
    expect(read(put(dir, 'a.fit.gz', gzipSync(chained))).bytes.equals(chained)).toBe(true);
    const halves = [RIDE.subarray(0, 7_000), RIDE.subarray(7_000)].map((half) => gzipSync(half));
    expect(read(put(dir, 'b.fit.gz', Buffer.concat(halves))).bytes.equals(RIDE)).toBe(true);
  });

  it('recognises it by its bytes instead of its name', () => {
    const dir = scratchDir();
    expect(read(put(dir, 'a.fit', packed)).bytes.equals(RIDE)).toBe(true);
    expect(read(put(dir, 'b.fit.gz', RIDE)).bytes.equals(RIDE)).toBe(true);
  });

  it.each([
    ['is cut off', packed.subarray(0, packed.length - 100)],
    ['is cut off in its header', packed.subarray(0, 8)],
  ])('reports a file that %s as incomplete', (_how, bytes) => {
    expect(readFile(put(scratchDir(), 'a.fit.gz', bytes), fresh)).toEqual({
      problem: 'The end of the gzip file is missing.',
      reason: 'incomplete',
    });
  });

  it.each([
    ['has a wrong checksum', Buffer.from(packed).fill(0x55, packed.length - 8, packed.length - 4)],
    ['is damaged inside', Buffer.from(packed).fill(0xff, 40, 200)],
  ])('reports a file that %s as damaged', (_how, bytes) => {
    expect(readFile(put(scratchDir(), 'a.fit.gz', bytes), fresh)).toEqual({
      problem: 'The gzip file is damaged. Download or copy it again.',
      reason: 'corrupt',
    });
  });

  it('unpacks no more of a file that holds no recording', () => {
    const bomb = gzipSync(Buffer.alloc(MAX_RECORDING_BYTES + 1), { level: 1 });
    expect(readFile(put(scratchDir(), 'bomb.fit.gz', bomb), fresh)).toMatchObject({
      problem: /^It unpacks to more than 48 MB/,
      reason: 'unreadable',
    });
    const { bytes } = read(put(scratchDir(), 'text.fit.gz', gzipSync('no recording')));
    expect(identify(bytes)).toMatchObject({ verdict: 'not-fit' });
  });

  it('rejects a recording that unpacks to more than recordings do', () => {
    const bomb = Buffer.alloc(32 * 1024 * 1024);
    bomb.set(RIDE.subarray(0, 14));
    bomb.writeUInt32LE(bomb.length - 16, 4);
    expect(readFile(put(scratchDir(), 'bomb.fit.gz', gzipSync(bomb)), fresh)).toEqual({
      problem: 'It unpacks to more than 100 times its size, as no recording does.',
      reason: 'unreadable',
    });
  });

  it('unpacks at most 48 MB, and names the way to send a larger recording', () => {
    const bomb = Buffer.alloc(MAX_UNPACKED_BYTES + 1);
    bomb.set(RIDE.subarray(0, 14));
    bomb.writeUInt32LE(bomb.length - 16, 4);
    // The ratio is that of a recording.
    randomFillSync(bomb, 100, 700_000);
    const packed = gzipSync(bomb, { level: 1 });
    expect(bomb.length / packed.length).toBeLessThan(100);
    expect(readFile(put(scratchDir(), 'bomb.fit.gz', packed), fresh)).toEqual({
      problem:
        'It unpacks to more than 48 MB, as hardly any recording does. If it is one, unpack it, and upload the .fit file.',
      reason: 'unreadable',
    });
  });

  it('reads a gzip file with several members, and one with a wrong size stated in it', () => {
    const halves = [LARGE.subarray(0, 1_500_000), LARGE.subarray(1_500_000)];
    const path = put(scratchDir(), 'a.fit.gz', Buffer.concat(halves.map((half) => gzipSync(half))));
    expect(read(path).bytes.equals(LARGE)).toBe(true);
    const lie = gzipSync(LARGE);
    lie.writeUInt32LE(0xffff_ffff, lie.length - 4);
    expect(readFile(put(scratchDir(), 'b.fit.gz', lie), fresh)).toMatchObject({
      reason: 'corrupt',
    });
  });
});

describe('a zip archive under the name of a recording', () => {
  const ride = Buffer.from(makeRecording());
  const member = (name: string, data: Uint8Array = ride) => ({ name, bytes: data });

  it.each([
    ['deflated', makeZip([member('ride.fit'), member('__MACOSX/._ride.fit'), member('a.txt')])],
    ['stored', makeZip([{ ...member('a/RIDE.FIT'), stored: true }])],
  ])('is unpacked if it has one recording, %s', (_, zip) => {
    const { bytes } = read(put(scratchDir(), 'ride.fit', zip), reusedBuffer());
    expect(bytes.equals(ride)).toBe(true);
  });

  it.each([
    ['two recordings', makeZip([member('a.fit'), member('b.fit')])],
    ['none', makeZip([member('a.txt')])],
    ['a cut end', makeZip([member('a.fit')]).subarray(0, -30)],
    ['damage', makeZip([member('a.fit')]).fill(1, 500, 600)],
  ])('is not unpacked with %s', (_, zip) => {
    const { bytes } = read(put(scratchDir(), 'ride.fit', zip));
    expect(bytes.equals(zip)).toBe(true);
    expect(identify(bytes)).toMatchObject({ verdict: 'not-fit' });
  });
});

describe('padding behind a recording', () => {
  const ride = Buffer.from(makeRecording({ chained: 1 }));
  const padded = (byte: number) => Buffer.concat([ride, Buffer.alloc(886, byte)]);

  it.each([0, 0xff])('of bytes %d is left out', (byte) => {
    const dir = scratchDir();
    for (const bytes of [
      padded(byte),
      gzipSync(padded(byte)),
      makeZip([{ name: 'a.fit', bytes: padded(byte) }]),
    ]) {
      expect(read(put(dir, 'ride.fit', bytes)).bytes.equals(ride)).toBe(true);
    }
  });

  it('is not what other bytes are, nor what follows damage', () => {
    const damaged = padded(0).fill(1, 100, 110);
    for (const bytes of [padded(0x41), damaged, Buffer.alloc(900)]) {
      expect(read(put(scratchDir(), 'ride.fit', bytes)).bytes.equals(bytes)).toBe(true);
    }
  });
});

it('a recording in memory is copied', () => {
  const original = new Uint8Array([1, 2, 3]);
  const { bytes } = contentsOf(original);
  original.fill(0);
  expect([...bytes]).toEqual([1, 2, 3]);
});
