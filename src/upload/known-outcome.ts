import type { FileStamp, KnownFiles } from '../ledger/known-files.ts';
import type { InvalidReason, UploadItem } from './report.ts';

export interface UploadOptions {
  /** Send what the service is known to have. */
  readonly force: boolean;
  /** Send FIT files that are not activities. */
  readonly anyType: boolean;
  /** Display name; else one from the recording, where it says enough. */
  readonly name?: string | undefined;
  /** Added to, and winning over, what the program says of itself. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
}

/** A file to look at. */
export interface RecordingFile {
  /** As people are told of it. */
  readonly path: string;
  readonly absolute: string;
  readonly stamp: FileStamp;
  /** Somebody named this very file; else it was found in a folder. */
  readonly named: boolean;
}

/**
 * What is known of an unchanged file, if that settles it; else whether it was offered before, in
 * vain. Reads the ledger alone: of a folder in which nothing is new, nothing else is loaded or opened.
 */
export function knownOutcome(
  file: RecordingFile,
  options: Pick<UploadOptions, 'force' | 'anyType'>,
  known: KnownFiles,
): UploadItem | 'new' | 'failed-before' {
  const before = options.force ? undefined : known.find(file.absolute, file.stamp);
  if (before === undefined) return 'new';
  const { path, named } = file;
  const { sha256, verdict, detail, upload } = before;
  if (upload?.state === 'confirmed' && sha256 !== undefined) return alreadyUploaded(path, sha256);
  const open = (upload?.attempts ?? 0) > 0 ? 'failed-before' : 'new';
  if (verdict === 'activity') return open;
  if (verdict === 'not-an-activity') {
    return options.anyType ? open : notAnActivity(path, named, detail);
  }
  return { path, outcome: 'invalid', reason: verdict as InvalidReason, detail };
}

export function alreadyUploaded(path: string, sha256: string): UploadItem {
  return { path, outcome: 'skipped', reason: 'already-uploaded', sha256 };
}

export function refusedBefore(path: string, sha256: string): UploadItem {
  return { path, outcome: 'skipped', reason: 'refused-before', sha256 };
}

export function notAnActivity(path: string, named: boolean, detail: string): UploadItem {
  return named
    ? { path, outcome: 'invalid', reason: 'not-an-activity', detail }
    : { path, outcome: 'skipped', reason: 'not-an-activity', detail };
}
