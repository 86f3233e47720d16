import type { KnownFiles } from '../ledger/known-files.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { Clock } from '../base/time.ts';
import type { WatchEvent } from './report.ts';
import type { Scout, Sighting } from './classify.ts';
import { type Found, inSlices, walk } from './walk.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** Between two sweeps of a folder that tells of changes by itself, in ms. */
const SWEEP_MS = 5 * 60_000;
/** Between two sweeps of one that does not, unless somebody says otherwise, in ms. */
export const POLL_MS = 30_000;
/** A sweep may take this share of the time at most, so that a large folder costs no more. */
const SHARE = { watching: 1 / 2_000, polling: 1 / 20, waiting: 1 };

export interface SweeperOptions {
  /** What is there at the beginning is not sent. */
  readonly newOnly: boolean;
  /** Poll every folder, every so many ms. */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

export interface SweeperNeeds {
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly scout: Scout;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (event: WatchEvent) => void;
}

/** Compares what is in a folder with what the ledger knows: the truth, however little was heard. */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #needs: SweeperNeeds;
  /** Told already, until a folder comes or goes. */
  readonly #problems = new Set<string>();

  constructor(options: SweeperOptions, needs: SweeperNeeds) {
    this.#options = options;
    this.#needs = needs;
  }

  /**
   * Looks at every file in the folder, and says when it is to be looked through next.
   *
   * @returns how many there were
   * @throws the signal's reason when it is aborted; what the ledger throws
   */
  async sweep(folder: WatchedFolder): Promise<number> {
    const started = performance.now();
    try {
      return folder.state === 'waiting' ? 0 : await this.#sweep(folder);
    } finally {
      const { state } = folder;
      const pause = state === 'polling' ? (this.#options.pollMs ?? POLL_MS) : SWEEP_MS;
      const costMs = performance.now() - started;
      folder.sweepAt = this.#needs.clock.monotonic() + Math.max(pause, costMs / SHARE[state]);
      folder.sweepCostMs = costMs;
    }
  }

  /** The folder is not there yet; what is recorded from now on is new. */
  awaits(folder: WatchedFolder): void {
    const { newOnly, dryRun } = this.#options;
    if (newOnly && !dryRun) this.#needs.marks.newOnly(folder.path).begin();
  }

  /** A folder came or went: what was wrong may be wrong anew. */
  tellAgain(): void {
    this.#problems.clear();
  }

  /** Passes on what a walk found. */
  meet(folder: WatchedFolder, found: Found, onFile: (file: Sighting) => void): void {
    switch (found.found) {
      case 'folder':
        // One that the events missed is heard from now on.
        folder.events?.coverOne(found.path);
        return;
      case 'file':
        onFile({ path: found.path, stamp: found.stamp, removable: folder.removable });
        return;
      case 'problem': {
        const { path, problem: message } = found;
        if (this.#problems.has(`${path}: ${message}`)) return;
        this.#problems.add(`${path}: ${message}`);
        this.#needs.report({ event: 'problem', path, message });
      }
    }
  }

  async #sweep(folder: WatchedFolder): Promise<number> {
    const { known, marks, scout, signal } = this.#needs;
    const { newOnly, dryRun } = this.#options;
    const firstLook = newOnly ? marks.newOnly(folder.path) : undefined;
    if (!dryRun) firstLook?.begin();
    let files = 0;
    let seen: Sighting[] = [];
    const onFile = (file: Sighting) => {
      files++;
      if (!scout.isOpen(file)) return;
      if (firstLook?.isOld(file.stamp) === true) seen.push(file);
      else scout.approach(file);
    };
    const transaction = (slice: () => boolean) => {
      const more = known.reading(slice);
      if (!dryRun) marks.markSeen(seen);
      seen = [];
      return more;
    };
    const take = (found: Found) => this.meet(folder, found, onFile);
    await inSlices(walk(folder.path), take, transaction, signal);
    if (!dryRun) firstLook?.done();
    return files;
  }
}
