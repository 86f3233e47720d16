import type { KnownFile, KnownFiles } from '../ledger/known-files.ts';
import type { RecordingFile } from '../inputs/find-files.ts';
import type { UploadStanding } from '../ledger/uploads.ts';
import type { Activity } from '../fit/activity.ts';
import type { InvalidReason, UploadItem } from './report.ts';

export interface SendOptions {
  /** Send recordings that the service already has. */
  readonly force: boolean;
  /** Send FIT files that are not activities. */
  readonly anyType: boolean;
  /** Display name; by default derived from the recording. Renames the workout of a file that the user named. */
  readonly name?: string | undefined;
  /** Added to the program's own metadata; wins over it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Returns whether an activity is too early to be sent; absent: none is. */
  readonly isTooEarly?: ((activity: Activity) => boolean) | undefined;
  readonly dryRun: boolean;
}

/**
 * Returns the known outcome of an unchanged file, or whether an earlier upload failed. Reads only the
 * ledger: for a folder without new files, nothing else is loaded or opened.
 */
export function knownOutcome(
  file: RecordingFile,
  options: Pick<SendOptions, 'force' | 'anyType' | 'name'>,
  known: KnownFiles,
): UploadItem | 'new' | 'failed-before' {
  const { path, absolute, stamp, named } = file;
  if (options.force || (named && options.name !== undefined)) return 'new';
  const uploaded = known.uploaded(absolute, stamp);
  if (uploaded !== undefined) return alreadyUploaded(path, uploaded);
  const before = known.find(absolute, stamp);
  if (before === undefined) return 'new';
  const { sha256, verdict, detail, upload } = before;
  if (sha256 !== undefined && (upload?.state === 'confirmed' || upload?.state === 'undone')) {
    return outcomeAtRest(upload, path, sha256);
  }
  const open = (upload?.attempts ?? 0) > 0 ? 'failed-before' : 'new';
  if (verdict === 'activity') return open;
  if (verdict === 'not-an-activity') {
    return options.anyType ? open : notAnActivity(path, named, before);
  }
  return { path, outcome: 'invalid', reason: verdict as InvalidReason, detail };
}

export function alreadyUploaded(path: string, sha256: string): UploadItem {
  return { path, outcome: 'skipped', reason: 'already-uploaded', sha256 };
}

/** Returns the outcome of a recording that the service has, that was taken back, or that it refused. */
export function outcomeAtRest(
  { state }: Pick<UploadStanding, 'state'>,
  path: string,
  sha256: string,
): UploadItem {
  if (state === 'confirmed') return alreadyUploaded(path, sha256);
  const reason = state === 'undone' ? 'undone' : 'refused-before';
  return { path, outcome: 'skipped', reason, sha256 };
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
