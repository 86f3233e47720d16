import type { KnownFiles } from '../ledger/known-files.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { Clock } from '../base/time.ts';
import type { WatchNotice } from './report.ts';
import type { Classifier, FoundFile } from './classify.ts';
import { type Found, inSlices, walk } from './walk.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** Between two rescans of a folder that tells of changes by itself, in ms. */
const RESCAN_MS = 5 * 60_000;
/** Between two rescans of one that does not, unless somebody says otherwise, in ms. */
export const POLL_MS = 30_000;
/** A rescan may take this share of the time at most, so that a large folder costs no more. */
const SHARE = { watching: 1 / 2_000, polling: 1 / 20, waiting: 1 };

export interface RescanOptions {
  /** What is there at the beginning is not sent. */
  readonly newOnly: boolean;
  /** Poll every folder, every so many ms. */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

export interface RescannerNeeds {
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly classifier: Classifier;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (event: WatchNotice) => void;
}

/** Compares what is in a folder with what the ledger knows: the truth, however little was heard. */
export class Rescanner {
  readonly #options: RescanOptions;
  readonly #needs: RescannerNeeds;
  /** Told already, until a folder comes or goes. */
  readonly #problems = new Set<string>();

  constructor(options: RescanOptions, needs: RescannerNeeds) {
    this.#options = options;
    this.#needs = needs;
  }

  /**
   * Looks at every file in the folder, and says when it is to be looked through next.
   *
   * @returns how many there were
   * @throws the signal's reason when it is aborted; what the ledger throws
   */
  async rescan(folder: WatchedFolder): Promise<number> {
    const started = performance.now();
    try {
      return folder.state === 'waiting' ? 0 : await this.#rescan(folder);
    } finally {
      const { state } = folder;
      const pause = state === 'polling' ? (this.#options.pollMs ?? POLL_MS) : RESCAN_MS;
      const costMs = performance.now() - started;
      folder.rescanAt = this.#needs.clock.monotonic() + Math.max(pause, costMs / SHARE[state]);
      folder.rescanCostMs = costMs;
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
  meet(folder: WatchedFolder, found: Found, onFile: (file: FoundFile) => void): void {
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

  async #rescan(folder: WatchedFolder): Promise<number> {
    const { known, marks, classifier, signal } = this.#needs;
    const { newOnly, dryRun } = this.#options;
    const firstLook = newOnly ? marks.newOnly(folder.path) : undefined;
    if (!dryRun) firstLook?.begin();
    let files = 0;
    let seen: FoundFile[] = [];
    const onFile = (file: FoundFile) => {
      files++;
      if (!classifier.isOpen(file)) return;
      if (firstLook?.isOld(file.stamp) === true) seen.push(file);
      else classifier.approach(file);
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
