export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** Degrees of a semicircle, the FIT unit of positions. */
export const DEGREES = 180 / 2 ** 31;

/** Converts a position from semicircles; undefined unless both are there, and a fix. */
export function positionOf(
  latitude: number | undefined,
  longitude: number | undefined,
): Position | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  if (!isFix(latitude, longitude)) return undefined;
  return { latitude: latitude * DEGREES, longitude: longitude * DEGREES };
}

/** Returns whether a position (semicircles) is a GPS fix: 0, 0 means none. */
export function isFix(latitude: number, longitude: number): boolean {
  return (latitude !== 0 || longitude !== 0) && Math.abs(latitude * DEGREES) <= 90;
}

/** The two time stamps of the `activity` message (s), and what shows whether the device knows its zone. */
export interface StatedTimes {
  readonly utc: number | undefined;
  readonly local: number | undefined;
  readonly at: Date | undefined;
  readonly manufacturer: number | undefined;
  /** Where it began. */
  readonly position: Position | undefined;
}

/** Largest difference beyond the offset: a clock that was set by hand (s). */
const SKEW_SECS = 5 * 60;
const HALF_HOUR_SECS = 30 * 60;
/** Zones that differ from UTC by an odd number of quarters: Nepal, Eucla, and Chatham in winter and summer (s). */
const QUARTER_ZONES = [345, 525, 765, 825].map((minutes) => minutes * 60);
/** UTC offsets are from -12 to +14 hours (s). */
const EARLIEST_OFFSET_SECS = -12 * 3600;
const LATEST_OFFSET_SECS = 14 * 3600;

/**
 * Returns the offset between local time and UTC (min), if it is credible. Some devices omit the local
 * time, or write 0 or seconds since 1970. Others write UTC as the local time, so an offset of 0 is
 * credible only from a maker that is known to write the local time, or at a place with that time.
 */
export function localOffset({
  utc,
  local,
  at,
  manufacturer,
  position,
}: StatedTimes): number | undefined {
  if (utc === undefined || local === undefined) return undefined;
  const secs = credibleOffset(local - utc);
  if (secs !== 0) return secs === undefined ? undefined : secs / 60;
  if (manufacturer !== undefined && WRITES_LOCAL_TIME.has(manufacturer)) return 0;
  return at !== undefined && isAtUtc(position, at) ? 0 : undefined;
}

/** Returns the UTC offset that a difference between two clocks stands for (s), if there is one. */
export function credibleOffset(difference: number): number | undefined {
  const quarter = QUARTER_ZONES.find((zone) => Math.abs(difference - zone) <= SKEW_SECS);
  const secs = quarter ?? Math.round(difference / HALF_HOUR_SECS) * HALF_HOUR_SECS;
  if (Math.abs(difference - secs) > SKEW_SECS) return undefined;
  return secs < EARLIEST_OFFSET_SECS || secs > LATEST_OFFSET_SECS ? undefined : secs;
}

/**
 * Makers that write the athlete's local time, by their recordings: Garmin, Dynastream (Garmin),
 * Peaksware (TrainingPeaks Virtual), Wahoo, Bryton. COROS is not among them: some of its devices write UTC.
 */
const WRITES_LOCAL_TIME = new Set([1, 15, 28, 32, 267]);

/** Regions with an offset of 0 in a part of the year: zone, south, north, west, east (degrees). */
const NEAR_GREENWICH = [
  ['Atlantic/Reykjavik', 63, 67, -25, -13],
  ['Europe/London', 49.8, 61, -11, 1.8],
  ['Europe/Lisbon', 36.9, 42.2, -9.6, -7],
  ['Atlantic/Azores', 36.8, 39.8, -31.4, -24.9],
  ['Atlantic/Canary', 27.5, 33.2, -18.3, -13.3],
  ['Africa/Casablanca', 27.7, 36, -13.2, -1],
  ['Africa/Abidjan', 4, 21, -17.6, 0.7],
] as const;

function isAtUtc(position: Position | undefined, at: Date): boolean {
  if (position === undefined) return false;
  const { latitude, longitude } = position;
  return NEAR_GREENWICH.some(
    ([zone, south, north, west, east]) =>
      latitude >= south &&
      latitude <= north &&
      longitude >= west &&
      longitude <= east &&
      isUtcIn(zone, at),
  );
}

function isUtcIn(zone: string, at: Date): boolean {
  const clock = (timeZone: string) =>
    at.toLocaleString('en', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return clock(zone) === clock('UTC');
}
