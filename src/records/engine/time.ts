import { readTimeOfDay } from '../clock.ts';
import {
  dateAt,
  instantAt,
  localDateOf,
  toLoggedAt,
  writeInstant,
  zoneOfTime,
} from '../days/local-date.ts';
import { readNamedDate } from '../days/named-date.ts';
import type { JsonValue, Zone } from '../types.ts';
import { scalarText, show } from '../values.ts';
import { type Row, firstValue } from './row.ts';
import type { TimeRule } from '../sources/types.ts';

/** Reads the date and the time of a record, as its source writes them. */

/** When a record was measured or logged. */
export interface When {
  /** The athlete's calendar date: `YYYY-MM-DD`. */
  readonly date: string;
  /** The instant (ms since 1970), if the record has a time of day. */
  readonly instant: number | undefined;
  readonly text: string;
  /** Says that `--tz` moves it to another day. */
  readonly moved?: string | undefined;
}

/**
 * @param wanted the date of a record (`day`) or the time of an item: see docs/dates.md
 * @returns undefined if the record has no date; a problem if it cannot be read.
 */
export function readWhen(
  row: Row,
  rule: TimeRule,
  zone: Zone,
  wanted: 'day' | 'time',
): When | { readonly problem: string } | undefined {
  const value = firstValue(row, rule.from);
  if (value === undefined) return rule.or && readWhen(row, rule.or, zone, wanted);
  const text = isoOf(value, rule, row);
  if (text === undefined) return faultOf(row, rule, zone);
  const isDay = wanted === 'day' || !HAS_CLOCK.test(text);
  const read = isDay ? localDateOf(text, zone) : toLoggedAt(text, zone);
  if ('problem' in read) return faultOf(row, rule, zone, read.problem);
  const { date, instant, recurs, warning } = read;
  const { plusHours } = rule;
  if (plusHours === undefined || instant === undefined)
    return { date, instant, text, moved: recurs === 'tz' ? warning : undefined };
  return { date: dateAt(instant + plusHours * 3_600_000, zoneOfTime(text, zone)), instant, text };
}

/** Says why a time cannot be read: its time of day is at fault if the date alone can be. */
function faultOf(
  row: Row,
  { clock, ...date }: TimeRule,
  zone: Zone,
  problem?: string,
): { readonly problem: string } {
  const time = clock === undefined ? undefined : firstValue(row, clock);
  const day = time === undefined ? undefined : readWhen(row, date, zone, 'day');
  const isOfClock = day !== undefined && !('problem' in day);
  const name = nameOf(row, isOfClock ? { from: clock ?? [] } : date);
  const value = show((isOfClock ? time : firstValue(row, date.from)) ?? null);
  const format = isOfClock ? 'time of day' : FORMATS[date.format ?? 'iso'];
  const fault = problem === undefined ? `, which is no ${format}` : `: ${problem}`;
  return { problem: `${name} is ${value}${fault}` };
}

/** Returns the instant of a record (ms since 1970); undefined if it has no time that can be read. */
export function readInstant(row: Row, rule: TimeRule, zone: Zone): number | undefined {
  const value = firstValue(row, rule.from);
  const text = value === undefined ? undefined : isoOf(value, rule, row);
  return text === undefined ? undefined : instantAt(text, zone);
}

const FORMATS: Readonly<Record<NonNullable<TimeRule['format']>, string>> = {
  iso: 'date that sync reads',
  day: 'calendar date',
  days: 'count of days',
  mdy: 'date in the order month, day, year',
  dmy: 'date in the order day, month, year',
};

/** Returns the place of a time for a message: the first that has a value, or the first that is looked at. */
export function nameOf(row: Row, { from }: Pick<TimeRule, 'from'>): string {
  const paths = [from].flat();
  return paths.find((path) => firstValue(row, path) !== undefined) ?? paths[0] ?? '';
}

