import { Temporal } from 'temporal-polyfill';
import type { Random } from '../../src/seed/random.ts';

/**
 * Times as programs write them, and the day that each belongs to by the rules of docs/dates.md, computed
 * with Temporal.
 */

/** Zones with rules that are settled for {@link FIRST_YEAR} to {@link LAST_YEAR}. */
export const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Lisbon',
  'Europe/Moscow',
  'Atlantic/Azores',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'America/Caracas',
  'America/Anchorage',
  'America/Phoenix',
  'Asia/Tokyo',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Asia/Beirut',
  'Asia/Pyongyang',
  'Australia/Sydney',
  'Australia/Lord_Howe',
  'Australia/Adelaide',
  'Australia/Eucla',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Honolulu',
  'Pacific/Pago_Pago',
  'Africa/Johannesburg',
  'UTC',
] as const;
const FIRST_YEAR = 2002;
const LAST_YEAR = 2025;

/** A time as a file states it. */
export interface Written {
  readonly value: string | number;
  /** The day as the `date` of a record. */
  readonly recordDay: string;
  /** The day and the instant as `logged_at`. */
  readonly day: string;
  readonly instant: Temporal.Instant;
}

const FORMS = ['none', 'utc', 'offset', 'zone', 'zone and offset', 'seconds', 'ms'] as const;

/** Returns a time in any form with a time of day. @param isFlag the zone comes from `--tz` */
export function anyTime(random: Random, zone: string, isFlag: boolean): Written {
  const wall = anyWall(random, zone);
  switch (random.pick(FORMS)) {
    case 'none': {
      const there = wall.toZonedDateTime(zone);
      return at(writeWall(random, wall), there);
    }
    case 'zone': {
      const there = wall.toZonedDateTime(random.pick(ZONES));
      const text = `${writeWall(random, wall)}[${there.timeZoneId}]`;
      return at(text, isFlag ? there.withTimeZone(zone) : there);
    }
    case 'zone and offset': {
      const there = wall.toZonedDateTime(random.pick(ZONES));
      const text = `${writeWall(random, there.toPlainDateTime())}${there.offset}[${there.timeZoneId}]`;
      return at(text, isFlag ? there.withTimeZone(zone) : there);
    }
    case 'utc': {
      const there = wall.toZonedDateTime('UTC').withTimeZone(zone);
      const sign = random.pick(['Z', 'z', ' UTC', ' GMT', '+00:00', '-00:00', '+0000', '+00']);
      return midnightIsADate(at(writeWall(random, wall) + sign, there), wall);
    }
    case 'offset': {
      const minutes = 15 * random.pick([random.integer(-48, -1), random.integer(1, 56)]);
      const offset = writeOffset(minutes);
      const there = wall.toZonedDateTime(offset);
      const text = writeWall(random, wall) + random.pick([offset, offset.replace(':', '')]);
      return midnightIsADate(at(text, isFlag ? there.withTimeZone(zone) : there), wall);
    }
    case 'seconds': {
      const whole = wall.round('second');
      const secs = whole.toZonedDateTime('UTC').epochMilliseconds / 1000;
      const there = whole.toZonedDateTime('UTC').withTimeZone(zone);
      return midnightIsADate(at(random.chance(0.5) ? secs : String(secs), there), whole);
    }
    case 'ms': {
      const there = wall.toZonedDateTime('UTC').withTimeZone(zone);
      return midnightIsADate(at(there.epochMilliseconds, there), wall);
    }
  }
}

function at(value: string | number, there: Temporal.ZonedDateTime): Written {
  const day = there.toPlainDate().toString();
  return { value, recordDay: day, day, instant: there.toInstant() };
}

/** Applies rule 5: the midnight of a record's `date` stands for the written day. */
function midnightIsADate(written: Written, wall: Temporal.PlainDateTime): Written {
  const isMidnight = wall.toPlainTime().equals(Temporal.PlainTime.from('00:00'));
  return isMidnight ? { ...written, recordDay: wall.toPlainDate().toString() } : written;
}

const PLACES = ['midnight', 'midnight', 'exactly', 'change', 'change', 'any'] as const;

/** Returns a wall time near a midnight, near a change of the clocks, or at any time of a random day. */
function anyWall(random: Random, zone: string): Temporal.PlainDateTime {
  const start = Temporal.PlainDate.from({ year: FIRST_YEAR, month: 1, day: 2 });
  const days = (LAST_YEAR - FIRST_YEAR + 1) * 365;
  const midnight = start.add({ days: random.integer(0, days - 1) }).toPlainDateTime();
  const millis = random.chance(0.2) ? random.integer(0, 999) : 0;
  const secs = random.chance(0.5) ? random.integer(-5, 5) : random.integer(-7_500, 7_500);
  const nearby = (wall: Temporal.PlainDateTime) =>
    wall.add({ seconds: secs }).add({ milliseconds: millis });
  switch (random.pick(PLACES)) {
    case 'exactly':
      return midnight;
    case 'midnight':
      return nearby(midnight);
    case 'any':
      return midnight.add({ seconds: random.integer(0, 86_399), milliseconds: millis });
    case 'change': {
      const change = midnight.toZonedDateTime(zone).getTimeZoneTransition('next');
      const isSettled = change !== null && change.year <= LAST_YEAR;
      return nearby(isSettled ? change.toPlainDateTime() : midnight);
    }
  }
}

function writeWall(random: Random, wall: Temporal.PlainDateTime): string {
  const [date = '', clock = ''] = wall.toString({ smallestUnit: 'millisecond' }).split('T');
  const day = date.replaceAll('-', random.pick(['-', '-', '-', '/', '.']));
  const time =
    wall.millisecond === 0 ? writeClock(random, wall, clock) : writeFraction(random, clock);
  return `${day}${random.pick(['T', 't', ' '])}${time}`;
}

function writeClock(random: Random, wall: Temporal.PlainDateTime, clock: string): string {
  if (wall.second === 0 && random.chance(0.3)) return clock.slice(0, 5);
  return random.chance(0.2) ? clock : clock.slice(0, 8);
}

/** Further digits are cut off, and a comma is a decimal separator, too (ISO 8601). */
function writeFraction(random: Random, clock: string): string {
  return clock.replace('.', random.pick(['.', ','])) + random.pick(['', '', '9999', '0']);
}

function writeOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
