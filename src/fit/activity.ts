import { activityName } from './activity-name.ts';
import { type Summary, readFirstSession } from './summary.ts';

/** A recording as people recognise it. Fields that the recording does not state are undefined. */
export interface Activity {
  /** "Morning ride": see {@link activityName}. */
  readonly name: string | undefined;
  /** Start of the first session (ms since the epoch). */
  readonly startedAt: number | undefined;
  /** Local time minus UTC. */
  readonly offsetMinutes: number | undefined;
  /** Time without pauses, over all sessions (s). */
  readonly movingSecs: number | undefined;
  /** Over all sessions (m). */
  readonly distanceMeters: number | undefined;
}

/** Describes a recording for people. Without a session, start and time are those of its records. */
export function describeActivity(bytes: Uint8Array, summary: Summary): Activity {
  const first = readFirstSession(bytes, summary);
  return {
    name: activityName(summary),
    startedAt: first.startTime?.getTime(),
    offsetMinutes: summary.localOffsetMinutes,
    movingSecs: summary.timerSecs ?? first.timerSecs,
    distanceMeters: summary.distanceMetres,
  };
}
