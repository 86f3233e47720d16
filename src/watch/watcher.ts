import type { Context } from '../base/context.ts';
import { SyncError, failureOf, isOutage, messageOf } from '../base/errors.ts';
import { Tasks } from '../base/tasks.ts';
import { KEEP_ALIVE_MS } from '../daemon/keep-alive.ts';
import { RemoteReaders } from '../devices/remote/reader.ts';
import { CHECK_MS, EventQueue, type Observation, type WatchEvent } from './events.ts';
import { Classifier } from './find/classify.ts';
import { DeviceFolders } from './find/device-folders.ts';
import { ALL_DEVICES, DeviceNames, knownByName, marksByName } from './find/device-names.ts';
import { EventHandler } from './find/event-handler.ts';
import { Folders } from './find/folders.ts';
import { type IncompleteFile, IncompleteFiles } from './find/incomplete-files.ts';
import { OpenFiles } from './find/open-files.ts';
import { Rescanner } from './find/rescan.ts';
import { expectNew } from './find/watched-folder.ts';
import type { WatchParts, WatcherOptions, WatcherTarget } from './parts.ts';
import { CircuitBreaker } from './send/circuit-breaker.ts';
import { Intake } from './send/intake.ts';
import { announce } from './send/outbox.ts';
import { Sender } from './send/sender.ts';
import { Verifier } from './send/verifier.ts';
import { hostWatch } from './host-watch.ts';
import { Wellness } from './wellness/wellness.ts';

/** Interval of checks while nothing is missing: events report a removal, checks a mount over the folder (ms). */
const QUIET_CHECK_MS = 10_000;
/**
 * Grace period for in-flight requests on shutdown (ms). The renewal of a login has a further
 * grace period; both together end within 5 s.
 */
const STOP_GRACE_MS = 1_700;

/**
 * Watches folders and sends new recordings. The steps of a recording, and the parts that take them:
 *
 * 1. Find: a file event or a rescan names the file (`EventHandler`, `Rescanner`). A child process lists and reads
 *    the files on devices and networks, which may hang (`RemoteFolder`).
 * 2. Judge: the ledger settles a known file. The first bytes of another one show whether it is complete
 *    (`Classifier`). Incomplete files are checked again at growing intervals (`IncompleteFiles`).
 * 3. Copy: the file is read whole. Its recording is copied, unless the ledger settles it (`Intake`, `Outbox`). From
 *    here on there are only copies.
 * 4. Send: the oldest goes first, two at a time, while the circuit breaker is closed (`Sender`). The uploader claims
 *    it, sends it, and records the answer (`Uploader`). The answer closes or opens the breaker, and drops the copy.
 * 5. Verify: an hour later, the platform must have a workout of it (`Verifier`).
 *
 * One loop over {@link WatchEvent}s decides what begins, in {@link Watcher.run}. Rescans, readings, uploads,
 * folder checks and verifications run beside it, and post an event when they end.
 */
export class Watcher {
  readonly #parts: WatchParts;
  readonly #classifier: Classifier;
  readonly #fileEvents: EventHandler;
  readonly #rescanner: Rescanner;
  readonly #folders: Folders;
  readonly #openFiles: OpenFiles;
  readonly #devices: DeviceFolders | undefined;
  readonly #intake: Intake;
  readonly #sender: Sender;
  readonly #verifier: Verifier;
  readonly #wellness: Wellness | undefined;
  readonly #checkHost: ReturnType<typeof hostWatch>;
  /** Rescans, uploads and checks that run beside the loop. */
  readonly #tasks = new Tasks((error) => this.#onError(error));
  /** Ends the watcher, as the signal of its context does. */
  readonly #ended = new AbortController();
  /** An error in the program: it ends the watcher. */
  #fault: { readonly error: unknown } | undefined;
  #isReady = false;
  #lastRescanAt: number | undefined;
  #checkMs = CHECK_MS;

