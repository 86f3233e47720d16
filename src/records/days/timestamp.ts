import { SyncError } from '../../base/errors.ts';
import { isCalendarDate } from '../../base/time.ts';
import { readTimeOfDay } from '../clock.ts';
import { readNamedDate } from './named-date.ts';
import { checkZone } from '../../base/zone-name.ts';

/**
 * Reads dates and times: ISO 8601 in its extended form, the year first with other separators, months by their
 * names, and counts of seconds or milliseconds. Nothing that needs a guess. A refusal says what to write instead.
 */

/** A parsed timestamp. Wall times are in ms, counted as if the clock's zone were UTC. */
export type Timestamp =
  | { readonly form: 'date'; readonly date: string }
  | {
      readonly form: 'time';
      /** The written calendar date; UTC's for a count since 1970. */
      readonly date: string;
      readonly wall: number;
      /**
       * The offset: ms east of UTC if it is numeric; `none` if there is none. `utc` for `Z`, and for every
       * spelling of a zero offset, which most programs write for UTC: `+00:00` (Python, Postgres), `UTC`,
       * and `-00:00`, which says that the local offset is not known (RFC 3339, 4.3).
       */
      readonly offset: number | 'utc' | 'none';
      /** The zone in brackets after the time (RFC 9557). */
      readonly zone?: string;
    };

type TimeFault = { readonly problem: string };

const MINUTE = 60_000;
/** The range of offsets in use on Earth: Baker Island to Kiritimati. */
const MIN_OFFSET = -12 * 60 * MINUTE;
const MAX_OFFSET = 14 * 60 * MINUTE;

/** The parts of a timestamp, in their order. */
const DATE = /^(\d{4})([-/.])(\d{2})\2(\d{2})(?!\d)/;
const CLOCK = String.raw`[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?!\d)`;
const OFFSET = String.raw` ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)(?![\d:])`;
const TIME = new RegExp(`^${CLOCK}(?:${OFFSET})?`, 'i');
/** `7:30`, `7:30 PM`, and what follows. */
const OTHER_CLOCK = /^[T\s]\s*(\d:[\d:.]+|\d{1,2}:[\d:.]+\s?[ap]\.?\s?m\b\.?)(.*)$/i;
const ZONE = /^ ?\[!?([^\]]+)\]$/;

/** Seconds since 1970 with 10 digits (2001 to 2286), or milliseconds with 13. */
const EPOCH = /^(\d{10}|\d{13})(?:\.(\d+))?$/;

/**
 * Parses a timestamp, or explains the fault. Surrounding blanks do not matter.
 *
 * @param wanted decides the example in a message
 */
export function readTimestamp(text: string, wanted: 'date' | 'time'): Timestamp | TimeFault {
  const trimmed = text.trim();
  const match = DATE.exec(trimmed);
  if (match === null) {
    const epoch = EPOCH.exec(trimmed);
    if (epoch !== null) return readEpoch(epoch[1] ?? '', epoch[2] ?? '');
    const named = readNamedDate(trimmed);
    if (named !== undefined)
      return typeof named === 'string' ? readTimestamp(named, wanted) : named;
    return { problem: wrongForm(trimmed, wanted) };
  }
  const [written, year = '', separator, month = '', day = ''] = match;
  const problem = wrongDate(Number(year), Number(month), Number(day));
  if (problem !== undefined) return { problem };
  const date = separator === '-' ? written : `${year}-${month}-${day}`;
  const rest = trimmed.slice(written.length);
  return rest === '' ? { form: 'date', date } : readTime(date, rest);
}

function readEpoch(digits: string, fraction: string): Timestamp {
  const millis = digits.length === 13 ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const instant = Number(digits) * (digits.length === 13 ? 1 : 1000) + millis;
  const date = new Date(instant).toISOString().slice(0, 10);
  return { form: 'time', date, wall: instant, offset: 'utc' };
}

/** @param text what follows the date: a clock, an offset and a zone */
function readTime(date: string, text: string): Timestamp | TimeFault {
  const match = TIME.exec(text);
  const end = match === null ? text : text.slice(match[0].length);
  if (end !== '') {
    const [, other = '', rest = ''] = OTHER_CLOCK.exec(text) ?? [];
    const clock = readTimeOfDay(other);
    if (clock !== undefined) return readTime(date, `T${clock}${rest}`);
  }
  if (match === null) {
    return { problem: `${JSON.stringify(text)} after the date is no time, such as T19:30:00` };
  }
  const wall = readClock(date, match);
  if (typeof wall === 'object') return wall;
  const offset = readOffset(match[5] ?? '');
  if (typeof offset === 'object') return offset;
  if (end === '') return { form: 'time', date, wall, offset };
  const name = ZONE.exec(end)?.[1];
  if (name === undefined) return { problem: wrongEnd(end.trim()) };
  const zone = knownZone(name);
  if (zone === undefined) return { problem: `there is no time zone ${name}: leave it out` };
  return { form: 'time', date, wall, offset, zone };
}

