import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import type { ConfirmedUpload } from '../ledger/upload-rows.ts';
import type { ServiceClient } from '../api/client.ts';
import type { WireObject } from '../api/wire.ts';
import type { PlatformFacts } from '../config/platforms.ts';
import { NoList, startOf } from '../api/workout-pages.ts';
import {
  PROCESSING_MS,
  SOURCE,
  knownWorkouts,
  listWorkouts,
  listsOwnWorkouts,
} from './own-workouts.ts';
import { fileLabel } from './same-workout.ts';
import { type Shortened, shortenedTo } from './workout-length.ts';

export interface Verified {
  readonly upload: ConfirmedUpload;
  /**
   * `pending`: no workout yet, and less than {@link PROCESSING_MS} since the upload. `missing`: still no
   * workout; the platform could not process the recording, or the workout was deleted. `notKnown`: the
   * list of workouts may be incomplete, or the platform has shown no recording from here, neither in an answer
   * nor in a list.
   */
  readonly outcome: 'present' | 'missing' | 'pending' | 'notKnown';
  /** The id of its workout, if the service shows one. */
  readonly workoutId?: string;
  /** What the workout shows, if it is shorter than the recording, or filled by a shorter one. */
  readonly shortened?: Shortened;
}

/** Tolerance between the start and duration of a recording and of its workout (ms). */
const TOLERANCE_MS = 60_000;

/**
 * Compares uploaded recordings with the platform's workouts, including its duplicates. Sends no request
 * if there is no recording.
 *
 * @param facts of the platform; a list with a recording from here is noted
 * @param days further times to list the workouts of
 * @returns `items`: one result per recording, in the same order. `others`: the workouts of no recording
 * @throws any error of the client, such as `SCOPE_MISSING` without `workout:read`.
 */
export async function verifyUploads(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  uploads: readonly ConfirmedUpload[],
  client: () => Promise<ServiceClient>,
  facts: PlatformFacts,
  days: readonly Pick<ConfirmedUpload, 'startedAt' | 'confirmedAt'>[] = [],
): Promise<{ readonly items: Verified[]; readonly others: readonly WireObject[] }> {
  const listed = [...uploads, ...days];
  if (listed.length === 0) return { items: [], others: [] };
  const now = clock.now();
  const isKnown = () => listsOwnWorkouts(facts);
  const service = await client();
  const list = await listWorkouts(listed, service, signal, facts).catch((error: unknown) => {
    if (isKnown() || !hasNoList(error)) throw error;
    return { workouts: [], isCut: false };
  });
  const { workouts, isCut } = list;
  // The answer may have shown which run of a sandbox this is.
  const listsOwn = isKnown();
  const match = matcher(uploads, workouts);
  const matched = uploads.map((upload) => ({ upload, workout: match(upload) }));
  const isFound = matched.some(({ workout }) => workout !== undefined);
  if (isFound && !listsOwn) facts.note('workouts', 'own-workouts');
  // Of recordings that became one workout, the last one fills it.
  const fillers = new Map(
    matched
      .toSorted((a, b) => a.upload.confirmedAt - b.upload.confirmedAt)
      .map(({ upload, workout }) => [workout, upload]),
  );
  const taken = new Set(matched.map(({ workout }) => workout));
  const others = workouts.filter((workout) => !taken.has(workout));
  const items = matched.map(({ upload, workout }): Verified => {
    if (workout !== undefined) {
      const { id } = workout;
      const shortened = shortenedTo(upload, workout, fillers.get(workout));
      return {
        upload,
        outcome: 'present',
        ...(typeof id === 'string' ? { workoutId: id } : {}),
        ...(shortened === undefined ? {} : { shortened }),
      };
    }
    if (isCut || (!listsOwn && !isFound)) return { upload, outcome: 'notKnown' };
    const fresh = Math.abs(now - upload.confirmedAt) < PROCESSING_MS;
    return { upload, outcome: fresh ? 'pending' : 'missing' };
  });
  return { items, others };
}

/** Returns whether a platform has no list of workouts: the interface describes none (4.7). */
function hasNoList(error: unknown): boolean {
  if (!(error instanceof SyncError)) return false;
  return error instanceof NoList || NO_ROUTE.includes(error.details['status']);
}

const NO_ROUTE: readonly unknown[] = [404, 405, 501];

/** A workout of the platform and its start (ms since the epoch). */
interface Listed {
  readonly workout: WireObject;
  readonly date: number;
}

/**
 * Finds the workout of each recording, first by {@link knownWorkouts}. The others match by start and
 * duration, and each workout matches once.
 */
function matcher(
  uploads: readonly ConfirmedUpload[],
  workouts: readonly WireObject[],
): (upload: ConfirmedUpload) => WireObject | undefined {
  const known = knownWorkouts(uploads, workouts);
  const taken = new Set(known.values());
  const left: Listed[] = workouts
    .filter((workout) => !taken.has(workout) && !isFromElsewhere(workout))
    .map((workout) => ({ workout, date: Date.parse(startOf(workout) ?? '') }))
    .filter(({ date }) => !Number.isNaN(date))
    .sort((a, b) => a.date - b.date);
  return (upload) => known.get(upload) ?? takeNearest(upload, left);
}

/** Returns whether a workout comes from another source, such as a device's platform. */
function isFromElsewhere({ source, externalId }: WireObject): boolean {
  return typeof source === 'string' && source !== SOURCE && typeof externalId === 'string';
}

/** Returns the workout with the nearest start and a similar duration, and removes it from `left`. */
function takeNearest(upload: ConfirmedUpload, left: Listed[]): WireObject | undefined {
  const { startedAt } = upload;
  if (startedAt === undefined) return takeNamesake(upload, left);
  const off = ({ date }: Listed) => Math.abs(date - startedAt);
  const [nearest] = left
    .filter((each) => off(each) <= TOLERANCE_MS && isAsLong(upload, each.workout))
    .sort((a, b) => off(a) - off(b));
  return nearest && left.splice(left.indexOf(nearest), 1)[0]?.workout;
}

/** Finds the workout of a recording without a start time, whose label holds another time. */
function takeNamesake({ sentAs }: ConfirmedUpload, left: Listed[]): WireObject | undefined {
  const index = left.findIndex(
    ({ workout: { externalId } }) =>
      typeof externalId === 'string' && externalId.endsWith(`_${fileLabel(sentAs)}`),
  );
  return index < 0 ? undefined : left.splice(index, 1)[0]?.workout;
}

/** Compares durations. An unknown duration matches any other. */
function isAsLong({ durationSecs }: ConfirmedUpload, { durationSec }: WireObject): boolean {
  if (durationSecs === undefined || typeof durationSec !== 'number' || durationSec === 0) {
    return true;
  }
  return Math.abs(durationSec - durationSecs) * 1000 <= TOLERANCE_MS;
}
