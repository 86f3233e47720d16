import { sameJson } from './digest.ts';
import { unitNameOf } from './fields.ts';
import { joinPointer } from './listed.ts';
import { type Names, plain } from './names.ts';
import type { Notes } from './notes.ts';
import type { DayDraft, Entry, JsonObject, Values } from './types.ts';
import { contradiction, saysOther, takeValue } from './values.ts';

/** Reads the members of a JSON object that has the platform's names. */

/** Most records have their numbers and names as the platform does. */
export const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * Reads the members of an object by the table of their names. A `null` is left out: the value is not known. Two spellings
 * of one field must agree. {@link noteUnknown} reports unknown members.
 *
 * @param path the object's own place in its record, without a slash at the end.
 * @param skip members that the caller reads
 */
export function readFields(
  object: JsonObject,
  names: Names,
  notes: Notes,
  path = '',
  skip: readonly string[] = [],
): { readonly read: Values; /** The names of its other members. */ readonly unknown: string[] } {
  const values: JsonObject = {};
  const spellings = new Map<string, string>();
  const exact = new Map<string, number>();
  const unknown: string[] = [];
  const faulty: string[] = [];
  let isUnmeasured = false;
  for (const spelling of Object.keys(object)) {
    const raw = object[spelling] ?? null;
    if (raw === null || skip.includes(spelling)) continue;
    const name = names.find(spelling);
    const rule = name === undefined ? undefined : names.table[name];
    if (name === undefined || rule === undefined) {
      unknown.push(spelling);
      continue;
    }
    const unit = notes.unitOf(name, spelling);
    const taken = takeValue({ value: raw, unit }, rule);
    notes.take(joinPointer(path, spelling), taken);
    if (taken.problem !== undefined) faulty.push(name);
    const { value } = taken;
    isUnmeasured ||= taken.isUnmeasured === true;
    if (value === undefined) continue;
    const other = values[name];
    if (other === undefined) {
      values[name] = value;
      if (taken.exact !== undefined) exact.set(name, taken.exact);
      if (spelling !== name) spellings.set(name, spelling);
      continue;
    }
    const first = spellings.get(name) ?? name;
    const known = { name: first, value: other, written: object[first] ?? null };
    const problem = contradiction(
      { name: spelling, value, written: raw, factor: unit?.factor },
      known,
    );
    if (problem === undefined) continue;
    notes.problem(joinPointer(path, spelling), problem);
    faulty.push(name);
  }
  for (const name of faulty) Reflect.deleteProperty(values, name);
  const read = {
    values,
    isUnmeasured,
    spellings: spellings.size === 0 ? NONE : spellings,
    exact: exact.size === 0 ? NONE : exact,
  };
  return { read, unknown };
}

/** Makes an entry member by member: with a spread, V8 keeps 300 bytes more of each. */
export function entryOf(
  { spellings, exact, isUnmeasured, values }: Values,
  { source }: Notes,
  { date, path }: Pick<Entry, 'date' | 'path'>,
): Entry {
  return { values, spellings, exact, isUnmeasured, source, date, path };
}

const NOTHING: readonly never[] = [];

/** Most records have no notes: an empty list of its own would double what is kept of each. */
function orNothing<T>(all: readonly T[]): readonly T[] {
  return all.length === 0 ? NOTHING : all;
}

interface DayParts {
  readonly date: string;
  readonly zoneUsed: boolean;
  readonly at?: number | undefined;
  /** Default: those that were read. */
  readonly values?: JsonObject;
  readonly items?: readonly Entry[] | undefined;
}

/** Makes the draft of a day, as {@link entryOf} makes an entry. */
export function draftOf(
  { spellings, exact, isUnmeasured, values: read }: Values,
  { source, warnings, problems }: Notes,
  { date, values = read, items, zoneUsed, at }: DayParts,
): DayDraft {
  return {
    values,
    spellings,
    exact,
    isUnmeasured,
    source,
    date,
    path: '',
    items,
    zoneUsed,
    at,
    warnings: orNothing(warnings),
    problems: orNothing(problems),
  };
}

/** Limits the unknown fields that are listed of a record without any known one. */
const MAX_LISTED = 10;

/** The key of notes about members that are not sent, by their names: one note names all of them. */
export const UNKNOWN_MEMBER = 'unknown member';

/** Limits the unknown fields of one object that are compared with the known ones. */
const MAX_COMPARED = 100;

/**
 * Notes unknown members of an object, which are not sent. A name near to a field's has a separate note.
 *
 * @param path the object's own place in its record, without a slash at the end.
 */
export function noteUnknown(
  unknown: readonly string[],
  names: Names,
  notes: Notes,
  path = '',
): void {
  const where = path === '' ? 'day' : 'item';
  for (const [index, name] of unknown.entries()) {
    const key = `${where} ${name}`;
    const field = joinPointer(path, name);
    // An object with many unknown members has data for names.
    const near = index < MAX_COMPARED ? names.nearest(name) : undefined;
    if (notes.isStrict || near !== undefined)
      notes.doubt(key, field, unknownField(near), 'Not sent');
    else notes.recur(UNKNOWN_MEMBER, field, name);
  }
}

/** Notes a problem: an object of unknown members alone, of which the service would keep nothing. */
export function noteNothingKnown(
  unknown: readonly string[],
  names: Names,
  notes: Notes,
  path = '',
): void {
  const problem = 'there is nothing in it that the platform takes';
  notes.problems.push(path === '' ? { problem } : { field: path, problem });
  for (const name of unknown.slice(0, MAX_LISTED)) {
    notes.problem(joinPointer(path, name), unknownField(names.nearest(name)));
  }
}

/** @param near the field that may be meant */
function unknownField(near: string | undefined): string {
  const found = 'not a field of the platform';
  if (near === undefined) return found;
  const unit = unitNameOf(near);
  // The unit, since a field is more than its name: `weightLbs` is near to `weight`.
  const measure = near === unit || /^(?:points|$)/.test(unit) ? '' : ` It is in ${unit}`;
  return `${found}; did you mean ${near}?${measure}`;
}

/**
 * Returns the members of an object that hold one field, in every spelling that is not `null`. The first
 * is the one to read. Others with a different value are noted as problems, since sync cannot know which
 * is right.
 *
 * @param name the field as {@link plain} writes it.
 * @param path the object's own place in its record, without a slash at the end.
 */
export function spellingsOf(
  object: JsonObject,
  name: string,
  notes: Notes,
  path = '',
): readonly string[] {
  const spellings: string[] = [];
  for (const key of Object.keys(object)) {
    if (plain(key) === name && object[key] !== null) spellings.push(key);
  }
  const [first = '', ...others] = spellings;
  for (const other of others) {
    if (sameJson(object[first] ?? null, object[other] ?? null)) continue;
    const said = saysOther(object[other] ?? null, first, object[first] ?? null);
    notes.problem(joinPointer(path, other), said);
  }
  return spellings;
}
