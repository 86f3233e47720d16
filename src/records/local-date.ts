import { readTimestamp, TIME_EXAMPLE, type Timestamp } from './timestamp.ts';
import type { Zone } from './types.ts';
import { zoneRules } from './zone.ts';

/**
 * The athlete's calendar: which local day a timestamp belongs to, and how a timestamp goes out.
 * The rules and their examples are in docs/dates.md, which the tests execute.
 */

/** Dates outside this range are typing errors, or from clocks that were never set. */
const FIRST_DATE = '1970-01-01';
const LAST_DATE = '2100-12-31';

const MINUTE = 60_000;

export type LocalDate =
  | {
      readonly ok: true;
      /** `YYYY-MM-DD`. */
      readonly date: string;
      /** Another zone might have given another date. */
      readonly zoneUsed: boolean;
      readonly warning?: string;
    }
  | { readonly ok: false; readonly problem: string };

export type LoggedAt =
  | {
      readonly ok: true;
      /** `YYYY-MM-DDTHH:MM:SS+HH:MM`, with milliseconds if there were any. */
      readonly loggedAt: string;
      /** The local date, which is also the one in `loggedAt`. */
      readonly date: string;
      readonly zoneUsed: boolean;
      readonly warning?: string;
    }
  | { readonly ok: false; readonly problem: string };

/**
 * Returns the local calendar date of a date or a timestamp.
 *
 * A plain date is kept. `Z` means an instant, so its date in the zone counts. A numeric offset says
 * where the athlete was, so the written date counts, unless the zone came from a flag. A time without
 * an offset is wall time in the zone.
 */
export function localDateOf(value: string, zone: Zone): LocalDate {
  const read = readTimestamp(value, 'date');
  if ('problem' in read) return { ok: false, problem: read.problem };
  if (read.form === 'date') return plainDate(read.date, zone);
  const place = locate(read, zone);
  const date = dateOf(place.wall);
  return outOfRange(date) ?? { ok: true, date, ...noteOfDate(read, place, date, zone) };
}

/**
 * Returns a timestamp as `logged_at` is sent: the same instant, with the offset that holds at its place
 * and time. A numeric offset is kept, unless the zone came from a flag.
 */
export function toLoggedAt(value: string, zone: Zone): LoggedAt {
  const read = readTimestamp(value, 'time');
  if ('problem' in read) return { ok: false, problem: read.problem };
  if (read.form === 'date') {
    return { ok: false, problem: `has no time of day: write ${TIME_EXAMPLE}` };
  }
  const place = locate(read, zone);
  const date = dateOf(place.wall);
  const out = outOfRange(date);
  if (out !== undefined) return out;
  const loggedAt = render(place, date);
  const warning = noteOfTime(read, place, loggedAt, zone);
  return { ok: true, loggedAt, date, zoneUsed: place.zoneUsed, ...warning };
}

interface Place {
  readonly instant: number;
  /** Wall time at the athlete's place (ms, as if it were UTC). */
  readonly wall: number;
  readonly kind: 'once' | 'gap' | 'overlap';
  readonly zoneUsed: boolean;
}

function locate(read: Timestamp & { form: 'time' }, zone: Zone): Place {
  const rules = zoneRules(zone.name);
  if (read.offset === 'none') {
    const { instant, kind } = rules.instantOf(read.wall);
    return { instant, wall: rules.wallAt(instant), kind, zoneUsed: true };
  }
  const instant = read.wall - (read.offset === 'utc' ? 0 : read.offset);
  if (read.offset === 'utc' || zone.from === 'flag') {
    return { instant, wall: rules.wallAt(instant), kind: 'once', zoneUsed: true };
  }
  return { instant, wall: read.wall, kind: 'once', zoneUsed: false };
}

