import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { ServiceClient, WorkoutQuery } from './client.ts';
import { isObject } from '../base/json.ts';
import type { WireObject } from './wire.ts';

export class NoList extends SyncError {
  readonly body: unknown;

  constructor(body: unknown) {
    super('SERVICE_ANSWER', 'The platform sent something other than a list of workouts.', {
      hint: phrase`${sync('workouts', '--json')} shows what it answers.`,
    });
    this.body = body;
  }
}

/**
 * Yields the service's workouts page by page. A workout on two pages (because another was added in the
 * meantime) is yielded once.
 *
 * @param sizeOf returns the size of the next page; 0 ends the listing.
 * @throws NoList; any error of the client.
 */
export async function* workoutPages(
  client: ServiceClient,
  query: Omit<WorkoutQuery, 'limit' | 'offset'>,
  sizeOf: () => number,
  signal: AbortSignal,
): AsyncGenerator<readonly WireObject[]> {
  const seen = new Set<unknown>();
  for (let offset = 0; ;) {
    const limit = sizeOf();
    if (limit === 0) return;
    const body = await client.listWorkouts({ ...query, limit, offset }, signal);
    const page = listIn(body);
    if (page === undefined) {
      throw new NoList(body);
    }
    const fresh = page.filter(({ id }) => id === undefined || !seen.has(id));
    for (const workout of fresh) seen.add(workout['id']);
    yield fresh;
    // A short page may be the last one, or this service's page limit: the next page decides. A service
    // without paging repeats the page, which is only detectable if the workouts have ids.
    const last = page.length < limit && page.some(({ id }) => id === undefined);
    if (last || fresh.length === 0) return;
    offset += page.length;
  }
}

/** Returns the list in a response: the body itself, or its only list. */
export function listIn(body: unknown): WireObject[] | undefined {
  const lists = isObject(body) ? Object.values(body).filter(Array.isArray) : [body];
  const [list] = lists;
  if (lists.length !== 1 || !Array.isArray(list)) return undefined;
  return list.every(isObject) ? list : undefined;
}
