import type { Context } from '../base/context.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Device } from '../devices/types.ts';
import type { WatchScope } from '../daemon/registry.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import { type MtpReaderOptions, MtpReaders } from '../devices/mtp/reader.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { UploadItem } from '../upload/report.ts';
import { CircuitBreaker, type Failure } from './circuit-breaker.ts';
import { Classifier } from './classify.ts';
import { DeviceFolders, type DeviceTarget } from './device-folders.ts';
import { ALL_DEVICES, DeviceNames, knownByName, marksByName } from './device-names.ts';
import { EventHandler } from './event-handler.ts';
import { EventQueue, type WatchEvent } from './events.ts';
import type { FilesystemType } from './filesystem-type.ts';
import { Folders } from './folders.ts';
import { checkIncomplete } from './incomplete-checks.ts';
import { IncompleteFiles } from './incomplete-files.ts';
import { MtpFolders } from './mtp-folders.ts';
import type { Outbox } from './outbox.ts';
import type { WatchNotice } from './report.ts';
import { RescanRounds } from './rescan-rounds.ts';
import { type RescanOptions, Rescanner } from './rescan.ts';
import { Sender } from './sender.ts';
import { Surroundings } from './surroundings.ts';
import { Verifier } from './verifier.ts';
import type { Appearance, Sighting, WatchedFolder } from './watched-folder.ts';
import { WellnessSender, type WellnessTarget } from './wellness.ts';

/** Interval of checks while a folder or the service is missing (ms). */
const CHECK_MS = 2_000;
/** Interval of checks otherwise: events report a removal, checks a mount over the folder (ms). */
const QUIET_CHECK_MS = 10_000;
/** Interval of checks for uploads that are due to be verified (ms). */
const VERIFY_MS = 60_000;
/** Interval of checks for days that are due (ms). */
const WELLNESS_MS = 60_000;
/**
 * Grace period for in-flight requests on shutdown (ms). The renewal of a login has a further
 * grace period; both together end within 5 s.
 */
const STOP_GRACE_MS = 1_700;

