/** Returns the local time of one zone minus UTC at an instant; both in ms. */
export type OffsetAt = (instant: number) => number;

/** A release of the IANA time zone database, as one of its carriers has it. */
export interface ZoneData {
  /** The release, such as `2026f`. */
  readonly version: string;
  /** `runtime`: Node's ICU. `shipped`: a part of sync. */
  readonly origin: 'runtime' | 'shipped';
  /** Returns the offsets of a zone, in any capitals; undefined if this data does not have it. */
  offsets(name: string): OffsetAt | undefined;
}
