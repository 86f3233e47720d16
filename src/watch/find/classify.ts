import { closeSync, readSync } from 'node:fs';
import type { Context } from '../../base/context.ts';
import { systemCode } from '../../base/errors.ts';
import { PEEK_BYTES, peekHeader } from '../../fit/envelope.ts';
import { readFileId } from '../../fit/file-id.ts';
import type { FileStamp, KnownFiles } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { openPlainFile } from '../../system/plain-file.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { notAnActivity, outcomeAtRest } from '../../upload/known-outcome.ts';
import type { InvalidReason, UploadItem } from '../../upload/report.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import type { Outbox } from '../send/outbox.ts';
import type { QueueItem } from '../send/queue.ts';
import { isAtRest } from '../send/refusal-backoff.ts';

/** The ledger that files are looked up in, and the calls that the classifier makes. */
export interface ClassifierTarget {
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  readonly incomplete: IncompleteFiles;
  /** Called for a file that may be a recording to send. */
  readonly onCandidate: (item: QueueItem) => void;
  /** Called for a file that needs no work (the tally of `--once`). */
  readonly onSettled: (item: UploadItem) => void;
}

/** A file in a watched folder. */
export interface FoundFile {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly removable: boolean;
}

/** Decides for each file whether it needs work, reading as little as possible. */
export class Classifier {
  readonly #context: Pick<Context, 'clock'>;
  readonly #target: ClassifierTarget;

  constructor(context: Pick<Context, 'clock'>, target: ClassifierTarget) {
    this.#context = context;
    this.#target = target;
  }

  /** Classifies a file: settled by the ledger, a candidate for sending, or incomplete. */
  classify(file: FoundFile): void {
    if (this.isOpen(file)) this.examine(file);
  }

  /** Returns whether the ledger leaves the file open. Reads the ledger, never the file. */
  isOpen(file: FoundFile): boolean {
    const { clock } = this.#context;
    const { known, marks, outbox, incomplete, onSettled } = this.#target;
    const { path, stamp } = file;
    const before = known.find(path, stamp);
    if (before === undefined) {
      if (!marks.isSeen(path, stamp)) return true;
      incomplete.forget(path);
      return false;
    }
    const { verdict, sha256, upload, detail } = before;
    if (verdict === 'activity') {
      if (sha256 === undefined) return true;
      if (upload === undefined || !isAtRest(upload, clock.now())) return !outbox.has(sha256);
      incomplete.forget(path);
      onSettled(outcomeAtRest(upload, path, sha256));
      return false;
    }
    if (verdict === 'not-an-activity') {
      incomplete.forget(path);
      onSettled(notAnActivity(path, false, before));
      return false;
    }
    this.noteIncomplete(file, verdict as InvalidReason, detail);
    return false;
  }

  /** Reads the first bytes of an open file: it is a candidate, or incomplete. */
  examine(file: FoundFile): void {
    const { incomplete, onCandidate } = this.#target;
    const { path, stamp, removable } = file;
    const peek = peekAt(path, stamp, this.#context.clock.now());
    switch (peek.peek) {
      case 'gone':
        incomplete.forget(path);
        return;
      case 'incomplete':
        this.noteIncomplete(file, peek.reason, peek.detail);
        return;
      case 'possible': {
        incomplete.forget(path);
        const { recordedAt } = peek;
        const fresh = { kept: undefined, failures: 0 };
        onCandidate({ key: path, path, absolute: path, stamp, removable, recordedAt, ...fresh });
      }
    }
  }

  /** Records an incomplete file, so that it is checked again. */
  noteIncomplete(file: FoundFile, reason: InvalidReason, detail: string): void {
    const { incomplete, marks } = this.#target;
    incomplete.note({ ...file, reason, detail }, marks.isReported(file.path, file.stamp));
  }
}

/** What the first bytes of a file show. */
type Peek =
  /** The file may be complete and must be read. `recordedAt`: best known time (ms since the epoch). */
  | { readonly peek: 'possible'; readonly recordedAt: number }
  | { readonly peek: 'incomplete'; readonly reason: InvalidReason; readonly detail: string }
  | { readonly peek: 'gone' };

const first = Buffer.alloc(PEEK_BYTES);

/** Earliest credible recording time: FIT files did not exist before 1990 (ms since the epoch). */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
/** Longest credible time in the future: a device clock set to the wrong zone (ms). */
const AHEAD_MS = 86_400_000;

/**
 * Returns when a recording was made (ms since the epoch); undefined if it does not tell a credible time.
 *
 * @param bytes of the recording; its beginning is enough
 */
export function recordingTime(bytes: Uint8Array, now: number): number | undefined {
  const created = readFileId(bytes)?.timeCreated?.getTime();
  const isCredible = created !== undefined && created >= EARLIEST_MS && created <= now + AHEAD_MS;
  return isCredible ? created : undefined;
}

/**
 * Reads the beginning of a file. A recording that declares more bytes than the file has is not read
 * in full each time it grows. A gzip file shows nothing before it is unpacked.
 */
function peekAt(path: string, stamp: FileStamp, now: number): Peek {
  const recordedAt = stamp.mtimeMs;
  if (/\.gz$/i.test(path)) return { peek: 'possible', recordedAt };
  let descriptor: number | undefined;
  try {
    ({ descriptor } = openPlainFile(path));
    const size = readSync(descriptor, first, 0, PEEK_BYTES, 0);
    const head = first.subarray(0, size);
    const header = peekHeader(head, Math.max(size, stamp.size));
    if (header.state !== 'possible') {
      return { peek: 'incomplete', reason: header.state, detail: header.detail };
    }
    return { peek: 'possible', recordedAt: recordingTime(head, now) ?? recordedAt };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { peek: 'gone' };
    return { peek: 'incomplete', reason: 'unreadable', detail: describeFileError(error) };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
