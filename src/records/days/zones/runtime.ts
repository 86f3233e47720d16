import { formatInTimeZone } from 'date-fns-tz/formatInTimeZone';
import type { OffsetAt } from './offsets.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Returns the runtime's offsets of a zone, as date-fns-tz gives them. Only its formatter asks for the offset at an
 * instant, so the offset is parsed from the formatted text. Nothing else of date-fns-tz is used, because
 * - `getTimezoneOffset` reads the local fields of its `Date` as a wall time in the zone: its answer is an hour
 *   off for some hours around a change;
 * - `fromZonedTime` moves wall times in a gap backward, takes the later or the earlier instant of
 *   an overlap depending on the process's own zone, and never says that it had to choose;
 * - `toZonedTime` builds a `Date` from local fields, so that a gap in the process's own zone (a
 *   whole day in Pacific/Apia) leaks into the answer.
 *
 * Offsets with seconds, which no zone has since 1972, lose them.
 *
 * A UTC day that begins and ends with the same offset is taken to have it throughout: no zone changes twice
 * within a day (the tests check that over all zones).
 *
 * @param zone a name that the runtime knows
 */
export function runtimeOffsets(zone: string): OffsetAt {
  /** UTC day -> the offset that holds from its first to its last instant; NaN: it changes. */
  const days = new Map<number, number>();
  const ask = (instant: number) => {
    const text = formatInTimeZone(new Date(instant), zone, 'xxx');
    const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6));
    return (text.startsWith('-') ? -minutes : minutes) * MINUTE || 0;
  };
  return (instant) => {
    const day = Math.floor(instant / DAY);
    let offset = days.get(day);
    if (offset === undefined) {
      const first = ask(day * DAY);
      offset = first === ask((day + 1) * DAY - 1) ? first : NaN;
      days.set(day, offset);
    }
    return Number.isNaN(offset) ? ask(instant) : offset;
  };
}
