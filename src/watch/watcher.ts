import { networkInterfaces } from 'node:os';
import { SyncError, messageOf } from '../base/errors.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Clock } from '../base/time.ts';
import type { UploadItem } from '../upload/report.ts';
import { Wakeup } from './wakeup.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { statOf } from './fs-events.ts';
import { type Failure, CircuitBreaker } from './circuit-breaker.ts';
import { EventHandler } from './event-handler.ts';
import type { Outbox } from './outbox.ts';
import { IncompleteFiles } from './incomplete-files.ts';
import { Sender } from './sender.ts';
import type { WatchNotice } from './report.ts';
import { Classifier } from './classify.ts';
import { Rescanner, type RescanOptions } from './rescan.ts';
import { Verifier } from './verifier.ts';
import { type Appearance, WatchedFolder } from './watched-folder.ts';

/** Between two looks at whether a folder that is waited for, or a login, is there, in ms. */
const ROOT_CHECK_MS = 2_000;
/** The same while nothing is waited for: events tell what goes, this what is mounted over it. */
const QUIET_CHECK_MS = 10_000;
/** So much more time than expected between two looks means that the machine slept, in ms. */
const SLEPT_MS = 30_000;
/** Pause between two looks for uploads that are due to be verified (ms). */
const VERIFY_LOOK_MS = 60_000;
/** A look at the folders takes no longer, in ms: one whose file system hangs is asked again later. */
const LOOK_MS = 1_000;
/**
 * A request under way is given so long when the program is told to stop, in ms; a renewal of the
 * login that it waits for has a time of its own after that, and both together end within 5 s.
 */
const STOP_GRACE_MS = 1_700;

export interface WatcherOptions extends RescanOptions {
  /** Absolute, each once. */
  readonly folders: readonly string[];
}

/** What the watcher works with, for one account. */
export interface WatcherNeeds {
  readonly appVersion: string;
  /** What the file system under a folder means for watching it. */
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  /** Else nothing is sent: recordings are found and kept until another login takes over. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  readonly clock: Clock;
  /** Evenly from [0, 1). */
  readonly random: () => number;
  /** Stops it. */
  readonly signal: AbortSignal;
  readonly report: (event: WatchNotice) => void;
  /** Something in {@link Watcher.picture} has changed. */
  readonly onChange: () => void;
  /** After every round of rescans that went well. */
  readonly onRescanned: () => void;
  /** Every few seconds. */
  readonly onTick: () => void;
}

/** How a watcher ended: from outside, or by {@link Watcher.leave}. */
export type WatchEnd = 'stopped' | 'left';

/**
 * Watches folders and sends what is new. The rescans are what counts: they compare what is there with
 * the ledger. Events only make it fast.
 */
export class Watcher {
  readonly breaker: CircuitBreaker;
  readonly #options: WatcherOptions;
  readonly #needs: WatcherNeeds;
  readonly #folders: readonly WatchedFolder[];
  readonly #incomplete: IncompleteFiles;
  readonly #classifier: Classifier;
  readonly #sender: Sender;
  readonly #rescanner: Rescanner;
  readonly #eventHandler: EventHandler;
  readonly #verifier: Verifier;
  readonly #rescanWakeup: Wakeup;
  readonly #incompleteWakeup: Wakeup;
  readonly #rootWakeup: Wakeup;
  readonly #verifyWakeup: Wakeup;
  readonly #ended = new AbortController();
  #end: WatchEnd | undefined;
  #onEnd: () => void = () => undefined;
  /** A fault of the program: it ends everything. */
  #fault: { readonly error: unknown } | undefined;
  /** Since the last look around. */
  #changed = true;
  #lastRescanAt: number | undefined;
  #onSettled: ((item: UploadItem) => void) | undefined;

