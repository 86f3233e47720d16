import type { Context } from '../base/context.ts';
import { inParallel } from '../base/parallel.ts';
import { BatchBreaker } from '../api/batch-breaker.ts';
import { findFiles } from './find-files.ts';
import type { BufferSource } from './read-recording.ts';
import type { UploadItem, UploadProgress } from './report.ts';
import { type RecordingFile, type UploadOptions, knownOutcome } from './known-outcome.ts';
import type { UploadTarget } from './uploader.ts';

export interface BatchTarget extends UploadTarget {
  readonly cwd: string;
  readonly report: (item: UploadItem) => void;
  readonly progress?: ((progress: UploadProgress) => void) | undefined;
  /** Called before the batch waits for recordings that other processes are sending. */
  readonly onBusy?: ((count: number) => void) | undefined;
}

/** Default number of requests in flight. */
export const DEFAULT_JOBS = 4;
/** Files above this size are uploaded one at a time, which bounds the memory (bytes). */
const LARGE_BYTES = 4 * 1024 * 1024;

/**
 * Sends every recording below these paths that the service does not have yet. A faulty recording
 * does not stop the others; a login failure stops them all. Every file is reported once, in no fixed
 * order.
 *
 * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
 */
export async function uploadBatch(
  context: Pick<Context, 'clock' | 'signal'>,
  paths: readonly string[],
  options: UploadOptions & { readonly jobs: number },
  target: BatchTarget,
): Promise<void> {
  const waiting = target.known.reading(() => reportKnown(paths, options, target));
  if (waiting.length === 0) return;
  // Loaded only if there is a file to read.
  const { Uploader } = await import('./uploader.ts');
  const runStartedAt = context.clock.now();
  const uploader = new Uploader(context, options, { ...target, runStartedAt });
  const totals = { done: 0, sentBytes: 0 };
  const breaker = new BatchBreaker();
  const large = { buffers: reusedBuffer(), turn: Promise.resolve() as Promise<unknown> };

  type Method = 'upload' | 'uploadUnlessBusy';
  const sendNow = async (method: Method, file: RecordingFile, buffers: BufferSource) => {
    context.signal.throwIfAborted();
    if (breaker.openedBy) {
      return { path: file.path, outcome: 'failed', ...breaker.openedBy } as const;
    }
    const item = await uploader[method](file, buffers);
    if (item?.outcome === 'failed') breaker.failed(item);
    else if (item !== undefined && 'attempts' in item) breaker.answered();
    return item;
  };
  const send = async (method: Method, file: RecordingFile, buffers: BufferSource) => {
    if (file.stamp.size <= LARGE_BYTES) return await sendNow(method, file, buffers);
    const turn = large.turn.then(() => sendNow(method, file, large.buffers));
    large.turn = turn.catch(() => undefined);
    return await turn;
  };

  const slots = Array.from({ length: options.jobs }, reusedBuffer);
  const sendAll = async (files: readonly RecordingFile[], method: Method) => {
    const busy: RecordingFile[] = [];
    await inParallel(files, options.jobs, async (file, slot) => {
      target.progress?.({ ...totals, total: waiting.length, current: file.path });
      const item = await send(method, file, slots[slot] ?? reusedBuffer());
      if (item === undefined) {
        busy.push(file);
        return;
      }
      totals.done++;
      if ('attempts' in item && 'size' in item) totals.sentBytes += item.size ?? 0;
      target.report(item);
    });
    return busy;
  };
  // Recordings that another process is sending come last, so that they delay no other.
  const busy = await sendAll(waiting, 'uploadUnlessBusy');
  if (busy.length === 0) return;
  if (uploader.sentElsewhere > 0) target.onBusy?.(uploader.sentElsewhere);
  await sendAll(busy, 'upload');
}

/**
 * Reports the files with a known outcome, and returns the others. Files that failed before come last:
 * a recording that the service cannot store never delays the others.
 */
function reportKnown(
  paths: readonly string[],
  options: UploadOptions,
  target: BatchTarget,
): RecordingFile[] {
  const waiting: RecordingFile[] = [];
  const failedBefore: RecordingFile[] = [];
  for (const file of findFiles(paths, target.cwd)) {
    if ('problem' in file) {
      const { path, problem: detail } = file;
      target.report({ path, outcome: 'invalid', reason: 'unreadable', detail });
      continue;
    }
    const item = knownOutcome(file, options, target.known);
    if (item === 'new') waiting.push(file);
    else if (item === 'failed-before') failedBefore.push(file);
    else target.report(item);
  }
  return [...waiting, ...failedBefore];
}

/** Returns a source of one buffer, which grows to the largest file and is reused. */
function reusedBuffer(): BufferSource {
  let buffer = Buffer.alloc(0);
  return (size) => {
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size);
    return buffer;
  };
}
