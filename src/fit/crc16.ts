/**
 * The CRC-16 of FIT files (CRC-16/ARC): polynomial x^16 + x^15 + x^2 + 1, least significant bit
 * first, initial value 0, no final inversion. The CRC of a block followed by its own CRC
 * (little-endian, as FIT stores it) is therefore 0.
 */

/** Bytes in one step (slicing-by-8). */
const STEP = 8;

/** The CRC of a byte with `n` zero bytes behind it, at `256 * n + byte`. */
const TABLE = new Uint16Array(256 * STEP);
for (let byte = 0; byte < 256; byte++) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  TABLE[byte] = crc;
}
for (let i = 256; i < TABLE.length; i++) TABLE[i] = shifted(0, entry(0, i - 256));

function entry(zeroes: number, byte: number): number {
  return TABLE[256 * zeroes + byte] as number;
}

/** Continues a CRC by one byte. */
function shifted(byte: number, crc: number): number {
  return (crc >>> 8) ^ entry(0, (crc ^ byte) & 0xff);
}

export function crc16(bytes: Uint8Array): number {
  const byte = (at: number) => bytes[at] as number;
  let crc = 0;
  let at = 0;
  for (; at + STEP <= bytes.length; at += STEP) {
    crc =
      entry(7, (crc & 0xff) ^ byte(at)) ^
      entry(6, (crc >>> 8) ^ byte(at + 1)) ^
      entry(5, byte(at + 2)) ^
      entry(4, byte(at + 3)) ^
      entry(3, byte(at + 4)) ^
      entry(2, byte(at + 5)) ^
      entry(1, byte(at + 6)) ^
      entry(0, byte(at + 7));
  }
  for (; at < bytes.length; at++) crc = shifted(byte(at), crc);
  return crc;
}
