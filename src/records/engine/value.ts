import type { NumberRule, FieldRule as PlatformRule } from '../fields.ts';
import { type Conversion, convert } from '../../base/units.ts';
import { readDuration } from '../clock.ts';
import type { JsonValue } from '../types.ts';
import { isOutOfRange, isPlaceholder, scalarText, show, wrongNumber } from '../values.ts';
import { type Row, firstValue } from './row.ts';
import type { MappingRule } from '../sources/types.ts';

/** Reads the value of one field of a record, in the platform's unit. */

/**
 * How the numbers of a file are written. `always`: other cells show decimal commas, so that `12.345` is a
 * thousand. `unclear`: none shows a decimal, so that `12,345` and `12.345` may be either.
 */
export type DecimalComma = boolean | 'always' | 'unclear';

/**
 * @param unit the unit that the user named
 * @param isGuess a fraction of a whole number is left to be noted
 * @returns undefined if it was not measured, or the record does not have it.
 */
export function readValue(
  row: Row,
  rule: MappingRule,
  platform: PlatformRule,
  commaIsDecimal: DecimalComma,
  unit: Conversion | undefined,
  isGuess: boolean,
): { readonly value: JsonValue } | { readonly problem: string } | undefined {
  const found = firstValue(row, rule.from);
  if (found === undefined || isNone(found, rule)) return undefined;
  if (rule.words !== undefined) {
    const word = wordOf(found, rule.words);
    return word === undefined ? undefined : { value: word };
  }
  if (platform.type !== 'number' && platform.type !== 'integer') {
    return { value: typeof found === 'number' ? String(found) : found };
  }
  if (isPlaceholder(found)) return undefined;
  let number = 0;
  for (const value of [found, ...addends(row, rule)]) {
    const part = numberOf(value, rule, commaIsDecimal);
    if (part === undefined) return { problem: wrongNumber(value, platform) };
    number += part;
  }
  const conversion = unitOf(row, rule, unit);
  if (typeof conversion === 'string') return { problem: conversion };
  const divisor = divisorOf(row, rule, commaIsDecimal);
  if (divisor === undefined) return undefined;
  const factor = unit !== undefined && rule.mayLackUnit === true ? 1 : (rule.factor ?? 1);
  const inUnit = convert(number / divisor, { ...rule, factor });
  const exact = convert(inUnit, conversion);
  // What several records make together is rounded at the end.
  if (isPart(rule)) return { value: exact };
  const isScale = platform.type === 'integer' && exact !== number;
  const value = isScale ? round(exact, 0) : exact;
  if (isOutOfRange(value, platform)) return { problem: outside(found, value, platform) };
  const isUnclear = isGuess && (platform.type === 'integer' || commaIsDecimal === 'unclear');
  if (isUnclear && isPerhapsThousands(found) && !isOutOfRange(value * 1_000, platform))
    return { problem: `is ${show(found)}: write ${Math.round(number * 1_000)} or ${number}` };
  const isWhole = platform.type === 'integer' && !(isGuess && value === number);
  const most = value === number ? undefined : CONVERTED_DECIMALS;
  const decimals = isWhole && !isGuess ? 0 : (rule.decimals ?? (isWhole ? 0 : most));
  return { value: decimals === undefined ? value : round(value, decimals) };
}

/** A conversion leaves more digits than were measured: 109.35 lb would be 49.60032565... kg. */
export const CONVERTED_DECIMALS = 4;

/** Whether a value is a part of what is sent. */
export function isPart({ combine }: MappingRule): boolean {
  return combine === 'sum' || combine === 'mean' || combine === 'once';
}

function round(value: number, decimals: number): number {
  const power = 10 ** decimals;
  const rounded = Math.round(value * power) / power;
  return Number.isFinite(rounded) ? rounded + 0 : value;
}

function isNone(value: JsonValue, { none }: MappingRule): boolean {
  if (none === undefined) return false;
  const number = typeof value === 'string' ? Number(value) : value;
  return none.some((word) => word === value || word === number);
}

function addends(row: Row, rule: MappingRule): JsonValue[] {
  return (rule.and ?? []).flatMap((path) => {
    const value = firstValue(row, path);
    return value === undefined || isNone(value, rule) ? [] : [value];
  });
}

function wordOf(
  value: JsonValue,
  words: NonNullable<MappingRule['words']>,
): string | number | undefined {
  const wanted = scalarText(value).trim().toLowerCase();
  return Object.entries(words).find(([word]) => word.toLowerCase() === wanted)?.[1];
}

function numberOf(
  value: JsonValue,
  { read }: Pick<MappingRule, 'read'>,
  commaIsDecimal: DecimalComma,
): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  return read === 'duration' ? readDuration(value) : parseNumber(value, commaIsDecimal);
}

/** Returns what the value is divided by; undefined if the record does not have it. */
function divisorOf(
  row: Row,
  { over }: MappingRule,
  commaIsDecimal: DecimalComma,
): number | undefined {
  if (over === undefined) return 1;
  const found = firstValue(row, over);
  const number = found === undefined ? undefined : numberOf(found, {}, commaIsDecimal);
  return number === 0 ? undefined : number;
}

/** Describes the fault of a value, as the file has it. */
function outside(found: JsonValue, value: number, platform: NumberRule): string {
  const problem = wrongNumber(round(value, CONVERTED_DECIMALS), platform);
  return scalarText(found) === String(value) ? problem : `${problem}. The file has ${show(found)}`;
}

/** Returns the value's unit, or the fault of the unit. A unit in the record overrides the user's. */
function unitOf(row: Row, rule: MappingRule, users: Conversion | undefined): Conversion | string {
  const { unit } = rule;
  const name = unit && firstValue(row, unit.from);
  const takesUsers = rule.mayLackUnit === true || rule.factor === undefined;
  if (users !== undefined && takesUsers && name === undefined) return users;
  if (unit === undefined) return { factor: 1 };
  const text = scalarText(name);
  // Apple's `Cal` are kilocalories, `cal` are not.
  const exact = Object.hasOwn(unit.factors, text) ? unit.factors[text] : undefined;
  if (exact !== undefined) return { factor: exact };
  const known = Object.entries(unit.factors);
  const [, factor] = known.find(([word]) => word.toLowerCase() === text.toLowerCase()) ?? [];
  if (factor !== undefined) return { factor };
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
function parseNumber(text: string, commaIsDecimal: DecimalComma): number | undefined {
  const isThousands = commaIsDecimal === 'always' && /^[+-]?\d{1,3}(\.\d{3})+$/.test(text);
  if (isThousands) return Number(text.replaceAll('.', ''));
  if (commaIsDecimal === 'unclear' && /^[+-]?\d{1,3}(,\d{3})+$/.test(text)) return undefined;
  if (PLAIN_NUMBER.test(text)) return Number(text);
  const bare = text.replace(/[\s\u00a0\u202f]/g, '').replace(/%$/, '');
  const plain = withPoint(bare, commaIsDecimal);
  return PLAIN_NUMBER.test(plain) ? Number(plain) : undefined;
}

/** `12.345` is a thousand where `12,3` is a decimal. */
function isPerhapsThousands(found: JsonValue): boolean {
  return typeof found === 'string' && /^[1-9]\d{0,2}\.\d{3}$/.test(found);
}

/** Writes a number with a decimal point, and without separators of thousands. */
function withPoint(text: string, commaIsDecimal: DecimalComma): string {
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
