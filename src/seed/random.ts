/**
 * Random numbers that are the same on every machine: 32-bit integer arithmetic only.
 *
 * Every purpose has a separate stream, named by the athlete's seed and labels such as
 * `('ride', '2026-05-17')`. Numbers depend only on the stream's name, so drawing for one purpose never
 * shifts another, and a day's numbers depend on no other day.
 */

/** sfc32, Chris Doty-Humphrey's small fast counting generator (PractRand), 128 bits of state. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(a: number, b: number, c: number) {
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    for (let round = 0; round < 12; round++) this.uint32();
  }

  /** Returns an integer from 0 to 2^32 - 1. */
  uint32(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** Returns x with 0 <= x < 1. */
  unit(): number {
    return this.uint32() / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** Returns an integer, both ends included. */
  integer(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.unit());
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /**
   * Returns a roughly normal number with mean 0, deviation 1 and magnitude below 3.5: the sum of four
   * uniform ones. Exact methods need `log` and `cos`, which differ between engines in the last bit.
   */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.732;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }
}

/** Returns the stream with this name. */
export function stream(seed: number, ...labels: readonly (string | number)[]): Random {
  const text = [seed, ...labels].join('\u0000');
  return new Random(hash(text, 0x9e3779b9), hash(text, 0x85ebca6b), hash(text, 0xc2b2ae35));
}

/** FNV-1a over UTF-16 units, followed by the mixer of MurmurHash3. */
function hash(text: string, basis: number): number {
  let state = 0x811c9dc5 ^ basis;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}
