import { networkInterfaces } from 'node:os';
import type { Context } from '../base/context.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import type { ServiceClient } from '../api/client.ts';
import { type MtpReaderOptions, MtpReaders } from '../devices/mtp/reader.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { UploadItem } from '../upload/report.ts';
import { CircuitBreaker, type Failure } from './circuit-breaker.ts';
import { Classifier } from './classify.ts';
import { EventHandler } from './event-handler.ts';
import { EventQueue, type WatchEvent } from './events.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { statOf } from './fs-events.ts';
import { IncompleteFiles } from './incomplete-files.ts';
import { MtpFolders } from './mtp-folders.ts';
import type { Outbox } from './outbox.ts';
import type { WatchNotice } from './report.ts';
import { POLL_MS, type RescanOptions, Rescanner } from './rescan.ts';
import { Sender } from './sender.ts';
import { Verifier } from './verifier.ts';
import { type Appearance, WatchedFolder } from './watched-folder.ts';

/** Interval of checks while a folder or the service is missing (ms). */
const CHECK_MS = 2_000;
/** Interval of checks otherwise: events report a removal, checks a mount over the folder (ms). */
const QUIET_CHECK_MS = 10_000;
/** A check that is late by more than this means that the machine slept (ms). */
const SLEPT_MS = 30_000;
/** Interval of checks for uploads that are due to be verified (ms). */
const VERIFY_MS = 60_000;
/** Longest wait for the first check of the folders: a hanging file system is checked later (ms). */
const FIRST_CHECK_MS = 1_000;
/**
 * Grace period for in-flight requests on shutdown (ms). The renewal of a login has a further
 * grace period; both together end within 5 s.
 */
const STOP_GRACE_MS = 1_700;

export interface WatcherOptions extends RescanOptions {
  /** Absolute paths, each once. */
  readonly folders: readonly string[];
}

/** The account that a watcher sends to, its ledger, and the calls that the watcher makes. */
export interface WatcherTarget {
  readonly appVersion: string;
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  /** How folders on MTP mounts are read. */
  readonly mtp: MtpReaderOptions;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  /** If false, nothing is sent: recordings are found and kept for the next login. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  readonly report: (notice: WatchNotice) => void;
  /** Called after a change of {@link Watcher.picture}. */
  readonly onChange: () => void;
  /** Called after a complete round of rescans. */
  readonly onRescanned: () => void;
  /** Called with every check of the folders, every few seconds. */
  readonly onTick: () => void;
}

/** How a watcher ended: by its signal, or by {@link Watcher.leave}. */
export type WatchEnd = 'stopped' | 'left';

/**
 * Watches folders and sends new recordings.
 *
 * All state changes in one loop over {@link WatchEvent}s, in {@link Watcher.run}. Rescans, uploads,
 * folder checks and verifications run beside it and post their outcome as an event.
 */
export class Watcher {
  readonly breaker: CircuitBreaker;
  readonly #context: Pick<Context, 'clock' | 'random' | 'signal'>;
  readonly #options: WatcherOptions;
  readonly #target: WatcherTarget;
  readonly #events: EventQueue;
  readonly #folders: readonly WatchedFolder[];
  readonly #incomplete: IncompleteFiles;
  readonly #classifier: Classifier;
  readonly #sender: Sender;
  readonly #rescanner: Rescanner;
  readonly #mtpReaders: MtpReaders;
  readonly #mtpFolders: MtpFolders;
  readonly #eventHandler: EventHandler;
  readonly #verifier: Verifier;
  /** Rescans and verifications that run beside the loop. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  #end: WatchEnd | undefined;
  /** An error in the program: it ends the watcher. */
  #fault: { readonly error: unknown } | undefined;
  /** A rescan, an upload or a folder changed something since the last check. */
  #changed = true;
  #isRescanning = false;
  #isReady = false;
  #lastRescanAt: number | undefined;
  /** The last check: both clocks, the interval after it, and the network addresses (if offline). */
  #lastCheck: { wall: number; monotonic: number; intervalMs: number; addresses?: string };
  /** Set by {@link Watcher.once}. */
  #onSettled: ((item: UploadItem) => void) | undefined;

