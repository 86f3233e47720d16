import { readTimeOfDay } from '../clock.ts';
import { toLoggedAt } from '../days/local-date.ts';
import { ITEM_NAMES } from '../names.ts';
import { ONLY_TIME, notePlan } from '../plan.ts';
import { readDate, readTime } from '../days/record-date.ts';
import { TIME_EXAMPLE } from '../days/timestamp.ts';
import type { Entry, JsonObject, JsonValue, RecordOptions, Zone } from '../types.ts';
import type { Notes } from '../notes.ts';
import { entryOf, noteNothingKnown, noteUnknown, readFields, spellingsOf } from '../members.ts';
import { isObject, show } from '../values.ts';

/** A day of a nutrition record, while its items are read. */
export interface ReadDay {
  /** The place of its date in the record. */
  readonly field: string | undefined;
  readonly date: string;
  zoneUsed: boolean;
  readonly items: Entry[];
  /** About its items. */
  readonly notes: Notes;
}

/**
 * Reads one item (interface 2.3), and adds it to its day; adds nothing after a problem.
 *
 * @param path its place in the record
 * @param named the record's own day, which goes with an item's time of day
 * @param days of the record, by date
 */
export function readItem(
  raw: JsonValue,
  path: string,
  named: ReadDay | undefined,
  days: Map<string, ReadDay>,
  notes: Notes,
  { zone }: RecordOptions,
): void {
  if (!isObject(raw)) {
    notes.problem(path, `is ${show(raw)}; an object is expected`);
    return;
  }
  const { problems, warnings } = notes;
  const [faults, warned] = [problems.length, warnings.length];
  const day = named?.date;
  const written = writtenTime(raw, path, day, zone, notes);
  const { read, unknown } = readFields(raw, ITEM_NAMES, notes, path, written?.names);
  const { values } = read;
  notePlan(unknown, raw, notes, path);
  const isEmpty = Object.keys(values).length === 0 && problems.length === faults;
  if (isEmpty && unknown.length === 0) {
    notes.problem(path, ONLY_TIME);
  } else if (isEmpty) {
    noteNothingKnown(unknown, ITEM_NAMES, notes, path);
  } else noteUnknown(unknown, ITEM_NAMES, notes, path);
  if (written === undefined) {
    notes.problem(`${path}/logged_at`, `is missing: write "logged_at": "${TIME_EXAMPLE}"`);
    return;
  }
  const field = `${path}/${written.names[0] ?? 'logged_at'}`;
  const time = readTime(written.value, field, notes, 'time', (text) => toLoggedAt(text, zone));
  if (time === undefined) return;
  const { date, zoneUsed } = time;
  // The interface shows no fractions of a second (4.4.3).
  const loggedAt = time.loggedAt.replace(/\.\d+/, '');
  values['logged_at'] = loggedAt;
  if (day !== undefined && day !== date)
    notes.warn(field, `${loggedAt} is on ${date}, the record says ${day}: kept as said`);
  const own = named ??
    days.get(date) ?? { field, date, zoneUsed, items: [], notes: notes.ofPart() };
  days.set(own.date, own);
  own.items.push(entryOf(read, notes, { date: own.date, path }));
  own.zoneUsed ||= zoneUsed;
  own.notes.warnings.push(...warnings.splice(warned));
}

interface WrittenTime {
  /** The members that hold it; messages name the first. */
  readonly names: readonly string[];
  readonly value: JsonValue;
}

/**
 * Finds the time of an item: `logged_at`; otherwise `time`, which may be a time of day that goes with the
 * item's own date or with the record's.
 */
function writtenTime(
  raw: JsonObject,
  path: string,
  day: string | undefined,
  zone: Zone,
  notes: Notes,
): WrittenTime | undefined {
  const names = spellingsOf(raw, 'loggedat', notes, path);
  const [loggedAt] = names;
  if (loggedAt !== undefined) return { names, value: raw[loggedAt] ?? null };
  const times = spellingsOf(raw, 'time', notes, path);
  const value = raw[times[0] ?? ''];
  if (value === undefined) return undefined;
  const clock = typeof value === 'string' ? readTimeOfDay(value) : undefined;
  if (clock === undefined) return { names: times, value };
  const own = readDate(raw, zone, notes, path);
  if (typeof own === 'object') {
    return { names: [...times, ...own.names], value: `${own.date}T${clock}` };
  }
  return { names: times, value: day === undefined ? value : `${day}T${clock}` };
}
