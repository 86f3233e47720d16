import { SyncError } from '../../base/errors.ts';
import { daysAfter, isCalendarDate } from '../../base/time.ts';
import type { Config } from '../../config/config.ts';
import { zoneRules } from '../../records/days/zone.ts';
import type { AppContext } from '../context.ts';
import { zoneFor, zoneShown } from '../zone.ts';

export const DATE_FORMS = 'YYYY-MM-DD, today, yesterday or 7d';

export const DATE_HINT =
  'Write a date as YYYY-MM-DD, such as 2026-02-15, or as today, yesterday, 7d or 1w (days or weeks back).';

/**
 * Parses a flag's date: `YYYY-MM-DD`, `today`, `yesterday`, or a number of days or weeks back (`7d`, `1w`).
 *
 * @param zone decides which day today is
 * @param now ms since 1970
 * @returns `YYYY-MM-DD`
 * @throws SyncError `USAGE`
 */
export function dateFlag(flag: string, text: string, zone: string, now: number): string {
  const date = readDay(text, zone, now);
  if (date !== undefined) return date;
  throw new SyncError('USAGE', `${flag} ${text}: not a date.`, { hint: DATE_HINT });
}

/** Parses `--since` as {@link dateFlag} does. @throws SyncError `USAGE`, also for a day after today */
export function sinceFlag(text: string, zone: string, now: number): string {
  const date = dateFlag('--since', text, zone, now);
  const today = dateFlag('--since', 'today', zone, now);
  if (date <= today) return date;
  throw new SyncError('USAGE', `--since ${date} is in the future: today is ${today}.`);
}

/**
 * Parses `--since` and `--until`, and returns the zone of their days and of times that are shown. A range
 * needs the athlete's zone; times alone may be shown in UTC.
 */
export async function rangeFlags(
  context: AppContext,
  config: Config,
  { since, until }: { readonly since?: string; readonly until?: string },
) {
  const isRange = since !== undefined || until !== undefined;
  const zone = isRange ? (await zoneFor(config, context)).name : await zoneShown(config, context);
  const now = context.clock.now();
  const from = since === undefined ? undefined : sinceFlag(since, zone, now);
  const to = until === undefined ? undefined : dateFlag('--until', until, zone, now);
  if (from !== undefined && to !== undefined && from > to) {
    throw new SyncError('USAGE', `--since ${from} is after --until ${to}.`);
  }
  return { zone, since: from, until: to };
}

/** Parses the same forms as {@link dateFlag}; returns undefined for another text. */
export function readDay(text: string, zone: string, now: number): string | undefined {
  if (isCalendarDate(text)) return text;
  const days = daysBack(text);
  if (days === undefined) return undefined;
  const today = new Date(zoneRules(zone).wallAt(now)).toISOString().slice(0, 10);
  return daysAfter(today, -days);
}

function daysBack(text: string): number | undefined {
  if (text === 'today') return 0;
  if (text === 'yesterday') return 1;
  const [, count, unit] = /^(\d{1,5})([dw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unit === 'w' ? 7 : 1);
}
