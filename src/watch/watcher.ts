import type { Context } from '../base/context.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { Tasks } from '../base/tasks.ts';
import type { WatchScope } from '../daemon/watch-scope.ts';
import { type MtpReaderOptions, MtpReaders } from '../devices/mtp/reader.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { UploadItem } from '../upload/report.ts';
import type { UploadTarget } from '../upload/uploader.ts';
import { CircuitBreaker, type Failure } from './send/circuit-breaker.ts';
import type { DeviceTarget } from './find/device-folders.ts';
import { Discovery } from './find/discovery.ts';
import { CHECK_MS, EventQueue, type WatchEvent } from './events.ts';
import type { FilesystemType } from './find/filesystem-type.ts';
import type { Outbox } from './send/outbox.ts';
import type { WatchNotice } from './report.ts';
import type { RescanOptions } from './find/rescan.ts';
import { Sender } from './send/sender.ts';
import { Surroundings } from './surroundings.ts';
import { Verifier } from './send/verifier.ts';
import type { WellnessTarget } from './wellness/wellness.ts';
import { WellnessSchedule } from './wellness/schedule.ts';

/** Interval of checks while nothing is missing: events report a removal, checks a mount over the folder (ms). */
const QUIET_CHECK_MS = 10_000;
/** Interval of checks for uploads that are due to be verified (ms). */
const VERIFY_MS = 60_000;
/**
 * Grace period for in-flight requests on shutdown (ms). The renewal of a login has a further
 * grace period; both together end within 5 s.
 */
const STOP_GRACE_MS = 1_700;

/** What is watched, and how. The folders are there once each. */
export interface WatcherOptions extends RescanOptions, WatchScope {}

/** The account that a watcher sends to, its ledger, and the calls that the watcher makes. */
export interface WatcherTarget extends UploadTarget {
  readonly filesystemType: (folder: string) => FilesystemType;
  /** The kernel watches a whole tree with one handle. */
  readonly recursiveEvents: boolean;
  /** How folders on MTP mounts are read. */
  readonly mtp: MtpReaderOptions;
  readonly ledger: UploadLedger;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  /** If false, nothing is sent: recordings are found and kept for the next login. */
  readonly delivers: boolean;
  /** Absent: wellness is not sent. */
  readonly wellness?: WellnessTarget | undefined;
  readonly report: (notice: WatchNotice) => void;
  /** Absent: only the given folders are watched. */
  readonly devices?: DeviceTarget | undefined;
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
  readonly #discovery: Discovery;
  readonly #sender: Sender;
  readonly #verifier: Verifier;
  readonly #wellness: WellnessSchedule | undefined;
  readonly #readers: MtpReaders;
  readonly #surroundings: Surroundings;
  /** Rescans and checks that run beside the loop. */
  readonly #tasks = new Tasks((error) => this.#fail(error));
  readonly #ended = new AbortController();
  #end: WatchEnd | undefined;
  /** An error in the program: it ends the watcher. */
  #fault: { readonly error: unknown } | undefined;
  /** A rescan, an upload or a folder changed something since the last check. */
  #changed = true;
  #isReady = false;
  #lastRescanAt: number | undefined;
  /** The interval before the next check (ms). */
  #checkMs = CHECK_MS;
  /** Set by {@link Watcher.once}. */
  #onSettled: ((item: UploadItem) => void) | undefined;

  /** @param context its signal stops the watcher */
  constructor(
    context: Pick<Context, 'clock' | 'random' | 'signal'>,
    options: WatcherOptions,
    target: WatcherTarget,
  ) {
    const { clock, random } = context;
    const inner = {
      ...{ clock, random },
      signal: AbortSignal.any([context.signal, this.#ended.signal]),
    };
    const events = new EventQueue(clock);
    const breaker = new CircuitBreaker(() => clock.monotonic(), random);
    const readers = new MtpReaders(target.mtp);
    const onSettled = (item: UploadItem) => this.#onSettled?.(item);
    this.#context = context;
    this.#options = options;
    this.#target = target;
    this.#events = events;
    this.breaker = breaker;
    this.#readers = readers;
    this.#surroundings = new Surroundings(clock);
    this.#verifier = new Verifier(inner, { ...target, breaker });
    this.#wellness =
      target.wellness &&
      new WellnessSchedule(inner, options, {
        ...target,
        ...target.wellness,
        ...{ breaker, events, mtp: readers },
        watched: () => this.#discovery.foldersThere,
        recordingsWait: () => this.#sender.waiting > 0,
        runCheck: (check) => this.#runCheck(check, 'days-checked'),
      });
    this.#discovery = new Discovery(inner, options, {
      ...target,
      ...{ events, readers, onSettled },
      devices: target.devices && { ...target.devices, listener: this.#wellness },
      onCandidate: (item) => this.#sender.add(item),
      onRead: (item, bytes) => this.#sender.addBytes(item, bytes),
      onAppeared: () => this.#wellness?.readSoon(),
      forgetCandidates: (folder) => this.#sender.forgetBelow(folder),
      onChange: () => this.#noteChange(),
      runBeside: (task) => this.#tasks.run(task),
      onError: (error) => this.#onError(error),
    });
    this.#sender = new Sender(context, options, {
      ...target,
      ...{ known: this.#discovery.known, breaker, onSettled },
      onChange: () => this.#noteChange(),
      onWork: () => events.post({ type: 'sender-work' }),
      onFinished: (upload) => events.post({ type: 'upload-finished', upload }),
      onIncomplete: ({ absolute: path, stamp, removable }, reason, detail) =>
        this.#discovery.noteIncomplete({ path, stamp, removable }, reason, detail),
    });
  }

