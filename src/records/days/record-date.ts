import { dateAt, localDateOf, type LocalDate, type Noted, type Refused } from './local-date.ts';
import { joinPointer } from '../listed.ts';
import { dateName, plain } from '../names.ts';
import { TIME_EXAMPLE } from './timestamp.ts';
import type { JsonObject, JsonValue, RecordOptions, Zone } from '../types.ts';
import type { Notes } from '../notes.ts';
import { saysOther, show } from '../values.ts';

export interface RecordDate {
  /** The members that hold it, in the spelling of the input. */
  readonly names: readonly string[];
  readonly date: string;
  /** The time of the measurement (ms), if the date has a time of day. */
  readonly at?: number | undefined;
  readonly zoneUsed: boolean;
}

/**
 * Returns the local date of a record, or `undefined` without a note if it has none. An unusable date
 * is noted as a problem, and returns `'invalid'`.
 *
 * @param path the object's own place in its record
 */
export function readDate(
  record: JsonObject,
  zone: Zone,
  notes: Notes,
  path = '',
): RecordDate | 'invalid' | undefined {
  const name = dateName(Object.keys(record).filter((key) => record[key] !== null));
  if (name === undefined) return undefined;
  const read = (key: string) =>
    readTime(record[key] ?? null, joinPointer(path, key), notes, 'date', (text) =>
      localDateOf(text, zone),
    );
  const result = read(name);
  if (result === undefined) return 'invalid';
  const { date, zoneUsed, instant } = result;
  // Another name for the date (`day`) is not a second spelling of it: see `dateName`.
  const wanted = plain(name);
  const others = Object.keys(record).filter(
    (key) => key !== name && plain(key) === wanted && record[key] !== null,
  );
  for (const other of others) {
    const said = read(other);
    if (said === undefined) return 'invalid';
    if (said.date !== date) {
      const said = saysOther(record[other] ?? null, name, record[name] ?? null);
      notes.problem(joinPointer(path, other), said);
      return 'invalid';
    }
  }
  return { names: [name, ...others], date, at: instant, zoneUsed };
}

/**
 * Reads a timestamp: a text, or a number of seconds or milliseconds since 1970. Notes its warnings;
 * returns `undefined` after a problem.
 */
export function readTime<T extends LocalDate>(
  value: JsonValue,
  field: string,
  notes: Notes,
  wanted: 'date' | 'time',
  read: (text: string) => T | Refused,
): T | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') {
    const date = wanted === 'date' ? '"2026-02-15" or ' : '';
    const hint = `write an ISO 8601 text, such as ${date}"${TIME_EXAMPLE}"`;
    notes.problem(field, `is ${show(value)}: ${hint}`);
    return undefined;
  }
  const result = read(String(value));
  if ('problem' in result) {
    notes.problem(field, `${show(value)}: ${result.problem}`);
    return undefined;
  }
  noteTime(value, field, notes, result);
  return result;
}

function noteTime(value: JsonValue, field: string, notes: Notes, { warning, recurs }: Noted): void {
  if (warning === undefined) return;
  const said = `${show(value)}: ${warning}`;
  // Each item has another path, but the same member.
  const key = `${recurs ?? ''} ${field.replace(/^.*\//, '')}`;
  if (recurs === undefined) notes.warn(field, said);
  else if (recurs === 'midnight') notes.doubt(key, field, said);
  else notes.recur(key, field, said);
}

/** Tolerated days after today: in other zones it may be tomorrow, and clocks may be wrong. */
const DAYS_AHEAD = 2;

/** Describes a date too far after today. Such a date is a typing error, for example another year, or a plan. */
export function farAhead(
  date: string,
  { now, zone }: Pick<RecordOptions, 'now' | 'zone'>,
): string | undefined {
  const today = now === undefined ? '9999' : dateAt(now, zone);
  if (date <= today) return undefined;
  const days = (Date.parse(date) - Date.parse(today)) / 86_400_000;
  return days > DAYS_AHEAD ? `${date} is ${days} days ahead of today, ${today}` : undefined;
}

/** Notes that the date is missing, and which member may hold it. */
export function noteMissingDate(record: JsonObject, notes: Notes): void {
  const dated = Object.entries(record).find(
    ([, value]) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
  );
  const hint = dated === undefined ? 'write "date": "2026-02-15"' : `is it "${dated[0]}"?`;
  notes.problem('date', `is missing: ${hint}`);
}