  constructor(options: WatcherOptions, needs: WatcherNeeds) {
    const { clock, outbox, known, marks, random } = needs;
    const now = () => clock.now();
    this.#options = options;
    this.#needs = needs;
    this.breaker = new CircuitBreaker(() => clock.monotonic(), random);
    this.#incomplete = new IncompleteFiles(clock);
    this.#rescanWakeup = new Wakeup(clock);
    this.#incompleteWakeup = new Wakeup(clock);
    this.#rootWakeup = new Wakeup(clock);
    this.#verifyWakeup = new Wakeup(clock);
    const classifier = (this.#classifier = new Classifier({
      ...{ known, marks, outbox, now },
      incomplete: this.#incomplete,
      onCandidate: (item) => this.#sender.add(item),
      onSettled: (item) => this.#onSettled?.(item),
    }));
    this.#sender = new Sender(options, {
      ...needs,
      breaker: this.breaker,
      onChange: () => this.#noteChange(),
      onIncomplete: ({ absolute: path, stamp, removable }, reason, detail) => {
        classifier.noteIncomplete({ path, stamp, removable }, reason, detail);
        this.#incompleteWakeup.notify();
      },
    });
    this.#rescanner = new Rescanner(options, { ...needs, classifier });
    const signal = AbortSignal.any([needs.signal, this.#ended.signal]);
    this.#verifier = new Verifier({ ...needs, breaker: this.breaker, signal });
    this.#eventHandler = new EventHandler({
      classifier,
      incomplete: this.#incomplete,
      rescanner: this.#rescanner,
      onQueued: () => setImmediate(() => void this.#guarded(() => this.#hear())),
      rescanIn: (folder, ms) => this.#rescanIn(folder, ms),
    });
    this.#folders = options.folders.map(
      (path) =>
        new WatchedFolder(path, {
          filesystemType: needs.filesystemType,
          recursiveEvents: needs.recursiveEvents,
          forcePolling: options.pollMs !== undefined,
          onName: (folder, parent, name) => this.#eventHandler.add(folder, parent, name),
          onRoot: () => this.#rootWakeup.notify(),
          onStateChange: (folder) => this.#tellState(folder),
        }),
    );
  }

  /** How things stand, for the health report. Times in ms since the epoch. */
  get picture() {
    return {
      folders: this.#folders.map(({ path, state, reason }) => ({
        path,
        state,
        ...(reason === undefined ? {} : { reason }),
      })),
      waiting: this.#sender.waiting,
      sending: this.#sender.sending,
      unfinished: this.#incomplete.size,
      lastSuccessAt: this.#sender.lastSuccessAt,
      lastRescanAt: this.#lastRescanAt,
    };
  }

  /** Ends it, so that another one takes its place. */
  leave(): void {
    this.#finish('left');
  }

  /** Nothing can be delivered for now: somebody else found out. */
  hinder(failure: Failure): void {
    this.#sender.hinder(failure);
  }

  /**
   * One look at everything, then it is over.
   *
   * @param onItem told what became of each file, also of those that need nothing.
   * @throws the signal's reason when it is aborted; SyncError if the login has ended, and only
   *   verifying earlier uploads showed that.
   */
  async once(onItem: (item: UploadItem) => void): Promise<void> {
    const { signal } = this.#needs;
    this.#onSettled = onItem;
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped = this.#sender.stop(STOP_GRACE_MS);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (const folder of this.#folders) {
        await folder.check();
        folder.close();
        if (folder.state === 'waiting') {
          const detail = folder.reason ?? 'There is no such folder now.';
          onItem({ path: folder.path, outcome: 'invalid', reason: 'unreadable', detail });
        }
        await this.#rescanner.rescan(folder);
      }
      if (!this.#options.dryRun) this.#sender.adopt();
      await this.#sender.drain();
      for (const { path, reason, detail } of this.#incomplete.all()) {
        onItem({ path, outcome: 'invalid', reason, detail });
      }
      if (!this.#options.dryRun) await this.#verifier.check();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
      // What is under way is given its time: the ledger and the connection are closed after this.
      await stopped;
    }
  }

  /** Watches until it is stopped, or told to leave. */
  async run(): Promise<WatchEnd> {
    const { signal, report } = this.#needs;
    const stop = () => this.#finish('stopped');
    if (signal.aborted) return 'stopped';
    signal.addEventListener('abort', stop, { once: true });
    const loop = (task: Promise<void>) => task.catch((error: unknown) => this.#fail(error));
    try {
      this.#sender.adopt();
      await this.#lookAtRoots();
      for (const folder of this.#folders) {
        if (folder.state !== 'waiting') continue;
        this.#tellState(folder);
        this.#rescanner.expect(folder);
      }
      const sending = loop(this.#sender.run());
      const files = await this.#rescanDue();
      if (!this.#hasEnded()) report({ event: 'ready', files, queued: this.#sender.waiting });
      const loops = [
        this.#watchRoots(),
        this.#rescanForever(),
        this.#lookAgain(),
        this.#verifyWhatIsDue(),
      ];
      await Promise.all(loops.map(loop));
      await this.#sender.stop(STOP_GRACE_MS);
      await sending;
    } finally {
      signal.removeEventListener('abort', stop);
      for (const folder of this.#folders) folder.close();
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#end ?? 'stopped';
  }

  #hasEnded(): boolean {
    return this.#end !== undefined;
  }

  #finish(end: WatchEnd): void {
    this.#end ??= end;
    this.#onEnd();
    this.#ended.abort();
    for (const wakeup of [
      this.#rootWakeup,
      this.#rescanWakeup,
      this.#incompleteWakeup,
      this.#verifyWakeup,
    ]) {
      wakeup.notify();
    }
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#finish('stopped');
  }

  #noteChange(): void {
    this.#changed = true;
    this.#needs.onChange();
  }

  #tellState({ path, state, reason }: WatchedFolder): void {
    const why = reason === undefined ? {} : { reason };
    this.#needs.report({ event: 'folder', folder: path, state, ...why });
    this.#noteChange();
  }

  #hear(): void {
    if (this.#hasEnded()) return;
    this.#eventHandler.handle();
    this.#incompleteWakeup.notify();
    this.#noteChange();
  }

  /** Looks every few seconds: are the folders there, did the machine sleep? */
  async #watchRoots(): Promise<void> {
    const { clock, onTick } = this.#needs;
    let wallBefore = clock.now();
    let before = clock.monotonic();
    let addresses: string | undefined;
    while (!this.#hasEnded()) {
      const pauseMs = this.#isQuiet() ? QUIET_CHECK_MS : ROOT_CHECK_MS;
      this.#changed = false;
      await this.#rootWakeup.wait(pauseMs);
      if (this.#hasEnded()) return;
      const [wall, now] = [clock.now(), clock.monotonic()];
      // Some systems stop the monotonic clock while the machine sleeps; the other one may be set.
      const passed = Math.max(Math.abs(wall - wallBefore), now - before);
      if (passed > pauseMs + SLEPT_MS) this.#wokeUp();
      wallBefore = wall;
      before = now;
      await this.#guarded(async () => {
        await this.#lookAtRoots();
        const { state } = this.breaker.state;
        const found = state === 'open' ? addressesNow() : undefined;
        if (found !== undefined && addresses !== undefined && found !== addresses) this.#tryNow();
        addresses = found;
        onTick();
      });
    }
  }

  /** A folder whose file system does not answer holds up nothing but itself. */
  async #lookAtRoots(): Promise<void> {
    const looks = this.#folders.map((folder) =>
      this.#guarded(async () => {
        const appearance = await folder.check();
        if (appearance !== undefined && !this.#hasEnded()) this.#onAppearance(folder, appearance);
      }),
    );
    const patience = new AbortController();
    const enough = this.#needs.clock.sleep(LOOK_MS, patience.signal).catch(() => undefined);
    const ended = new Promise<void>((resolve) => (this.#onEnd = resolve));
    await Promise.race([Promise.all(looks), enough, ended]);
    patience.abort();
  }

  /** Nothing is waited for, and nothing has happened since the last look around. */
  #isQuiet(): boolean {
    const waiting = this.#folders.some(({ state }) => state === 'waiting');
    const { state } = this.breaker.state;
    return !waiting && !this.#changed && this.#sender.waiting === 0 && state === 'closed';
  }

  #onAppearance(folder: WatchedFolder, appearance: Appearance): void {
    if (appearance === 'same') return;
    this.#rescanner.forgetProblems();
    if (appearance === 'gone') this.#incomplete.forgetBelow(folder.path);
    else this.#rescanIn(folder, 0);
  }

  #wokeUp(): void {
    for (const folder of this.#folders) this.#rescanIn(folder, 0);
    this.#tryNow();
  }

  #tryNow(): void {
    this.breaker.tryNow();
    this.#sender.wake();
  }

  #rescanIn(folder: WatchedFolder, ms: number): void {
    folder.rescanAt = Math.min(folder.rescanAt, this.#needs.clock.monotonic() + ms);
    this.#rescanWakeup.notify();
  }

  async #rescanForever(): Promise<void> {
    const { clock } = this.#needs;
    while (!this.#hasEnded()) {
      const next = Math.min(...this.#folders.map(({ rescanAt }) => rescanAt));
      const waitMs = next - clock.monotonic();
      if (waitMs > 0) await this.#rescanWakeup.wait(waitMs);
      if (!this.#hasEnded()) await this.#rescanDue();
    }
  }

  /** Sweeps the folders whose time has come. @returns how many files there were */
  async #rescanDue(): Promise<number> {
    const { clock, onRescanned } = this.#needs;
    let files = 0;
    let rescanned = 0;
    let good = true;
    for (const folder of this.#folders) {
      if (folder.rescanAt > clock.monotonic() || this.#hasEnded()) continue;
      rescanned++;
      good &&= await this.#guarded(async () => {
        files += await this.#rescanner.rescan(folder);
      });
    }
    if (good && rescanned > 0 && !this.#hasEnded()) {
      this.#lastRescanAt = clock.now();
      this.#sender.adopt();
      onRescanned();
      this.#noteChange();
    }
    this.#incompleteWakeup.notify();
    return files;
  }

  /** Looks again at what is not whole, and tells of what stays so. */
  async #lookAgain(): Promise<void> {
    const { marks, report } = this.#needs;
    while (!this.#hasEnded()) {
      await this.#incompleteWakeup.wait(this.#incomplete.waitMs);
      if (this.#hasEnded()) return;
      await this.#guarded(() => {
        for (const { path, removable } of this.#incomplete.dueLooks()) {
          const stats = statOf(path);
          if (stats?.isFile() === true)
            this.#classifier.classify({ path, stamp: stats, removable });
          else this.#incomplete.forget(path);
        }
        for (const { path, stamp, reason, detail } of this.#incomplete.dueReports()) {
          marks.markReported(path, stamp);
          report({ event: 'unfinished', path, reason, detail });
        }
      });
    }
  }

  /** Verifies what is due, also what was uploaded before this start. */
  async #verifyWhatIsDue(): Promise<void> {
    while (!this.#hasEnded()) {
      try {
        await this.#verifier.check();
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        this.#sender.hinder(error);
      }
      if (!this.#hasEnded()) await this.#verifyWakeup.wait(VERIFY_LOOK_MS);
    }
  }

  /** What the disk or the ledger refuses is told and tried again in its time: the watcher stays up. */
  async #guarded(task: () => void | Promise<void>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      if (this.#needs.signal.aborted) return false;
      if (error instanceof SyncError || (error instanceof Error && 'code' in error)) {
        this.#needs.report({ event: 'problem', message: messageOf(error) });
      } else this.#fail(error);
      return false;
    }
  }
}

/** Changes when a network comes or goes. */
function addressesNow(): string {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .sort()
    .join(' ');
}
