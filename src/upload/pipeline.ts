import { inParallel } from '../base/parallel.ts';
import { BatchBreaker } from '../api/batch-breaker.ts';
import { findFiles } from './find-files.ts';
import type { BufferSource } from './read-recording.ts';
import type { UploadItem, UploadProgress } from './report.ts';
import { type RecordingFile, type UploadOptions, knownOutcome } from './known-outcome.ts';
import type { UploaderNeeds } from './uploader.ts';

export interface BatchNeeds extends UploaderNeeds {
  readonly cwd: string;
  readonly report: (item: UploadItem) => void;
  readonly progress?: ((progress: UploadProgress) => void) | undefined;
  /** All that is left are recordings that other processes are sending; they are waited for. */
  readonly onBusy?: ((count: number) => void) | undefined;
}

/** Requests under way at once, unless somebody says otherwise. */
export const DEFAULT_JOBS = 4;
/** Files above this size, in bytes, are taken one at a time, so that memory stays bounded. */
const LARGE_BYTES = 4 * 1024 * 1024;

/**
 * Sends every recording that these paths mean and that the service does not have yet. Nothing that
 * is wrong with one of them stops the others; what is wrong with the login stops them all. Every
 * file is reported once, in no fixed order.
 *
 * @throws SyncError `STORAGE` when the ledger fails; the signal's reason when it is aborted.
 */
export async function uploadBatch(
  paths: readonly string[],
  options: UploadOptions & { readonly jobs: number },
  needs: BatchNeeds,
): Promise<void> {
  const waiting = needs.known.reading(() => sortOut(paths, options, needs));
  if (waiting.length === 0) return;
  // Reading, checking and sending are loaded when there is something to read.
  const { createUploader } = await import('./uploader.ts');
  const uploader = createUploader(options, { ...needs, runStartedAt: needs.clock.now() });
  const totals = { done: 0, sentBytes: 0 };
  const breaker = new BatchBreaker();
  const large = { buffers: reusedBuffer(), turn: Promise.resolve() as Promise<unknown> };

  type Way = 'upload' | 'uploadUnlessBusy';
  const now = async (way: Way, file: RecordingFile, buffers: BufferSource) => {
    needs.signal.throwIfAborted();
    if (breaker.openedBy) {
      return { path: file.path, outcome: 'failed', ...breaker.openedBy } as const;
    }
    const item = await uploader[way](file, buffers);
    if (item?.outcome === 'failed') breaker.failed(item);
    else if (item !== undefined && 'attempts' in item) breaker.answered();
    return item;
  };
  const one = async (way: Way, file: RecordingFile, buffers: BufferSource) => {
    if (file.stamp.size <= LARGE_BYTES) return await now(way, file, buffers);
    const turn = large.turn.then(() => now(way, file, large.buffers));
    large.turn = turn.catch(() => undefined);
    return await turn;
  };

  const slots = Array.from({ length: options.jobs }, reusedBuffer);
  const all = async (files: readonly RecordingFile[], way: Way): Promise<RecordingFile[]> => {
    const busy: RecordingFile[] = [];
    await inParallel(files, options.jobs, async (file, slot) => {
      needs.progress?.({ ...totals, total: waiting.length, current: file.path });
      const item = await one(way, file, slots[slot] ?? reusedBuffer());
      if (item === undefined) {
        busy.push(file);
        return;
      }
      totals.done++;
      if ('attempts' in item && 'size' in item) totals.sentBytes += item.size ?? 0;
      needs.report(item);
    });
    return busy;
  };
  // What somebody else is sending holds up nothing: it is asked for again when the rest is done.
  const busy = await all(waiting, 'uploadUnlessBusy');
  if (busy.length === 0) return;
  if (uploader.sentElsewhere > 0) needs.onBusy?.(uploader.sentElsewhere);
  await all(busy, 'upload');
}

/**
 * Reports what the ledger settles, and returns what has to be looked at: last what was offered before
 * in vain, so that recordings which the service cannot take never keep others from it.
 */
function sortOut(
  paths: readonly string[],
  options: UploadOptions,
  needs: BatchNeeds,
): RecordingFile[] {
  const waiting: RecordingFile[] = [];
  const failedBefore: RecordingFile[] = [];
  for (const file of findFiles(paths, needs.cwd)) {
    if ('problem' in file) {
      const { path, problem: detail } = file;
      needs.report({ path, outcome: 'invalid', reason: 'unreadable', detail });
      continue;
    }
    const item = knownOutcome(file, options, needs.known);
    if (item === 'new') waiting.push(file);
    else if (item === 'failed-before') failedBefore.push(file);
    else needs.report(item);
  }
  return [...waiting, ...failedBefore];
}

/** A buffer that grows to the largest file and is used again for each. */
function reusedBuffer(): BufferSource {
  let buffer = Buffer.alloc(0);
  return (size) => {
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size);
    return buffer;
  };
}
