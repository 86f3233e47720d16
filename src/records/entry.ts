import type { JsonObject } from './types.ts';

/** The values of a day, or of an item, as one record states them. */
export interface Entry {
  /** The place of the record: as in `RawRecord`. */
  readonly source: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** Its place in the record: `items/3`; empty for the day itself. */
  readonly path: string;
  /** By canonical name. What has an objection is taken out. */
  readonly values: JsonObject;
  /** The name of each value as the record spells it, if it is another one. */
  readonly spellings: ReadonlyMap<string, string>;
  /** Numbers as they are written, of those that were rounded. */
  readonly exact: ReadonlyMap<string, number>;
}

/** Returns a number of an entry, not rounded; undefined if it has none. */
export function numberIn({ values, exact }: Entry, field: string): number | undefined {
  const value = values[field];
  return typeof value === 'number' ? (exact.get(field) ?? value) : undefined;
}
