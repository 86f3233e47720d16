import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { SyncError, messageOf } from '../errors.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { WatchMarks } from '../ledger/watch-marks.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../time.ts';
import { isRecordingName, isSearchedFolder } from '../upload/recording-names.ts';
import type { UploadItem } from '../upload/report.ts';
import { Bell } from './bell.ts';
import { statOf } from './folder-events.ts';
import { type Failure, Gate } from './gate.ts';
import type { Outbox } from './outbox.ts';
import { Pending } from './pending.ts';
import { Pump } from './pump.ts';
import type { WatchEvent } from './report.ts';
import { Scout, type Sighting } from './scout.ts';
import { type Found, inSlices, walk } from './sweep.ts';
import { type Appearance, WatchedFolder } from './watched-folder.ts';

/** Between two looks at whether the folders are there, in ms. */
export const ROOT_CHECK_MS = 2_000;
/** Between two sweeps of a folder that tells of changes by itself, in ms. */
export const SWEEP_MS = 5 * 60_000;
/** Between two sweeps of one that does not, unless somebody says otherwise, in ms. */
export const POLL_MS = 30_000;
/** A sweep may take this share of the time at most, so that a large folder costs no more. */
const SWEEP_SHARE = { watching: 1 / 2_000, polling: 1 / 20 };
/** So much more time than expected between two looks means that the machine slept, in ms. */
const SLEPT_MS = 30_000;
/** A folder that takes longer than this to look through is left to a sweep, in ms. */
const LONG_WALK_MS = 200;
/** More names than this at once, and the kernel may have dropped some. */
const FLOOD = 1_000;
/** A request under way is given so long when the program is told to stop, in ms. */
const STOP_GRACE_MS = 4_000;

export interface WatcherOptions {
  /** Absolute, each once. */
  readonly folders: readonly string[];
  /** What is there at the beginning is not sent. */
  readonly newOnly: boolean;
  /** Poll every folder, every so many ms. */
  readonly pollMs: number | undefined;
  readonly dryRun: boolean;
}

/** What the watcher works with, for one account. */
export interface WatcherNeeds {
  readonly appVersion: string;
  readonly platform: NodeJS.Platform;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly outbox: Outbox;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  readonly clock: Clock;
  /** Evenly from [0, 1). */
  readonly random: () => number;
  /** Stops it. */
  readonly signal: AbortSignal;
  readonly report: (event: WatchEvent) => void;
  /** Something in {@link Watcher.picture} has changed. */
  readonly onChange: () => void;
  /** After every round of sweeps that went well. */
  readonly onSwept: () => void;
  /** Every few seconds. */
  readonly onTick: () => void;
  /** Something that changes when somebody logs in. */
  readonly loginMarker: () => string;
}

/** How a watcher ended. */
export type WatchEnd = 'stopped' | 'login-changed';

/**
 * Watches folders and sends what is new. The sweeps are what counts: they compare what is there with
 * the ledger. Events only make it fast.
 */
export class Watcher {
  readonly gate: Gate;
  readonly #options: WatcherOptions;
  readonly #needs: WatcherNeeds;
  readonly #folders: readonly WatchedFolder[];
  readonly #pending: Pending;
  readonly #pump: Pump;
  readonly #scout: Scout;
  readonly #sweepBell: Bell;
  readonly #pendingBell: Bell;
  readonly #rootBell: Bell;
  /** Names that events told of, by folder, since the last look. */
  #told = new Map<string, { folder: WatchedFolder; parent: string; name: string }>();
  readonly #problems = new Set<string>();
  #end: WatchEnd | undefined;
  lastSweepAt: number | undefined;

