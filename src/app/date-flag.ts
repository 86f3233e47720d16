import { SyncError } from '../base/errors.ts';
import { isCalendarDate } from '../base/time.ts';
import { zoneRules } from '../records/zone.ts';

/** The forms of a date, for the help of a flag. */
export const DATE_FORMS = 'YYYY-MM-DD, today, yesterday or 7d';

/**
 * Parses a flag's date: `YYYY-MM-DD`, `today`, `yesterday`, or a number of days back (`7d`).
 *
 * @param zone returns the zone that decides which day today is; called only for a relative date
 * @param now ms since 1970
 * @returns `YYYY-MM-DD`
 * @throws SyncError `USAGE`
 */
export async function dateFlag(
  flag: string,
  text: string,
  zone: () => string | Promise<string>,
  now: number,
): Promise<string> {
  if (isCalendarDate(text)) return text;
  const days = daysBack(text);
  if (days === undefined) {
    throw new SyncError('USAGE', `${flag} ${text}: not a date.`, {
      hint: 'Write it as YYYY-MM-DD, such as 2026-02-15, or as today, yesterday or 7d (days back).',
    });
  }
  const wall = zoneRules(await zone()).wallAt(now);
  return new Date(wall - days * 86_400_000).toISOString().slice(0, 10);
}

function daysBack(text: string): number | undefined {
  if (text === 'today') return 0;
  if (text === 'yesterday') return 1;
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  return days === undefined ? undefined : Number(days);
}
