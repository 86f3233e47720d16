import { SyncError } from '../base/errors.ts';
import { isCalendarDate } from '../base/time.ts';

/** Parses a flag's whole number. @throws SyncError `USAGE` that names the range */
export function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || number > most) {
    throw new SyncError('USAGE', `${flag} ${text}: not a whole number from ${least} to ${most}.`);
  }
  return number;
}

/**
 * Parses a flag's date: `YYYY-MM-DD`, `today`, `yesterday`, or a number of days back (`7d`).
 *
 * @param zone returns the zone that decides which day today is; called only for a relative date
 * @param now ms since 1970
 * @returns `YYYY-MM-DD`
 * @throws SyncError `USAGE`
 */
export function dateFlag(flag: string, text: string, zone: () => string, now: number): string {
  if (isCalendarDate(text)) return text;
  const days = daysBack(text);
  if (days === undefined) {
    throw new SyncError('USAGE', `${flag} ${text}: not a date.`, {
      hint: 'Write it as YYYY-MM-DD, such as 2026-02-15, or as today, yesterday or 7d (days back).',
    });
  }
  return new Date(Date.parse(dayIn(zone(), now)) - days * 86_400_000).toISOString().slice(0, 10);
}

function daysBack(text: string): number | undefined {
  if (text === 'today') return 0;
  if (text === 'yesterday') return 1;
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  return days === undefined ? undefined : Number(days);
}

/** Returns the calendar date of an instant (ms since 1970) in a zone. */
function dayIn(zone: string, now: number): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now);
}
