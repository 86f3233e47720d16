import { type Summary, readFirstSession, readRecorded } from '../fit/summary.ts';
import type { WorkoutFacts } from '../ledger/upload-rows.ts';
import { type Namesake, isShorter } from '../ledger/uploads.ts';
import type { Whole } from './identify.ts';
import { wireFileName } from './multipart.ts';

/** Reads what the platform may show of a recording as a workout. */
export function workoutFacts(bytes: Uint8Array, whole: Omit<Whole, 'device'>): WorkoutFacts {
  const { startTime, timerSecs } = readFirstSession(bytes, whole.summary);
  const { secs, distanceMetres } = readRecorded(bytes);
  return {
    durationSecs: timerSecs,
    recordedSecs: secs ?? whole.summary.timerSecs,
    recordedMeters: distanceMetres,
    sentAs: wireFileName(startTime?.getTime(), whole),
  };
}

/** A whole recording may claim more time than its records span, by less than this (s). */
const CLAIM_TOLERANCE_SECS = 60;

/** Returns whether a recording may be a part of a longer one: no session covers just its records. */
export function isPerhapsPart({ recordedSecs = 0 }: WorkoutFacts, { timerSecs }: Summary): boolean {
  return timerSecs === undefined || timerSecs > recordedSecs + CLAIM_TOLERANCE_SECS;
}

/** Names the recording with the workout that an upload replaces; undefined if there is none, or it is as long. */
export function replacedNote(
  workout: WorkoutFacts,
  namesake: Namesake | undefined,
): string | undefined {
  if (namesake === undefined || workout.recordedSecs === namesake.recordedSecs) return undefined;
  const length = isShorter(workout, namesake) ? 'longer' : 'shorter';
  return `It replaces the workout of a ${length} recording (${namesake.path}).`;
}

/** Returns a file name as in `externalId`. */
export function fileLabel(sentAs: string): string {
  return sentAs.replace(/\W/g, '_');
}

/**
 * Returns the `externalId` of the workout that deployed services make of an upload.
 *
 * @param startedAt ms since 1970
 */
export function workoutLabel(startedAt: number | undefined, sentAs: string): string {
  return `fit_${startedAt}_${fileLabel(sentAs)}`;
}