/** What is watched, and how. The folders are there once each. */
export interface WatcherOptions extends RescanOptions, WatchScope {}

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
  readonly #folders: Folders;
  readonly #devices: DeviceFolders | undefined;
  readonly #incomplete: IncompleteFiles;
  readonly #classifier: Classifier;
  readonly #sender: Sender;
  readonly #rescanner: Rescanner;
  readonly #rounds: RescanRounds;
  readonly #mtpReaders: MtpReaders;
  readonly #mtpFolders: MtpFolders;
  readonly #eventHandler: EventHandler;
  readonly #verifier: Verifier;
  readonly #wellness: WellnessSender | undefined;
  /** Rescans and verifications that run beside the loop. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  #end: WatchEnd | undefined;
  /** An error in the program: it ends the watcher. */
  #fault: { readonly error: unknown } | undefined;
  /** A rescan, an upload or a folder changed something since the last check. */
  #changed = true;
  #isReady = false;
  #isSendingDays = false;
  /** The devices that are plugged in. */
  readonly #plugged = new Set<Device>();
  #lastRescanAt: number | undefined;
  readonly #surroundings: Surroundings;
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
    const { outbox } = target;
    const names = new DeviceNames();
    const known = knownByName(target.known, names);
    const marks = marksByName(target.marks, names);
    const events = new EventQueue(clock);
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    const breaker = new CircuitBreaker(() => clock.monotonic(), random);
    const incomplete = new IncompleteFiles(clock);
    const onSettled = (item: UploadItem) => this.#onSettled?.(item);
    const classifier = new Classifier(context, {
      ...{ known, marks, outbox, incomplete, onSettled },
      onCandidate: (item) => sender.add(item),
    });
    const sender = new Sender(context, options, {
      ...target,
      ...{ known, breaker, onSettled },
      onChange: () => this.#noteChange(),
      onWork: () => events.post({ type: 'sender-work' }),
      onFinished: (upload) => events.post({ type: 'upload-finished', upload }),
      onIncomplete: ({ absolute: path, stamp, removable }, reason, detail) =>
        classifier.noteIncomplete({ path, stamp, removable }, reason, detail),
    });
    const rescanner = new Rescanner({ clock, signal }, options, {
      ...target,
      ...{ known, marks, classifier },
    });
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
    this.#wellness =
      target.wellness &&
      new WellnessSender({ clock, random, signal }, options, {
        ...target,
        ...target.wellness,
        ...{ breaker, mtp: mtpReaders },
        watched: () => this.#foldersThere(),
        devices: () => [...this.#plugged],
      });
    this.#eventHandler = new EventHandler({
      ...{ classifier, incomplete, rescanner },
      // One write fires several events: they are handled together.
      onQueued: () => setImmediate(() => events.post({ type: 'files-changed' })),
      rescanIn: (folder, ms) => this.#folders.rescanIn(folder, ms),
    });
    this.#folders = new Folders(
      { clock, signal },
      {
        paths: options.folders,
        folder: {
          filesystemType: target.filesystemType,
          recursiveEvents: target.recursiveEvents,
          forcePolling: options.pollMs !== undefined,
          lookAtMtp: (path) => mtpFolders.lookAt(path),
          onName: (folder, parent, name) => this.#eventHandler.add(folder, parent, name),
          onRoot: () => events.post({ type: 'root-changed' }),
          onGone: (folder) => this.#forgetBelow(folder.path),
          onStateChange: (folder) => this.#reportState(folder),
        },
        onChecked: (folder, sighting) => events.post({ type: 'folder-checked', folder, sighting }),
        onError: (error) => this.#onError(error),
      },
    );
    if (target.devices !== undefined) {
      const listener = {
        plugged: (device: Device) => this.#onPlugged(device),
        unplugged: (device: Device) => this.#plugged.delete(device),
      };
      this.#devices = new DeviceFolders(
        { ...target.devices, listener },
        {
          ...{ names, fixed: options.folders },
          addFolder: (path) => this.#folders.addRemovable(path),
          removeFolder: (path) => this.#folders.remove(path),
          forgetBelow: (folder) => this.#forgetBelow(folder),
          report: (notice) => {
            target.report(notice);
            this.#noteChange();
          },
          onClaimed: (claim) => events.post({ type: 'device-claimed', claim }),
        },
      );
    }
    this.#rounds = new RescanRounds(
      { clock, signal },
      {
        ...{ rescanner, mtpFolders, events, folders: this.#folders },
        runBeside: (task) => this.#runBeside(task),
        onError: (error) => this.#onError(error),
      },
    );
    this.#surroundings = new Surroundings(clock);
  }

  /** The watcher's state, for the health report. Times in ms since the epoch. */
  get picture() {
    return {
      folders: this.#folders.picture,
      devices: this.#devices?.picture,
      waiting: this.#sender.waiting,
      sending: this.#sender.sending,
      unfinished: this.#incomplete.size,
      lastSuccessAt: this.#sender.lastSuccessAt,
      lastRescanAt: this.#lastRescanAt,
      days: this.#wellness && { sent: this.#wellness.sent, waiting: this.#wellness.waiting },
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
    const unlisten = this.#target.devices?.source.listen((devices) =>
      this.#events.post({ type: 'devices-found', devices }),
    );
    try {
      this.#sender.adopt();
      await this.#findDevices();
      await this.#folders.firstCheck();
      // Folders that the first check found are rescanned once, not once more for their appearance.
      this.#handleQueued();
      for (const folder of this.#folders.all) {
        if (folder.state !== 'waiting') continue;
        this.#reportState(folder);
        folder.isAnnounced = true;
        // A device over MTP may be there and slow: its first look decides.
        if (!isOnMtp(folder.path)) this.#rescanner.expect(folder.path);
      }
      this.#rounds.start();
      while (!this.#hasEnded()) {
        const event = await this.#events.next();
        this.#guarded(() => this.#handle(event));
        this.#setTimers();
      }
      await this.#stop();
    } finally {
      signal.removeEventListener('abort', stop);
      unlisten?.();
      this.#folders.close();
      await this.#devices?.close();
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
      await this.#findDevices();
      for (const folder of this.#folders.all) {
        await folder.check();
        folder.close();
        if (folder.state !== 'waiting') await this.#rounds.rescan(folder);
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
      await this.#wellness?.check();
      if (!this.#options.dryRun) await this.#verifier.check();
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
      // The caller closes the ledger and the connection after this.
      await this.#stop();
      await this.#devices?.close();
    }
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
      case 'mtp-rescanned':
        this.#onChecked(event.folder, event.sighting);
        return;
      case 'devices-found':
        this.#devices?.update(event.devices);
        return;
      case 'device-claimed':
        this.#devices?.claimed(event.claim);
        this.#events.setTimer('check-due', 0);
        return;
      case 'rescan-due':
        this.#rounds.start();
        return;
      case 'rescanned':
        this.#onRescanned(event.files, event.complete);
        return;
      case 'incomplete-due':
        checkIncomplete({
          ...this.#target,
          ...{ incomplete: this.#incomplete, classifier: this.#classifier },
        });
        this.#noteChange();
        return;
      case 'sender-work':
      case 'sender-due':
        this.#events.setTimer('sender-due', this.#sender.step());
        return;
      case 'upload-finished':
        this.#sender.settle(event.upload);
        if (this.#sender.waiting === 0) this.#events.setTimer('days-due', 0);
        return;
      case 'verify-due':
        this.#startVerification();
        return;
      case 'verified':
        this.#events.setTimer('verify-due', VERIFY_MS);
        return;
      case 'days-due':
        this.#startDays();
        return;
      case 'days-checked':
        this.#isSendingDays = false;
        this.#events.setTimer('days-due', this.#wellness?.isReadDue === true ? 0 : WELLNESS_MS);
        this.#noteChange();
        return;
      case 'stop-requested':
        // `#finish` has set how the watcher ends; the event only wakes the loop.
        return;
    }
  }

  /** Sets the timers that follow from the state of folders and files. */
  #setTimers(): void {
    this.#events.setTimer('rescan-due', this.#rounds.waitMs);
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

  #reportState({ path, state, reason, left, removable }: WatchedFolder): void {
    const why = reason === undefined ? {} : { reason };
    const onDevice = removable && left > 0 ? { left } : {};
    this.#target.report({ event: 'folder', folder: path, state, ...why, ...onDevice });
    this.#noteChange();
  }

  /** Plugs in the devices that are there at the start. */
  async #findDevices(): Promise<void> {
    const { devices } = this.#target;
    if (devices === undefined || this.#devices === undefined) return;
    this.#rescanner.expect(ALL_DEVICES);
    this.#devices.update(devices.source.devices);
    await this.#devices.settled();
    this.#handleQueued();
  }

  #handleQueued(): void {
    for (const event of this.#events.drain()) this.#guarded(() => this.#handle(event));
  }

  /** Checks the folders, the clocks and the network. */
  #check(): void {
    const isOffline = this.breaker.state.state === 'open' || this.#wellness?.isHindered === true;
    const { slept, networkChanged } = this.#surroundings.check(this.#checkMs, isOffline);
    if (slept) this.#onWakeFromSleep();
    this.#folders.check();
    if (networkChanged) this.#retryNow();
    this.#checkMs = this.#isQuiet() ? QUIET_CHECK_MS : CHECK_MS;
    this.#changed = false;
    this.#events.setTimer('check-due', this.#checkMs);
    this.#target.onTick();
  }

  #isQuiet(): boolean {
    const canDeliver = this.breaker.state.state === 'closed';
    const isIdle = !this.#changed && this.#sender.waiting === 0;
    return this.#folders.areAllThere && isIdle && canDeliver;
  }

  #onChecked(folder: WatchedFolder, sighting: Sighting): void {
    // The folder of a device that left meanwhile.
    if (!this.#folders.has(folder)) return;
    const isGone = 'missing' in sighting && sighting.missing === undefined;
    if (isGone && this.#devices?.folderGone(folder.path) === true) return;
    this.#onAppearance(folder, folder.apply(sighting));
  }

  #onAppearance(folder: WatchedFolder, appearance: Appearance): void {
    if (appearance === 'same') return;
    this.#rescanner.forgetProblems();
    if (appearance === 'gone') this.#events.setTimer('check-due', CHECK_MS);
    else {
      this.#wellness?.readSoon();
      this.#folders.rescanIn(folder, 0);
    }
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
    for (const folder of this.#folders.all) this.#folders.rescanIn(folder, 0);
    this.#retryNow();
  }

  #retryNow(): void {
    this.breaker.tryNow();
    this.#wellness?.tryNow();
    this.#events.post({ type: 'sender-work' });
  }

  #onRescanned(files: number, complete: boolean): void {
    const { clock } = this.#context;
    const { report, onRescanned } = this.#target;
    this.#rounds.ended();
    this.#events.setTimer('days-due', 0);
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

  /** Reads wellness files and sends days, after the recordings. */
  #startDays(): void {
    const wellness = this.#wellness;
    if (wellness === undefined || this.#isSendingDays) return;
    // While nothing can be sent, the files are read before their device leaves.
    const canSend = this.#target.delivers && this.breaker.state.state === 'closed';
    if (canSend && this.#sender.waiting > 0) {
      this.#events.setTimer('days-due', CHECK_MS);
      return;
    }
    this.#isSendingDays = true;
    this.#runBeside(async () => {
      try {
        await wellness.check();
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        this.#sender.hinder(error);
      }
      this.#events.post({ type: 'days-checked' });
    });
  }

  #onPlugged(device: Device): void {
    this.#plugged.add(device);
    this.#wellness?.readSoon();
    this.#events.setTimer('days-due', 0);
  }

  #foldersThere(): readonly string[] {
    const there = this.#folders.all.filter(({ state }) => state !== 'waiting');
    return there.map(({ path }) => path);
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
