/** The offsets of one zone over time. */
export interface Offsets {
  /** Returns local time minus UTC at an instant; both in ms. */
  offsetAt(instant: number): number;
}

/** A release of the IANA time zone database, as one of its carriers has it. */
export interface ZoneData {
  /** The release, such as `2026f`. */
  readonly version: string;
  /** `runtime`: Node's ICU. `system`: files of the operating system. `shipped`: a part of sync. */
  readonly origin: 'runtime' | 'system' | 'shipped';
  /** Returns the offsets of a zone, in any capitals; undefined if this data does not have it. */
  offsets(name: string): Offsets | undefined;
}

/** A change of a zone's offset. Both in ms; the instant since 1970-01-01T00:00:00Z. */
export interface OffsetChange {
  readonly instant: number;
  /** The offset from this instant on. */
  readonly offset: number;
}

export class Timeline implements Offsets {
  readonly #first: number;
  readonly #changes: readonly OffsetChange[];

  /**
   * @param first the offset before the first change (ms)
   * @param changes in the order of their instants; of several at one instant, the last counts
   */
  constructor(first: number, changes: readonly OffsetChange[]) {
    this.#first = first;
    this.#changes = changes;
  }

  offsetAt(instant: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.instant ?? Infinity) <= instant) low = middle + 1;
      else high = middle;
    }
    return this.#changes[low - 1]?.offset ?? this.#first;
  }
}
