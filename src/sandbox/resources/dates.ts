const PLAIN = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/** Whether this is the `YYYY-MM-DD` of a day that exists. */
export function isPlainDate(text: string): boolean {
  // Date rolls 30 February over into March, so only a date that exists survives the round trip.
  return PLAIN.test(text) && utcDayOf(text) === text;
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

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a format of times in a zone. Makes each once, because that is slow. */
export function formatIn(
  timeZone: string,
  options: Readonly<Intl.DateTimeFormatOptions>,
): Intl.DateTimeFormat {
  const key = JSON.stringify([timeZone, options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone });
  formats.set(key, format);
  return format;
}

const LOCAL = { dateStyle: 'short', timeStyle: 'short' } as const;

/** Returns the day (`YYYY-MM-DD`), the time (`07:10`) and the minutes since midnight in a zone. */
export function localTimeOf(instant: number, timeZone: string) {
  const text = formatIn(timeZone, LOCAL).format(instant);
  const [date = '', time = ''] = text.split(', ');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return { day: date.split('/').reverse().join('-'), time, minutes: hours * 60 + minutes };
}
