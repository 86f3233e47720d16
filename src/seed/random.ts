/**
 * Random numbers that are the same on every machine: 32-bit integer arithmetic only.
 *
 * Every purpose has a stream of its own, named by the athlete's seed and labels such as
 * `('ride', 12)`. A stream depends on its name alone, so a number drawn for one purpose never
 * shifts those of another, and a day's numbers don't depend on how many days were asked for.
 */

/** sfc32, Chris Doty-Humphrey's small fast counter generator (PractRand), 128 bits of state. */
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

  /** 0 to 2^32 - 1. */
  uint32(): number {
    const result = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** 0 <= x < 1. */
  unit(): number {
    return this.uint32() / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** A whole number, both ends included. */
  integer(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.unit());
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /**
   * Mean 0, deviation 1, never beyond 3.5: the sum of four uniform numbers. The usual methods for a
   * normal distribution need `log` and `cos`, whose last bit is left to the engine.
   */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.732;
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.integer(0, choices.length - 1)] ?? choices[0];
  }
}

/** The stream with this name. Numbers are labels too: whole, from -2^53 to 2^53. */
export function stream(seed: number, ...labels: readonly (string | number)[]): Random {
  const text = [seed, ...labels].join('\u0000');
  return new Random(hash(text, 0x9e3779b9), hash(text, 0x85ebca6b), hash(text, 0xc2b2ae35));
}

/** FNV-1a over UTF-16 units, finished with the mixer of MurmurHash3. */
function hash(text: string, basis: number): number {
  let state = 0x811c9dc5 ^ basis;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}

/**
 * Noise with a memory: each value keeps `memory` of the one before it (a first-order autoregression).
 * The long-run deviation is about `deviation`.
 */
export class Wander {
  readonly #random: Random;
  readonly #memory: number;
  readonly #step: number;
  #value = 0;

  constructor(random: Random, memory: number, deviation: number) {
    this.#random = random;
    this.#memory = memory;
    this.#step = deviation * Math.sqrt(1 - memory * memory);
  }

  next(): number {
    this.#value = this.#value * this.#memory + this.#random.normal() * this.#step;
    return this.#value;
  }
}
