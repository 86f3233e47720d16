import { closeSync, readSync } from 'node:fs';
import { systemCode } from '../../base/errors.ts';
import { PEEK_BYTES, peekHeader } from '../../fit/envelope.ts';
import { readFileId } from '../../fit/file-id.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import type { FileStamp } from '../../ledger/known-files.ts';
import { openPlainFile } from '../../system/plain-file.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { outcomeOf } from '../../upload/known-outcome.ts';
import type { InvalidReason } from '../../upload/report.ts';
import type { WatchParts } from '../parts.ts';
import type { FoundFile, Intake } from '../send/intake.ts';
import { isSettled } from '../send/refusal-backoff.ts';
import { statOf } from './fs-events.ts';

type ClassifierParts = Pick<
  WatchParts,
  'changed' | 'clock' | 'incomplete' | 'known' | 'marks' | 'onSettled' | 'report'
>;

/** Decides for each file whether it needs work, reading as little as possible. */
export class Classifier {
  readonly #parts: ClassifierParts;
  readonly #intake: Intake;

  constructor(parts: ClassifierParts, intake: Intake) {
    this.#parts = parts;
    this.#intake = intake;
  }

  /** Classifies a file: settled by the ledger, to be read whole, or incomplete. */
  classify(file: FoundFile): void {
    if (this.isOpen(file)) this.examine(file);
  }

  /** Returns whether the ledger leaves the file open. Reads the ledger, never the file. */
  isOpen(file: FoundFile): boolean {
    const { clock, known, marks, incomplete, onSettled } = this.#parts;
    const { path, stamp } = file;
    const before = known.find(path, stamp);
    if (before === undefined) {
      if (!marks.isSeen(path, stamp)) return true;
      incomplete.forget(path);
      return false;
    }
    const outcome = outcomeOf(before, { path, named: false }, false, (upload) =>
      isSettled(upload, clock.now()),
    );
    if (typeof outcome === 'string') {
      const { sha256 } = before;
      const settled = sha256 === undefined ? undefined : this.#intake.settledTracks(path, sha256);
      if (settled !== undefined) onSettled?.(settled);
      return settled === undefined && (sha256 === undefined || !this.#intake.isTaken(sha256));
    }
    if (outcome.outcome === 'invalid') {
      incomplete.note(file, outcome.reason, outcome.detail);
    } else {
      incomplete.forget(path);
      onSettled?.(outcome);
    }
    return false;
  }

  /** Reads the first bytes of an open file: the intake reads the whole of it, or it is incomplete. */
  examine(file: FoundFile): void {
    const { clock, incomplete } = this.#parts;
    const { path, stamp } = file;
    const peek = peekAt(path, stamp, clock.now());
    switch (peek.peek) {
      case 'gone':
        incomplete.forget(path);
        return;
      case 'incomplete':
        incomplete.note(file, peek.reason, peek.detail);
        return;
      case 'possible': {
        incomplete.forget(path);
        this.#intake.add({ ...file, recordedAt: peek.recordedAt });
      }
    }
  }

  /** Checks the incomplete files that are due again, and reports long-incomplete ones. */
  checkIncomplete(): void {
    const { changed, incomplete, report } = this.#parts;
    for (const { path, removable } of incomplete.dueChecks()) {
      // The rescans of its folder check it.
      if (removable) continue;
      const stats = statOf(path);
      if (stats?.isFile() === true) this.classify({ path, stamp: stats, removable: false });
      else incomplete.forget(path);
    }
    for (const { path, reason, detail } of incomplete.dueReports()) {
      report({ event: 'unfinished', path, reason, detail });
    }
    changed();
  }
}

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
 * Returns why a file need not be read in full, by its first bytes; undefined if it may be a recording.
 *
 * @param size of the file in bytes
 */
export function problemOfHead(
  path: string,
  head: Uint8Array,
  size: number,
): { readonly reason: InvalidReason; readonly detail: string } | undefined {
  if (isPacked(path)) return undefined;
  if (isTrackName(path))
    return isUtf16(head) ? { reason: 'unreadable', detail: UTF_16 } : undefined;
  const header = peekHeader(head, size);
  // An archive of one recording may have its name.
  const isZip = header.state === 'not-fit' && header.problem === 'zip';
  if (header.state === 'possible' || isZip) return undefined;
  return { reason: header.state, detail: header.detail };
}

const UTF_16 = 'It is a text in UTF-16, which is not read: save it as UTF-8.';

/** Returns whether a text begins with a byte order mark of UTF-16. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Bytes at the end of a GPX or TCX file in which its last tag is. */
const TAIL_BYTES = 1024;

/** Returns why a GPX or TCX file need not be read in full: a program that still writes it has not closed the document. */
function problemOfTail(descriptor: number, size: number): ReturnType<typeof problemOfHead> {
  const tail = Buffer.alloc(TAIL_BYTES);
  readSync(descriptor, tail, 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES));
  const isClosed = /<\/(?:\w+:)?(?:gpx|trainingcenterdatabase)\s*>/i.test(tail.toString('latin1'));
  return isClosed
    ? undefined
    : { reason: 'incomplete', detail: 'It is cut off: its end is missing.' };
}

/** A gzip file shows nothing before it is unpacked. */
function isPacked(path: string): boolean {
  return /\.gz$/i.test(path);
}

/**
 * Reads the beginning of a file. A recording that declares more bytes than the file has is not read
 * in full each time it grows.
 */
function peekAt(path: string, stamp: FileStamp, now: number): Peek {
  const recordedAt = stamp.mtimeMs;
  if (isPacked(path)) return { peek: 'possible', recordedAt };
  let descriptor: number | undefined;
  try {
    ({ descriptor } = openPlainFile(path));
    const size = readSync(descriptor, first, 0, PEEK_BYTES, 0);
    const head = first.subarray(0, size);
    const problem =
      problemOfHead(path, head, Math.max(size, stamp.size)) ??
      (isTrackName(path) ? problemOfTail(descriptor, stamp.size) : undefined);
    if (problem !== undefined) return { peek: 'incomplete', ...problem };
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
