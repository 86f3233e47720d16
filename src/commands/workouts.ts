import type { ServiceClient } from '../api/client.ts';
import type { JsonObject } from '../api/wire.ts';
import { NoList, workoutPages } from '../api/workout-pages.ts';

export interface WorkoutsOptions {
  /** The first and the last day, `YYYY-MM-DD`, as they are in `zone`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  /** IANA zone name. */
  readonly zone: string;
}

export interface WorkoutsNeeds {
  readonly client: () => Promise<ServiceClient>;
  readonly signal: AbortSignal;
}

/**
 * What the service lists, newest first; `more`: there are others beyond the limit. `other`: a body that
 * is no list of objects, as it came.
 */
export type WorkoutsReport =
  | { readonly workouts: readonly JsonObject[]; readonly more: boolean }
  | { readonly other: unknown };

export const DEFAULT_WORKOUT_LIMIT = 20;
/** The most that is asked for in one request. */
const PAGE = 50;

/**
 * Lists workouts, page by page until there are `limit` of them and one more, or no more.
 *
 * Where a day begins is for the service to choose, and deployed ones count days in UTC: it is asked
 * for a day more at either end, and what began on the days that are wanted is picked here.
 *
 * @throws whatever the client throws
 */
export async function runWorkouts(
  { since, until, limit, zone }: WorkoutsOptions,
  needs: WorkoutsNeeds,
): Promise<WorkoutsReport> {
  const wanted = (workout: JsonObject) => {
    const day = localTime(workout['date'], zone).slice(0, 10);
    if (!DAY.test(day)) return true;
    return (since === undefined || day >= since) && (until === undefined || day <= until);
  };
  const client = await needs.client();
  const workouts: JsonObject[] = [];
  const range = { startDate: dayBeside(since, -1), endDate: dayBeside(until, 1) };
  const picks = since !== undefined || until !== undefined;
  const sizeOf = () => {
    if (workouts.length > limit) return 0;
    return picks ? PAGE : Math.min(PAGE, limit + 1 - workouts.length);
  };
  try {
    for await (const page of workoutPages(client, range, sizeOf, needs.signal)) {
      workouts.push(...page.filter(wanted));
    }
  } catch (error) {
    if (error instanceof NoList) return { other: error.body };
    throw error;
  }
  return { workouts: workouts.slice(0, limit), more: workouts.length > limit };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function dayBeside(date: string | undefined, days: number): string | undefined {
  if (date === undefined) return undefined;
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** `2026-02-15 07:10` in the zone; a plain date, or what cannot be read, stays as it is. */
export function localTime(value: unknown, zone: string): string {
  if (typeof value !== 'string') return '';
  const time = /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) return value;
  const parts = clockOf(zone).formatToParts(time);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

let clock: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined;

function clockOf(zone: string): Intl.DateTimeFormat {
  if (clock?.zone !== zone) {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    clock = { zone, format };
  }
  return clock.format;
}
