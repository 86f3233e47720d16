import type { Summary } from '../fit/summary.ts';
import type { WorkoutFacts } from '../ledger/upload-rows.ts';
import { type Namesake, isShorter } from '../ledger/uploads.ts';

/** Returns what the platform may show of a recording as a workout. @param sentAs its file name on the wire */
export function workoutFacts(
  { first, recorded, timerSecs }: Summary,
  sentAs: string,
): WorkoutFacts {
  return {
    durationSecs: first.timerSecs,
    recordedSecs: recorded.secs ?? timerSecs,
    recordedMeters: recorded.distanceMetres,
    sentAs,
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
