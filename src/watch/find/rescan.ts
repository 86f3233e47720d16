import type { Context } from '../../base/context.ts';
import type { KnownFiles } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import type { Classifier, FoundFile } from './classify.ts';
import { cpuTimeMs } from '../../system/this-process.ts';
import type { WatchNotice } from '../report.ts';
import { type Found, inSlices, walk } from './walk.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** Rescan interval for folders with file events (ms). */
export const RESCAN_MS = 5 * 60_000;
/** Rescan interval for polled folders; `--poll` overrides it (ms). */
export const POLL_MS = 30_000;
/** Largest share of one core's time that rescans may take: a large folder is rescanned less often. */
const SHARE = { watching: 1 / 2_000, polling: 1 / 20, waiting: 1 };

export interface RescanOptions {
  /** Ignore the files that the first rescan finds. */
  readonly newOnly: boolean;
  /** Poll every folder at this interval (ms). */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

/** The ledger that files are compared with, and the classifier that they go to. */
export interface RescanTarget {
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly classifier: Classifier;
  readonly report: (notice: WatchNotice) => void;
}

/**
 * Compares the files in a folder with the ledger. Rescans make the watcher correct; file events only
 * make it fast.
 */
export class Rescanner {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: RescanOptions;
  readonly #target: RescanTarget;
  /** Problems that were reported since a folder last appeared or disappeared. */
  readonly #reported = new Set<string>();

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: RescanOptions,
    target: RescanTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
  }

  /**
   * Classifies every file in the folder and schedules the folder's next rescan.
   *
   * @returns the number of files
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescan(folder: WatchedFolder): Promise<number> {
    const { clock } = this.#context;
    const started = { at: clock.monotonic(), cpuMs: cpuTimeMs() };
    try {
      return folder.state === 'waiting' ? 0 : await this.#rescan(folder);
    } finally {
      const { state } = folder;
      const interval = state === 'polling' ? (this.#options.pollMs ?? POLL_MS) : RESCAN_MS;
      // Not the time that passed: a file system that hung for a minute would stay unread for hours.
      const costMs = cpuTimeMs() - started.cpuMs;
      const now = clock.monotonic();
      folder.rescanAt = now + Math.max(interval, costMs / SHARE[state], now - started.at);
      folder.rescanCostMs = costMs;
    }
  }

  /** Records for `--new-only` that a folder is missing at the start: its later files are new. */
  expect(path: string): void {
    const { newOnly, dryRun } = this.#options;
    if (newOnly && !dryRun) this.#target.marks.newOnly(path).begin();
  }

  /** Reports problems again: a folder appeared or disappeared. */
  forgetProblems(): void {
    this.#reported.clear();
  }

  /** Handles one result of a walk: watches a folder, passes on a file, reports a problem once. */
  visit(folder: WatchedFolder, found: Found, onFile: (file: FoundFile) => void): void {
    switch (found.found) {
      case 'folder':
        // Events may have missed its creation.
        folder.events?.coverOne(found.path);
        return;
      case 'file':
        onFile({ path: found.path, stamp: found.stamp, removable: folder.removable });
        return;
      case 'problem': {
        const { path, problem: message } = found;
        if (this.#reported.has(`${path}: ${message}`)) return;
        this.#reported.add(`${path}: ${message}`);
        this.#target.report({ event: 'problem', path, message });
      }
    }
  }

  async #rescan(folder: WatchedFolder): Promise<number> {
    const { signal } = this.#context;
    const { known, marks, classifier } = this.#target;
    const { newOnly, dryRun } = this.#options;
    const firstLook = newOnly ? marks.newOnly(folder.path) : undefined;
    if (!dryRun) firstLook?.begin();
    let files = 0;
    let seen: FoundFile[] = [];
    const onFile = (file: FoundFile) => {
      files++;
      if (!classifier.isOpen(file)) return;
      if (firstLook?.isOld(file.stamp) === true) seen.push(file);
      else classifier.examine(file);
    };
    const transaction = (slice: () => boolean) => {
      const more = known.reading(slice);
      if (!dryRun) marks.markSeen(seen);
      seen = [];
      return more;
    };
    const take = (found: Found) => this.visit(folder, found, onFile);
    await inSlices(walk(folder.path), take, transaction, signal);
    if (!dryRun) firstLook?.done();
    return files;
  }
}