function plainDate(date: string, zone: Zone): LocalDate {
  const out = outOfRange(date);
  if (out !== undefined) return out;
  if (zoneRules(zone.name).hasDay(Date.parse(`${date}T00:00:00Z`))) {
    return { ok: true, date, zoneUsed: false };
  }
  const warning = `there was no ${date} in ${zone.name}, which skipped that day: kept as said`;
  return { ok: true, date, zoneUsed: false, warning };
}

function noteOfDate(
  read: Timestamp & { form: 'time' },
  place: Place,
  date: string,
  zone: Zone,
): { zoneUsed: boolean; warning?: string } {
  // A wall time names its own day; the zone matters only if it skipped that time.
  const zoneUsed = read.offset === 'none' ? date !== read.date : place.zoneUsed;
  const warning = dateWarning(read, place, date, zone);
  return warning === undefined ? { zoneUsed } : { zoneUsed, warning };
}

function dateWarning(
  read: Timestamp & { form: 'time' },
  place: Place,
  date: string,
  zone: Zone,
): string | undefined {
  if (read.offset === 'none' && date !== read.date) {
    return `the clocks in ${zone.name} skipped that time: moved forward to ${date}`;
  }
  if (read.offset === 'utc' && date !== read.date && read.wall % (24 * 60 * MINUTE) === 0) {
    return (
      `midnight UTC is ${date} in ${zone.name}: ` +
      `if the calendar date ${read.date} was meant, write it without a time`
    );
  }
  return utcWarning(read, place, zone);
}

/** Warns if `+00:00` gives another day than `Z` would: many programs write it for `Z`. */
function utcWarning(
  read: Timestamp & { form: 'time' },
  place: Place,
  zone: Zone,
): string | undefined {
  if (read.offset !== 0 || place.zoneUsed) return undefined;
  const there = dateOf(zoneRules(zone.name).wallAt(place.instant));
  if (there === read.date) return undefined;
  return (
    `+00:00 is taken as the place's own offset, so the day is ${read.date}; ` +
    `in ${zone.name} it is ${there}: write Z, or give --tz, if that was meant`
  );
}

function noteOfTime(
  read: Timestamp & { form: 'time' },
  place: Place,
  loggedAt: string,
  zone: Zone,
): { warning?: string } {
  if (place.kind === 'gap') {
    return { warning: `the clocks in ${zone.name} skipped that time: moved to ${loggedAt}` };
  }
  if (place.kind === 'overlap') {
    return {
      warning: `that time came twice in ${zone.name}: the earlier one is taken, ${loggedAt}`,
    };
  }
  if (read.leapSecond) return { warning: 'second 60 is sent as second 59' };
  const warning = utcWarning(read, place, zone);
  return warning === undefined ? {} : { warning };
}

/**
 * The wire's offset has hours and minutes only. An offset with seconds is cut to its minute and
 * the clock shown to match, so the instant stays the same; where that would change the date, the
 * minute on the other side is taken.
 */
function render({ instant, wall }: Place, date: string): string {
  const offset = wall - instant;
  let minutes = Math.trunc(offset / MINUTE);
  if (dateOf(instant + minutes * MINUTE) !== date) minutes += Math.sign(offset);
  return writeInstant(instant, minutes);
}

/** An instant (ms) as `logged_at` writes it, with an offset in minutes. */
export function writeInstant(instant: number, minutes: number): string {
  const [clock = '', millis = ''] = new Date(instant + minutes * MINUTE)
    .toISOString()
    .slice(0, -1)
    .split('.');
  const size = Math.abs(minutes);
  const pad = (number: number): string => String(number).padStart(2, '0');
  const suffix = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
  return `${clock}${millis === '000' ? '' : `.${millis}`}${suffix}`;
}

function dateOf(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

function outOfRange(date: string): { ok: false; problem: string } | undefined {
  // `toISOString` gives years outside 0 to 9999 a sign, and a sign sorts before the digits.
  if (date >= FIRST_DATE && date <= LAST_DATE) return undefined;
  return { ok: false, problem: `${date} is outside ${FIRST_DATE} to ${LAST_DATE}` };
}
