import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeZip } from '../support/zip-maker.ts';
import { readGzip, readZip } from './archive-reader.ts';

const bytes = Buffer.from('a recording, '.repeat(50));

function found(zip: Buffer) {
  return readZip(zip).map(({ name, bytes: content, isSure }) => ({
    name: name.toString(),
    isRight: content.equals(bytes),
    isSure,
  }));
}

describe('readZip', () => {
  it('is sure of the members of a whole archive', () => {
    const zip = makeZip([
      { name: '1.fit', bytes },
      { name: '2.fit', bytes, stored: true },
    ]);
    expect(found(zip)).toEqual([
      { name: '1.fit', isRight: true, isSure: true },
      { name: '2.fit', isRight: true, isSure: true },
    ]);
  });

  it.each([
    ['another size', { size: 3 }],
    ['another checksum', { crc: 3 }],
    ['a flag for encryption', { flags: 1 }],
  ])('is not sure of a member with %s, and sure of the others', (_, lies) => {
    const zip = makeZip([
      { name: '1.fit', bytes, lies },
      { name: '2.fit', bytes },
    ]);
    expect(found(zip).map(({ isSure }) => isSure)).toEqual([false, true]);
  });

  it('is sure of nothing in an archive that other bytes follow', () => {
    const zip = Buffer.concat([makeZip([{ name: '1.fit', bytes }]), Buffer.from('more')]);
    expect(found(zip)).toEqual([{ name: '1.fit', isRight: true, isSure: false }]);
  });

  it('finds nothing in an archive without its end', () => {
    expect(found(makeZip([{ name: '1.fit', bytes }]).subarray(0, -22))).toEqual([]);
  });
});

describe('readGzip', () => {
  it('is sure of a whole file, and not of a file that other bytes follow', () => {
    const file = gzipSync(bytes);
    expect(readGzip(file)).toEqual({ bytes, isSure: true });
    expect(readGzip(Buffer.concat([file, Buffer.alloc(9)]))).toEqual({ bytes, isSure: false });
  });

  it('finds nothing in a file that is cut off', () => {
    expect(readGzip(gzipSync(bytes).subarray(0, -9))).toBeUndefined();
  });
});
