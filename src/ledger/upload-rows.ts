import { basename } from 'node:path';
import type { ConfirmedUpload, LedgerUpload } from './uploads.ts';

/** A row of the table `uploads`. */
export interface UploadRow {
  readonly sha256: string;
  readonly state: LedgerUpload['state'];
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
  readonly sent_as: string | null;
}

export function decode(row: UploadRow): LedgerUpload {
  return {
    sha256: row.sha256,
    state: row.state,
    path: row.path,
    size: row.size,
    activity: {
      name: row.name ?? undefined,
      startedAt: row.started_at ?? undefined,
      offsetMinutes: row.offset_minutes ?? undefined,
      movingSecs: row.moving_secs ?? undefined,
      distanceMeters: row.distance_meters ?? undefined,
    },
    attempts: row.attempts,
    refusals: row.refusals,
    service: row.state === 'confirmed' ? (JSON.parse(row.service) as Record<string, unknown>) : {},
    message: row.message ?? undefined,
    changedAt: row.changed_at,
  };
}

/** Converts a row of the state `confirmed`. */
export function decodeConfirmed(row: UploadRow): ConfirmedUpload {
  const { workoutId } = JSON.parse(row.service) as { workoutId?: unknown };
  return {
    sha256: row.sha256,
    path: row.path,
    confirmedAt: row.changed_at,
    startedAt: row.started_at ?? undefined,
    movingSecs: row.moving_secs ?? undefined,
    distanceMeters: row.distance_meters ?? undefined,
    durationSecs: row.duration_secs ?? undefined,
    sentAs: row.sent_as ?? basename(row.path),
    workoutId: typeof workoutId === 'string' ? workoutId : undefined,
  };
}
