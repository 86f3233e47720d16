import { closeSync, readSync } from 'node:fs';
import { systemCode } from '../../base/errors.ts';
import { PEEK_BYTES, peekHeader } from '../../fit/envelope.ts';
import { readFileId } from '../../fit/file-id.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import { describeFileError, openPlainFile } from '../../system/plain-file.ts';
import { outcomeOf } from '../../upload/known-outcome.ts';
import { isPacked } from '../../upload/read-recording.ts';
import type { InvalidReason } from '../../upload/report.ts';
import type { WatchParts } from '../parts.ts';
import { type FoundFile, type Intake, notNew } from '../send/intake.ts';
import { isSettled } from '../send/refusal-backoff.ts';
import { statOf } from './fs-events.ts';

type ClassifierParts = Pick<
  WatchParts,
  'changed' | 'clock' | 'incomplete' | 'known' | 'marks' | 'newOnly' | 'tally' | 'report'
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
    const { clock, known, marks, newOnly, incomplete, tally } = this.#parts;
    const { path, stamp } = file;
    const before = known.find(path, stamp);
    const outcome =
      before &&
      outcomeOf(before, { path, named: false }, false, (upload) => isSettled(upload, clock.now()));
    if (outcome === undefined || typeof outcome === 'string') {
      const sha256 = before?.sha256;
      const standing = sha256 === undefined ? 'open' : this.#intake.standingOf(path, sha256);
      if (typeof standing !== 'string') tally?.(standing);
      if (standing !== 'open') return false;
      if (!newOnly || !marks.isSeen(path, stamp)) return true;
      incomplete.forget(path);
      tally?.(notNew(path));
      return false;
    }
    if (outcome.outcome === 'invalid') {
      incomplete.note(file, outcome.reason, outcome.detail);
    } else {
      incomplete.forget(path);
      tally?.(outcome);
    }
    return false;
  }

  /** Reads the ends of an open local file: the intake reads the whole of it, or it is incomplete. */
  examine(file: FoundFile): void {
    const { clock, incomplete } = this.#parts;
    const { path, stamp } = file;
    let ends: FileEnds;
    try {
      ends = endsOf(file);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT' || code === 'ENOTDIR') incomplete.forget(path);
      else incomplete.note(file, 'unreadable', describeFileError(error));
      return;
    }
    const problem = problemOfFile(file, ends);
    if (problem !== undefined) {
      incomplete.note(file, problem.reason, problem.detail);
      return;
    }
    incomplete.forget(path);
    const created = ends.head && recordingTime(ends.head, clock.now());
    this.#intake.add({ ...file, recordedAt: created ?? stamp.mtimeMs });
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

/** Why a file is not a whole recording. */
export interface FileProblem {
  readonly reason: InvalidReason;
  readonly detail: string;
}

/** What was read of a file before the whole of it; nothing of a gzip file, which shows nothing before it is unpacked. */
export interface FileEnds {
  readonly head?: Uint8Array;
  readonly tail?: Buffer;
}

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
 * Returns why a file need not be read in full, by its ends; undefined if it may be a recording. A recording that
 * declares more bytes than the file has is not read each time it grows, nor is a GPX or TCX file without its last tag.
 */
export function problemOfFile(
  { path, stamp }: Pick<FoundFile, 'path' | 'stamp'>,
  { head, tail }: FileEnds,
): FileProblem | undefined {
  if (head === undefined || isGzipName(path) || isPacked(head)) return undefined;
  const header = peekHeader(head, Math.max(head.length, stamp.size));
  if (header.state === 'possible') return undefined;
  if (isTrackName(path)) {
    // Without the zeros of UTF-16.
    const isCut =
      tail !== undefined && !LAST_TAG.test(tail.toString('latin1').replaceAll('\0', ''));
    return isCut
      ? { reason: 'incomplete', detail: 'It is cut off: its end is missing.' }
      : undefined;
  }
  return { reason: header.state, detail: header.detail };
}

const LAST_TAG = /<\/(?:[\w.-]+:)?(?:gpx|trainingcenterdatabase)\s*>/i;
/** Bytes at the end of a GPX or TCX file in which its last tag is: comments and blank lines may follow. */
const TAIL_BYTES = 64 * 1024;
/** Reused buffers, valid until the next file. */
const [heads, tails] = [Buffer.alloc(PEEK_BYTES), Buffer.alloc(TAIL_BYTES)];

function isGzipName(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** Reads the ends of a local file, valid until the next call. @throws the system's error */
function endsOf({ path, stamp }: FoundFile): FileEnds {
  if (isGzipName(path)) return {};
  const { descriptor } = openPlainFile(path);
  try {
    const head = heads.subarray(0, readSync(descriptor, heads, 0, PEEK_BYTES, 0));
    if (!isTrackName(path)) return { head };
    const from = Math.max(0, stamp.size - TAIL_BYTES);
    return { head, tail: tails.subarray(0, readSync(descriptor, tails, 0, TAIL_BYTES, from)) };
  } finally {
    closeSync(descriptor);
  }
}
