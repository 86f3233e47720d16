import { basename } from 'node:path';
import type { Context } from '../base/context.ts';
import { findFiles, type RecordingFile } from '../inputs/find-files.ts';
import { isZipName } from '../archive/zip-name.ts';
import { isTrackName } from '../inputs/recording-names.ts';
import type { UploadItem } from './report.ts';
import type { ArchiveTarget } from './send-archives.ts';
import { type SendOptions, alreadyUploaded, isDone, outcomeOf } from './known-outcome.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import { keepHeapSmall } from '../system/this-process.ts';

export interface BatchTarget extends ArchiveTarget {
  readonly cwd: string;
  /** Called for each zip archive in a folder. */
  readonly onArchive?: ((path: string) => void) | undefined;
  /** Called before the first file is read, which waits until it resolves. */
  readonly onWaiting?: (() => Promise<void>) | undefined;
}

/**
 * Sends every recording below these paths, and in named zip archives, that the service does not have
 * yet. A faulty recording does not stop the others; a login failure stops them all. Every file is reported once, in no fixed
 * order.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function uploadBatch(
  context: Context,
  paths: readonly string[],
  options: SendOptions & { readonly jobs: number },
  target: BatchTarget,
): Promise<void> {
  const { waiting, archives, tracks } = target.known.reading(() =>
    reportKnown(paths, options, target),
  );
  if (waiting.length + archives.length + tracks.length === 0) return;
  const started = target.onWaiting?.();
  // Loaded only if there is a file to read.
  const { BatchSender } = await import('./batch-sender.ts');
  const { sendableOf } = await import('./sendable.ts');
  await started;
  // A thread that starts lets the heap grow again.
  if (waiting.length >= MANY) keepHeapSmall();
  const bytes = waiting.reduce((sum, { stamp }) => sum + stamp.size, 0);
  const isCounted = archives.length + tracks.length === 0;
  const total = isCounted ? { count: waiting.length, bytes } : undefined;
  const sender = new BatchSender(context, options, target, total);
  await sender.send(waiting.map(sendableOf));
  if (isCounted) return;
  const { sendArchivesAndTracks } = await import('./send-archives.ts');
  await sendArchivesAndTracks(context, archives, tracks, sender, options, target);
}

/** The heap is kept small from so many files on. */
const MANY = 4_000;

/**
 * Reports the files with a known outcome, and returns the others. Files that failed before come last:
 * a recording that the service cannot store never delays the others. Named zip files, and GPX and TCX files, are
 * apart.
 */
function reportKnown(
  paths: readonly string[],
  options: SendOptions,
  target: BatchTarget,
): Readonly<Record<'waiting' | 'archives' | 'tracks', RecordingFile[]>> {
  const archives: RecordingFile[] = [];
  const tracks: RecordingFile[] = [];
  const waiting: RecordingFile[] = [];
  const failedBefore: RecordingFile[] = [];
  for (const file of findFiles(paths, target.cwd)) {
    if ('problem' in file) {
      const { path, problem: detail } = file;
      target.report({ path, outcome: 'invalid', reason: 'unreadable', detail });
    } else if (isZipName(file.path)) {
      if (file.named) archives.push(file);
      else target.onArchive?.(file.path);
    } else {
      const item = knownOutcome(file, options, target.known);
      if (typeof item === 'object') target.report(item);
      else if (isTrackName(basename(file.path))) tracks.push(file);
      else if (item !== 'new') failedBefore.push(file);
      else waiting.push(file);
    }
  }
  return { waiting: [...waiting, ...failedBefore], archives, tracks };
}

/**
 * Returns the known outcome of an unchanged file, or whether an earlier upload failed. Reads only the
 * ledger: for a folder without new files, nothing else is loaded or opened.
 */
function knownOutcome(
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
  return outcomeOf(before, file, options.anyType === true, isDone);
}
