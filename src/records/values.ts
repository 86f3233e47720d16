import { convert } from '../base/units.ts';
import { sameJson } from './digest.ts';
import { type FieldRule, type NumberRule, type WordRule, unitNameOf } from './fields.ts';
import { joinPointer } from './listed.ts';
import { type Names, plain } from './names.ts';
import type { Notes } from './notes.ts';
import { numberHint } from './number-hint.ts';
import type { Entry, JsonObject, JsonValue, Values } from './types.ts';

/** Most records have their numbers and names as the platform does. */
const NONE: ReadonlyMap<string, never> = new Map<string, never>();

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
    const scale = typeof raw === 'number' ? notes.scaleOf(name) : undefined;
    const own = scale === undefined ? raw : Math.round(convert(Number(raw), scale));
    const value = readValue(own, rule, joinPointer(path, spelling), notes);
    isUnmeasured ||= value === undefined && (raw === 0 || raw === '0');
    if (value === undefined) continue;
    const other = values[name];
    if (other === undefined) {
      values[name] = value;
      if (typeof raw === 'number' && scale === undefined && raw !== value) exact.set(name, raw);
      if (spelling !== name) spellings.set(name, spelling);
      continue;
    }
    const first = spellings.get(name) ?? name;
    const rounding = Math.max(roundingOf(raw), roundingOf(object[first] ?? null));
    if (isSame(value, other, rounding)) continue;
    notes.problem(joinPointer(path, spelling), saysOther(value, first, other));
  }
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
  { spellings, exact, isUnmeasured, values: read }: Values,
  { source }: Notes,
  { date, path = '', values = read }: { date: string; path?: string; values?: JsonObject },
): Entry {
  return { values, spellings, exact, isUnmeasured, source, date, path };
}

/** Checks if two values of one field say the same, rounding aside. */
export function isSame(value: JsonValue, other: JsonValue, rounding: number): boolean {
  if (typeof value !== 'number' || typeof other !== 'number') return sameJson(value, other);
  return Math.abs(value - other) <= rounding;
}

/** Returns by how much a number was rounded at most, as its decimals show. */
export function roundingOf(written: JsonValue): number {
  const [, decimals = ''] = /[.,](\d+)\D*$/.exec(scalarText(written)) ?? [];
  return (10 ** -decimals.length / 2) * 1.001;
}

/** Limits the unknown fields that are listed of a record without any known one. */
const MAX_LISTED = 10;

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
    const found = () => unknownField(near);
    if (notes.isStrict || near !== undefined) notes.doubt(key, field, found, 'Not sent');
    else notes.recurring.push({ unsent: name });
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

/** Says that a field is there twice, and not the same. */
export function saysOther(value: JsonValue, other: string, otherValue: JsonValue): string {
  const [one, two] = [show(value), show(otherValue)];
  const said =
    one === two
      ? `says something else than ${other}, the same field`
      : `says ${one}, but ${other}, the same field, says ${two}`;
  return `${said}: keep one of the two`;
}

/** NUL, or half of a surrogate pair: JSON carries both, and databases hold neither. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Notes a problem for each text of a record, names included, that no database can hold. */
export function noteUnstorable(value: JsonValue, path: string, notes: Notes): void {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !value.includes('\0')) return;
    const found = UNSTORABLE.exec(value)?.[0];
    const what = found === '\0' ? 'a NUL character' : 'half of a surrogate pair';
    notes.problem(path, `has ${what} in it, which no platform can store: remove it`);
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => noteUnstorable(item, joinPointer(path, String(index)), notes));
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      noteUnstorable(name, joinPointer(path, name), notes);
      noteUnstorable(member, joinPointer(path, name), notes);
    }
  }
}

/** A value by its rule; `undefined` if there is none, or a problem was noted. */
function readValue(
  value: Exclude<JsonValue, null>,
  rule: FieldRule,
  field: string,
  notes: Notes,
): JsonValue | undefined {
  if (rule.type !== 'text' && isPlaceholder(value)) {
    noteNotMeasured(field, value, notes);
    return undefined;
  }
  switch (rule.type) {
    case 'number':
    case 'integer':
      return readNumber(value, rule, field, notes);
    case 'text':
      return readText(value, field, notes);
    case 'word':
      return readWord(value, rule, field, notes);
    case 'object':
      if (isObject(value)) return value;
      notes.problem(field, `is ${show(value)}; an object is expected`);
      return undefined;
  }
}

