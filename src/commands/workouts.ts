import type { ServiceClient } from '../service/client.ts';
import { isObject, type JsonObject } from '../service/wire.ts';

export interface WorkoutsOptions {
  /** `YYYY-MM-DD` */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

export interface WorkoutsNeeds {
  readonly client: () => Promise<ServiceClient>;
  readonly signal: AbortSignal;
}

/** What the service lists, newest first; `other`: a body that is no list of objects, as it came. */
export type WorkoutsReport =
  { readonly workouts: readonly JsonObject[] } | { readonly other: unknown };

export const DEFAULT_WORKOUT_LIMIT = 20;
/** The most that is asked for in one request. */
const PAGE = 50;

/**
 * Lists workouts, page by page until there are `limit` of them or no more. A workout that turns up
 * on two pages (because one was added meanwhile) is listed once.
 *
 * @throws whatever the client throws
 */
export async function runWorkouts(
  { since, until, limit }: WorkoutsOptions,
  needs: WorkoutsNeeds,
): Promise<WorkoutsReport> {
  const client = await needs.client();
  const workouts: JsonObject[] = [];
  const seen = new Set<unknown>();
  for (let offset = 0; workouts.length < limit;) {
    const size = Math.min(PAGE, limit - workouts.length);
    const body = await client.listWorkouts(
      { limit: size, offset, startDate: since, endDate: until },
      needs.signal,
    );
    const page = listIn(body);
    if (page === undefined) return { other: body };
    const fresh = page.filter(({ id }) => id === undefined || !seen.has(id));
    for (const workout of fresh) seen.add(workout['id']);
    workouts.push(...fresh);
    // A service that does not know paging sends the same page again.
    if (page.length < size || fresh.length === 0) break;
    offset += page.length;
  }
  return { workouts: workouts.slice(0, limit) };
}

/** The list in an answer: the body itself, or the one list that it holds. */
function listIn(body: unknown): JsonObject[] | undefined {
  const lists = isObject(body) ? Object.values(body).filter(Array.isArray) : [body];
  const [list] = lists;
  if (lists.length !== 1 || !Array.isArray(list)) return undefined;
  return list.every(isObject) ? list : undefined;
}
