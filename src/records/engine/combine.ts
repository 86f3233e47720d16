import type { JsonValue } from '../types.ts';
import { CountedOnce } from './counted-once.ts';
import type { MappingRule } from '../sources/types.ts';

/** Turns the values of one field on one day into one. */

export interface Sample {
  readonly value: JsonValue;
  /** The instant of the measurement (ms since 1970), if it is known. */
  readonly instant: number | undefined;
  readonly source: string;
  /** The instant at which it ended, if it has a length. */
  readonly end?: number | undefined;
  /** The device or program that measured it. */
  readonly origin?: string | undefined;
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
      return new Chosen((next, kept) => isLater(next, kept, true));
    case 'earliest':
      return new Chosen((next, kept) => isLater(kept, next, false));
    case 'min':
      return new Chosen((next, kept) => numberOf(next) < numberOf(kept));
    case 'max':
      return new Chosen((next, kept) => numberOf(next) > numberOf(kept));
    case 'sum':
      return new Total((sum) => sum);
    case 'once':
      return new CountedOnce(prefer);
    case 'mean':
      return new Total((sum, count) => sum / count);
  }
}

/** @param untimed the answer if one of them has no time. */
function isLater(one: Sample, other: Sample, untimed: boolean): boolean {
  if (one.instant === undefined || other.instant === undefined) return untimed;
  return one.instant === other.instant ? untimed : one.instant > other.instant;
}

function numberOf({ value }: Sample): number {
  return typeof value === 'number' ? value : NaN;
}

class Chosen implements Combination {
  readonly #replaces: (next: Sample, kept: Sample) => boolean;
  #kept: Sample | undefined;

  constructor(replaces: (next: Sample, kept: Sample) => boolean) {
    this.#replaces = replaces;
  }

  add(sample: Sample): void {
    if (this.#kept === undefined || this.#replaces(sample, this.#kept)) this.#kept = sample;
  }

  result(): Sample {
    if (this.#kept === undefined) throw new Error('No sample was added');
    return this.#kept;
  }
}

class Total implements Combination {
  readonly #finish: (sum: number, count: number) => number;
  #last: Sample | undefined;
  #sum = 0;
  #count = 0;

  constructor(finish: (sum: number, count: number) => number) {
    this.#finish = finish;
  }

  add(sample: Sample): void {
    this.#last = sample;
    if (typeof sample.value !== 'number') return;
    this.#sum += sample.value;
    this.#count++;
  }

  result(): Sample {
    if (this.#last === undefined) throw new Error('No sample was added');
    // Texts are no numbers: the rules of the field say so.
    if (this.#count === 0) return this.#last;
    return { ...this.#last, value: this.#finish(this.#sum, this.#count) };
  }
}