/** Words that programs write if a value was not measured. */
const PLACEHOLDERS = new Set(['', '-', '--', '---', 'n/a', 'na', 'nan', 'none', 'null', 'nil']);

export function isPlaceholder(value: JsonValue): boolean {
  return typeof value === 'string' && PLACEHOLDERS.has(value.trim().toLowerCase());
}

/** Numbers that programs write if a value was not measured, where they are outside the range. */
const NOT_MEASURED: readonly JsonValue[] = [0, -1, -2];

function noteNotMeasured(field: string, value: JsonValue, notes: Notes): void {
  const found = () => `is ${value === '' ? 'an empty text' : show(value)}, so it was not measured`;
  // The paths of items differ, their members do not.
  const key = `not measured ${field.replace(/^.*\//, '')}`;
  notes.doubt(key, field, found, 'Left out; write null, or leave it out');
}

/** Numbers as JSON writes them, and nothing that needs a guess (`72,5`, `1.000`, `0x10`, `60 kg`). */
const NUMBER_AS_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readNumber(
  value: JsonValue,
  rule: NumberRule,
  field: string,
  notes: Notes,
): number | undefined {
  let number = value;
  if (typeof value === 'string' && NUMBER_AS_TEXT.test(value.trim())) {
    number = Number(value);
    notes.adapt(field, `is the text ${show(value)}, not a number`, `read as ${number}`);
  }
  if (isObject(value) || (NOT_MEASURED.includes(number) && Number(number) < rule.min)) {
    noteNotMeasured(field, value, notes);
    return undefined;
  }
  if (typeof number !== 'number') {
    notes.problem(field, wrongNumber(number, rule));
    return undefined;
  }
  if (rule.type === 'integer' && !Number.isInteger(number) && Number.isFinite(number)) {
    const rounded = Math.round(number) + 0; // never -0
    notes.adapt(field, `is ${number}; whole numbers only`, `rounded to ${rounded}`);
    number = rounded;
  }
  if (isOutOfRange(number, rule)) {
    notes.problem(field, wrongNumber(number, rule));
    return undefined;
  }
  return number;
}

/** Checks for a number that no athlete has, other than those that mean "not measured". */
export function isOutOfRange(number: number, { min, max, elsewhere }: NumberRule): boolean {
  const isElsewhere = elsewhere !== undefined && number >= elsewhere.min && number <= elsewhere.max;
  return !(number >= min && number <= max) && !isElsewhere && !NOT_MEASURED.includes(number);
}

/** Names the fault of a value that is no number, or outside the range. */
export function wrongNumber(value: JsonValue, rule: NumberRule): string {
  if (typeof value === 'number') return `is ${value}; the range is ${rangeOf(rule)}`;
  const expected = rule.type === 'integer' ? 'a whole number' : 'a number';
  const hint = typeof value === 'string' ? numberHint(value, rule) : undefined;
  const found = `is ${show(value)}; ${expected} is expected, ${rangeOf(rule)}`;
  return hint === undefined ? found : `${found}: ${hint}`;
}

function rangeOf({ min, max, unit }: NumberRule): string {
  return max >= Number.MAX_SAFE_INTEGER ? `${min} ${unit} or more` : `${min} to ${max} ${unit}`;
}

function readText(value: JsonValue, field: string, notes: Notes): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') {
    notes.adapt(field, `is the number ${value}, not a text`, `sent as "${value}"`);
    return String(value);
  }
  notes.problem(field, `is ${show(value)}; a text is expected`);
  return undefined;
}

function readWord(
  value: JsonValue,
  rule: WordRule,
  field: string,
  notes: Notes,
): string | undefined {
  if (typeof value !== 'string') {
    notes.problem(field, `is ${show(value)}; one of ${rule.known.join(', ')} is expected`);
    return undefined;
  }
  const known = knownWord(value, rule);
  if (known !== undefined) return known;
  const found = () => `${show(value)} is none of ${rule.known.join(', ')}`;
  const done = rule.other === undefined ? 'Left out' : `Sent as ${rule.other}`;
  notes.doubt(`word ${value}`, field, found, done);
  return rule.other;
}

/** Returns the platform's word for another program's; undefined if there is none. */
export function knownWord(text: string, { known, synonyms = {} }: WordRule): string | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return known.includes(word) ? word : synonyms[word];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Shows a value in a message, shortened. */
export function show(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}..."`;
}

/** Returns a text, number or truth value as text; an empty text for anything else. */
export function scalarText(value: JsonValue | undefined): string {
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return typeof value === 'string' ? value : isScalar ? String(value) : '';
}
