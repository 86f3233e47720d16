import type { JsonValue } from '../types.ts';
import { type Place, valueAt } from './path.ts';
import type { Path, SourcePaths } from '../sources/types.ts';

/** One record of an export, whatever the format of the file. */
export interface Row {
  /** Its place in messages: `sleep.json#/3`, `weight.csv:12`. */
  readonly source: string;
  get(path: Path): JsonValue | undefined;
  /** Its values cannot be trusted: the row does not fit the header. */
  readonly problem?: string | undefined;
  /** Its last value may be cut off: a note, or refused if strict. */
  readonly doubt?: string | undefined;
}

/** The records of an export, in parts: waiting for each record takes longer than waiting for each part. */
export type Rows = Iterable<Iterable<Row>> | AsyncIterable<Iterable<Row>>;

/** Returns the first value at these paths that is neither `null` nor an empty text. */
export function firstValue(row: Row, paths: SourcePaths): JsonValue | undefined {
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    const value = row.get(path);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** Makes a row of a JSON value. */
export function jsonRow(name: string, place: Place): Row {
  return {
    source: place.pointer === '' ? name : `${name}#/${place.pointer}`,
    get: (path) => valueAt(place, path),
  };
}
