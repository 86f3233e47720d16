import type { Match } from '../sources/types.ts';
import type { Entry, FieldUnits, RecordOptions, SourceOptions } from '../types.ts';

/** Facts about the file, and the user's word about it. Records in the platform's form have no source. */
export interface FileFacts
  extends
    Partial<Match>,
    Pick<SourceOptions, 'units' | 'ofDay'>,
    Pick<RecordOptions, 'lastWeight'> {
  readonly fieldUnits?: FieldUnits | undefined;
}

export interface Objection {
  readonly field: string;
  readonly entries: readonly Entry[];
  readonly found: string;
  /**
   * `unit`: perhaps in another unit or scale, `days`: perhaps of several days, `wrong`: no word of the user
   * settles it. These values are left out. `sent`: athletes have such values, or it is not known which is wrong.
   */
  readonly is: 'unit' | 'days' | 'wrong' | 'sent';
  /** The unit to name in a note, if another one is likelier than the field's next one. */
  readonly likely?: string;
  /** It is about all values of the field, and has one note: with what to type, if that helps. */
  readonly whole?: { readonly confirm?: string };
}

/** Returns a number of an entry, not rounded; undefined if it has none. */
export function numberIn({ values, exact }: Entry, field: string): number | undefined {
  const value = values[field];
  return typeof value === 'number' ? (exact.get(field) ?? value) : undefined;
}

/** Returns an objection to one value. */
export function about(field: string, entry: Entry, found: string, is: Objection['is']): Objection {
  return { field, entries: [entry], found, is };
}

/** The days with a number, by field. */
export type Columns = ReadonlyMap<string, readonly Entry[]>;

export const HOUR_SECS = 3_600;
