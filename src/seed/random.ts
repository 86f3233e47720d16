/**
 * Random numbers that are the same on every machine: 32-bit integer arithmetic only.
 *
 * Every purpose has a separate stream, named by the athlete's seed and labels such as
 * `('ride', '2026-05-17')`. Numbers depend only on the stream's name, so drawing for one purpose never
 * shifts another, and a day's numbers depend on no other day.
 */

/** SplitMix with 32 bits: a counter, mixed. */
export class Random {
  #counter: number;

  constructor(start: number) {
    this.#counter = start;
  }

  /** Returns an integer from 0 to 2^32 - 1. */
  uint32(): number {
    this.#counter = (this.#counter + 0x9e3779b9) | 0;
    return mixed(this.#counter) >>> 0;
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

/** Returns the stream with this name, which FNV-1a over UTF-16 units hashes. */
export function stream(seed: number, ...labels: readonly (string | number)[]): Random {
  const text = [seed, ...labels].join('\u0000');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return new Random(mixed(hash));
}

/** The mixer of MurmurHash3. */
function mixed(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}
