import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { ServiceClient, WorkoutQuery } from './client.ts';
import { isObject } from '../base/json.ts';
import { firstText } from './service-message.ts';
import type { PlatformFacts } from '../config/platforms.ts';
import { type WireObject, checkShown } from './wire.ts';

export class NoList extends SyncError {
  readonly body: unknown;

  constructor(body: unknown) {
    super('SERVICE_ANSWER', 'The platform sent something other than a list of workouts.', {
      hint: phrase`${sync('workouts', '--json')} shows what it answers.`,
    });
    this.body = body;
  }
}

/** Statuses for a query that the service does not know: the interface names none (4.7). */
const REFUSED_QUERY: readonly unknown[] = [400, 422];

export interface WorkoutPage {
  /** Without the workouts of earlier pages. */
  readonly workouts: readonly WireObject[];
  /** The platform may have more than it shows here. */
  readonly isCut: boolean;
}

/** The smallest page size that a platform may choose, and the step between such sizes. */
const LEAST_PAGE = 10;
const ROUND = 5;

/**
 * Yields the service's workouts page by page, by the parameters that an answer states for the next page or else by
 * `offset`; from a service that refuses the query, the list without one. A workout on two pages (because another was
 * added in the meantime) is yielded once.
 *
 * @param sizeOf returns the size of the next page; 0 ends the listing.
 * @throws NoList; any error of the client.
 */
export async function* workoutPages(
  client: ServiceClient,
  query: WorkoutQuery,
  sizeOf: () => number,
  signal: AbortSignal,
  facts?: PlatformFacts,
): AsyncGenerator<WorkoutPage> {
  const seen = new Set<unknown>();
  const keyOf = (workout: WireObject) => workout['id'] ?? JSON.stringify(workout);
  let place: WorkoutQuery = { offset: 0 };
  let isStated = false;
  for (let offset = 0; ;) {
    const limit = sizeOf();
    if (limit === 0) return;
    const asked = { ...query, limit, ...place };
    const answer = await listOrWhole(client, asked, signal, offset === 0, facts);
    const page = listIn(answer.body);
    if (page === undefined) {
      throw new NoList(checkShown(answer.body));
    }
    const fresh = page.filter((workout) => !seen.has(keyOf(workout)));
    for (const workout of fresh) seen.add(keyOf(workout));
    const next = nextIn(answer, offset + page.length);
    // A service without paging repeats its list, which may be whole.
    const isLast = answer.isWhole || fresh.length === 0;
    const isPage =
      next !== undefined ||
      (page.length >= LEAST_PAGE && page.length % ROUND === 0) ||
      statesMore(answer.body, seen.size);
    yield { workouts: fresh, isCut: isLast && page.length > 0 && isPage };
    if (isLast || (isStated && next === undefined)) return;
    isStated = next !== undefined;
    // A short page may be the last one, or this service's page limit: the next page decides.
    offset += page.length;
    place = next === undefined ? { offset } : { ...asked, offset: undefined, ...next };
  }
}

/** Asks for a page; a service that refuses the query of the first one is asked without any. */
async function listOrWhole(
  client: ServiceClient,
  query: WorkoutQuery,
  signal: AbortSignal,
  isFirst: boolean,
  facts?: PlatformFacts,
) {
  try {
    return { ...(await client.listWorkouts(query, signal, facts)), isWhole: false };
  } catch (error) {
    const isRefused = error instanceof SyncError && REFUSED_QUERY.includes(error.details['status']);
    if (!isRefused || !isFirst) throw error;
    return { ...(await client.listWorkouts({}, signal, facts)), isWhole: true };
  }
}

/**
 * Returns the parameters of the next page, as an answer states them: in a `Link` (RFC 8288), the query of an address, a
 * cursor, or the number of pages. Only the query is used, so that the token goes nowhere else.
 */
