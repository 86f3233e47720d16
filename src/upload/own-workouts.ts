import { type ErrorCode, SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { ServiceClient } from '../api/client.ts';
import type { WireObject } from '../api/wire.ts';
import { startOf, workoutPages } from '../api/workout-pages.ts';
import type { PlatformFacts } from '../config/platforms.ts';
import type { ConfirmedUpload } from '../ledger/upload-rows.ts';
import { workoutLabel } from './same-workout.ts';

/*
 * The platform's workouts of recordings that were sent from here.
 */

/** Time that the platform gets to process a recording (ms). */
export const PROCESSING_MS = 3_600_000;

/** `source` of a workout from an uploaded FIT file, on deployed services. */
export const SOURCE = 'fit_file';

/** Failures to list workouts that pass with no retry. */
export const NO_LIST: readonly ErrorCode[] = ['SCOPE_MISSING', 'REJECTED', 'SERVICE_ANSWER'];

const PAGE = 200;
/** Limit on the workouts of one comparison: a platform may list them without an end. */
const MOST_WORKOUTS = 50_000;
/** Longest text of a workout that is kept (characters). */
const LONGEST_TEXT = 500;
const DAY_MS = 86_400_000;

/** Returns whether a platform is known to list the workouts of recordings from here. */
export function listsOwnWorkouts(facts: Pick<PlatformFacts, 'has'>): boolean {
  return facts.has('workouts', 'own-workouts') || facts.has('uploadFit', 'results');
}

/**
 * Lists the workouts of the days of recordings, with the platform's duplicates.
 *
 * @returns also whether the platform may have more of them
 */
export async function listWorkouts(
  uploads: readonly Pick<ConfirmedUpload, 'startedAt' | 'confirmedAt'>[],
  client: ServiceClient,
  signal: AbortSignal,
  facts?: PlatformFacts,
): Promise<{ readonly workouts: readonly WireObject[]; readonly isCut: boolean }> {
  let from = Infinity;
  let to = -Infinity;
  for (const { startedAt, confirmedAt } of uploads) {
    // The workout of a recording without a start time begins when the platform processed it.
    from = Math.min(from, startedAt ?? confirmedAt);
    to = Math.max(to, startedAt ?? confirmedAt + PROCESSING_MS);
  }
  const query = {
    startDate: dayOf(from - DAY_MS),
    // Deployed services end the range at the start of this day, in UTC.
    endDate: dayOf(to + 2 * DAY_MS),
    includeDuplicates: true,
  };
  const found: WireObject[] = [];
  let isCut = false;
  for await (const page of workoutPages(client, query, () => PAGE, signal, facts)) {
    found.push(...page.workouts.map(factsOf));
    isCut = page.isCut;
    if (found.length > MOST_WORKOUTS) {
      const most = MOST_WORKOUTS.toLocaleString('en-US');
      throw new SyncError(
        'SERVICE_ANSWER',
        `The platform lists more than ${most} workouts of these days.`,
        { hint: phrase`Ask about fewer days: ${sync('verify', '--since', '30d')}.` },
      );
    }
  }
  return { workouts: found, isCut };
}

/** Keeps the fields that tell a workout from others, each of a usual length: a platform may add any text. */
function factsOf(workout: WireObject): WireObject {
  const { id, source, externalId, title, durationSec, distanceMeters } = workout;
  const { averageHr, averageWatts } = workout;
  const all = {
    ...{ id, source, externalId, title, durationSec, distanceMeters },
    // `null`: it was recorded without such a sensor (upload/rides.ts).
    ...{ averageHr, averageWatts },
    date: startOf(workout),
  };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([, value]) =>
        value === null ||
        typeof value === 'number' ||
        (typeof value === 'string' && value.length <= LONGEST_TEXT),
    ),
  );
}

/** Returns the UTC date. FIT times have 32 bits from 1989 on, so the year has four digits. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Finds workouts by the service's id or the label of the upload. Recordings with the same start and file
 * name share a workout.
 */
export function knownWorkouts<
  T extends Pick<ConfirmedUpload, 'workoutId' | 'startedAt' | 'sentAs'>,
>(uploads: readonly T[], workouts: readonly WireObject[]): ReadonlyMap<T, WireObject> {
  const byLabel = new Map<unknown, WireObject>();
  for (const workout of workouts) {
    byLabel.set(`id ${String(workout['id'])}`, workout);
    if (workout['source'] === SOURCE) byLabel.set(workout['externalId'], workout);
  }
  const known = new Map<T, WireObject>();
  for (const upload of uploads) {
    const { workoutId, startedAt, sentAs } = upload;
    const byId = workoutId === undefined ? undefined : byLabel.get(`id ${workoutId}`);
    const workout = byId ?? byLabel.get(workoutLabel(startedAt, sentAs));
    if (workout !== undefined) known.set(upload, workout);
  }
  return known;
}
