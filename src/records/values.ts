import { type Conversion, convert } from '../base/units.ts';
import { type FieldRule, type NumberRule, type WordRule } from './fields.ts';
import { sameJson } from './digest.ts';
import { joinPointer } from './listed.ts';
import { numberHint } from './number-hint.ts';
import type { JsonObject, JsonValue } from './types.ts';

/** Decides by the rule of its field which value is sent. Tables and JSON have the same rules. */

/** A value of a field, as a file states it. */
export interface RawValue {
  /** In the field's unit, or in `unit`. */
  readonly value: JsonValue;
  readonly unit?: Conversion | undefined;
  /** The value in the file, if it differs: in another unit, for example. */
  readonly written?: JsonValue;
  /** Decimals that a conversion leaves. */
  readonly decimals?: number | undefined;
  /** A program wrote it, or it was converted: its rounding, or the word in its place, is not noted. */
  readonly isRounded?: boolean;
}

/** What a value becomes. */
export interface TakenValue {
  /** undefined if nothing is sent. */
  readonly value?: JsonValue | undefined;
  /** The number before it was rounded, if that is noted. */
  readonly exact?: number;
  /** Why it is not sent. */
  readonly problem?: string;
  readonly notes?: readonly ValueNote[];
  /** It must be positive, and is 0. */
  readonly isUnmeasured?: boolean;
  /** The place of the problem in an object: a JSON pointer without its first slash. */
  readonly within?: string;
}

/** A change of a value, or a doubt about it. */
export interface ValueNote {
  readonly found: string;
  readonly done?: string;
  /** Many records may have it: those with one key are noted once. */
  readonly key?: string;
  /** As in {@link TakenValue}. */
  readonly within?: string;
}

/** Takes a value: checks its type and range, and rounds it. */
export function takeValue(raw: RawValue, rule: FieldRule): TakenValue {
  const { value } = raw;
  if (rule.type !== 'text' && isPlaceholder(value)) return unmeasured(value);
  switch (rule.type) {
    case 'number':
    case 'integer':
      return takeNumber(raw, rule);
    case 'text':
      return takeText(value);
    case 'word':
      return takeWord(raw, rule);
    case 'object':
      return takeObject(value);
  }
}

/** Words that programs write if a value was not measured. */
const PLACEHOLDERS = new Set(['', '-', '--', '---', 'n/a', 'na', 'nan', 'none', 'null', 'nil']);

export function isPlaceholder(value: JsonValue): boolean {
  return typeof value === 'string' && PLACEHOLDERS.has(value.trim().toLowerCase());
}

/** Numbers that programs write if a value was not measured, where they are outside the range. */
const NOT_MEASURED: readonly JsonValue[] = [0, -1, -2];

function unmeasured(value: JsonValue): TakenValue {
  const found = `is ${value === '' ? 'an empty text' : show(value)}, so it was not measured`;
  const note = { key: 'not measured', found, done: 'Left out; write null, or leave it out' };
  return { isUnmeasured: value === 0 || value === '0', notes: [note] };
}

/** Numbers as JSON writes them, and nothing that needs a guess (`72,5`, `1.000`, `0x10`, `60 kg`). */
export const NUMBER_AS_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A conversion leaves more digits than were measured: 109.35 lb would be 49.60032565... kg. */
export const CONVERTED_DECIMALS = 4;

function takeNumber(
  { value, unit, written = value, decimals, isRounded = false }: RawValue,
  rule: NumberRule,
): TakenValue {
  const isText = typeof value === 'string' && NUMBER_AS_TEXT.test(value.trim());
  const given = isText ? Number(value) : value;
  if (NOT_MEASURED.includes(given) && Number(given) < rule.min) return unmeasured(value);
  // Programs have objects under the names of fields: the rest of the record counts.
  if (isObject(given))
    return { notes: [{ key: 'object', found: wrongNumber(given, rule), done: 'Left out' }] };
  if (typeof given !== 'number') return { problem: wrongNumber(given, rule) };
  const number = convert(given, unit ?? {});
  const isConverted = number !== given;
  const kept = isConverted ? CONVERTED_DECIMALS : decimals;
  const sent = rounded(number, rule.type === 'integer' ? 0 : kept);
  const measured = rule.type === 'integer' ? sent : number;
  if (isOutOfRange(measured, rule)) {
    if (scalarText(written).trim() === String(measured))
      return { problem: wrongNumber(measured, rule) };
    const problem = wrongNumber(rounded(measured, CONVERTED_DECIMALS), rule);
    return { problem: `${problem}. The file has ${show(written)}` };
  }
  const notes: ValueNote[] = [];
  if (isText)
    notes.push({ found: `is the text ${show(value)}, not a number`, done: `read as ${given}` });
  if (sent === number || isRounded || isConverted) return { value: sent, notes };
  notes.push({ found: `is ${number}; whole numbers only`, done: `rounded to ${sent}` });
  return isText ? { value: sent, notes } : { value: sent, exact: number, notes };
}

function rounded(value: number, decimals: number | undefined): number {
  if (decimals === undefined) return value;
  const power = 10 ** decimals;
  const result = Math.round(value * power) / power;
  return Number.isFinite(result) ? result + 0 : value; // never -0
}

