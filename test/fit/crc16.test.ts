import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc16 } from '../../src/fit/crc16.ts';

/** The definition, bit by bit. */
function bitwise(bytes: Uint8Array): number {
  let crc = 0;
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

  it('matches the definition for any bytes, length and alignment', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat({ max: 7 }), (bytes, shift) => {
        const shifted = new Uint8Array(bytes.length + shift).subarray(shift);
        shifted.set(bytes);
        expect(crc16(shifted)).toBe(bitwise(bytes));
      }),
      { numRuns: 200 },
    );
  });

  it('is 0 over bytes followed by their CRC', () => {
    const bytes = Uint8Array.from({ length: 1001 }, (_, i) => (i * 37) & 0xff);
    const crc = crc16(bytes);
    expect(crc).not.toBe(0);
    expect(crc16(Uint8Array.of(...bytes, crc & 0xff, crc >>> 8))).toBe(0);
  });
});
