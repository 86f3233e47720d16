/** Source of time; tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Milliseconds of a clock that is never set back or forward, for measuring waits. It may stop while
   * the machine sleeps.
   */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Returns the calendar date that is `days` after a date, both `YYYY-MM-DD`. */
export function daysAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Returns whether a text is an existing day in the form `YYYY-MM-DD`. */
export function isCalendarDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/**
 * Formats an instant in ISO 8601, with seconds.
 *
 * @param instant milliseconds since the epoch
 * @param offsetMinutes local time minus UTC; undefined: the time is given in UTC
 */
export function isoTime(instant: number, offsetMinutes: number | undefined): string {
  const local = new Date(instant + (offsetMinutes ?? 0) * 60_000).toISOString().slice(0, 19);
  if (offsetMinutes === undefined) return `${local}Z`;
  const minutes = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const sign = offsetMinutes < 0 ? '-' : '+';
  return `${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * Returns a copy in which these fields are times as `--json` prints them: ISO 8601 in UTC. A field that is
 * absent stays absent.
 *
 * @param names of fields that hold ms since 1970
 */
export function withIsoTimes(object: object, ...names: readonly string[]): Record<string, unknown> {
  const times = Object.entries(object)
    .filter(([name, value]) => names.includes(name) && typeof value === 'number')
    .map(([name, ms]) => [name, new Date(ms as number).toISOString()] as const);
  return { ...object, ...Object.fromEntries(times) };
}
