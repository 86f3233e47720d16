import { readTimestamp, TIME_EXAMPLE, type Timestamp } from './timestamp.ts';
import type { Zone } from '../types.ts';
import { zoneRules } from './zone.ts';

/**
 * The athlete's calendar: which local day a timestamp belongs to, and how a timestamp goes out.
 * The rules and their examples are in docs/dates.md, which the tests execute.
 */

/**
 * The first and the last day that is accepted. Clocks that were never set start before: at 1970-01-01
 * (Unix), 1980-01-06 (GPS) or 1989-12-31 (FIT).
 */
const FIRST_DATE = '1990-01-01';
const LAST_DATE = '2100-12-31';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A warning, and whether all records of an input may have it. */
export interface Noted {
  readonly warning?: string;
  /** `midnight`: the day is a guess. `tz`: the flag `--tz` overrides what is written. */
  readonly recurs?: 'midnight' | 'tz';
}

export interface Refused {
  readonly problem: string;
}

export interface LocalDate extends Noted {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Another zone might have given another date. */
  readonly zoneUsed: boolean;
  /** The time of day, if one is written: ms since 1970. */
  readonly instant?: number;
}

export interface LoggedAt extends LocalDate {
  /** `YYYY-MM-DDTHH:MM:SS+HH:MM` on the local date, with milliseconds if there were any. */
  readonly loggedAt: string;
}

/**
 * Returns the local calendar date of a date or a timestamp.
 *
 * A plain date is kept, and so is the date of a midnight with an offset, which many programs write for a
 * plain date. UTC means an instant, so its date in the zone counts. A numeric offset says where the
 * athlete was, so the written date counts, unless the zone came from a flag. A time without an offset is
 * wall time in the zone.
 */
export function localDateOf(value: string, run: Zone): LocalDate | Refused {
  const read = timeIn(value, run, 'date');
  if ('problem' in read) return read;
  if (!('place' in read)) return checked({ date: read.date, zoneUsed: false });
  const { time, place, date, zone } = read;
  if (isMidnightDate(time, place, zone)) {
    const note = noteOfMidnight(time, date, zone);
    return checked({ date: time.date, zoneUsed: false, ...note });
  }
  // A wall time names its own day; the zone matters only if it skipped that time.
  const zoneUsed = place.zoneUsed && (time.offset !== 'none' || date !== time.date);
  // Midnight is a date without a time, too.
  const at = place.wall % DAY === 0 ? {} : { instant: place.instant };
  return checked({ date, zoneUsed, ...at, ...noteOfDate(time, place, date, zone) });
}

/** Returns the calendar date of an instant (ms) in a zone. */
export function dateAt(instant: number, zone: Zone): string {
  return dateOf(zoneRules(zone.name).wallAt(instant));
}

/**
 * Returns a timestamp as `logged_at` is sent: the same instant, with the offset that holds at its place
 * and time. A numeric offset is kept, unless the zone came from a flag.
 */
export function toLoggedAt(value: string, run: Zone): LoggedAt | Refused {
  const read = timeIn(value, run, 'time');
  if ('problem' in read) return read;
  if (!('place' in read)) return { problem: `has no time of day: write ${TIME_EXAMPLE}` };
  const { time, place, date, zone } = read;
  const { instant, zoneUsed } = place;
  const loggedAt = writeInstant(instant, (place.wall - instant) / MINUTE);
  const note = noteOfTime(time, place, loggedAt, zone);
  return checked({ loggedAt, date, instant, zoneUsed, ...note });
}

/** Returns the instant of a timestamp (ms since 1970); undefined if it is none, or out of range. */
export function instantAt(value: string, run: Zone): number | undefined {
  const read = timeIn(value, run, 'time');
  const isTime = 'place' in read && outOfRange(read.date) === undefined;
  return isTime ? read.place.instant : undefined;
}

/** Returns the zone in which a written time is read: that of an earlier run, or of this one. */
export function zoneOfTime(written: string, run: Zone): Zone {
  return run.earlier?.(written) ?? run;
}

type Time = Timestamp & { form: 'time' };

/** Reads a written time, and finds where and on which day it was. A date alone has no place. */
function timeIn(value: string, run: Zone, wanted: 'date' | 'time') {
  const zone = zoneOfTime(value, run);
  const time = readTimestamp(value, wanted);
  if ('problem' in time || time.form === 'date') return time;
  const place = locate(time, zone);
  return 'problem' in place ? place : { time, place, date: dateOf(place.wall), zone };
}

interface Located {
  readonly instant: number;
  /** Wall time at the athlete's place (ms, as if it were UTC). */
  readonly wall: number;
  readonly kind: 'once' | 'gap' | 'overlap';
  readonly zoneUsed: boolean;
  /** The wall time at the place that is written, if `--tz` moves it. */
  readonly overridden?: number;
}

