import type { Activity } from '../fit/activity.ts';

/** A row of the table `uploads`. */
export interface UploadRow {
  readonly sha256: string;
  readonly state: 'pending' | 'confirmed' | 'rejected' | 'undoing' | 'undone' | 'held';
  readonly owner: string | null;
  readonly path: string;
  readonly size: number;
  readonly attempts: number;
  readonly refusals: number;
  readonly service: string;
  readonly message: string | null;
  readonly changed_at: number;
  readonly name: string | null;
  readonly started_at: number | null;
  readonly offset_minutes: number | null;
  readonly moving_secs: number | null;
  readonly distance_meters: number | null;
  readonly duration_secs: number | null;
  readonly recorded_secs: number | null;
  readonly recorded_meters: number | null;
  readonly sent_as: string;
}

export type LedgerUpload = Readonly<ReturnType<typeof decode>>;

/** How far a recording is. */
export type UploadStanding = Pick<LedgerUpload, 'state' | 'attempts' | 'refusals' | 'changedAt'>;

export function decode(row: UploadRow) {
  const { sha256, state, path, size, attempts, refusals } = row;
  const activity: Activity = {
    name: row.name ?? undefined,
    startedAt: row.started_at ?? undefined,
    offsetMinutes: row.offset_minutes ?? undefined,
    movingSecs: row.moving_secs ?? undefined,
    distanceMeters: row.distance_meters ?? undefined,
  };
  const confirmed = state === 'confirmed';
  return {
    sha256,
    state,
    path,
    size,
    activity,
    /** Requests made for it so far, in all runs. */
    attempts,
    /** Refusals since the service last took it. */
    refusals,
    /** The ids in the service's answer; empty before it is confirmed. */
    service: confirmed ? (JSON.parse(row.service) as Readonly<Record<string, unknown>>) : {},
    message: row.message ?? undefined,
    /** Milliseconds since the epoch. */
    changedAt: row.changed_at,
  };
}

export type ConfirmedUpload = Readonly<ReturnType<typeof decodeConfirmed>>;

/** What the platform may show of a recording as a workout. */
export type WorkoutFacts = Pick<
  ConfirmedUpload,
  'durationSecs' | 'recordedSecs' | 'recordedMeters' | 'sentAs'
>;

/** Converts a row of the state `confirmed` or `undoing`. */
export function decodeConfirmed(row: UploadRow) {
  const { workoutId } = JSON.parse(row.service) as { workoutId?: unknown };
  return {
    sha256: row.sha256,
    path: row.path,
    /** A request to remove its workout may have been sent. */
    isUndoing: row.state === 'undoing',
    /** ms since the epoch. */
    confirmedAt: row.changed_at,
    /** When it began (ms since the epoch), if the recording states it. */
    startedAt: row.started_at ?? undefined,
    /** Over all sessions, in s. */
    movingSecs: row.moving_secs ?? undefined,
    distanceMeters: row.distance_meters ?? undefined,
    /** Timer time of its first session, in s. */
    durationSecs: row.duration_secs ?? undefined,
    /** Until the last record, from the first, in s; of a recording without records, its timer time. */
    recordedSecs: row.recorded_secs ?? undefined,
    /** Distance in the last record. */
    recordedMeters: row.recorded_meters ?? undefined,
    sentAs: row.sent_as,
    workoutId: typeof workoutId === 'string' ? workoutId : undefined,
  };
}
