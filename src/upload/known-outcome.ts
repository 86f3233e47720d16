import type { Text } from '../base/phrase.ts';
import type { KnownFile, KnownFileStatus } from '../ledger/known-files.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import type { UploadStanding } from '../ledger/upload-rows.ts';
import type { Activity } from '../fit/activity.ts';
import type { InvalidReason, UploadItem } from './report.ts';

export interface SendOptions {
  /** Send recordings that the platform has, too. */
  readonly force?: boolean | undefined;
  /** Send FIT files that are not activities. */
  readonly anyType?: boolean | undefined;
  /** Display name; by default derived from the recording. Renames the workout of a file that the user named. */
  readonly name?: string | undefined;
  /** Added to the program's own metadata; wins over it. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Returns whether an activity is too early to be sent; absent: none is. */
  readonly isTooEarly?: ((activity: Activity) => boolean) | undefined;
  readonly dryRun: boolean;
  /**
   * Which recordings of one ride are sent. `all` (default) and `first` are the values of the setting; `each` is the flag
   * of a command, and also sends a GPX or TCX file that other recordings cover.
   */
  readonly sameRide?: 'all' | 'first' | 'each' | undefined;
}

/**
 * Returns the outcome of an unchanged file that was read before, or that it is still to be sent.
 *
 * @param isSettled decides whether its recording is not sent again
 */
export function outcomeOf(
  before: KnownFileStatus,
  { path, named }: Pick<RecordingFile, 'path' | 'named'>,
  anyType: boolean,
  isSettled: (upload: UploadStanding) => boolean,
): UploadItem | 'new' | 'failed-before' {
  const { sha256, verdict, detail, upload } = before;
  if (sha256 !== undefined && upload !== undefined && isSettled(upload)) {
    return settledOutcome(upload, path, sha256);
  }
  const open = (upload?.attempts ?? 0) > 0 ? 'failed-before' : 'new';
  if (verdict === 'activity') return open;
  if (verdict === 'not-an-activity' && sha256 === undefined) return noTrack(path, named, detail);
  if (verdict === 'not-an-activity') return anyType ? open : notAnActivity(path, named, before);
  return { path, outcome: 'invalid', reason: verdict as InvalidReason, detail };
}

/** Returns whether the service has a recording, or had it and it was, or is to be, taken back. */
export function isDone({ state }: UploadStanding): boolean {
  return state !== 'pending' && state !== 'rejected' && state !== 'held';
}

export function alreadyUploaded(path: string, sha256: string): UploadItem {
  return { path, outcome: 'skipped', reason: 'already-uploaded', sha256 };
}

/** Returns the outcome of a recording that the service has, that was taken back, or that it refused. */
export function settledOutcome(
  { state }: Pick<UploadStanding, 'state'>,
  path: string,
  sha256: string,
): UploadItem {
  if (state === 'confirmed') return alreadyUploaded(path, sha256);
  if (state === 'held') return { path, outcome: 'held', by: [], sha256 };
  const reason = state === 'undone' || state === 'undoing' ? state : 'refused-before';
  return { path, outcome: 'skipped', reason, sha256 };
}

/** Returns the outcome of a GPX or TCX file without an activity: the same in a folder, where its reason is not shown. */
export function noTrack(path: string, named: boolean, detail: Text): UploadItem {
  const about = { path, outcome: 'skipped', reason: 'not-an-activity' } as const;
  return named ? { ...about, detail } : about;
}

export function notAnActivity(
  path: string,
  named: boolean,
  { detail, wellness = false }: Pick<KnownFile, 'detail' | 'wellness'>,
): UploadItem {
  const about = {
    path,
    reason: 'not-an-activity',
    detail,
    ...(wellness ? { wellness } : {}),
  } as const;
  return named ? { outcome: 'invalid', ...about } : { outcome: 'skipped', ...about };
}