function readClock(
  date: string,
  [, hh, mm, ss = '0', fraction = '']: string[],
): number | TimeFault {
  const [hour, minute, second] = [Number(hh), Number(mm), Number(ss)];
  if (hour === 24) return { problem: 'hour 24 is not taken: write 00:00 of the next day' };
  if (hour > 23) return { problem: `there is no hour ${hour}` };
  if (minute > 59) return { problem: `there is no minute ${minute}` };
  // RFC 3339 allows a leap second.
  if (second > 60) return { problem: `there is no second ${second}` };
  // Truncated, not rounded: a time must not move into the next second, or the next day.
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const clock = ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 + millis;
  if (date !== last.date) last = { date, start: Date.parse(date) };
  return last.start + clock;
}

/** The last day that was read, and its start: most times are of the same day as the one before. */
let last = { date: '', start: NaN };

function readOffset(text: string): number | 'utc' | 'none' | TimeFault {
  if (text === '') return 'none';
  const isNegative = text.startsWith('-');
  if (!isNegative && !text.startsWith('+')) return 'utc';
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || '0');
  const size = (hours * 60 + minutes) * MINUTE;
  if (size === 0) return 'utc';
  const offset = isNegative ? -size : size;
  if (minutes > 59 || offset < MIN_OFFSET || offset > MAX_OFFSET) {
    return { problem: `the offset ${text} is outside -12:00 to +14:00` };
  }
  return offset;
}

function wrongEnd(text: string): string {
  const what = `${JSON.stringify(text)} after the time`;
  if (/^[ap]\.?m\.?$/i.test(text)) return `${what}: write the hour from 00 to 23`;
  return `${what} is no offset: write +01:00, Z, or nothing for the athlete's own time`;
}

/** The zones that timestamps have named. A file names the same few in all its records. */
const zones = new Map<string, string | undefined>();

function knownZone(name: string): string | undefined {
  if (zones.has(name)) return zones.get(name);
  if (zones.size >= MAX_ZONES) zones.clear();
  let zone: string | undefined;
  try {
    zone = checkZone(name);
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
  }
  zones.set(name, zone);
  return zone;
}

const MAX_ZONES = 1_000;

function wrongDate(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return `there is no month ${month}`;
  if (day >= 1 && day <= 28) return undefined;
  const last = new Date(Date.UTC(2000 + (year % 400), month, 0));
  const days = last.getUTCDate();
  if (day >= 1 && day <= days) return undefined;
  const name = last.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  return `there is no day ${day} in ${name} ${year}, which has ${days} days`;
}

export const TIME_EXAMPLE = '2026-02-15T07:30:00+01:00';

function wrongForm(text: string, wanted: 'date' | 'time'): string {
  const example =
    wanted === 'time' ? `write ${TIME_EXAMPLE}` : `write 2026-02-15, or ${TIME_EXAMPLE}`;
  if (text === '') return `is empty: ${example}`;
  if (/^-?\d{9,}(\.\d+)?$/.test(text)) {
    return `is a count, but seconds since 1970 have 10 digits and milliseconds 13: ${example}`;
  }
  if (wanted === 'time' && /^\d{1,2}:\d{2}/.test(text)) return `has no date: ${example}`;
  const basic = /^(\d{4})(\d{2})(\d{2})(T|$)/.exec(text);
  if (basic !== null) {
    if (wanted === 'time') return `is written without hyphens: ${example}`;
    return `is written without hyphens: write ${basic.slice(1, 4).join('-')}, and a time as 07:30:00`;
  }
  if (/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)/.test(text)) {
    return `needs two digits for the month and the day, and one kind of separator: ${example}`;
  }
  if (/^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}/.test(text)) {
    const date = yearLast(text);
    if (date === undefined) {
      return `does not say for certain which number is the day and which the month: ${example}`;
    }
    return `does not begin with the year: write ${wanted === 'time' ? TIME_EXAMPLE : date}`;
  }
  return `is no ISO 8601 ${wanted === 'time' ? 'timestamp' : 'date'}: ${example}`;
}

/** Returns the date of `15.02.2026` or `02/15/2026` if only one order of day and month is possible. */
function yearLast(text: string): string | undefined {
  const match = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)/.exec(text);
  if (match === null) return undefined;
  const [, first = '', , second = '', year = ''] = match;
  const dates = [`${year}-${two(second)}-${two(first)}`, `${year}-${two(first)}-${two(second)}`];
  const [date, ...others] = new Set(dates.filter(isCalendarDate));
  return others.length === 0 ? date : undefined;
}

function two(digits: string): string {
  return digits.padStart(2, '0');
}
