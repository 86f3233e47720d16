const PLAIN = /^(\d{4})-(\d{2})-(\d{2})$/;
const WITH_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/** Is this `YYYY-MM-DD`, and a day that exists? */
export function isPlainDate(text: string): boolean {
  const match = PLAIN.exec(text);
  if (match === null) return false;
  // Date rolls 30 February over into March: only a date that exists comes back as it went in.
  const midnight = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
  return midnight.toISOString().startsWith(text);
}

/**
 * The instant that a text names, ms, read as deployed services do: by JavaScript's own `Date`, on a
 * machine in UTC. null if it names none.
 */
export function instantOf(text: string): number | null {
  const instant = Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
  return Number.isNaN(instant) ? null : instant;
}

/** Is this an ISO 8601 date and time that exists and says where it was: `Z` or an offset? */
export function isInstantWithZone(text: string): boolean {
  return WITH_ZONE.test(text) && isPlainDate(text.slice(0, 10)) && instantOf(text) !== null;
}

/** Is this a day that exists, or a date and time on one? */
export function isDayOrInstant(text: string): boolean {
  return (
    isPlainDate(text) ||
    isInstantWithZone(text) ||
    (WITHOUT_ZONE.test(text) && isInstantWithZone(`${text}Z`))
  );
}

/**
 * The day under which deployed services store a record: the **UTC** day of what `date` names, which
 * for an instant is not the athlete's day. null if it names none.
 */
export function utcDayOf(text: string): string | null {
  const instant = instantOf(text);
  return instant === null ? null : new Date(instant).toISOString().slice(0, 10);
}

/** A stored day as deployed services answer it: an instant. */
export function midnightOf(day: string): string {
  return `${day}T00:00:00.000Z`;
}