  /** @param context its signal stops the watcher */
  constructor(
    { clock, random, signal }: Pick<Context, 'clock' | 'random' | 'signal'>,
    options: WatcherOptions,
    target: WatcherTarget,
  ) {
    const names = new DeviceNames();
    const marks = marksByName(target.marks, names);
    const parts: WatchParts = {
      ...options,
      ...target,
      clock,
      signal: AbortSignal.any([signal, this.#ended.signal]),
      events: new EventQueue(clock),
      tasks: this.#tasks,
      breaker: new CircuitBreaker(
        () => clock.monotonic(),
        random,
        (isNews) => this.#onBreaker(isNews),
      ),
      readers: new RemoteReaders(target.remote),
      names,
      known: knownByName(target.ledger.known, names),
      marks,
      incomplete: new IncompleteFiles(clock, marks),
      changed: () => target.onSignal('changed'),
    };
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => parts.events.post({ type: 'stop-requested' }));
    this.#checkHost = hostWatch(clock);
    this.#verifier = new Verifier(parts);
    this.#sender = new Sender(parts);
    this.#intake = new Intake(parts, this.#sender);
    this.#classifier = new Classifier(parts, this.#intake);
    this.#openFiles = new OpenFiles(parts, this.#intake);
    this.#folders = new Folders(parts, {
      onName: (...changed) => this.#fileEvents.add(...changed),
      forgetBelow: (path) => this.#forgetBelow(path),
    });
    this.#rescanner = new Rescanner(
      parts,
      this.#classifier,
      this.#intake,
      this.#folders,
      this.#openFiles,
    );
    this.#fileEvents = new EventHandler(parts, this.#classifier, this.#rescanner);
    const { deviceAccess } = target;
    this.#devices = deviceAccess && new DeviceFolders(parts, deviceAccess, this.#folders);
    if (target.wellness) this.#wellness = new Wellness(parts, this.#folders, this.#devices);
  }

  get breaker(): CircuitBreaker {
    return this.#parts.breaker;
  }

  /** The watcher's state, for the health report. Times in ms since the epoch. */
  get snapshot() {
    return {
      folders: this.#folders.snapshot,
      devices: this.#devices?.snapshot,
      unfinished: this.#parts.incomplete.partial,
      waiting: this.#waiting,
      sending: this.#sender.sending,
      lastSuccessAt: this.#sender.lastSuccessAt,
      lastRescanAt: this.#lastRescanAt,
      days: this.#wellness?.snapshot,
    };
  }

  /** Ends the watcher, so that one with another login takes its place. */
  leave(): void {
    this.#ended.abort();
  }

  /** Ends the watcher: {@link Watcher.run} throws the error. */
  fail(error: unknown): void {
    this.#fault ??= { error };
    this.#ended.abort();
  }

  /** Runs a task of the owner beside the loop. Its signal is aborted when the watcher ends, which waits for the task. */
  beside(task: (signal: AbortSignal) => Promise<void>): void {
    this.#tasks.run(() => task(this.#parts.signal));
  }

  /** Reports the copies that wait while the breaker is not closed, and why, if that is news. */
  #onBreaker(isNews: boolean): void {
    const { breaker, changed, events, outbox, report } = this.#parts;
    const { state } = breaker;
    changed();
    events.post({ type: 'sender-work' });
    if (state.state === 'closed') {
      if (isNews) report({ event: 'delivering' });
      return;
    }
    for (const recording of outbox.sendable) announce(recording, report);
    if (!isNews) return;
    const { code, message } = state.failure;
    // The hint of an outage asks the user to try again, which the watcher does.
    const hint = isOutage(code) ? undefined : state.failure.hint;
    if (state.state === 'login-needed') report({ event: 'login-needed', code, message, hint });
    else {
      const queued = this.#waiting;
      report({ event: 'obstacle', obstacle: state.obstacle, message, hint, queued });
    }
  }

  /** Recordings to send, with the files that wait to be read. */
  get #waiting(): number {
    return this.#intake.unread + this.#parts.outbox.sendable.length;
  }

  /** Watches until the signal is aborted, or the watcher ends. @throws an error in the program */
  async run(): Promise<void> {
    const { deviceAccess, events, incomplete, signal } = this.#parts;
    this.#throwFault();
    if (this.#parts.signal.aborted) return;
    const unlisten = deviceAccess?.source.listen(() => events.post({ type: 'devices-found' }));
    this.#keepAlive();
    try {
      this.#sender.adopt();
      await this.#findDevices();
      await this.#folders.firstProbe();
      // Folders that the first probe found are rescanned once, not once more for their appearance.
      this.#handleQueued();
      this.#reportMissing();
      this.#rescanner.start();
      while (!signal.aborted) {
        const event = await events.next();
        this.#guarded(() => this.#handle(event));
        events.setTimer('rescan-due', this.#rescanner.waitMs);
        events.setTimer('incomplete-due', incomplete.waitMs ?? Infinity);
      }
    } finally {
      unlisten?.();
      await this.#close();
    }
    this.#throwFault();
  }

  /**
   * Rescans every folder once, sends new recordings, and ends.
   *
   * @throws the signal's reason when it is aborted; SyncError if the login has ended, and only the
   *   verification of earlier uploads showed that
   */
  async once(): Promise<void> {
    const { dryRun, signal } = this.#parts;
    try {
      await this.#findDevices();
      this.#throwFault();
      if (!dryRun) this.#sender.adopt();
      await this.#rescanOnce();
      this.#isReady = true;
      do await this.#sendAll();
      while (!signal.aborted && (await this.#openFiles.readLeft()));
      this.#tallyIncomplete();
      await this.#wellness?.check(false);
      if (!dryRun) await this.#verifier.check();
      this.#throwFault();
      signal.throwIfAborted();
    } finally {
      // The caller closes the ledger and the connection after this.
      await this.#close();
    }
  }

  /** Plugs in the devices that are there at the start. */
  async #findDevices(): Promise<void> {
    if (this.#devices === undefined) return;
    expectNew(this.#parts, ALL_DEVICES);
    this.#devices.update();
    await this.#devices.settled();
    this.#handleQueued();
  }

  #reportMissing(): void {
    for (const folder of this.#folders.all) {
      if (!folder.isThere) folder.announce();
    }
  }

  /** Rescans every folder, and tallies the missing ones, for `--once`. */
  async #rescanOnce(): Promise<void> {
    for (const folder of this.#folders.all) {
      await folder.check();
      folder.close();
      if (folder.isThere) {
        const { observation } = await this.#rescanner.rescan(folder);
        if (observation !== undefined) folder.apply(observation);
      }
      if (folder.isThere) continue;
      const detail = folder.reason ?? 'There is no such folder now.';
      this.#tallyInvalid({ path: folder.path, reason: 'unreadable', detail });
    }
  }

  #tallyIncomplete(): void {
    this.#openFiles.noteLeft();
    for (const file of this.#parts.incomplete.all()) this.#tallyInvalid(file);
  }

  #tallyInvalid({ path, reason, detail }: Omit<IncompleteFile, 'stamp' | 'removable'>): void {
    this.#parts.tally?.({ path, outcome: 'invalid', reason, detail });
  }

  /** Sends what can be sent, for `--once`; reports the rest as failed if another try cannot help. */
  async #sendAll(): Promise<void> {
    const { events, outbox, report } = this.#parts;
    while (!this.#parts.signal.aborted) {
      await this.#intake.work();
      this.#setSenderTimer();
      if (this.#waiting === 0) return;
      const failure = this.#sender.hopeless;
      if (failure !== undefined) {
        for (const left of [...outbox.sendable, ...this.#intake.giveUp()]) {
          const { path } = left;
          const why = failureOf(('failure' in left ? left.failure : undefined) ?? failure);
          report({ event: 'upload', item: { path, outcome: 'failed', ...why } });
        }
        return;
      }
      await events.next();
    }
  }

  /** Reads and sends what may be read and sent now. */
  #work(): void {
    this.#tasks.run(async () => {
      await this.#intake.work();
      // The report of a skipped file comes before the file counts as read.
      this.#parts.changed();
      this.#setSenderTimer();
    });
    this.#setSenderTimer();
    if (this.#waiting > 0) return;
    this.#sender.idle();
    this.#wellness?.checkSoon();
  }

  #setSenderTimer(): void {
    const inMs = Math.min(
      // Before the first round of rescans, recordings that cover a conversion may not be found.
      this.#sender.step(() => (this.#isReady ? this.#intake.tracksInMs : Infinity)),
      this.#intake.retryInMs,
    );
    this.#parts.events.setTimer('sender-due', inMs);
  }

  #handleQueued(): void {
    for (const event of this.#parts.events.drain()) this.#guarded(() => this.#handle(event));
  }

  /** The policy: what each event begins. It awaits nothing, so that the next event is handled soon. */
  #handle(event: WatchEvent): void {
    const { events } = this.#parts;
    switch (event.type) {
      // Folders and devices come and go.
      case 'folder-probed':
        this.#onProbed(event.folder, event.observation);
        return;
      case 'devices-found':
        this.#devices?.update();
        return;
      case 'device-plugged':
        this.#wellness?.readSoon();
        events.setTimer('check-due', 0);
        return;
      case 'check-due':
        this.#check();
        return;
      // Files are found: events make that fast, rescans make it complete.
      case 'files-changed':
        this.#fileEvents.handle();
        return;
      case 'rescan-due':
        this.#rescanner.start();
        return;
      case 'rescanned':
        this.#onRescanned(event.files, event.complete);
        return;
      case 'incomplete-due':
        this.#classifier.checkIncomplete();
        return;
      // Copies are made and sent; workouts and days come after them.
      case 'sender-work':
      case 'sender-due':
        this.#work();
        return;
      case 'verify-due':
        this.#runCheck(() => this.#verifier.check());
        return;
      case 'days-due':
        // A round of rescans that runs may still find recordings.
        this.#runCheck(
          async () => await this.#wellness?.check(this.#waiting > 0 || this.#rescanner.isRunning),
        );
        return;
      // The watcher itself.
      case 'keep-alive-due':
        this.#keepAlive();
        return;
      case 'stop-requested':
        // The event only wakes the loop.
        return;
    }
  }

  /** Rescans a folder that appeared, and reads its wellness; checks again soon for one that disappeared. */
  #onProbed(probed: { readonly path: string }, observation: Observation): void {
    const folder = this.#folders.all.find((each) => each === probed);
    // Its device was unplugged meanwhile.
    if (folder === undefined) return;
    const isGone = 'missing' in observation && observation.missing === undefined;
    if (isGone && this.#devices?.folderGone(folder.path) === true) return;
    const appearance = folder.apply(observation);
    if (appearance === 'same') return;
    if (appearance === 'gone') {
      this.#parts.events.setTimer('check-due', CHECK_MS);
      return;
    }
    folder.rescanIn(0);
    this.#wellness?.readSoon();
  }

  /** Forgets the files in a folder that disappeared. @returns how many recordings are not sent */
  #forgetBelow(folder: string): number {
    // Reading them failed since the folder disappeared.
    const failed = this.#parts.incomplete
      .forgetBelow(folder)
      .filter(({ reason }) => reason === 'unreadable');
    const unread = this.#intake.forgetBelow(folder);
    return failed.length + unread + this.#openFiles.leftOn(folder);
  }

  #check(): void {
    const isOffline = this.breaker.state.state === 'open' || this.#wellness?.isHindered === true;
    const { slept, networkChanged } = this.#checkHost(this.#checkMs, isOffline);
    // Events may be lost.
    if (slept) for (const folder of this.#folders.all) folder.rescanIn(0);
    if (slept || networkChanged) this.#retryNow();
    this.#folders.probe();
    this.#checkMs = this.#isQuiet() ? QUIET_CHECK_MS : CHECK_MS;
    this.#parts.events.setTimer('check-due', this.#checkMs);
    this.#parts.onSignal('checked');
  }

  #keepAlive(): void {
    this.#parts.onSignal('alive');
    this.#parts.events.setTimer('keep-alive-due', KEEP_ALIVE_MS);
  }

  #isQuiet(): boolean {
    const canDeliver = this.breaker.state.state === 'closed';
    return this.#folders.areAllThere && this.#waiting === 0 && canDeliver;
  }

  #retryNow(): void {
    this.breaker.tryNow();
    this.#wellness?.tryNow();
    this.#parts.events.post({ type: 'sender-work' });
  }

  #onRescanned(files: number, complete: boolean): void {
    const { changed, clock, report } = this.#parts;
    this.#wellness?.checkSoon();
    if (complete) {
      this.#lastRescanAt = clock.now();
      this.#sender.adopt();
      changed();
    }
    if (this.#isReady) return;
    this.#isReady = true;
    this.#parts.events.post({ type: 'sender-work' });
    const { partial } = this.#parts.incomplete;
    const { leftOut } = this.#intake;
    report({
      event: 'ready',
      files,
      queued: this.#waiting,
      ...(leftOut === 0 ? {} : { leftOut }),
      ...(partial === 0 ? {} : { incomplete: partial }),
    });
    this.#parts.events.setTimer('check-due', CHECK_MS);
    // Earlier uploads that are due, also those of an earlier run.
    this.#parts.events.setTimer('verify-due', 0);
  }

  /** Runs a check beside the loop. A failed login keeps recordings waiting, too. */
  #runCheck(check: () => Promise<void>): void {
    this.#tasks.run(async () => {
      try {
        await check();
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        this.breaker.failed(error);
      }
    });
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  /** Waits for in-flight requests and for the tasks beside the loop, and releases folders and devices. */
  async #close(): Promise<void> {
    this.#ended.abort();
    this.#parts.readers.close();
    await this.#sender.stop(STOP_GRACE_MS);
    // A task may have begun another one.
    await this.#tasks.settled();
    this.#folders.close();
    await this.#devices?.close();
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
    if (this.#parts.signal.aborted) return;
    if (error instanceof SyncError || (error instanceof Error && 'code' in error)) {
      this.#parts.report({ event: 'problem', message: messageOf(error) });
    } else this.fail(error);
  }
}
