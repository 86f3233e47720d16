import type { JsonValue } from '../types.ts';
import type { TakenValue } from '../values.ts';
import type { MappingRule } from '../sources/types.ts';
import { type Span, countOnce } from './spans.ts';

/** Turns the values of one field on one day into one. */

export interface Sample {
  readonly value: JsonValue;
  /** The value to send, if it is no part of a sum. */
  readonly taken?: TakenValue;
  /** The instant of the measurement (ms since 1970), if it is known. */
  readonly instant: number | undefined;
  readonly source: string;
  /** The instant at which it ended, if it has a length. */
  readonly end?: number | undefined;
  /** The device or program that measured it. */
  readonly origin?: string | undefined;
  /** Its record has one value of a blood pressure: a record with both counts before it. */
  readonly isHalf?: boolean | undefined;
  /** How many values it combines. `source` is the last one's. */
  readonly count?: number;
}

/** Takes the samples of a day, in the order of the file. */
export interface Combination {
  add(sample: Sample): void;
  /** Called after at least one sample was added. */
  result(): Sample;
}

type Name = NonNullable<MappingRule['combine']>;

/** @param prefer as in `SpanRule` */
export function combination(name: Name = 'latest', prefer: readonly string[] = []): Combination {
  switch (name) {
    // Nights are found over all records: one value a day is left.
    case 'night':
    case 'latest':
      return chosen((next, kept) => isLater(next, kept, true));
    case 'earliest':
      return chosen((next, kept) => isLater(kept, next, false));
    case 'sum':
      return total((sum) => sum);
    case 'once':
      return new CountedOnce(prefer);
    case 'mean':
      return total((sum, count) => sum / count);
  }
}

/** @param untimed the answer if one of them has no time. */
function isLater(one: Sample, other: Sample, untimed: boolean): boolean {
  if ((one.isHalf ?? false) !== (other.isHalf ?? false)) return other.isHalf === true;
  if (one.instant === undefined || other.instant === undefined) return untimed;
  return one.instant === other.instant ? untimed : one.instant > other.instant;
}

function chosen(replaces: (next: Sample, kept: Sample) => boolean): Combination {
  let kept: Sample | undefined;
  return {
    add(sample) {
      if (kept === undefined || replaces(sample, kept)) kept = sample;
    },
    result: () => given(kept),
  };
}

function total(finish: (sum: number, count: number) => number): Combination {
  let last: Sample | undefined;
  let [sum, count] = [0, 0];
  return {
    add(sample) {
      last = sample;
      sum += Number(sample.value);
      count++;
    },
    result: () => ({ ...given(last), value: finish(sum, count), count }),
  };
}

function given(sample: Sample | undefined): Sample {
  if (sample === undefined) throw new Error('No sample was added');
  return sample;
}

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
    if (this.#count === 0) return given(this.#uncounted);
    let total = 0;
    const weight = (own: readonly Amount[]) => own.reduce((sum, { value }) => sum + value, 0);
    const order = { prefer: this.#prefer, weight, within: false };
    countOnce(this.#amounts(), order, ({ value }, part) => (total += value * part));
    const about = { source: this.#source, instant: this.#instant, count: this.#count };
    return { ...about, value: total };
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