  constructor(options: WatcherOptions, needs: WatcherNeeds) {
    const { clock, outbox, known, marks, ledger } = needs;
    const now = () => clock.now();
    this.#options = options;
    this.#needs = needs;
    this.gate = new Gate(now, needs.random);
    this.#pending = new Pending(now);
    this.#sweepBell = new Bell(clock);
    this.#pendingBell = new Bell(clock);
    this.#rootBell = new Bell(clock);
    this.#scout = new Scout({
      known,
      marks,
      outbox,
      now,
      pending: this.#pending,
      onCandidate: (item) => this.#pump.add(item),
      onSettled: (item) => this.#settled?.(item),
    });
    this.#pump = new Pump(options, {
      ...needs,
      known,
      ledger,
      gate: this.gate,
      onUnwhole: ({ absolute: path, stamp, removable }, reason, detail) => {
        this.#scout.unwhole({ path, stamp, removable }, reason, detail);
        this.#pendingBell.ring();
      },
    });
    this.#folders = options.folders.map(
      (path) =>
        new WatchedFolder(path, {
          platform: needs.platform,
          forcePolling: options.pollMs !== undefined,
          onName: (folder, parent, name) => this.#onName(folder, parent, name),
          onRoot: () => this.#rootBell.ring(),
          onStateChange: (folder) => this.#tellState(folder),
        }),
    );
  }

  #settled: ((item: UploadItem) => void) | undefined;

  /** How things stand, for the health report. */
  get picture() {
    return {
      folders: this.#folders.map(({ path, state, reason }) => ({
        path,
        state,
        ...(reason === undefined ? {} : { reason }),
      })),
      waiting: this.#pump.waiting,
      sending: this.#pump.sending,
      unfinished: this.#pending.size,
      lastSuccessAt: this.#pump.lastSuccessAt,
      lastSweepAt: this.lastSweepAt,
    };
  }

  /**
   * One look at everything, then it is over.
   *
   * @param onItem told what became of each file, also of those that need nothing.
   * @throws the signal's reason when it is aborted.
   */
  async once(onItem: (item: UploadItem) => void): Promise<void> {
    const { signal, outbox } = this.#needs;
    this.#settled = onItem;
    const stop = () => void this.#pump.stop(STOP_GRACE_MS);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (const folder of this.#folders) {
        await folder.check();
        folder.close();
        if (folder.state === 'waiting') {
          const detail = 'There is no such folder now.';
          onItem({ path: folder.path, outcome: 'invalid', reason: 'unreadable', detail });
        }
      }
      await this.#sweep(this.#folders.filter(({ state }) => state !== 'waiting'));
      if (!this.#options.dryRun) for (const item of outbox.items()) this.#pump.add(item);
      await this.#pump.drain();
      for (const { path, reason, detail } of this.#pending.all()) {
        onItem({ path, outcome: 'invalid', reason, detail });
      }
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Watches until it is stopped, or somebody logs in while nobody was. */
  async run(): Promise<WatchEnd> {
    const { signal, outbox, report } = this.#needs;
    const stop = () => this.#finish('stopped');
    if (signal.aborted) return 'stopped';
    signal.addEventListener('abort', stop, { once: true });
    try {
      for (const item of outbox.items()) this.#pump.add(item);
      for (const folder of this.#folders) {
        await folder.check();
        if (folder.state !== 'waiting') continue;
        this.#tellState(folder);
        if (this.#options.newOnly) this.#needs.marks.newOnly(folder.path).begin();
      }
      const pumping = this.#pump.run();
      const files = await this.#sweepAll();
      if (this.#end === undefined) report({ event: 'ready', files, queued: this.#pump.waiting });
      await Promise.all([this.#watchRoots(), this.#sweepOnAndOn(), this.#lookAgain()]);
      await this.#pump.stop(STOP_GRACE_MS);
      await pumping;
      return this.#end ?? 'stopped';
    } finally {
      signal.removeEventListener('abort', stop);
      for (const folder of this.#folders) folder.close();
    }
  }

  /** Nothing can be delivered for now: somebody else found out. */
  hinder(failure: Failure): void {
    this.#pump.hinder(failure);
  }

  #finish(end: WatchEnd): void {
    this.#end ??= end;
    for (const bell of [this.#rootBell, this.#sweepBell, this.#pendingBell]) bell.ring();
  }

  #tellState({ path, state, reason }: WatchedFolder): void {
    const why = reason === undefined ? {} : { reason };
    this.#needs.report({ event: 'folder', folder: path, state, ...why });
    this.#needs.onChange();
  }

  // --- the folders themselves -------------------------------------------------------------------

  async #watchRoots(): Promise<void> {
    const { clock, onTick, loginMarker } = this.#needs;
    let before = clock.now();
    let addresses = '';
    const marker = loginMarker();
    while (this.#end === undefined) {
      await this.#rootBell.wait(ROOT_CHECK_MS);
      if (this.#ended) return;
      await this.#guarded(async () => {
        for (const folder of this.#folders) this.#onAppearance(folder, await folder.check());
        const now = clock.now();
        if (Math.abs(now - before) > ROOT_CHECK_MS + SLEPT_MS) this.#wokeUp();
        before = now;
        if (this.gate.state.state === 'closed') {
          const found = addressesNow();
          if (addresses !== '' && found !== addresses) this.#tryNow();
          addresses = found;
        } else addresses = '';
        if (this.gate.state.state === 'login') {
          if (loginMarker() !== marker) this.#finish('login-changed');
        }
        onTick();
      });
    }
  }

  get #ended(): boolean {
    return this.#end !== undefined;
  }

  #onAppearance(folder: WatchedFolder, appearance: Appearance): void {
    if (appearance === 'same') return;
    this.#problems.clear();
    if (appearance === 'gone') this.#pending.forgetBelow(folder.path);
    else this.#sweepSoon(folder);
  }

  #wokeUp(): void {
    for (const folder of this.#folders) folder.sweepAt = 0;
    this.#sweepBell.ring();
    this.#tryNow();
  }

  #tryNow(): void {
    this.gate.tryNow();
    this.#pump.wake();
  }

  // --- events -----------------------------------------------------------------------------------

  #onName(folder: WatchedFolder, parent: string, name: string): void {
    if (!isRecordingName(name) && !isSearchedFolder(name)) return;
    if (this.#told.size === 0) setImmediate(() => void this.#guarded(() => this.#hear()));
    this.#told.set(join(parent, name), { folder, parent, name });
  }

  /** Looks at what was told of, all at once: one write is told of several times. */
  #hear(): void {
    const told = this.#told;
    this.#told = new Map();
    if (this.#ended) return;
    for (const [path, { folder, name }] of told) {
      const stats = statOf(path, false);
      if (stats?.isFile() === true) {
        if (isRecordingName(name)) {
          this.#look({ path, stamp: stats, removable: folder.removable });
        }
      } else if (isSearchedFolder(name))
        this.#onFolder(folder, path, stats?.isDirectory() === true);
      if (stats === undefined) this.#pending.forget(path);
    }
    if (told.size > FLOOD) for (const folder of this.#folders) this.#sweepSoon(folder);
    this.#needs.onChange();
    this.#pendingBell.ring();
  }

  /** A folder came, went, or was replaced: what is in it came before anybody could tell. */
  #onFolder(folder: WatchedFolder, path: string, exists: boolean): void {
    const { events } = folder;
    if (events?.isCovered(path) === true) {
      events.uncover(path);
      if (!exists) this.#pending.forgetBelow(path);
    }
    if (!exists) return;
    const end = performance.now() + LONG_WALK_MS;
    for (const found of walk(path)) {
      this.#onFound(folder, found, (file) => this.#look(file));
      if (performance.now() < end) continue;
      this.#sweepSoon(folder);
      return;
    }
  }

  #look(file: Sighting): void {
    if (this.#scout.isOpen(file)) this.#scout.approach(file);
  }

  // --- sweeps -----------------------------------------------------------------------------------

  #sweepSoon(folder: WatchedFolder): void {
    folder.sweepAt = 0;
    this.#sweepBell.ring();
  }

  async #sweepOnAndOn(): Promise<void> {
    const { clock } = this.#needs;
    while (this.#end === undefined) {
      const next = Math.min(...this.#folders.map(({ sweepAt }) => sweepAt));
      await this.#sweepBell.wait(Math.max(0, next - clock.now()));
      if (this.#ended) return;
      await this.#sweepAll();
    }
  }

  /** Sweeps the folders whose time has come. @returns how many files there were */
  async #sweepAll(): Promise<number> {
    const { clock, onSwept } = this.#needs;
    const due = this.#folders.filter(({ sweepAt }) => sweepAt <= clock.now());
    let files = 0;
    const good = await this.#guarded(async () => {
      files = await this.#sweep(due);
    });
    for (const folder of due) {
      const share = folder.state === 'polling' ? SWEEP_SHARE.polling : SWEEP_SHARE.watching;
      const pause = folder.state === 'polling' ? (this.#options.pollMs ?? POLL_MS) : SWEEP_MS;
      folder.sweepAt = clock.now() + Math.max(pause, folder.sweepCostMs / share);
    }
    if (good && due.length > 0 && !this.#ended) {
      this.lastSweepAt = clock.now();
      onSwept();
      this.#needs.onChange();
    }
    this.#pendingBell.ring();
    return files;
  }

  async #sweep(folders: readonly WatchedFolder[]): Promise<number> {
    let files = 0;
    for (const folder of folders) {
      if (folder.state === 'waiting') continue;
      const started = performance.now();
      files += await this.#sweepOne(folder);
      folder.sweepCostMs = performance.now() - started;
    }
    return files;
  }

  async #sweepOne(folder: WatchedFolder): Promise<number> {
    const { known, marks, signal } = this.#needs;
    const { newOnly, dryRun } = this.#options;
    const firstLook = newOnly ? marks.newOnly(folder.path) : undefined;
    let files = 0;
    let seen: Sighting[] = [];
    const take = (found: Found) =>
      this.#onFound(folder, found, (file) => {
        files++;
        if (!this.#scout.isOpen(file)) return;
        if (firstLook?.isOld(file.stamp) === true) seen.push(file);
        else this.#scout.approach(file);
      });
    const transaction = (slice: () => boolean) => {
      const more = known.reading(slice);
      if (!dryRun) marks.markSeen(seen);
      seen = [];
      return more;
    };
    await inSlices(walk(folder.path) as Iterator<Found, undefined>, take, transaction, signal);
    if (!dryRun) firstLook?.done();
    return files;
  }

  #onFound(folder: WatchedFolder, found: Found, onFile: (file: Sighting) => void): void {
    switch (found.found) {
      case 'folder':
        // One that the events missed is heard from now on.
        folder.events?.coverOne(found.path);
        return;
      case 'file':
        onFile({ path: found.path, stamp: found.stamp, removable: folder.removable });
        return;
      case 'problem': {
        const key = `${found.path}: ${found.problem}`;
        if (this.#problems.has(key)) return;
        this.#problems.add(key);
        this.#needs.report({ event: 'problem', path: found.path, message: found.problem });
      }
    }
  }

  // --- files that are not whole -----------------------------------------------------------------

  async #lookAgain(): Promise<void> {
    while (this.#end === undefined) {
      await this.#pendingBell.wait(this.#pending.waitMs);
      if (this.#ended) return;
      await this.#guarded(() => {
        for (const { path, removable } of this.#pending.dueLooks()) {
          const stats = statOf(path, false);
          if (stats?.isFile() === true) this.#look({ path, stamp: stats, removable });
          else this.#pending.forget(path);
        }
        for (const { path, stamp, reason, detail } of this.#pending.dueReports()) {
          this.#needs.marks.markReported(path, stamp);
          this.#needs.report({ event: 'unfinished', path, reason, detail });
        }
      });
    }
  }

  /** A task that fails is told of and tried again in its time: the watcher stays up. */
  async #guarded(task: () => void | Promise<void>): Promise<boolean> {
    try {
      await task();
      return true;
    } catch (error) {
      if (this.#needs.signal.aborted) return false;
      // A fault of the program is not hidden behind a watcher that seems to work.
      if (!(error instanceof SyncError) && !isSystemError(error)) throw error;
      this.#needs.report({ event: 'problem', message: messageOf(error) });
      return false;
    }
  }
}

/** From the disk or the database: it has a code, and may be over next time. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
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
