import type { Clock } from '../../base/time.ts';
import { type FileStamp, sameStamp } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import type { InvalidReason } from '../../upload/report.ts';
import { isBelow } from '../../system/mounts.ts';

/** A file that is not a complete recording, or not yet. */
export interface IncompleteFile {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly reason: InvalidReason;
  readonly detail: string;
  readonly removable: boolean;
}

interface TrackedFile extends IncompleteFile {
  /** Its last known change (ms of the monotonic clock, like all times here). */
  readonly quietSince: number;
  /** The next check, and the pause after it. */
  checkAt: number;
  pauseMs: number;
  reported: boolean;
}

/** First pause between two checks, and the longest (ms). After that only rescans check the file. */
const FIRST_PAUSE_MS = 2_000;
const LAST_PAUSE_MS = 256_000;
/** Pause after a round of checks, for each file that it checked (ms): thousands would keep a core busy. */
const PAUSE_EACH_MS = 100;

/**
 * Returns how long a file must be unchanged before it is reported (ms). A ride may pause for hours
 * while its recording is open; a damaged file does not repair itself.
 */
function patienceMs(reason: InvalidReason): number {
  return reason === 'incomplete' ? 3 * 3_600_000 : 10 * 60_000;
}

/**
 * Tracks incomplete files. They are checked again on every file event, and at growing intervals, since
 * some writes fire no event (memory-mapped files) or leave the time unchanged (steps of two seconds).
 */
export class IncompleteFiles {
  readonly #entries = new Map<string, TrackedFile>();
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #marks: Pick<WatchMarks, 'isReported' | 'markReported'>;
  /** The next round of checks, at the earliest. */
  #nextRoundAt = -Infinity;
  /** The last change of a file (ms of the monotonic clock). */
  changedAt = -Infinity;

  /** @param marks knows the files that were reported in their present state, also by earlier runs */
  constructor(
    clock: Pick<Clock, 'now' | 'monotonic'>,
    marks: Pick<WatchMarks, 'isReported' | 'markReported'>,
  ) {
    this.#clock = clock;
    this.#marks = marks;
  }

  /** Recordings of which a part is missing: nothing is wrong with them yet. */
  get partial(): number {
    return this.all().filter(({ reason }) => reason === 'incomplete').length;
  }

  /** Records an incomplete file. The pauses grow while the file is unchanged. */
  note(
    { path, stamp, removable }: Omit<IncompleteFile, 'reason' | 'detail'>,
    reason: InvalidReason,
    detail: string,
  ): void {
    const file = { path, stamp, removable, reason, detail };
    const now = this.#clock.monotonic();
    const before = this.#entries.get(path);
    if (before !== undefined && sameStamp(before.stamp, stamp)) {
      this.#entries.set(path, { ...before, ...file });
      return;
    }
    // A second state of the file: it changed just now, even if its time is older.
    const quietSince = before === undefined ? now - this.#ageMs(stamp) : now;
    this.changedAt = Math.max(this.changedAt, quietSince);
    this.#entries.set(path, {
      ...file,
      quietSince,
      checkAt: now + FIRST_PAUSE_MS,
      pauseMs: FIRST_PAUSE_MS * 2,
      reported: this.#marks.isReported(path, stamp),
    });
  }

  #ageMs({ mtimeMs }: FileStamp): number {
    return Math.max(0, this.#clock.now() - mtimeMs);
  }

  forget(path: string): void {
    this.#entries.delete(path);
  }

  /** Removes and returns all files in a folder that is gone. */
  forgetBelow(folder: string): readonly IncompleteFile[] {
    const below = this.all().filter(({ path }) => isBelow(path, folder));
    for (const { path } of below) this.forget(path);
    return below;
  }

  all(): readonly IncompleteFile[] {
    return [...this.#entries.values()];
  }

  /** Returns the files to check now; each is due again after a longer pause. */
  dueChecks(): readonly IncompleteFile[] {
    const now = this.#clock.monotonic();
    if (now < this.#nextRoundAt) return [];
    const due: IncompleteFile[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.checkAt > now) continue;
      due.push(entry);
      entry.checkAt = entry.pauseMs > LAST_PAUSE_MS ? Infinity : now + entry.pauseMs;
      entry.pauseMs *= 2;
    }
    this.#nextRoundAt = now + due.length * PAUSE_EACH_MS;
    return due;
  }

  /** Returns the files to report now; each once. */
  dueReports(): readonly IncompleteFile[] {
    const now = this.#clock.monotonic();
    const due: IncompleteFile[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.reported || now - entry.quietSince < patienceMs(entry.reason)) continue;
      entry.reported = true;
      this.#marks.markReported(entry.path, entry.stamp);
      due.push(entry);
    }
    return due;
  }

  /** ms until a check or a report is due; undefined if none is. */
  get waitMs(): number | undefined {
    let at = Infinity;
    for (const { checkAt, reported, quietSince, reason } of this.#entries.values()) {
      const roundAt = Math.max(checkAt, this.#nextRoundAt);
      at = Math.min(at, roundAt, reported ? Infinity : quietSince + patienceMs(reason));
    }
    return at === Infinity ? undefined : Math.max(0, at - this.#clock.monotonic());
  }
}
