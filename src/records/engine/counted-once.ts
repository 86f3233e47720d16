import type { Combination, Sample } from './combine.ts';
import { type Span, countOnce } from './spans.ts';

interface Amount extends Span {
  readonly value: number;
}

/** Numbers of one sample: start and end (s after the first start), value, index of the origin. */
const WIDTH = 4;

/**
 * Adds the amounts of a day, each moment from one origin. The same sample twice counts once. Samples are
 * kept as four numbers each: ten years of a watch have millions.
 */
export class CountedOnce implements Combination {
  readonly #prefer: readonly string[];
  readonly #origins: string[] = [];
  #samples = new Float32Array(4 * WIDTH);
  #count = 0;
  #from: number | undefined;
  /** The source and the instant of the last counted sample: samples themselves are not kept. */
  #source = '';
  #instant = 0;
  #uncounted: Sample | undefined;

  constructor(prefer: readonly string[]) {
    this.#prefer = prefer;
  }

  add(sample: Sample): void {
    const { value, instant, end = instant, origin = '' } = sample;
    if (typeof value !== 'number' || instant === undefined || end === undefined) {
      this.#uncounted = sample;
      return;
    }
    this.#source = sample.source;
    this.#instant = instant;
    this.#from ??= instant;
    if ((this.#count + 1) * WIDTH > this.#samples.length) this.#grow();
    const at = this.#count * WIDTH;
    this.#samples[at] = (instant - this.#from) / 1_000;
    this.#samples[at + 1] = (end - this.#from) / 1_000;
    this.#samples[at + 2] = value;
    this.#samples[at + 3] = this.#indexOf(origin);
    this.#count++;
  }

  result(): Sample {
    if (this.#count === 0) {
      if (this.#uncounted === undefined) throw new Error('No sample was added');
      return this.#uncounted;
    }
    let total = 0;
    const weight = (own: readonly Amount[]) => own.reduce((sum, { value }) => sum + value, 0);
    const order = { prefer: this.#prefer, weight, within: false };
    countOnce(this.#amounts(), order, ({ value }, part) => (total += value * part));
    return { source: this.#source, instant: this.#instant, value: total };
  }

  #amounts(): Amount[] {
    const known = new Set<string>();
    const amounts: Amount[] = [];
    for (let at = 0; at < this.#count * WIDTH; at += WIDTH) {
      const [start = 0, end = 0, value = 0, index = 0] = this.#samples.subarray(at, at + WIDTH);
      const key = `${start} ${end} ${value} ${index}`;
      if (known.has(key)) continue;
      known.add(key);
      amounts.push({ start, end, value, origin: this.#origins[index] ?? '' });
    }
    return amounts;
  }

  #indexOf(origin: string): number {
    const known = this.#origins.indexOf(origin);
    return known === -1 ? this.#origins.push(origin) - 1 : known;
  }

  #grow(): void {
    const grown = new Float32Array(Math.ceil(this.#samples.length * 1.5));
    grown.set(this.#samples);
    this.#samples = grown;
  }
}
