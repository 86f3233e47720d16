import { SyncError } from '../base/errors.ts';
import type { ServiceClient, WorkoutQuery } from './client.ts';
import { type JsonObject, isObject } from './wire.ts';

/** What came is no list of workouts. */
export class NoList extends SyncError {
  /** As it came. */
  readonly body: unknown;

  constructor(body: unknown) {
    super('SERVICE_ANSWER', 'The service answered with something that is no list of workouts.', {
      hint: '`sync workouts --json` shows what it answers.',
    });
    this.body = body;
  }
}

/**
 * The workouts that the service lists, page by page until there are no more. A workout that turns up
 * on two pages (because one was added meanwhile) is given once.
 *
 * @param sizeOf how many to ask for next; 0 ends it.
 * @throws NoList; whatever the client throws.
 */
export async function* workoutPages(
  client: ServiceClient,
  query: Omit<WorkoutQuery, 'limit' | 'offset'>,
  sizeOf: () => number,
  signal: AbortSignal,
): AsyncGenerator<readonly JsonObject[]> {
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
    // A short page may be the last, or as much as this service gives at once: the next one tells.
    // A service that does not know paging sends the same again; without ids that cannot be told.
    const last = page.length < limit && page.some(({ id }) => id === undefined);
    if (last || fresh.length === 0) return;
    offset += page.length;
  }
}

/** The list in an answer: the body itself, or the one list that it holds. */
function listIn(body: unknown): JsonObject[] | undefined {
  const lists = isObject(body) ? Object.values(body).filter(Array.isArray) : [body];
  const [list] = lists;
  if (lists.length !== 1 || !Array.isArray(list)) return undefined;
  return list.every(isObject) ? list : undefined;
}
