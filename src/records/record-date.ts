import { localDateOf, type LocalDate } from './local-date.ts';
import { dateName, plain } from './names.ts';
import type { JsonObject, JsonValue, Zone } from './types.ts';
import { noteOther, show, type Notes } from './values.ts';

/** The date that a record gives, under whatever name. */
export interface RecordDate {
  /** The members that hold it, as they are spelled. */
  readonly names: readonly string[];
  readonly date: string;
  readonly zoneUsed: boolean;
}

/**
 * The local date of a record, or `undefined` if it has none; then nothing is noted. A date that
 * can't be used is noted as a problem, and `'invalid'`.
 */
export function readDate(
  record: JsonObject,
  zone: Zone,
  notes: Notes,
): RecordDate | 'invalid' | undefined {
  const name = dateName(Object.keys(record).filter((key) => record[key] !== null));
  if (name === undefined) return undefined;
  const read = (field: string) =>
    readTime(record[field] ?? null, field, notes, (text) => localDateOf(text, zone));
  const result = read(name);
  if (result === undefined) return 'invalid';
  const { date, zoneUsed } = result;
  // Beside another name for it (`day`) this is no second spelling: see `dateName`.
  const others = Object.keys(record).filter(
    (key) => key !== name && plain(key) === plain(name) && record[key] !== null,
  );
  for (const other of others) {
    const said = read(other);
    if (said === undefined) return 'invalid';
    if (said.date !== date) {
      noteOther(other, record[other] ?? null, name, record[name] ?? null, notes);
      return 'invalid';
    }
  }
  return { names: [name, ...others], date, zoneUsed };
}

/** Reads a timestamp and notes what is to be said about it; `undefined` after a problem. */
export function readTime<T extends LocalDate>(
  value: JsonValue,
  field: string,
  notes: Notes,
  read: (text: string) => T,
): (T & { ok: true }) | undefined {
  if (typeof value !== 'string') {
    const hint = 'write an ISO 8601 text, such as "2026-02-15" or "2026-02-15T07:30:00+01:00"';
    notes.problem(field, `is ${show(value)}: ${hint}`);
    return undefined;
  }
  const result: LocalDate = read(value);
  if (!result.ok) {
    notes.problem(field, `${show(value)}: ${result.problem}`);
    return undefined;
  }
  if (result.warning !== undefined) notes.warn(field, `${show(value)}: ${result.warning}`);
  return result as T & { ok: true };
}

/** Says that the date is missing, and which member may have been meant. */
export function noteMissingDate(record: JsonObject, notes: Notes): void {
  const dated = Object.entries(record).find(
    ([, value]) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  );
  const hint = dated === undefined ? 'write "date": "2026-02-15"' : `is it "${dated[0]}"?`;
  notes.problem('date', `is missing: ${hint}`);
}
