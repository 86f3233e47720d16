import type { ServiceClient } from '../api/client.ts';
import type { WireObject } from '../api/wire.ts';
import { NoList, isInstant, startOf, workoutPages } from '../api/workout-pages.ts';
import { daysAfter } from '../base/time.ts';
import { zoneRules } from '../records/days/zone.ts';

export interface WorkoutRange {
  /** The first and the last day, `YYYY-MM-DD` in `zone`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  readonly zone: string;
}

/**
 * The service's workouts, newest first; `more`: others exist beyond the limit. `other`: the unchanged
 * body of an answer that is not a list of objects.
 */
export type WorkoutList =
  | { readonly workouts: readonly WireObject[]; readonly more: boolean }
  | { readonly other: unknown };

const PAGE = 50;

/**
 * Lists workouts, page by page until it has `limit` of them and one more, or the service has no more.
 *
 * Deployed services count days in UTC. So it asks for one day more at either end, and picks the
 * workouts that began on the wanted days of the zone.
 *
 * @throws SyncError the errors of the client
 */
export async function listWorkouts(
  client: ServiceClient,
  { since, until, limit, zone }: WorkoutRange,
  signal: AbortSignal,
): Promise<WorkoutList> {
  const isInRange = (workout: WireObject) => {
    const day = localTime(startOf(workout), zone).slice(0, 10);
    if (!DAY.test(day)) return true;
    return (since === undefined || day >= since) && (until === undefined || day <= until);
  };
  const found: WireObject[] = [];
  const range = {
    startDate: since && daysAfter(since, -1),
    endDate: until && daysAfter(until, 1),
  };
  const hasRange = since !== undefined || until !== undefined;
  const sizeOf = () => {
    if (found.length > limit) return 0;
    return hasRange ? PAGE : Math.min(PAGE, limit + 1 - found.length);
  };
  try {
    for await (const page of workoutPages(client, range, sizeOf, signal)) {
      found.push(...page.filter(isInRange));
    }
  } catch (error) {
    if (error instanceof NoList) return { other: error.body };
    throw error;
  }
  return { workouts: found.slice(0, limit), more: found.length > limit };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

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
