import { within } from '../../base/tasks.ts';
import type { WalkResult } from '../../inputs/find-files.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import { isBelow } from '../../system/mounts.ts';
import { cpuTimeMs } from '../../system/this-process.ts';
import type { Observation } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import type { FoundFile, Intake } from '../send/intake.ts';
import type { Classifier } from './classify.ts';
import type { FolderReader } from './folder-reader.ts';
import type { Folders } from './folders.ts';
import type { OpenFiles } from './open-files.ts';
import type { RemoteFolder } from './remote-folder.ts';
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
  | 'incomplete'
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
  readonly #intake: Pick<Intake, 'leaveOut'>;
  readonly #folders: Pick<Folders, 'all'>;
  readonly #openFiles: OpenFiles;
  #isRunning = false;
  #isFirst = true;
  /** The next round without a folder: all devices are away (ms of the monotonic clock). */
  #emptyRoundAt = -Infinity;

  constructor(
    parts: RescannerParts,
    classifier: Classifier,
    intake: Pick<Intake, 'leaveOut'>,
    folders: Pick<Folders, 'all'>,
    openFiles: OpenFiles,
  ) {
    this.#parts = parts;
    this.#classifier = classifier;
    this.#intake = intake;
    this.#folders = folders;
    this.#openFiles = openFiles;
  }

  get isRunning(): boolean {
    return this.#isRunning;
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
    const searches = due
      .filter(({ removable }) => removable)
      .map(
        (folder) =>
          new Promise<number>((resolve) =>
            tasks.run(async () => resolve((await this.#rescanInRound(folder)) ?? 0)),
          ),
      );
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    tasks.run(async () => {
      let files = 0;
      let complete = isDue;
      for (const folder of due.filter(({ removable }) => !removable)) {
        if (signal.aborted) return;
        const found = await this.#rescanInRound(folder);
        complete &&= found !== undefined;
        files += found ?? 0;
      }
      if (isFirst) files += await this.#found(searches);
      this.#isRunning = false;
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

  /** @returns the number of files; undefined if the ledger failed */
  async #rescanInRound(folder: WatchedFolder): Promise<number | undefined> {
    const { events, tasks } = this.#parts;
    try {
      const { files, observation } = await this.rescan(folder);
      if (observation === undefined) return files;
      events.post({ type: 'folder-probed', folder, observation });
      return files;
    } catch (error) {
      tasks.failed(error);
      return undefined;
    }
  }

  /**
   * Rescans a folder, and schedules its next rescan.
   *
   * @returns the number of files, and what this showed of a device
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescan(folder: WatchedFolder): Promise<{ files: number; observation?: Observation }> {
    const { clock, events, pollMs = POLL_MS, signal } = this.#parts;
    const { remote } = folder;
    const started = { at: clock.monotonic(), cpuMs: cpuTimeMs() };
    // No round starts a second rescan of this folder.
    folder.rescanAt = Infinity;
    if (remote?.isBusy === true) {
      // An earlier rescan still runs: its device came back meanwhile.
      folder.rescanIn(REMOTE_RETRY_MS);
      events.post({ type: 'rescan-due' });
      return { files: 0 };
    }
    // The pause if the rescan fails, or the device is away.
    let pauseMs = folder.isThere ? REMOTE_RETRY_MS : Infinity;
    try {
      if (!folder.isThere) return { files: 0 };
      if (remote !== undefined) remote.isBusy = true;
      const files = await this.#compare(folder, remote);
      if (remote === undefined) return { files };
      pauseMs = remote.pauseMs(pollMs);
      return { files, observation: remote.succeeded() };
    } catch (error) {
      signal.throwIfAborted();
      if (remote === undefined) throw error;
      const observation = remote.failed(error);
      pauseMs = Infinity;
      return { files: 0, observation };
    } finally {
      if (remote !== undefined) remote.isBusy = false;
      else {
        const interval = folder.state === 'polling' ? pollMs : RESCAN_MS;
        // Not the time that passed: a file system that hung for a minute would stay unread for hours.
        const costMs = cpuTimeMs() - started.cpuMs;
        const passedMs = clock.monotonic() - started.at;
        pauseMs = Math.max(interval, costMs / SHARE[folder.state], passedMs);
        folder.rescanCostMs = costMs;
      }
      folder.rescanIn(pauseMs);
    }
  }

  /** Reports a problem that a reader found, once. */
  report({ reported }: FolderReader, found: WalkResult): void {
    if (found.found !== 'problem' || found.isGone) return;
    const { path, problem: message } = found;
    if (reported.has(`${path}: ${message}`)) return;
    reported.add(`${path}: ${message}`);
    this.#parts.report({ event: 'problem', path, message });
  }

  /**
   * Compares the files in a folder with the ledger, except those of another watched folder in it. The open ones of a
   * local folder go to the intake, which reads the oldest first; those of a device are read here, since it may leave.
   *
   * @returns the number of files
   * @throws ChildError if the file system failed; the signal's reason; ledger errors
   */
  async #compare({ local, path }: WatchedFolder, remote?: RemoteFolder): Promise<number> {
    const reader: FolderReader = remote ?? local;
    const { dryRun, incomplete, known, marks, newOnly, signal } = this.#parts;
    const firstRescan = newOnly ? marks.newOnly(path) : undefined;
    // Those of a local folder are checked by themselves.
    const noted = remote === undefined ? [] : incomplete.all();
    const missing = new Set(noted.flatMap((file) => (isBelow(file.path, path) ? file.path : [])));
    const inner = this.#folders.all.filter((folder) => isBelow(folder.path, path));
    const open: FoundFile[] = [];
    let files = 0;
    for await (const batch of reader.list(new Set(missing), signal)) {
      // Not before the folder was listed: without a record, no file of a device without times is read.
      if (files === 0 && !dryRun) firstRescan?.begin();
      const seen: FoundFile[] = [];
      known.reading(() => {
        for (const found of batch) {
          missing.delete(found.path);
          const isOfInner = inner.some((folder) => isBelow(found.path, folder.path));
          // With `--new-only`, each folder counts from its own first rescan. A dry run leaves no marks to the second one.
          if (isOfInner && (!newOnly || dryRun)) continue;
          this.report(reader, found);
          if (found.found !== 'file') continue;
          if (!isOfInner) files++;
          const file = { path: found.path, stamp: found.stamp, removable: remote !== undefined };
          if (remote?.tried.has(file.path) === true && file.stamp.size === 0) continue;
          if (!this.#classifier.isOpen(file)) continue;
          // Without a time, only reading the file shows if it is older than an absent device's first rescan.
          const mtimeMs = remote?.isOnMtp === true ? Infinity : file.stamp.mtimeMs;
          if (firstRescan?.isOld({ ...file.stamp, mtimeMs }) === true) seen.push(file);
          else if (remote === undefined) this.#classifier.examine(file);
          else open.push(file);
        }
      });
      this.#intake.leaveOut(seen);
    }
    for (const gone of missing) incomplete.forget(gone);
    if (remote !== undefined) {
      // What covers a GPX or TCX file is copied before it.
      open.sort((a, b) => Number(isTrackName(a.path)) - Number(isTrackName(b.path)));
      await this.#openFiles.read({ path, remote, newOnly: firstRescan }, open);
      if (this.#openFiles.leftOn(path) > 0) return files;
    }
    if (!dryRun) firstRescan?.done();
    return files;
  }
}
