import { SyncError } from '../base/errors.ts';
import { isCalendarDate } from '../base/time.ts';

/**
 * A flag's day: `YYYY-MM-DD`, `today`, `yesterday`, or so many days back (`7d`).
 *
 * @param zone says which day today is; asked only if that matters.
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
  const today = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone(),
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now);
  return new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
}

function daysBack(text: string): number | undefined {
  if (text === 'today') return 0;
  if (text === 'yesterday') return 1;
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  return days === undefined ? undefined : Number(days);
}