/** Checks for a number that no athlete has, other than numbers for "not measured". */
export function isOutOfRange(number: number, { min, max, elsewhere }: NumberRule): boolean {
  const isElsewhere = elsewhere !== undefined && number >= elsewhere.min && number <= elsewhere.max;
  return !(number >= min && number <= max) && !isElsewhere && !NOT_MEASURED.includes(number);
}

/**
 * Names the fault of a value that is no number, or outside the range.
 *
 * @param factor from the file's unit to the field's
 */
export function wrongNumber(value: JsonValue, rule: NumberRule, factor = 1): string {
  if (typeof value === 'number') return `is ${value}; the range is ${rangeOf(rule)}`;
  const expected = rule.type === 'integer' ? 'a whole number' : 'a number';
  const hint = typeof value === 'string' ? numberHint(value, rule, factor) : undefined;
  const found = `is ${show(value)}; ${expected} is expected, ${rangeOf(rule)}`;
  return hint === undefined ? found : `${found}: ${hint}`;
}

function rangeOf({ min, max, unit }: NumberRule): string {
  return max >= Number.MAX_SAFE_INTEGER ? `${min} ${unit} or more` : `${min} to ${max} ${unit}`;
}

function takeText(value: JsonValue): TakenValue {
  if (typeof value === 'number') {
    const found = `is the number ${value}, not a text`;
    return { value: String(value), notes: [{ found, done: `sent as "${value}"` }] };
  }
  if (typeof value !== 'string') return { problem: `is ${show(value)}; a text is expected` };
  const problem = unstorable(value);
  return problem === undefined ? { value } : { problem };
}

function takeWord({ value, isRounded = false }: RawValue, rule: WordRule): TakenValue {
  const known = rule.known.join(', ');
  if (typeof value !== 'string')
    return { problem: `is ${show(value)}; one of ${known} is expected` };
  const word = knownWord(value, rule);
  if (word !== undefined) return { value: word };
  if (isRounded && rule.other !== undefined) return { value: rule.other };
  const done = rule.other === undefined ? 'Left out' : `Sent as ${rule.other}`;
  const note = { key: `word ${value}`, found: `${show(value)} is none of ${known}`, done };
  return { value: rule.other, notes: [note] };
}

/** Returns the platform's word for another program's; undefined if there is none. */
export function knownWord(text: string, { known, synonyms = {} }: WordRule): string | undefined {
  const word = text
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return known.includes(word) ? word : synonyms[word];
}

/** NUL, or half of a surrogate pair: JSON carries both, and databases hold neither. */
function unstorable(text: string): string | undefined {
  const isWhole = text.isWellFormed();
  if (isWhole && !text.includes('\0')) return undefined;
  const what = isWhole ? 'a NUL character' : 'half of a surrogate pair';
  return `has ${what} in it, which no platform can store: remove it`;
}

/** Checks an object that is sent unchanged: no platform can store some texts, and numbers may have lost digits. */
function takeObject(object: JsonValue): TakenValue {
  if (!isObject(object)) return { problem: `is ${show(object)}; an object is expected` };
  const notes: ValueNote[] = [];
  let fault: Pick<TakenValue, 'problem' | 'within'> = {};
  const check = (value: JsonValue, within: string) => {
    const problem = typeof value === 'string' ? unstorable(value) : undefined;
    const found = typeof value === 'number' ? inexact(value) : undefined;
    if (problem !== undefined) fault = fault.problem === undefined ? { problem, within } : fault;
    else if (found !== undefined) notes.push({ found, within });
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const place = joinPointer(within, name);
      check(name, place);
      check(member, place);
    }
  };
  check(object, '');
  return fault.problem === undefined ? { value: object, notes } : fault;
}

function inexact(number: number): string | undefined {
  if (!Number.isFinite(number)) return 'the number is too large';
  if (!Number.isInteger(number) || Number.isSafeInteger(number)) return undefined;
  return `has more digits than a number keeps, and is read as ${number}: write it as text`;
}

/** A value of a field, where its record has it. */
interface Statement {
  readonly name: string;
  readonly value: JsonValue;
  readonly written: JsonValue;
  /** From the written number to the value. */
  readonly factor?: number | undefined;
}

/** Says why two statements of one field cannot both be right; undefined if they agree, rounding aside. */
export function contradiction(one: Statement, other: Statement): string | undefined {
  const [rounding = 0, otherRounding = 0] = [one, other].map(
    ({ written, factor = 1 }) => roundingOf(written) * factor,
  );
  const isSame =
    typeof one.value === 'number' && typeof other.value === 'number'
      ? Math.abs(one.value - other.value) <= Math.max(rounding, otherRounding)
      : sameJson(one.value, other.value);
  return isSame ? undefined : saysOther(one.value, other.name, other.value);
}

/** Returns by how much a number was rounded at most, as its decimals show. */
export function roundingOf(written: JsonValue): number {
  const [, decimals = ''] = /[.,](\d+)\D*$/.exec(scalarText(written)) ?? [];
  return (10 ** -decimals.length / 2) * 1.001;
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
