import { within } from '../../base/tasks.ts';
import type { FoundFile } from '../send/intake.ts';
import type { Classifier } from './classify.ts';
import { type WalkResult, walk } from '../../inputs/find-files.ts';
import { isActivityName } from '../../inputs/recording-names.ts';
import { cpuTimeMs } from '../../system/this-process.ts';
import type { WatchParts } from '../parts.ts';
import type { Folders } from './folders.ts';
import type { RemoteFolders } from './remote-folders.ts';
import { POLL_MS, type WatchedFolder } from './watched-folder.ts';

/** Rescan interval for folders with file events (ms). */
const RESCAN_MS = 5 * 60_000;
/** Largest share of one core's time that rescans may take: a large folder is rescanned less often. */
const SHARE = { watching: 1 / 2_000, polling: 1 / 20, waiting: 1, silent: 1 };

/** Pause before a removable folder that was not rescanned is tried again (ms). */
const REMOTE_RETRY_MS = 5_000;
/** Longest time that the first round waits for removable folders; later ones do not wait (ms). */
const FIRST_ROUND_MS = 5_000;

type RescannerParts = Pick<
  WatchParts,
  | 'clock'
  | 'dryRun'
  | 'events'
  | 'known'
  | 'marks'
  | 'newOnly'
  | 'pollMs'
  | 'report'
  | 'signal'
  | 'tasks'
>;

/**
 * Compares the files in folders with the ledger, in rounds. Rescans make the watcher correct; file events
 * only make it fast.
 */
export class Rescanner {
  readonly #parts: RescannerParts;
  readonly #classifier: Classifier;
  readonly #folders: Pick<Folders, 'all'>;
  readonly #remoteFolders: RemoteFolders;
  #isRunning = false;
  #isFirst = true;
  /** The next round without a folder: all devices are away (ms of the monotonic clock). */
  #emptyRoundAt = -Infinity;
  /** Problems that were reported since a folder last appeared or disappeared. */
  readonly #reported = new Set<string>();

  constructor(
    parts: RescannerParts,
    classifier: Classifier,
    folders: Pick<Folders, 'all'>,
    remoteFolders: RemoteFolders,
  ) {
    this.#parts = parts;
    this.#classifier = classifier;
    this.#folders = folders;
    this.#remoteFolders = remoteFolders;
  }

  /** Time until the next round (ms); Infinity while one runs. */
  get waitMs(): number {
    return this.#isRunning ? Infinity : this.#dueAt - this.#parts.clock.monotonic();
  }

