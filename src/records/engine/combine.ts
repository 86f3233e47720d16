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
      return chosen((next, kept) => isLater(next, kept, true));
    case 'earliest':
      return chosen((next, kept) => isLater(kept, next, false));
    case 'min':
      return chosen((next, kept) => numberOf(next) < numberOf(kept));
    case 'max':
      return chosen((next, kept) => numberOf(next) > numberOf(kept));
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
  if (one.instant === undefined || other.instant === undefined) return untimed;
  return one.instant === other.instant ? untimed : one.instant > other.instant;
}

function numberOf({ value }: Sample): number {
  return typeof value === 'number' ? value : NaN;
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
      if (typeof sample.value !== 'number') return;
      sum += sample.value;
      count++;
    },
    // Texts are no numbers: the rules of the field say so.
    result: () => (count === 0 ? given(last) : { ...given(last), value: finish(sum, count) }),
  };
}

function given(sample: Sample | undefined): Sample {
  if (sample === undefined) throw new Error('No sample was added');
  return sample;
}
