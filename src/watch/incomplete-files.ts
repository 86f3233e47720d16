import { sep } from 'node:path';
import { type FileStamp, sameStamp } from '../ledger/known-files.ts';
import type { Clock } from '../base/time.ts';
import type { InvalidReason } from '../upload/report.ts';

/** A file that is not a whole recording, yet. */
export interface IncompleteFile {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly reason: InvalidReason;
  readonly detail: string;
  readonly removable: boolean;
}

interface Entry extends IncompleteFile {
  /** When it last changed, as far as is known; ms of the monotonic clock, as all times here. */
  readonly quietSince: number;
  /** Next look at it, and the pause after that. */
  lookAt: number;
  pauseMs: number;
  reported: boolean;
}

/** First pause between two looks, and the longest, in ms; after that the rescans see to it. */
const FIRST_PAUSE_MS = 2_000;
const LAST_PAUSE_MS = 256_000;

/**
 * How long a file has to lie still, in ms, before somebody is told. A ride may pause for hours while
 * its recording is open; bytes that are wrong do not get better by themselves.
 */
function patienceMs(reason: InvalidReason): number {
  return reason === 'incomplete' ? 3 * 3_600_000 : 10 * 60_000;
}

/**
 * The files that were looked at and are not whole. A change is told by an event; where none comes
 * (memory-mapped writing, times counted in steps of two seconds) they are looked at again at
 * growing intervals.
 */
export class IncompleteFiles {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Notes what a look found. The pauses grow as long as the file stays as it is.
   *
   * @param reported somebody was told of it in this very state.
   */
  note(file: IncompleteFile, reported: boolean): void {
    const now = this.#clock.monotonic();
    const before = this.#entries.get(file.path);
    if (before !== undefined && sameStamp(before.stamp, file.stamp)) {
      const { quietSince, pauseMs, lookAt } = before;
      this.#entries.set(file.path, {
        ...file,
        quietSince,
        pauseMs,
        lookAt,
        reported: before.reported || reported,
      });
      return;
    }
    this.#entries.set(file.path, {
      ...file,
      // One that changes before our eyes is not quiet, whatever its times say.
      quietSince: before === undefined ? now - this.#ageMs(file.stamp) : now,
      lookAt: now + FIRST_PAUSE_MS,
      pauseMs: FIRST_PAUSE_MS * 2,
      reported,
    });
  }

  #ageMs({ mtimeMs }: FileStamp): number {
    return Math.max(0, this.#clock.now() - mtimeMs);
  }

  /** It is whole now, or gone. */
  forget(path: string): void {
    this.#entries.delete(path);
  }

  /** All in a folder that is gone. */
  forgetBelow(folder: string): void {
    const prefix = folder.endsWith(sep) ? folder : folder + sep;
    for (const path of this.#entries.keys()) {
      if (path.startsWith(prefix)) this.#entries.delete(path);
    }
  }

  all(): readonly IncompleteFile[] {
    return [...this.#entries.values()];
  }

  /** The files to look at now; each is due again after a longer pause. */
  dueLooks(): readonly IncompleteFile[] {
    const now = this.#clock.monotonic();
    const due: IncompleteFile[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.lookAt > now) continue;
      due.push(entry);
      entry.lookAt = entry.pauseMs > LAST_PAUSE_MS ? Infinity : now + entry.pauseMs;
      entry.pauseMs *= 2;
    }
    return due;
  }

  /** The files that somebody should be told of now; each once. */
  dueReports(): readonly IncompleteFile[] {
    const now = this.#clock.monotonic();
    const due: IncompleteFile[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.reported || now - entry.quietSince < patienceMs(entry.reason)) continue;
      entry.reported = true;
      due.push(entry);
    }
    return due;
  }

  /** ms until something is due; undefined if nothing is. */
  get waitMs(): number | undefined {
    let at = Infinity;
    for (const { lookAt, reported, quietSince, reason } of this.#entries.values()) {
      at = Math.min(at, lookAt, reported ? Infinity : quietSince + patienceMs(reason));
    }
    return at === Infinity ? undefined : Math.max(0, at - this.#clock.monotonic());
  }
}
