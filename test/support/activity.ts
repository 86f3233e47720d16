import type { Activity } from '../../src/fit/activity.ts';

/** A recording that states nothing about itself. */
export const NO_ACTIVITY: Activity = {
  name: undefined,
  startedAt: undefined,
  offsetMinutes: undefined,
  movingSecs: undefined,
  distanceMeters: undefined,
};

/** A workout of a recording that states nothing about itself. */
export const NO_WORKOUT = {
  durationSecs: undefined,
  recordedSecs: undefined,
  recordedMeters: undefined,
  sentAs: 'recording.fit',
};
