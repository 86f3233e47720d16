import type { Activity } from '../../fit/activity.ts';
import { zoneRules } from './zone.ts';

/**
 * Returns the local time at which an activity began, as milliseconds that count it as UTC; undefined if
 * the recording does not state when it began.
 *
 * @param zone of a recording without its own offset
 */
export function localStart(
  { startedAt, offsetMinutes }: Activity,
  zone: string,
): number | undefined {
  if (startedAt === undefined) return undefined;
  return offsetMinutes === undefined
    ? zoneRules(zone).wallAt(startedAt)
    : startedAt + offsetMinutes * 60_000;
}

/** Returns the local day on which an activity began (`YYYY-MM-DD`). Parameters: {@link localStart}. */
export function localDay(activity: Activity, zone: string): string | undefined {
  const start = localStart(activity, zone);
  return start === undefined ? undefined : new Date(start).toISOString().slice(0, 10);
}
