import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc16 } from '../../src/fit/crc16.ts';

/** The definition, bit by bit. */
function bitwise(bytes: Uint8Array, start = 0): number {
  let crc = start;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  }
  return crc;
}

describe('the CRC of FIT files', () => {
  it('has the check value of CRC-16/ARC', () => {
    expect(crc16(Buffer.from('123456789'))).toBe(0xbb3d);
  });

  it('matches the definition for any bytes, length, alignment and start value', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 700 }),
        fc.nat({ max: 7 }),
        fc.nat({ max: 0xffff }),
        (bytes, shift, start) => {
          const shifted = new Uint8Array(bytes.length + shift).subarray(shift);
          shifted.set(bytes);
          expect(crc16(shifted, start)).toBe(bitwise(bytes, start));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('continues over chunks of any sizes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 300, maxLength: 2000 }),
        fc.array(fc.nat({ max: 400 }), { maxLength: 12 }),
        (bytes, sizes) => {
          let crc = 0;
          let at = 0;
          for (const size of [...sizes, bytes.length]) {
            crc = crc16(bytes.subarray(at, at + size), crc);
            at += size;
          }
          expect(crc).toBe(bitwise(bytes));
        },
      ),
    );
  });

  it('is 0 over bytes followed by their CRC', () => {
    const bytes = Uint8Array.from({ length: 1001 }, (_, i) => (i * 37) & 0xff);
    const crc = crc16(bytes);
    expect(crc).not.toBe(0);
    expect(crc16(Uint8Array.of(...bytes, crc & 0xff, crc >>> 8))).toBe(0);
  });
});
