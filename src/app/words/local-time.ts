import { zoneRules } from '../../records/days/zone.ts';

/**
 * Formats an instant as `2026-02-15 07:10` in a zone.
 *
 * @param value ISO 8601 with an offset; a plain date, or text that is no time, is returned unchanged
 * @param zone IANA zone name
 */
export function localTime(value: unknown, zone: string): string {
  if (typeof value !== 'string') return '';
  const time = isInstant(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return value;
  const [date = '', clock = ''] = new Date(zoneRules(zone).wallAt(time)).toISOString().split('T');
  return `${date} ${clock.slice(0, 5)}`;
}

/** Longest text that is taken for a time (characters): searching a longer one takes quadratic time. */
const LONGEST_TIME = 40;

/** Checks for an ISO 8601 time with an offset. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_TIME) return false;
  return /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value);
}