/** The place of a time: what is written says where it was, unless the zone came from a flag. */
function locate(read: Time, zone: Zone): Located | { readonly problem: string } {
  const place = locateAsWritten(read, zone);
  if ('problem' in place) return place;
  const namesPlace = typeof read.offset === 'number' || read.zone !== undefined;
  const { instant, kind } = place;
  if (!namesPlace) return { instant, kind, wall: place.wall, zoneUsed: true };
  if (zone.from !== 'flag') return { instant, kind, wall: place.wall, zoneUsed: false };
  const wall = zoneRules(zone.name).wallAt(instant);
  const moved = { instant, kind, wall, zoneUsed: true };
  return wall === place.wall ? moved : { ...moved, overridden: place.wall };
}

function locateAsWritten(
  { offset, wall, zone: written }: Time,
  zone: Zone,
): Omit<Located, 'zoneUsed'> | { readonly problem: string } {
  const rules = zoneRules(written ?? zone.name);
  if (offset === 'utc') return { instant: wall, wall: rules.wallAt(wall), kind: 'once' };
  if (offset === 'none') {
    const { instant, kind } = rules.instantOf(wall);
    return { instant, wall: rules.wallAt(instant), kind };
  }
  const instant = wall - offset;
  if (written === undefined) return { instant, wall, kind: 'once' };
  const zoneOffset = rules.offsetAt(instant);
  if (Math.abs(zoneOffset - offset) >= MINUTE) {
    const found = writeOffset(Math.trunc(offset / MINUTE));
    const there = writeOffset(Math.trunc(zoneOffset / MINUTE));
    const problem = `the offset ${found} is not that of ${written}, ${there}: leave one of them out`;
    return { problem };
  }
  return { instant, wall, kind: 'once' };
}

/**
 * Checks for a midnight that stands for a date: any with an offset, but not that of the zone itself. A
 * zone in brackets says that a time is meant.
 */
function isMidnightDate(
  { wall, offset, zone: written }: Time,
  place: Located,
  zone: Zone,
): boolean {
  if (wall % DAY !== 0 || offset === 'none' || written !== undefined) return false;
  return wall - place.instant !== zoneRules(zone.name).offsetAt(place.instant);
}

/** @param date the day of the midnight as an instant */
function noteOfMidnight(read: Time, date: string, zone: Zone): Noted {
  if (date === read.date) return {};
  const warning =
    `midnight is read as a date, ${read.date}; ` + `as an instant it is on ${date} in ${zone.name}`;
  return { warning, recurs: 'midnight' };
}

function noteOfDate(read: Time, place: Located, date: string, zone: Zone): Noted {
  if (place.overridden !== undefined && dateOf(place.overridden) !== date) {
    const written = dateOf(place.overridden);
    return { warning: `--tz ${zone.name} moves it from ${written} to ${date}`, recurs: 'tz' };
  }
  if (read.offset === 'none' && date !== read.date) {
    const name = read.zone ?? zone.name;
    return { warning: `the clocks in ${name} skipped that time: moved forward to ${date}` };
  }
  return {};
}

function noteOfTime(read: Time, place: Located, loggedAt: string, zone: Zone): Noted {
  const name = read.zone ?? zone.name;
  if (place.kind === 'gap') {
    return { warning: `the clocks in ${name} skipped that time: moved to ${loggedAt}` };
  }
  if (place.kind === 'overlap') {
    return { warning: `that time came twice in ${name}: the earlier one is taken, ${loggedAt}` };
  }
  if (place.overridden !== undefined) {
    const warning = `--tz ${zone.name} overrides its offset: sent as ${loggedAt}`;
    return { warning, recurs: 'tz' };
  }
  return {};
}

/** Writes an instant (ms) as `logged_at` has it, with an offset in minutes. */
export function writeInstant(instant: number, minutes: number): string {
  const local = new Date(instant + minutes * MINUTE).toISOString();
  // Joined: V8 keeps the parts of a concatenation, which take three times as much.
  return [local.replace(/(?:\.000)?Z$/, ''), writeOffset(minutes)].join('');
}

function writeOffset(minutes: number): string {
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(hour)}:${two(minute)}`;
}

/** The last answer of {@link dateOf}: most questions are about the same day. */
let last = { day: NaN, date: '' };

function dateOf(wall: number): string {
  const day = Math.floor(wall / DAY);
  if (day !== last.day) last = { day, date: new Date(wall).toISOString().slice(0, 10) };
  return last.date;
}

/** Refuses a date that no record can have. */
function checked<T extends { readonly date: string }>(found: T): T | Refused {
  return outOfRange(found.date) ?? found;
}

function outOfRange(date: string): Refused | undefined {
  // `toISOString` gives years outside 0 to 9999 a sign, and a sign sorts before the digits.
  if (date >= FIRST_DATE && date <= LAST_DATE) return undefined;
  const isBefore = !date.startsWith('+') && date < FIRST_DATE;
  const cause = 'the clock of the device was probably never set';
  const problem = isBefore
    ? `${date} is before ${FIRST_DATE}: ${cause}`
    : `${date} is outside ${FIRST_DATE} to ${LAST_DATE}`;
  return { problem };
}
