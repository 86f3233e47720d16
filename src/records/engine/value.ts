import type { FieldRule as PlatformRule } from '../fields.ts';
import { type Conversion, convert } from '../../base/units.ts';
import type { FieldUnits, JsonValue } from '../types.ts';
import {
  CONVERTED_DECIMALS,
  type RawValue,
  isOutOfRange,
  isPlaceholder,
  scalarText,
  show,
  wrongNumber,
} from '../values.ts';
import { type NumberForm, dividedCell, factorOf, parseNumber } from './number.ts';
import { type Row, firstValue } from './row.ts';
import type { MappingRule } from '../sources/types.ts';

/** Finds the value of one field in a record, in the platform's unit. */

const SECS_PER_MINUTE = 60;

/** A field of the platform and the rule that finds it. */
export interface FieldTarget {
  readonly field: string;
  readonly rule: MappingRule;
  readonly platform: PlatformRule;
}

/** How the values of a file are written. */
export interface ValueForm extends Partial<Pick<FieldUnits, 'units' | 'unstated'>> {
  readonly numbers: NumberForm;
}

/**
 * @param isGuess a fraction of a whole number is left to be noted
 * @returns undefined if it was not measured, its unit is not known, or the record does not have it
 */
export function rawValue(
  row: Row,
  { field, rule, platform }: FieldTarget,
  { numbers, units, unstated }: ValueForm,
  isGuess: boolean,
): RawValue | { readonly problem: string } | undefined {
  const found = firstValue(row, rule.from);
  if (found === undefined || isNone(found, rule)) return undefined;
  if (rule.unless !== undefined && /^true$/i.test(scalarText(row.get(rule.unless))))
    return undefined;
  if (rule.words !== undefined) {
    const word = wordOf(found, rule.words);
    if (word !== undefined) return { value: word };
    const isOther = rule.combine === 'night' || isPlaceholder(found);
    return isOther ? undefined : { problem: unknownWord(found, Object.keys(rule.words)) };
  }
  if (platform.type !== 'number' && platform.type !== 'integer') {
    return { value: typeof found === 'number' ? String(found) : found, isRounded: !isGuess };
  }
  if (isPlaceholder(found)) return undefined;
  const ofMinutes = rule.factor === SECS_PER_MINUTE;
  const cell = typeof found === 'string' ? dividedCell(found, field, ofMinutes) : undefined;
  const text = cell?.text ?? found;
  let number = 0;
  for (const value of [text, ...addends(row, rule)]) {
    const part = numberOf(value, numbers);
    if (part === undefined) return { problem: wrongNumber(value, platform, rule.factor) };
    number += part;
  }
  const { mayLackUnit = false, factor } = rule;
  const named = mayLackUnit || factor === undefined ? units?.get(field) : undefined;
  const stated = cell ?? unitOfRecord(row, rule, named);
  if (typeof stated === 'string') return { problem: stated };
  if (stated === undefined && mayLackUnit && (unstated?.get(field) ?? 'assumed') !== 'assumed') {
    unstated?.set(field, 'left');
    return undefined;
  }
  const divisor = divisorOf(row, rule, numbers);
  if (divisor === undefined) return undefined;
  const isReplaced = cell !== undefined || (mayLackUnit && named !== undefined);
  const inUnit = convert(number / divisor, isReplaced ? { ...rule, factor: 1 } : rule);
  const value = convert(inUnit, stated ?? named ?? { factor: 1 });
  const isAsWritten = value === number && !isPart(rule);
  const mayBeThousands = platform.type === 'integer' || numbers.point === 'unclear';
  const isUnclear = mayBeThousands && numbers.point !== 'thousand' && isPerhapsThousands(text);
  const isEither = [1, 1_000].every((times) => !isOutOfRange(value * times, platform));
  if (isUnclear && isEither && !isPart(rule)) {
    const decimal = platform.type === 'integer' ? Math.round(number) : `${scalarText(text)}0`;
    return { problem: `is ${show(found)}: write ${Math.round(number * 1_000)} or ${decimal}` };
  }
  const decimals = rule.decimals ?? (isAsWritten ? undefined : CONVERTED_DECIMALS);
  return { value, written: found, decimals, isRounded: !(isGuess && isAsWritten) };
}

/** Whether a value is a part of what is sent. */
export function isPart({ combine }: MappingRule): boolean {
  return combine === 'sum' || combine === 'mean' || combine === 'once';
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

function unknownWord(value: JsonValue, words: readonly string[]): string {
  return `is ${show(value)}; ${words.join(', ')} are known`;
}

function numberOf(value: JsonValue, form: NumberForm): number | undefined {
  return typeof value === 'string'
    ? parseNumber(value, form)
    : typeof value === 'number'
      ? value
      : undefined;
}

/** Returns what the value is divided by; undefined if the record does not have it. */
function divisorOf(row: Row, { over }: MappingRule, form: NumberForm): number | undefined {
  if (over === undefined) return 1;
  const found = firstValue(row, over);
  const number = found === undefined ? undefined : numberOf(found, form);
  return number === 0 ? undefined : number;
}

/** Returns the unit that another member of the record states, or its fault. */
function unitOfRecord(
  row: Row,
  { unit, mayLackUnit, factor: ofHeader }: MappingRule,
  named: Conversion | undefined,
): Conversion | string | undefined {
  if (unit === undefined) return undefined;
  const isOfHeader = mayLackUnit !== true && ofHeader !== undefined;
  const name = firstValue(row, unit.from);
  if (name === undefined) {
    const isThere = [unit.from].flat().some((path) => row.get(path) !== undefined);
    const mayLack = isOfHeader || (mayLackUnit === true && !isThere);
    if (named !== undefined || mayLack) return undefined;
  }
  const factor = factorOf(scalarText(name), unit.factors);
  if (factor !== undefined) return { factor };
  const units = Object.keys(unit.factors).join(', ');
  if (name === undefined) return `has no unit in "${String(unit.from)}"; ${units} are known`;
  return isOfHeader
    ? `is in ${units} by the header, and in ${show(name)} by its row`
    : `is in ${show(name)}; the known units are ${units}`;
}

/** `12.345` is a thousand where `12,3` is a decimal. */
function isPerhapsThousands(found: JsonValue): boolean {
  return typeof found === 'string' && /^[1-9]\d{0,2}\.\d{3}$/.test(found);
}
