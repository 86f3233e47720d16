const PLAIN = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?$/;

/** Is this `YYYY-MM-DD`, and a day that exists? */
export function isPlainDate(text: string): boolean {
  const match = PLAIN.exec(text);
  if (match === null) return false;
  // Date rolls 30 February over into March: only a date that exists comes back as it went in.
  const midnight = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return midnight.toISOString().startsWith(text);
}

/**
 * The instant that an ISO 8601 date and time names, ms; null when it is none. Without an offset it
 * is read as UTC, as a server that runs in UTC does.
 */
export function instantOf(text: string): number | null {
  const match = DATE_TIME.exec(text);
  if (match === null || !isPlainDate(match[1] ?? '')) return null;
  const offset = (match[3] ?? 'Z').replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const instant = Date.parse(`${match[1] ?? ''}T${match[2] ?? ''}${offset}`);
  return Number.isNaN(instant) ? null : instant;
}

/** Does this date and time say where it was: `Z` or an offset? */
export function isInstantWithZone(text: string): boolean {
  return instantOf(text) !== null && /(Z|[+-]\d{2}:?\d{2})$/.test(text);
}

/**
 * The day under which deployed services store a wellness record: the date as given, or the **UTC**
 * day of an instant, which is not the athlete's day. null when it is neither.
 */
export function utcDayOf(text: string): string | null {
  if (isPlainDate(text)) return text;
  const instant = instantOf(text);
  return instant === null ? null : new Date(instant).toISOString().slice(0, 10);
}