  /** @param context its signal stops the watcher */
  constructor(
    context: Pick<Context, 'clock' | 'random' | 'signal'>,
    options: WatcherOptions,
    target: WatcherTarget,
  ) {
    const { clock, random } = context;
    const { outbox, known, marks } = target;
    const events = new EventQueue(clock);
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    const breaker = new CircuitBreaker(() => clock.monotonic(), random);
    const incomplete = new IncompleteFiles(clock);
    const classifier = new Classifier(context, {
      ...{ known, marks, outbox, incomplete },
      onCandidate: (item) => sender.add(item),
      onSettled: (item) => this.#onSettled?.(item),
    });
    const sender = new Sender(context, options, {
      ...target,
      breaker,
      onChange: () => this.#noteChange(),
      onWork: () => events.post({ type: 'sender-work' }),
      onFinished: (upload) => events.post({ type: 'upload-finished', upload }),
      onIncomplete: ({ absolute: path, stamp, removable }, reason, detail) =>
        classifier.noteIncomplete({ path, stamp, removable }, reason, detail),
    });
    const rescanner = new Rescanner({ clock, signal }, options, { ...target, classifier });
    const mtpReaders = new MtpReaders(target.mtp);
    const mtpFolders = new MtpFolders({ clock, signal }, options, {
      ...{ readers: mtpReaders, known, marks, classifier, incomplete },
      onRead: (item, bytes) => sender.addBytes(item, bytes),
    });
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#events = events;
    this.breaker = breaker;
    this.#incomplete = incomplete;
    this.#classifier = classifier;
    this.#sender = sender;
    this.#rescanner = rescanner;
    this.#mtpReaders = mtpReaders;
    this.#mtpFolders = mtpFolders;
    this.#verifier = new Verifier({ clock, random, signal }, { ...target, breaker });
    this.#eventHandler = new EventHandler({
      ...{ classifier, incomplete, rescanner },
      // One write fires several events: they are handled together.
      onQueued: () => setImmediate(() => events.post({ type: 'files-changed' })),
      rescanIn: (folder, ms) => this.#rescanIn(folder, ms),
    });
    this.#folders = options.folders.map(
      (path) =>
        new WatchedFolder(path, {
          filesystemType: target.filesystemType,
          recursiveEvents: target.recursiveEvents,
          forcePolling: options.pollMs !== undefined,
          lookAtMtp: (path) => mtpFolders.lookAt(path),
          onName: (folder, parent, name) => this.#eventHandler.add(folder, parent, name),
          onRoot: () => events.post({ type: 'root-changed' }),
          onGone: (folder) => this.#forgetBelow(folder.path),
          onStateChange: (folder) => this.#reportState(folder),
        }),
    );
    this.#lastCheck = { wall: clock.now(), monotonic: clock.monotonic(), intervalMs: CHECK_MS };
  }

  /** The watcher's state, for the health report. Times in ms since the epoch. */
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

  /** Ends the watcher, so that one with another login takes its place. */
  leave(): void {
    this.#finish('left');
  }

  /** Records a failure that the caller found: nothing can be delivered for now. */
  hinder(failure: Failure): void {
    this.#sender.hinder(failure);
  }

  /** Watches until its signal is aborted, or until {@link Watcher.leave}. */
  async run(): Promise<WatchEnd> {
    const { signal } = this.#context;
    const stop = () => this.#finish('stopped');
    if (signal.aborted) return 'stopped';
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#sender.adopt();
      await this.#firstCheck();
      // Folders that the first check found are rescanned once, not once more for their appearance.
      for (const event of this.#events.drain()) this.#guarded(() => this.#handle(event));
      for (const folder of this.#folders) {
        if (folder.state !== 'waiting') continue;
        this.#reportState(folder);
        folder.isAnnounced = true;
        // A device over MTP may be there and slow: its first look decides.
        if (!isOnMtp(folder.path)) this.#rescanner.expect(folder);
      }
      this.#startRescan();
      while (!this.#hasEnded()) {
        const event = await this.#events.next();
        this.#guarded(() => this.#handle(event));
        this.#setTimers();
      }
      await this.#stop();
    } finally {
      signal.removeEventListener('abort', stop);
      for (const folder of this.#folders) folder.close();
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    return this.#end ?? 'stopped';
  }

  /**
   * Rescans every folder once, sends new recordings, and ends.
   *
   * @param onItem called with the outcome of each file, also of files that need no work
   * @throws the signal's reason when it is aborted; SyncError if the login has ended, and only the
   *   verification of earlier uploads showed that
   */
  async once(onItem: (item: UploadItem) => void): Promise<void> {
    const { signal } = this.#context;
    const stop = () => this.#finish('stopped');
    this.#onSettled = onItem;
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (const folder of this.#folders) {
        await folder.check();
        folder.close();
        if (folder.state !== 'waiting') await this.#rescanNow(folder);
        if (folder.state === 'waiting') {
          const detail = folder.reason ?? 'There is no such folder now.';
          onItem({ path: folder.path, outcome: 'invalid', reason: 'unreadable', detail });
        }
      }
      if (!this.#options.dryRun) this.#sender.adopt();
      this.#sendOnce();
      while (!signal.aborted && this.#sender.waiting > 0) {
        const event = await this.#events.next();
        if (event.type === 'upload-finished') this.#sender.settle(event.upload);
        this.#sendOnce();
      }
      for (const { path, reason, detail } of this.#incomplete.all()) {
        onItem({ path, outcome: 'invalid', reason, detail });
      }
      if (!this.#options.dryRun) await this.#verifier.check();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
      // The caller closes the ledger and the connection after this.
      await this.#stop();
    }
  }

  async #rescanNow(folder: WatchedFolder): Promise<void> {
    if (!isOnMtp(folder.path)) {
      await this.#rescanner.rescan(folder);
      return;
    }
    const rescan = await this.#mtpFolders.rescan(folder.path);
    if (rescan !== undefined) folder.apply(rescan.sighting);
  }

  #sendOnce(): void {
    this.#events.setTimer('sender-due', this.#sender.stepOnce());
  }

  /** Handles one event. It awaits nothing, so that the next event is handled soon. */
  #handle(event: WatchEvent): void {
    switch (event.type) {
      case 'files-changed':
        this.#eventHandler.handle();
        this.#noteChange();
        return;
      case 'root-changed':
      case 'check-due':
        this.#check();
        return;
      case 'folder-checked':
        this.#onAppearance(event.folder, event.folder.apply(event.sighting));
        return;
      case 'rescan-due':
        this.#startRescan();
        return;
      case 'mtp-rescanned':
        this.#onAppearance(event.folder, event.folder.apply(event.sighting));
        return;
      case 'rescanned':
        this.#onRescanned(event.files, event.complete);
        return;
      case 'incomplete-due':
        this.#checkIncomplete();
        return;
      case 'sender-work':
      case 'sender-due':
        this.#events.setTimer('sender-due', this.#sender.step());
        return;
      case 'upload-finished':
        this.#sender.settle(event.upload);
        return;
      case 'verify-due':
        this.#startVerification();
        return;
      case 'verified':
        this.#events.setTimer('verify-due', VERIFY_MS);
        return;
      case 'stop-requested':
        // `#finish` has set how the watcher ends; the event only wakes the loop.
        return;
    }
  }

  /** Sets the timers that follow from the state of folders and files. */
  #setTimers(): void {
    const now = this.#context.clock.monotonic();
    const rescanAt = Math.min(...this.#folders.map((folder) => folder.rescanAt));
    this.#events.setTimer('rescan-due', this.#isRescanning ? Infinity : rescanAt - now);
    this.#events.setTimer('incomplete-due', this.#incomplete.waitMs ?? Infinity);
  }

  #hasEnded(): boolean {
    return this.#end !== undefined;
  }

  #finish(end: WatchEnd): void {
    this.#end ??= end;
    this.#ended.abort(this.#context.signal.reason);
    this.#events.post({ type: 'stop-requested' });
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#finish('stopped');
  }

  /** Waits for in-flight requests and for the tasks beside the loop. */
  async #stop(): Promise<void> {
    this.#ended.abort();
    this.#mtpReaders.close();
    await this.#sender.stop(STOP_GRACE_MS);
    await Promise.allSettled(this.#tasks);
    for (const event of this.#events.drain()) {
      if (event.type === 'upload-finished') this.#sender.settle(event.upload);
    }
  }

  /** Runs a task beside the loop. */
  #runBeside(task: () => Promise<void>): void {
    const running = task().catch((error: unknown) => this.#fail(error));
    this.#tasks.add(running);
    void running.finally(() => this.#tasks.delete(running));
  }

  #noteChange(): void {
    this.#changed = true;
    this.#target.onChange();
  }

  #reportState({ path, state, reason }: WatchedFolder): void {
    const why = reason === undefined ? {} : { reason };
    this.#target.report({ event: 'folder', folder: path, state, ...why });
    this.#noteChange();
  }

  /** Checks the folders before the first rescan. A hanging file system is checked later. */
  async #firstCheck(): Promise<void> {
    const { clock } = this.#context;
    const patience = new AbortController();
    const signal = AbortSignal.any([patience.signal, this.#ended.signal]);
    const enough = clock.sleep(FIRST_CHECK_MS, signal).catch(() => undefined);
    await Promise.race([
      Promise.all(this.#folders.map((folder) => this.#checkFolder(folder))),
      enough,
    ]);
    patience.abort();
  }

  /** Checks the folders, the clocks and the network. */
  #check(): void {
    const { clock } = this.#context;
    const { onTick } = this.#target;
    const before = this.#lastCheck;
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    // Some systems stop the monotonic clock during sleep; the wall clock may be set.
    const passedMs = Math.max(Math.abs(wall - before.wall), monotonic - before.monotonic);
    if (passedMs > before.intervalMs + SLEPT_MS) this.#onWakeFromSleep();
    for (const folder of this.#folders) void this.#checkFolder(folder);
    const addresses = this.breaker.state.state === 'open' ? addressesNow() : undefined;
    const hadOthers = before.addresses !== undefined && before.addresses !== addresses;
    if (addresses !== undefined && hadOthers) this.#retryNow();
    const intervalMs = this.#isQuiet() ? QUIET_CHECK_MS : CHECK_MS;
    this.#changed = false;
    this.#lastCheck = {
      ...{ wall, monotonic, intervalMs },
      ...(addresses === undefined ? {} : { addresses }),
    };
    this.#events.setTimer('check-due', intervalMs);
    onTick();
  }

  /** Checks one folder; a hanging file system delays no other folder. */
  async #checkFolder(folder: WatchedFolder): Promise<void> {
    try {
      const sighting = await folder.look();
      if (sighting === undefined || this.#hasEnded()) return;
      this.#events.post({ type: 'folder-checked', folder, sighting });
    } catch (error) {
      this.#onError(error);
    }
  }

  #isQuiet(): boolean {
    const isWaiting = this.#folders.some(({ state }) => state === 'waiting');
    const canDeliver = this.breaker.state.state === 'closed';
    return !isWaiting && !this.#changed && this.#sender.waiting === 0 && canDeliver;
  }

  #onAppearance(folder: WatchedFolder, appearance: Appearance): void {
    if (appearance === 'same') return;
    this.#rescanner.forgetProblems();
    if (appearance === 'gone') this.#events.setTimer('check-due', CHECK_MS);
    else this.#rescanIn(folder, 0);
  }

  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  #forgetBelow(folder: string): number {
    // Reading them failed since the folder disappeared.
    const failed = this.#incomplete
      .forgetBelow(folder)
      .filter(({ reason }) => reason === 'unreadable');
    return failed.length + this.#sender.forgetBelow(folder) + this.#mtpFolders.leftOn(folder);
  }

  #onWakeFromSleep(): void {
    for (const folder of this.#folders) this.#rescanIn(folder, 0);
    this.#retryNow();
  }

  #retryNow(): void {
    this.breaker.tryNow();
    this.#events.post({ type: 'sender-work' });
  }

  #rescanIn(folder: WatchedFolder, ms: number): void {
    folder.rescanAt = Math.min(folder.rescanAt, this.#context.clock.monotonic() + ms);
  }

  /** Starts a round of rescans of the folders that are due, one after another. */
  #startRescan(): void {
    if (this.#isRescanning) return;
    this.#isRescanning = true;
    const now = this.#context.clock.monotonic();
    const allDue = this.#folders.filter(({ rescanAt }) => rescanAt <= now);
    const due = allDue.filter(({ path }) => !isOnMtp(path));
    // A device over MTP may take minutes, or not answer.
    for (const folder of allDue) {
      if (!due.includes(folder)) this.#runBeside(() => this.#rescanMtp(folder));
    }
    this.#runBeside(async () => {
      let files = 0;
      let complete = allDue.length > 0;
      for (const folder of due) {
        if (this.#hasEnded()) return;
        try {
          files += await this.#rescanner.rescan(folder);
        } catch (error) {
          this.#onError(error);
          complete = false;
        }
      }
      this.#events.post({ type: 'rescanned', files, complete });
    });
  }

  async #rescanMtp(folder: WatchedFolder): Promise<void> {
    const { clock } = this.#context;
    // Until it ends, or the device is back.
    folder.rescanAt = Infinity;
    if (folder.state === 'waiting') return;
    try {
      const rescan = await this.#mtpFolders.rescan(folder.path);
      if (rescan === undefined) return;
      folder.rescanAt = clock.monotonic() + rescan.pauseMs;
      this.#events.post({ type: 'mtp-rescanned', folder, sighting: rescan.sighting });
    } catch (error) {
      this.#onError(error);
      folder.rescanAt = clock.monotonic() + POLL_MS;
      this.#events.post({ type: 'rescan-due' });
    }
  }

  #onRescanned(files: number, complete: boolean): void {
    const { clock } = this.#context;
    const { report, onRescanned } = this.#target;
    this.#isRescanning = false;
    if (complete) {
      this.#lastRescanAt = clock.now();
      this.#sender.adopt();
      onRescanned();
      this.#noteChange();
    }
    if (this.#isReady) return;
    this.#isReady = true;
    report({ event: 'ready', files, queued: this.#sender.waiting });
    this.#events.setTimer('check-due', CHECK_MS);
    this.#startVerification();
  }

  /** Checks incomplete files again, and reports long-incomplete ones. */
  #checkIncomplete(): void {
    const { marks, report } = this.#target;
    for (const { path, removable } of this.#incomplete.dueLooks()) {
      // Its rescans look at it.
      if (isOnMtp(path)) continue;
      const stats = statOf(path);
      if (stats?.isFile() === true) this.#classifier.classify({ path, stamp: stats, removable });
      else this.#incomplete.forget(path);
    }
    for (const { path, stamp, reason, detail } of this.#incomplete.dueReports()) {
      marks.markReported(path, stamp);
      report({ event: 'unfinished', path, reason, detail });
    }
    this.#noteChange();
  }

  /** Verifies earlier uploads that are due, also those of an earlier run. */
  #startVerification(): void {
    this.#runBeside(async () => {
      try {
        await this.#verifier.check();
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        this.#sender.hinder(error);
      }
      this.#events.post({ type: 'verified' });
    });
  }

  #guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Reports disk and ledger errors: the next pass retries. Every other error ends the watcher. */
  #onError(error: unknown): void {
    if (this.#context.signal.aborted || this.#ended.signal.aborted) return;
    if (error instanceof SyncError || (error instanceof Error && 'code' in error)) {
      this.#target.report({ event: 'problem', message: messageOf(error) });
    } else this.#fail(error);
  }
}

/** Returns a text that changes when a network connects or disconnects. */
function addressesNow(): string {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)
    .sort()
    .join(' ');
}