  /** The next round. Without a folder, a round still shows that the watcher is alive. */
  get #dueAt(): number {
    const { all } = this.#folders;
    return all.length === 0
      ? this.#emptyRoundAt
      : Math.min(...all.map((folder) => folder.rescanAt));
  }

  /** Starts a round of the folders that are due, one after another. It ends with the event `rescanned`. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { clock, events, signal, tasks } = this.#parts;
    const now = clock.monotonic();
    const isDue = this.#dueAt <= now;
    const due = this.#folders.all.filter(({ rescanAt }) => rescanAt <= now);
    this.#emptyRoundAt = now + RESCAN_MS;
    // A device or a network may take minutes, or not answer.
    const removable = due.filter((folder) => folder.removable);
    const searches = removable.map(
      (folder) =>
        new Promise<number>((resolve) =>
          tasks.run(async () => resolve(await this.#rescanRemote(folder))),
        ),
    );
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    tasks.run(async () => {
      let files = 0;
      let complete = isDue;
      for (const folder of due.filter(({ removable }) => !removable)) {
        if (signal.aborted) return;
        try {
          files += await this.rescan(folder);
        } catch (error) {
          events.post({ type: 'failed', error });
          complete = false;
        }
      }
      if (isFirst) files += await this.#found(searches);
      events.post({ type: 'rescanned', files, complete });
    });
  }

  /** Returns how many files the searches found in time. */
  async #found(searches: readonly Promise<number>[]): Promise<number> {
    const { clock, signal } = this.#parts;
    let files = 0;
    const counts = searches.map(async (search) => {
      files += await search;
    });
    await within(clock, FIRST_ROUND_MS, Promise.all(counts), signal);
    return files;
  }

  /** Ends a round: call it for the event `rescanned`. */
  ended(): void {
    this.#isRunning = false;
  }

  async rescanOnce(folder: WatchedFolder): Promise<void> {
    if (!folder.removable) {
      await this.rescan(folder);
      return;
    }
    const rescan = await this.#remoteFolders.rescan(folder.path);
    if (rescan !== undefined) folder.apply(rescan.observation);
  }

  /**
   * Classifies every file in the folder and schedules the folder's next rescan.
   *
   * @returns the number of files
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescan(folder: WatchedFolder): Promise<number> {
    const { clock } = this.#parts;
    const started = { at: clock.monotonic(), cpuMs: cpuTimeMs() };
    try {
      return !folder.isThere ? 0 : await this.#rescan(folder);
    } finally {
      const { state } = folder;
      const interval = state === 'polling' ? (this.#parts.pollMs ?? POLL_MS) : RESCAN_MS;
      // Not the time that passed: a file system that hung for a minute would stay unread for hours.
      const costMs = cpuTimeMs() - started.cpuMs;
      const now = clock.monotonic();
      folder.rescanAt = now + Math.max(interval, costMs / SHARE[state], now - started.at);
      folder.rescanCostMs = costMs;
    }
  }

  /** Records for `--new-only` that a folder is missing at the start: its later files are new. */
  expect(path: string): void {
    const { newOnly, dryRun, marks } = this.#parts;
    if (newOnly && !dryRun) marks.newOnly(path).begin();
  }

  /** Reports problems again: a folder appeared or disappeared. */
  forgetProblems(): void {
    this.#reported.clear();
  }

  /** Handles one result of a walk: watches a folder, passes on a file, reports a problem once. */
  visit(folder: WatchedFolder, found: WalkResult, onFile: (file: FoundFile) => void): void {
    switch (found.found) {
      case 'folder':
        // Events may have missed its creation.
        folder.events?.coverOne(found.path);
        return;
      case 'file':
        onFile({ path: found.path, stamp: found.stamp, removable: false });
        return;
      case 'problem': {
        const { path, problem: message, isGone } = found;
        if (isGone || this.#reported.has(`${path}: ${message}`)) return;
        this.#reported.add(`${path}: ${message}`);
        this.#parts.report({ event: 'problem', path, message });
      }
    }
  }

  async #rescan(folder: WatchedFolder): Promise<number> {
    const { dryRun, known, marks, newOnly, signal } = this.#parts;
    const classifier = this.#classifier;
    const firstRescan = newOnly ? marks.newOnly(folder.path) : undefined;
    if (!dryRun) firstRescan?.begin();
    let files = 0;
    let seen: FoundFile[] = [];
    const onFile = (file: FoundFile) => {
      files++;
      if (!classifier.isOpen(file)) return;
      if (firstRescan?.isOld(file.stamp) === true) seen.push(file);
      else classifier.examine(file);
    };
    const transaction = (slice: () => boolean) => {
      const more = known.reading(slice);
      if (!dryRun) marks.markSeen(seen);
      seen = [];
      return more;
    };
    const take = (found: WalkResult) => this.visit(folder, found, onFile);
    await inSlices(walk(folder.path, isActivityName), take, transaction, signal);
    if (!dryRun) firstRescan?.done();
    return files;
  }

  /** @returns the number of files */
  async #rescanRemote(folder: WatchedFolder): Promise<number> {
    const { events } = this.#parts;
    // Until it ends, or the device is back.
    folder.rescanAt = Infinity;
    if (!folder.isThere) return 0;
    try {
      const rescan = await this.#remoteFolders.rescan(folder.path);
      if (rescan !== undefined) {
        folder.rescanIn(rescan.pauseMs);
        events.post({ type: 'folder-probed', folder, observation: rescan.observation });
        return rescan.files;
      }
    } catch (error) {
      events.post({ type: 'failed', error });
    }
    // An earlier rescan still runs, or the ledger failed.
    folder.rescanIn(REMOTE_RETRY_MS);
    events.post({ type: 'rescan-due' });
    return 0;
  }
}

/** Longest slice before events and requests are handled (ms). */
const SLICE_MS = 20;

/**
 * Takes the results of a walk in slices, each within `transaction`, and yields to the event loop in
 * between.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function inSlices<T>(
  found: Iterator<T, undefined>,
  take: (item: T) => void,
  transaction: (slice: () => boolean) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const slice = (): boolean => {
    const end = performance.now() + SLICE_MS;
    for (let next = found.next(); next.done !== true; next = found.next()) {
      take(next.value);
      if (performance.now() >= end) return true;
    }
    return false;
  };
  while (transaction(slice)) {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}
