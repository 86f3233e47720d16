/**
 * The CRC-16 of FIT files (CRC-16/ARC): polynomial x^16 + x^15 + x^2 + 1, least significant bit
 * first, initial value 0, no final inversion. The CRC of a block followed by its own CRC
 * (little-endian, as FIT stores it) is therefore 0.
 */

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xa001 : crc >>> 1;
  return crc;
});

/** 32-bit words of a block. */
const WORDS = 16;
const BLOCK_BYTES = WORDS * 4;

/** State of the folding, as words and as the same memory's bytes. */
const state = new Int32Array(WORDS);
const stateBytes = new Uint8Array(state.buffer);

/** Returns the CRC. Several times as fast as table lookups (16 words per iteration, only XOR). */
export function crc16(bytes: Uint8Array): number {
  const { length } = bytes;
  let at = Math.min((4 - (bytes.byteOffset & 3)) & 3, length);
  let crc = byTable(bytes, 0, at, 0);
  const blocks = Math.floor((length - at) / BLOCK_BYTES);
  if (blocks > 1) {
    crc = byFolding(new Int32Array(bytes.buffer, bytes.byteOffset + at, blocks * WORDS), crc);
    at += blocks * BLOCK_BYTES;
  }
  return byTable(bytes, at, length, crc);
}

/** Continues `crc` by table lookup, one byte per step. */
function byTable(bytes: Uint8Array, from: number, to: number, crc: number): number {
  for (let i = from; i < to; i++) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[i] as number)) & 0xff] as number);
  }
  return crc;
}

/**
 * Reduces a message of 32-bit words to its last 16 words, which have the same CRC, and takes the
 * CRC of those.
 *
 * Over GF(2) squaring is linear, so P(x) = x^16 + x^15 + x^2 + 1 gives
 * P(x)^32 = x^(16*32) + x^(15*32) + x^(2*32) + 1: modulo P, a word can be removed by adding it
 * (XOR) to the words 1, 14 and 16 places later. Only whole words move, so the machine's byte order
 * does not matter.
 *
 * Working forwards, a word's value is its own XOR the values of the words 1, 14 and 16 places
 * before it. The last 16 words still contain their neighbours 1 and 14 places before: their addition
 * is undone at the end and, for the first block, done at the start.
 *
 * @param words one or more blocks of 16 words
 */
function byFolding(words: Int32Array, crc: number): number {
  state.set(words.subarray(0, WORDS));
  stateBytes[0] = (stateBytes[0] as number) ^ (crc & 0xff);
  stateBytes[1] = (stateBytes[1] as number) ^ (crc >>> 8);
  for (let i = 1; i < WORDS; i++) addNeighbours(i);

  let [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15] =
    state as unknown as SixteenWords;
  for (let i = WORDS, end = words.length; i < end; i += WORDS) {
    a0 ^= (words[i] as number) ^ a2 ^ a15;
    a1 ^= (words[i + 1] as number) ^ a3 ^ a0;
    a2 ^= (words[i + 2] as number) ^ a4 ^ a1;
    a3 ^= (words[i + 3] as number) ^ a5 ^ a2;
    a4 ^= (words[i + 4] as number) ^ a6 ^ a3;
    a5 ^= (words[i + 5] as number) ^ a7 ^ a4;
    a6 ^= (words[i + 6] as number) ^ a8 ^ a5;
    a7 ^= (words[i + 7] as number) ^ a9 ^ a6;
    a8 ^= (words[i + 8] as number) ^ a10 ^ a7;
    a9 ^= (words[i + 9] as number) ^ a11 ^ a8;
    a10 ^= (words[i + 10] as number) ^ a12 ^ a9;
    a11 ^= (words[i + 11] as number) ^ a13 ^ a10;
    a12 ^= (words[i + 12] as number) ^ a14 ^ a11;
    a13 ^= (words[i + 13] as number) ^ a15 ^ a12;
    a14 ^= (words[i + 14] as number) ^ a0 ^ a13;
    a15 ^= (words[i + 15] as number) ^ a1 ^ a14;
  }
  state.set([a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15]);

  for (let i = WORDS - 1; i > 0; i--) addNeighbours(i);
  return byTable(stateBytes, 0, BLOCK_BYTES, 0);
}

/** XORs the words 1 and 14 places before into a word of the state. Its own inverse. */
function addNeighbours(i: number): void {
  state[i] = (state[i] as number) ^ (state[i - 1] as number);
  if (i >= 14) state[i] = state[i] ^ (state[i - 14] as number);
}

// prettier-ignore
type SixteenWords = [
  number, number, number, number, number, number, number, number,
  number, number, number, number, number, number, number, number,
];