/** Returns a time in ISO 8601; undefined if it is not written as its rule says. */
function isoOf(value: JsonValue, rule: TimeRule, row: Row): string | undefined {
  const { format = 'iso' } = rule;
  if (format === 'day') return dayOf(value);
  if (format === 'days') return dayAt(countOf(value) * DAY_MS);
  const written = Array.isArray(value)
    ? listed(value)
    : format === 'iso'
      ? scalarText(value).trim() || undefined
      : numbersOf(value, format);
  if (written === undefined) return undefined;
  const clock = rule.clock === undefined ? undefined : firstValue(row, rule.clock);
  const text = typeof clock === 'string' ? joinClock(written, clock) : written;
  const offset = offsetOf(rule, row);
  if (offset === undefined && rule.zone === undefined) return text;
  if (offset !== undefined && /^\d{13}$/.test(written))
    return writeInstant(Number(written), offset);
  if (text === undefined || !HAS_CLOCK.test(text)) return text;
  const utc = rule.zone === 'utc' && !HAS_OFFSET.test(text) ? `${text}Z` : text;
  if (offset === undefined || !/Z$/i.test(utc)) return utc;
  const instant = Date.parse(utc.replace(' ', 'T'));
  return Number.isNaN(instant) ? undefined : writeInstant(instant, offset);
}

/** Writes the numbers that Java makes of a time: year, month, day, hour, minute, second, nanosecond. */
function listed(numbers: readonly JsonValue[]): string | undefined {
  if (numbers.length < 3 || !numbers.every((number) => Number.isInteger(number))) return undefined;
  const [year = '', ...rest] = numbers.map((number) => scalarText(number).padStart(2, '0'));
  const [month = '', day = '', hour, minute = '00', second = '00'] = rest;
  const date = `${year}-${month}-${day}`;
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}`;
}

function dayOf(value: JsonValue): string | undefined {
  const [written] = /^\d{4}-\d{2}-\d{2}(?!\d)/.exec(scalarText(value).trim()) ?? [];
  return written ?? dayAt(countOf(value));
}

function countOf(value: JsonValue): number {
  return Number(scalarText(value).trim() || NaN);
}

/** Returns the day in UTC of an instant (ms since 1970); undefined if a date cannot have it. */
function dayAt(instant: number): string | undefined {
  return Math.abs(instant) <= MAX_DATE_MS
    ? new Date(instant).toISOString().slice(0, 10)
    : undefined;
}

/** The last instant of a `Date`. */
const MAX_DATE_MS = 8.64e15;
const DAY_MS = 86_400_000;
const HAS_CLOCK = /\d:\d/;
const HAS_OFFSET = /(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i;

const NUMBERS = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[ T,]+(.+))?$/;

/** Returns the order of dates with the year last, if a number above 12 settles it, and none contradicts. */
export function orderOf(values: readonly (JsonValue | undefined)[]): 'mdy' | 'dmy' | undefined {
  const found = values.map((value) => NUMBERS.exec(scalarText(value).trim()) ?? []);
  const isDayFirst = found.some(([, one]) => Number(one) > 12);
  const isDaySecond = found.some(([, , two]) => Number(two) > 12);
  if (isDayFirst === isDaySecond || found.some(([, , , year]) => year?.length !== 4))
    return undefined;
  return isDayFirst ? 'dmy' : 'mdy';
}

/** Reads a date in numbers, with the time after it. */
export function numbersOf(value: JsonValue | undefined, order: 'mdy' | 'dmy'): string | undefined {
  const [, one = '', two = '', year = '', clock] = NUMBERS.exec(scalarText(value).trim()) ?? [];
  if (year === '') return undefined;
  const [month, day] = order === 'mdy' ? [one, two] : [two, one];
  const full = year.length === 2 ? `20${year}` : year;
  const date = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return clock === undefined ? date : joinClock(date, clock);
}

/** Joins a date and a time of day. */
function joinClock(written: string, clock: string): string | undefined {
  const named = readNamedDate(written);
  const date = typeof named === 'string' ? named : written;
  const time = readTimeOfDay(clock);
  return time === undefined ? undefined : `${date.slice(0, 10)}T${time}`;
}

/** Returns the record's offset from UTC in minutes; undefined if it has none. */
function offsetOf({ offset }: TimeRule, row: Row): number | undefined {
  const value = offset === undefined ? undefined : firstValue(row, offset);
  if (value === undefined) return undefined;
  const [, sign, hours, minutes = '0'] =
    /^(?:UTC|GMT)?\s*([+-])(\d{1,2}):?(\d{2})?$/i.exec(scalarText(value)) ?? [];
  if (hours === undefined) return /^(?:UTC|GMT|Z)$/i.test(scalarText(value)) ? 0 : undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
