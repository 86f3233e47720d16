import type { Context } from '../base/context.ts';
import { type ErrorCode, SyncError } from '../base/errors.ts';
import type { ConfirmedUpload, WorkoutFacts } from '../ledger/upload-rows.ts';
import { phrase, sync } from '../base/phrase.ts';
import type { ServiceClient } from '../api/client.ts';
import type { WireObject } from '../api/wire.ts';
import type { PlatformFacts } from '../config/platforms.ts';
import { fileLabel, workoutLabel } from './same-workout.ts';
import { NoList, startOf, workoutPages } from '../api/workout-pages.ts';

export interface Verified {
  readonly upload: ConfirmedUpload;
  /**
   * `pending`: no workout yet, and less than {@link PROCESSING_MS} since the upload. `missing`: still no
   * workout; the platform could not process the recording, or the workout was deleted. `notKnown`: the
   * platform never named an item that it took, and never listed a recording from here.
   */
  readonly outcome: 'present' | 'missing' | 'pending' | 'notKnown';
  /** The id of its workout, if the service shows one. */
  readonly workoutId?: string;
  /** What the workout shows, if it is shorter than the recording, or filled by a shorter one. */
  readonly shortened?: Shortened;
}

interface Shortened {
  readonly durationSecs: number | undefined;
  readonly distanceMeters: number | undefined;
  /** It is the first leg of a recording with several. */
  readonly isLeg: boolean;
}

/** Time that the platform gets to process a recording (ms). */
export const PROCESSING_MS = 3_600_000;

const PAGE = 200;
/** Limit on the workouts of one comparison: a platform may list them without an end. */
const MOST_WORKOUTS = 50_000;
/** Longest text of a workout that is kept (characters). */
const LONGEST_TEXT = 500;
const DAY_MS = 86_400_000;
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
  const workouts = await listWorkouts(listed, service, signal, facts).catch((error: unknown) => {
    if (isKnown() || !hasNoList(error)) throw error;
    return [];
  });
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
    if (!listsOwn && !isFound) return { upload, outcome: 'notKnown' };
    const fresh = Math.abs(now - upload.confirmedAt) < PROCESSING_MS;
    return { upload, outcome: fresh ? 'pending' : 'missing' };
  });
  return { items, others };
}

/** Returns whether a platform is known to list the workouts of recordings from here. */
export function listsOwnWorkouts(facts: Pick<PlatformFacts, 'has'>): boolean {
  return facts.has('workouts', 'own-workouts') || facts.has('uploadFit', 'results');
}

/** Returns whether a platform has no list of workouts: the interface describes none (4.7). */
function hasNoList(error: unknown): boolean {
  if (!(error instanceof SyncError)) return false;
  return error instanceof NoList || NO_ROUTE.includes(error.details['status']);
}

const NO_ROUTE: readonly unknown[] = [404, 405, 501];

/** Lists the workouts of the days of recordings, with the platform's duplicates. */
export async function listWorkouts(
  uploads: readonly Pick<ConfirmedUpload, 'startedAt' | 'confirmedAt'>[],
  client: ServiceClient,
  signal: AbortSignal,
  facts?: PlatformFacts,
): Promise<WireObject[]> {
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
  for await (const page of workoutPages(client, query, () => PAGE, signal, facts)) {
    found.push(...page.map(factsOf));
    if (found.length > MOST_WORKOUTS) {
      const most = MOST_WORKOUTS.toLocaleString('en-US');
      throw new SyncError(
        'SERVICE_ANSWER',
        `The platform lists more than ${most} workouts of these days.`,
        { hint: phrase`Ask about fewer days: ${sync('verify', '--since', '30d')}.` },
      );
    }
  }
  return found;
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

/**
 * Returns whether the platform lists a longer workout with the start and the file name of a recording.
 * A platform that lists no workouts for this login has none.
 *
 * @throws SyncError if the platform cannot be asked now
 */
export async function hasLongerWorkout(
  startedAt: number,
  { sentAs, recordedSecs, recordedMeters }: WorkoutFacts,
  client: ServiceClient,
  signal: AbortSignal,
): Promise<boolean> {
  const recording = { startedAt, confirmedAt: startedAt, sentAs, workoutId: undefined };
  try {
    const workouts = await listWorkouts([recording], client, signal);
    const { secs, meters } = lengthOf(knownWorkouts([recording], workouts).get(recording) ?? {});
    return isLess(recordedSecs, secs, 1) || isLess(recordedMeters, meters, TOLERANCE_METERS);
  } catch (error) {
    if (error instanceof SyncError && NO_LIST.includes(error.code)) return false;
    throw error;
  }
}

/** Tolerances between the length of a recording and of its workout: m, and a share of either. */
const TOLERANCE_METERS = 100;
const ROUNDING = 0.02;

/** `source` of a workout from an uploaded FIT file, on deployed services. */
export const SOURCE = 'fit_file';

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

/**
 * Returns the length of a workout that is shorter than its recording; undefined for any other.
 *
 * @param filler the recording that the workout was made of: a session may claim more than its records hold
 */
function shortenedTo(
  upload: ConfirmedUpload,
  workout: WireObject,
  filler = upload,
): Shortened | undefined {
  const recorded = recordedIn(upload);
  const { secs, meters } = lengthOf(workout, filler === upload ? undefined : recordedIn(filler));
  const isShorter = isLess(secs, recorded.secs, TOLERANCE_MS / 1000);
  if (!isShorter && !isLess(meters, recorded.meters, TOLERANCE_METERS)) return undefined;
  const isLeg =
    isShorter && filler === upload && isLess(upload.durationSecs, upload.movingSecs ?? 0, 1);
  return { durationSecs: secs, distanceMeters: meters, isLeg };
}

interface Length {
  readonly secs: number | undefined;
  readonly meters: number | undefined;
}

/** Returns the length that a recording states, at most that of its records. */
function recordedIn(upload: ConfirmedUpload) {
  const { movingSecs = 0, recordedSecs = movingSecs } = upload;
  const { distanceMeters = 0, recordedMeters = distanceMeters } = upload;
  return {
    secs: Math.min(movingSecs, recordedSecs),
    meters: Math.min(distanceMeters, recordedMeters),
  };
}

/** Returns what a workout shows, at most `most`. */
function lengthOf({ durationSec, distanceMeters }: WireObject, most?: Length): Length {
  const number = (value: unknown, limit = Infinity) =>
    typeof value === 'number' ? Math.min(value, limit) : undefined;
  return { secs: number(durationSec, most?.secs), meters: number(distanceMeters, most?.meters) };
}

/** @param least smallest difference that counts; a share of the length counts too */
function isLess(there: number | undefined, recorded: number | undefined, least: number): boolean {
  if (there === undefined || recorded === undefined) return false;
  return there < recorded - Math.max(least, recorded * ROUNDING);
}

/** Failures to list workouts that pass with no retry. */
export const NO_LIST: readonly ErrorCode[] = ['SCOPE_MISSING', 'REJECTED', 'SERVICE_ANSWER'];
