const PLAIN = /^(\d{4})-(\d{2})-(\d{2})$/;
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/** Whether this is the `YYYY-MM-DD` of a day that exists. */
export function isPlainDate(text: string): boolean {
  const match = PLAIN.exec(text);
  if (match === null) return false;
  // Date rolls 30 February over into March, so only a date that exists survives the round trip.
  const midnight = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return midnight.toISOString().startsWith(text);
}

/** Parses an instant (ms) with JavaScript's `Date` in UTC, like deployed services. null if invalid. */
export function instantOf(text: string): number | null {
  const instant = Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
  return Number.isNaN(instant) ? null : instant;
}

/**
 * Returns the day under which deployed services store a record: the **UTC** day of `date`. For an
 * instant this can differ from the athlete's day. null if `date` is invalid.
 */
export function utcDayOf(text: string): string | null {
  const instant = instantOf(text);
  return instant === null ? null : new Date(instant).toISOString().slice(0, 10);
}

/** Returns a stored day as an instant, which is how deployed services answer it. */
export function midnightOf(day: string): string {
  return `${day}T00:00:00.000Z`;
}
