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
 * The service's workouts, newest first. `rest`: the workouts that are left out: `older` ones, or `others` of any
 * time, beyond the limit; `unseen`: the service may have more than its list. `other`: the body of an answer that is
 * not a list of objects, unchanged.
 */
export type WorkoutList =
  | {
      readonly workouts: readonly WireObject[];
      readonly rest: 'none' | 'older' | 'others' | 'unseen';
    }
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
    const day = localDayOf(startOf(workout), zone);
    if (day === undefined) return true;
    return (since === undefined || day >= since) && (until === undefined || day <= until);
  };
  const found: WireObject[] = [];
  let isCut = false;
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
      found.push(...page.workouts.filter(isInRange));
      isCut = page.isCut;
    }
  } catch (error) {
    if (error instanceof NoList) return { other: error.body };
    throw error;
  }
  const times = found.map(timeOf);
  const isSorted = times.every((time, at) => time > 0 && time <= (times[at - 1] ?? time));
  const workouts = found.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(0, limit);
  if (found.length <= limit) return { workouts, rest: isCut ? 'unseen' : 'none' };
  return { workouts, rest: isSorted ? 'older' : 'others' };
}

/** Returns the start of a workout (ms since the epoch); 0 if it states none. */
function timeOf(workout: WireObject): number {
  return Date.parse(startOf(workout) ?? '') || 0;
}

/** Returns the day of a start in a zone, or the one that is written (`YYYY-MM-DD`); undefined if it is no time. */
function localDayOf(start: string | undefined, zone: string): string | undefined {
  const time = start !== undefined && isInstant(start) ? Date.parse(start) : Number.NaN;
  const text = Number.isNaN(time) ? start : new Date(zoneRules(zone).wallAt(time)).toISOString();
  return /^\d{4}-\d\d-\d\d/.exec(text ?? '')?.[0];
}
