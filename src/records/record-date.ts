import { localDateOf, type LocalDate } from './local-date.ts';
import { dateName, plain } from './names.ts';
import { zoneOfTime } from './read-zones.ts';
import { TIME_EXAMPLE } from './timestamp.ts';
import type { JsonObject, JsonValue, ReadingOptions, Zone } from './types.ts';
import { noteOther, show, type Notes } from './values.ts';

/** The date of a record. */
export interface RecordDate {
  /** The members that hold it, in the spelling of the input. */
  readonly names: readonly string[];
  readonly date: string;
  readonly zoneUsed: boolean;
}

/**
 * Returns the local date of a record, or `undefined` without a note if it has none. An unusable date
 * is noted as a problem, and returns `'invalid'`.
 */
export function readDate(
  record: JsonObject,
  zone: Zone,
  notes: Notes,
): RecordDate | 'invalid' | undefined {
  const name = dateName(Object.keys(record).filter((key) => record[key] !== null));
  if (name === undefined) return undefined;
  const read = (field: string) =>
    readTime(record[field] ?? null, field, notes, 'date', (text) =>
      localDateOf(text, zoneOfTime(text, zone)),
    );
  const result = read(name);
  if (result === undefined) return 'invalid';
  const { date, zoneUsed } = result;
  // Another name for the date (`day`) is not a second spelling of it: see `dateName`.
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

/** Reads a timestamp and notes its warnings; returns `undefined` after a problem. */
export function readTime<T extends LocalDate>(
  value: JsonValue,
  field: string,
  notes: Notes,
  wanted: 'date' | 'time',
  read: (text: string) => T,
): (T & { ok: true }) | undefined {
  if (typeof value !== 'string') {
    const date = wanted === 'date' ? '"2026-02-15" or ' : '';
    const hint = `write an ISO 8601 text, such as ${date}"${TIME_EXAMPLE}"`;
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

/** Tolerated days after today: in other zones it may be tomorrow, and clocks may be wrong. */
const DAYS_AHEAD = 2;

/** Notes a date too far after today: a typing error, such as another year. */
export function noteFarAhead(
  date: string,
  field: string | undefined,
  notes: Notes,
  { today }: Pick<ReadingOptions, 'today'>,
): void {
  if (today === undefined || date <= today) return;
  const days = (Date.parse(date) - Date.parse(today)) / 86_400_000;
  if (days <= DAYS_AHEAD) return;
  const found = () => `${date} is ${days} days ahead of today, ${today}`;
  notes.doubt('far ahead', field ?? 'date', found, 'Sent as it is');
}

/** Notes that the date is missing, and which member may hold it. */
export function noteMissingDate(record: JsonObject, notes: Notes): void {
  const dated = Object.entries(record).find(
    ([, value]) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  );
  const hint = dated === undefined ? 'write "date": "2026-02-15"' : `is it "${dated[0]}"?`;
  notes.problem('date', `is missing: ${hint}`);
}
