import { SyncError } from '../base/errors.ts';
import type { ServiceClient } from '../api/client.ts';
import type { WireObject } from '../api/wire.ts';
import type { ConfirmedUpload, WorkoutFacts } from '../ledger/upload-rows.ts';
import { NO_LIST, knownWorkouts, listWorkouts } from './own-workouts.ts';

export interface Shortened {
  readonly durationSecs: number | undefined;
  readonly distanceMeters: number | undefined;
  /** It is the first leg of a recording with several. */
  readonly isLeg: boolean;
}

/** Tolerances between the length of a recording and of its workout: s, m, and a share of either. */
const TOLERANCE_SECS = 60;
const TOLERANCE_METERS = 100;
const ROUNDING = 0.02;

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
    const { workouts } = await listWorkouts([recording], client, signal);
    const { secs, meters } = lengthOf(knownWorkouts([recording], workouts).get(recording) ?? {});
    return isLess(recordedSecs, secs, 1) || isLess(recordedMeters, meters, TOLERANCE_METERS);
  } catch (error) {
    if (error instanceof SyncError && NO_LIST.includes(error.code)) return false;
    throw error;
  }
}

/**
 * Returns the length of a workout that is shorter than its recording; undefined for any other.
 *
 * @param filler the recording that the workout was made of: a session may claim more than its records hold
 */
export function shortenedTo(
  upload: ConfirmedUpload,
  workout: WireObject,
  filler = upload,
): Shortened | undefined {
  const recorded = recordedIn(upload);
  const { secs, meters } = lengthOf(workout, filler === upload ? undefined : recordedIn(filler));
  const isShorter = isLess(secs, recorded.secs, TOLERANCE_SECS);
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
