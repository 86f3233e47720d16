import { groupBy } from '../../base/group-by.ts';

/**
 * Counts what several devices measured at the same time once: a phone and a watch both count steps, and
 * two apps record one night. At every moment, one origin counts.
 */

/** What one origin measured from a moment to another (s). */
export interface Span {
  readonly start: number;
  /** The same as `start` for a value without a length. */
  readonly end: number;
  readonly origin: string;
}

/** How origins that overlap are told apart. */
export interface SpanOrder<T extends Span> {
  /** Words in the names of origins that count before all others. */
  readonly prefer: readonly string[];
  /** Of two other origins, the one with the larger weight counts; of equal ones, the first by name. */
  readonly weight: (spans: readonly T[]) => number;
  /** Spans of one origin exclude each other, too: the shorter one counts. */
  readonly within: boolean;
}

/** Calls `each` for every span, with the part of it (0 to 1) that counts. */
export function countOnce<T extends Span>(
  spans: readonly T[],
  order: SpanOrder<T>,
  each: (span: T, part: number) => void,
): void {
  const covered = new Cover();
  for (const own of byRank(spans, order)) {
    const sorted = order.within ? own.toSorted((a, b) => lengthOf(a) - lengthOf(b)) : own;
    for (const span of sorted) {
      each(span, covered.freePart(span));
      if (order.within) covered.add(span);
    }
    if (!order.within) for (const span of own) covered.add(span);
  }
}

export function lengthOf({ start, end }: Span): number {
  return end - start;
}

/** Returns the spans of each origin, the origin that counts first at the front. */
function byRank<T extends Span>(spans: readonly T[], { prefer, weight }: SpanOrder<T>): T[][] {
  const isPreferred = (origin: string) =>
    prefer.some((word) => origin.toLowerCase().includes(word));
  return [...groupBy(spans, ({ origin }) => origin)]
    .map(([origin, own]) => ({ origin, own, first: isPreferred(origin), weight: weight(own) }))
    .sort(
      (a, b) =>
        Number(b.first) - Number(a.first) || b.weight - a.weight || (a.origin < b.origin ? -1 : 1),
    )
    .map(({ own }) => own);
}

/** A set of moments: intervals that do not touch, by time. */
class Cover {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** Returns the part of a span (0 to 1) that is not in the set. */
  freePart({ start, end }: Span): number {
    const first = this.#firstEndingAfter(start);
    if (start === end) return (this.#starts[first] ?? Infinity) <= start ? 0 : 1;
    let taken = 0;
    for (let at = first; (this.#starts[at] ?? Infinity) < end; at++) {
      taken += Math.min(end, this.#ends[at] ?? end) - Math.max(start, this.#starts[at] ?? start);
    }
    return 1 - taken / (end - start);
  }

  add({ start, end }: Span): void {
    if (start === end) return;
    const first = this.#firstEndingAfter(start);
    let after = first;
    let [from, to] = [start, end];
    for (; (this.#starts[after] ?? Infinity) <= end; after++) {
      from = Math.min(from, this.#starts[after] ?? from);
      to = Math.max(to, this.#ends[after] ?? to);
    }
    this.#starts.splice(first, after - first, from);
    this.#ends.splice(first, after - first, to);
  }

  /** Returns the index of the first interval that ends after a moment (binary search). */
  #firstEndingAfter(moment: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ends[middle] ?? Infinity) > moment) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