  /** The watcher's state, for the health report. Times in ms since the epoch. */
  get picture() {
    return {
      ...this.#discovery.picture,
      waiting: this.#sender.waiting,
      sending: this.#sender.sending,
      lastSuccessAt: this.#sender.lastSuccessAt,
      lastRescanAt: this.#lastRescanAt,
      days: this.#wellness?.picture,
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
    this.#discovery.listen();
    try {
      this.#sender.adopt();
      await this.#discovery.findDevices();
      this.#handleQueued();
      await this.#discovery.firstCheck();
      // Folders that the first check found are rescanned once, not once more for their appearance.
      this.#handleQueued();
      this.#discovery.start();
      while (!this.#hasEnded()) {
        const event = await this.#events.next();
        this.#guarded(() => this.#handle(event));
        this.#discovery.setTimers();
      }
      await this.#stop();
    } finally {
      signal.removeEventListener('abort', stop);
      await this.#discovery.close();
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
      await this.#discovery.findDevices();
      this.#handleQueued();
      await this.#discovery.rescanOnce();
      if (!this.#options.dryRun) this.#sender.adopt();
      this.#sendOnce();
      while (!signal.aborted && this.#sender.waiting > 0) {
        const event = await this.#events.next();
        if (event.type === 'upload-finished') this.#sender.settle(event.upload);
        this.#sendOnce();
      }
      this.#discovery.settleIncomplete();
      await this.#wellness?.once();
      if (!this.#options.dryRun) await this.#verifier.check();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
      // The caller closes the ledger and the connection after this.
      await this.#stop();
      await this.#discovery.close();
    }
  }

  #sendOnce(): void {
    this.#events.setTimer('sender-due', this.#sender.stepOnce());
  }

  #handleQueued(): void {
    for (const event of this.#events.drain()) this.#guarded(() => this.#handle(event));
  }

  /** Handles one event. It awaits nothing, so that the next event is handled soon. */
  #handle(event: WatchEvent): void {
    switch (event.type) {
      case 'files-changed':
      case 'folder-checked':
      case 'mtp-rescanned':
      case 'devices-found':
      case 'device-claimed':
      case 'rescan-due':
      case 'incomplete-due':
        this.#discovery.handle(event);
        return;
      case 'root-changed':
      case 'check-due':
        this.#check();
        return;
      case 'rescanned':
        this.#onRescanned(event.files, event.complete);
        return;
      case 'sender-work':
      case 'sender-due':
        this.#events.setTimer('sender-due', this.#sender.step());
        return;
      case 'upload-finished':
        this.#sender.settle(event.upload);
        if (this.#sender.waiting === 0) this.#wellness?.checkSoon();
        return;
      case 'verify-due':
        this.#startVerification();
        return;
      case 'verified':
        this.#events.setTimer('verify-due', VERIFY_MS);
        return;
      case 'days-due':
        this.#wellness?.start();
        return;
      case 'days-checked':
        this.#wellness?.checked();
        this.#noteChange();
        return;
      case 'stop-requested':
        // `#finish` has set how the watcher ends; the event only wakes the loop.
        return;
    }
  }

  /** Checks the folders, the clocks and the network. */
  #check(): void {
    const isOffline = this.breaker.state.state === 'open' || this.#wellness?.isHindered === true;
    const { slept, networkChanged } = this.#surroundings.check(this.#checkMs, isOffline);
    if (slept) this.#discovery.rescanAll();
    if (slept || networkChanged) this.#retryNow();
    this.#discovery.check();
    this.#checkMs = this.#isQuiet() ? QUIET_CHECK_MS : CHECK_MS;
    this.#changed = false;
    this.#events.setTimer('check-due', this.#checkMs);
    this.#target.onTick();
  }

  #isQuiet(): boolean {
    const canDeliver = this.breaker.state.state === 'closed';
    const isIdle = !this.#changed && this.#sender.waiting === 0;
    return this.#discovery.areAllFoldersThere && isIdle && canDeliver;
  }

  #retryNow(): void {
    this.breaker.tryNow();
    this.#wellness?.tryNow();
    this.#events.post({ type: 'sender-work' });
  }

  #onRescanned(files: number, complete: boolean): void {
    const { clock } = this.#context;
    const { report, onRescanned } = this.#target;
    this.#discovery.rescanned();
    this.#wellness?.checkSoon();
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

  /** Verifies earlier uploads that are due, also those of an earlier run. */
  #startVerification(): void {
    this.#runCheck(() => this.#verifier.check(), 'verified');
  }

  /** Runs a check beside the loop, and posts its end. A failed login keeps recordings waiting, too. */
  #runCheck(check: () => Promise<void>, end: 'verified' | 'days-checked'): void {
    this.#tasks.run(async () => {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        this.#sender.hinder(error);
      }
      this.#events.post({ type: end });
    });
  }

  #noteChange(): void {
    this.#changed = true;
    this.#target.onChange();
  }

  #hasEnded(): boolean {
    return this.#end !== undefined;
  }

  #finish(end: WatchEnd): void {
    this.#end ??= end;
    this.#ended.abort(this.#context.signal.reason);
    this.#events.post({ type: 'stop-requested' });
  }

  /** Waits for in-flight requests and for the tasks beside the loop. */
  async #stop(): Promise<void> {
    this.#ended.abort();
    this.#readers.close();
    await this.#sender.stop(STOP_GRACE_MS);
    await this.#tasks.settled();
    for (const event of this.#events.drain()) {
      if (event.type === 'upload-finished') this.#sender.settle(event.upload);
    }
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

  #fail(error: unknown): void {
    this.#fault ??= { error };
    this.#finish('stopped');
  }
}