function nextIn(
  { body, link }: { readonly body: unknown; readonly link: string | undefined },
  offset: number,
): WorkoutQuery | undefined {
  const [next, nextUrl, cursor, page, pages] = statedIn(body, [
    'next',
    'nextpageurl',
    'nextcursor',
    'page',
    'totalpages',
  ]);
  const address = /<([^<>]*)>[^<]*\brel="?next\b/i.exec(link ?? '')?.[1] ?? next ?? nextUrl;
  if (typeof address === 'string' && URL.canParse(address, 'http://platform')) {
    const parameters = new URL(address, 'http://platform').searchParams;
    if (parameters.size > 0) return Object.fromEntries(parameters);
  }
  if (typeof cursor === 'number' || (typeof cursor === 'string' && cursor !== '')) {
    return { cursor };
  }
  const isNumbered = typeof page === 'number' && typeof pages === 'number' && page < pages;
  return isNumbered ? { page: page + 1, offset } : undefined;
}

/** Returns whether an answer states more workouts than these. */
function statesMore(body: unknown, listed: number): boolean {
  const [hasMore, total, totalCount = total] = statedIn(body, ['hasmore', 'total', 'totalcount']);
  return hasMore === true || (typeof totalCount === 'number' && totalCount > listed);
}

/** Returns members of an answer, or of an object in it, such as `meta`. */
function statedIn(body: unknown, names: readonly string[]): unknown[] {
  const around = isObject(body) ? Object.values(body).filter(isObject) : [];
  return valuesOf(Object.assign({}, ...around, body) as WireObject, names);
}

/** Usual names of the list of workouts in a response, the likeliest first. */
const LIST_NAMES = ['workouts', 'data', 'items', 'results'] as const;

/** Returns the list in a response: the body itself, its list of a usual name, or its only list. */
export function listIn(body: unknown): WireObject[] | undefined {
  if (!isObject(body)) return objectsIn(body);
  const named = LIST_NAMES.map((name) => body[name]).filter(Array.isArray);
  const lists = named.length > 0 ? named : Object.values(body).filter(Array.isArray);
  // An empty list beside it may be one of errors.
  const full = lists.filter((list) => list.length > 0);
  const likely = full.length > 0 ? full : lists;
  return named.length > 0 || likely.length === 1 ? objectsIn(likely[0]) : undefined;
}

function objectsIn(list: unknown): WireObject[] | undefined {
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
}

/** Usual names of a start and of a title, in lower case without separators; the likeliest first. */
const START_NAMES =
  'date starttime startdate startedat startat start starttimelocal startdatelocal begin begintime beginat datetime timestamp time day'.split(
    ' ',
  );
const TITLE_NAMES = 'title name workoutname activityname displayname workouttitle label'.split(' ');

/** Smallest numbers that are a time in s, and in ms: 2001 and 1973. Smaller ones are a duration. */
const LEAST_S = 1e9;
const LEAST_MS = 1e11;

/**
 * Returns when a workout began, as the service writes it: an instant in ISO 8601, if it has one. The interface
 * names no field of a workout (4.7).
 */
export function startOf(workout: WireObject): string | undefined {
  const texts = valuesOf(workout, START_NAMES).flatMap((value) => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'number' || value < LEAST_S) return [];
    const time = new Date(value < LEAST_MS ? value * 1000 : value);
    return Number.isNaN(time.getTime()) ? [] : [time.toISOString()];
  });
  return texts.find(isInstant) ?? texts.find((text) => text.trim() !== '');
}

export function titleOf(workout: WireObject): string | undefined {
  return firstText(...valuesOf(workout, TITLE_NAMES));
}

function valuesOf(workout: WireObject, names: readonly string[]): unknown[] {
  const plain = new Map(
    Object.entries(workout).map(([name, value]) => [
      name.toLowerCase().replace(/[_\s-]/g, ''),
      value,
    ]),
  );
  return names.map((name) => plain.get(name));
}

/** Longest text that is taken for a time (characters): searching a longer one takes quadratic time. */
const LONGEST_TIME = 40;

/** Checks for an ISO 8601 time with an offset. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_TIME) return false;
  return /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value);
}
