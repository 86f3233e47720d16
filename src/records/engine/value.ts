import type { FieldRule as PlatformRule } from '../fields.ts';
import { readDuration } from '../clock.ts';
import type { JsonValue } from '../types.ts';
import { isPlaceholder, scalarText, show } from '../values.ts';
import { type Row, firstValue } from './row.ts';
import type { FieldRule } from '../sources/types.ts';

/** Reads the value of one field of a record, in the platform's unit. */

/** @returns undefined if it was not measured, or the record does not have it. */
export function readValue(
  row: Row,
  rule: FieldRule,
  platform: PlatformRule,
  commaIsDecimal: boolean,
): { readonly value: JsonValue } | { readonly problem: string } | undefined {
  const found = firstValue(row, rule.from);
  if (found === undefined || isNone(found, rule)) return undefined;
  if (rule.words !== undefined) {
    const word = wordOf(found, rule.words);
    return word === undefined ? undefined : { value: word };
  }
  if (platform.type !== 'number' && platform.type !== 'integer') return { value: textOf(found) };
  if (isPlaceholder(found)) return undefined;
  let number = 0;
  for (const value of [found, ...addends(row, rule)]) {
    const part = numberOf(value, rule, commaIsDecimal);
    // The rules of the platform's field say what is wrong with it.
    if (part === undefined) return { value };
    number += part;
  }
  const factor = unitFactor(row, rule);
  if (typeof factor === 'string') return { problem: factor };
  const divisor = divisorOf(row, rule, commaIsDecimal);
  if (divisor === undefined) return undefined;
  const value = (number * factor * (rule.factor ?? 1)) / divisor + (rule.plus ?? 0);
  // What several records make together is rounded at the end.
  if (isPart(rule)) return { value };
  const most = value === number ? undefined : CONVERTED_DECIMALS;
  const decimals = platform.type === 'integer' ? 0 : (rule.decimals ?? most);
  return { value: decimals === undefined ? value : round(value, decimals) };
}

/** A conversion leaves more digits than were measured: 109.35 lb would be 49.60032565... kg. */
export const CONVERTED_DECIMALS = 4;

/** Whether a value is a part of what is sent. */
export function isPart({ combine }: FieldRule): boolean {
  return combine === 'sum' || combine === 'mean' || combine === 'once';
}

function round(value: number, decimals: number): number {
  const power = 10 ** decimals;
  const rounded = Math.round(value * power) / power;
  return Number.isFinite(rounded) ? rounded + 0 : value;
}

function isNone(value: JsonValue, { none }: FieldRule): boolean {
  if (none === undefined) return false;
  const number = typeof value === 'string' ? Number(value) : value;
  return none.some((word) => word === value || word === number);
}

function addends(row: Row, rule: FieldRule): JsonValue[] {
  return (rule.and ?? []).flatMap((path) => {
    const value = firstValue(row, path);
    return value === undefined || isNone(value, rule) ? [] : [value];
  });
}

function wordOf(
  value: JsonValue,
  words: NonNullable<FieldRule['words']>,
): string | number | undefined {
  const wanted = scalarText(value).trim().toLowerCase();
  return Object.entries(words).find(([word]) => word.toLowerCase() === wanted)?.[1];
}

function textOf(value: JsonValue): JsonValue {
  return typeof value === 'number' ? String(value) : value;
}

function numberOf(
  value: JsonValue,
  { read }: Pick<FieldRule, 'read'>,
  commaIsDecimal: boolean,
): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  return read === 'duration' ? readDuration(value) : parseNumber(value, commaIsDecimal);
}

/** Returns what the value is divided by; undefined if the record does not have it. */
function divisorOf(row: Row, { over }: FieldRule, commaIsDecimal: boolean): number | undefined {
  if (over === undefined) return 1;
  const found = firstValue(row, over);
  const number = found === undefined ? undefined : numberOf(found, {}, commaIsDecimal);
  return number === 0 ? undefined : number;
}

/** Checks for a value whose unit the file does not state. */
export function isBare(row: Row, { unit, mayLackUnit }: FieldRule): boolean {
  return mayLackUnit === true && firstValue(row, unit?.from ?? []) === undefined;
}

/** Returns the factor of the value's unit, or what is wrong with the unit. */
function unitFactor(row: Row, rule: FieldRule): number | string {
  const { unit } = rule;
  if (unit === undefined || isBare(row, rule)) return 1;
  const name = firstValue(row, unit.from);
  const text = scalarText(name);
  // Apple's `Cal` are kilocalories, `cal` are not.
  const exact = Object.hasOwn(unit.factors, text) ? unit.factors[text] : undefined;
  if (exact !== undefined) return exact;
  const known = Object.entries(unit.factors);
  const [, factor] = known.find(([word]) => word.toLowerCase() === text.toLowerCase()) ?? [];
  if (factor !== undefined) return factor;
  const units = known.map(([word]) => word).join(', ');
  if (name === undefined) return `has no unit in "${String(unit.from)}"; ${units} are known`;
  return `is in ${show(name)}; the known units are ${units}`;
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads the number of a cell. `72,5` is a decimal comma, `1,234` in a table with commas between its
 * cells is a thousand, `1.234,5` and `1,234.5` are both, and `95 %` is 95.
 *
 * @param commaIsDecimal the table separates its cells by something else than a comma
 * @returns undefined if the text is no number
 */
function parseNumber(text: string, commaIsDecimal: boolean): number | undefined {
  if (PLAIN_NUMBER.test(text)) return Number(text);
  const bare = text.replace(/[\s\u00a0\u202f]/g, '').replace(/%$/, '');
  const plain = withPoint(bare, commaIsDecimal);
  return PLAIN_NUMBER.test(plain) ? Number(plain) : undefined;
}

/** Writes a number with a decimal point, and without separators of thousands. */
function withPoint(text: string, commaIsDecimal: boolean): string {
  if (!text.includes(',')) return text;
  const comma = text.lastIndexOf(',');
  const point = text.lastIndexOf('.');
  if (point > comma) return /^[+-]?\d{1,3}(,\d{3})+\./.test(text) ? text.replaceAll(',', '') : text;
  if (point !== -1)
    return /^[+-]?\d{1,3}(\.\d{3})+,/.test(text)
      ? text.replaceAll('.', '').replace(',', '.')
      : text;
  const thousands = /^[+-]?\d{1,3}(,\d{3})+$/.test(text);
  return thousands && !commaIsDecimal ? text.replaceAll(',', '') : text.replace(',', '.');
}
