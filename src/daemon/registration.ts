import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Context } from '../base/context.ts';
import { SyncError, systemCode } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { placeOf } from '../system/mounts.ts';
import { type Lock, tryLock, waitForLock } from '../system/process-lock.ts';
import { makeStateFolder, storageError } from '../system/storage.ts';
import { thisProcess, sha256 } from '../system/this-process.ts';
import { processStart } from './process-start.ts';
import type { DeviceHealth, WatcherHealth } from './health.ts';
import { type WatcherPaths, alreadyWatching, inspectWatcher, listWatchers } from './registry.ts';
import { type WatcherState, type WatchScope, writeState } from './state-file.ts';

/**
 * How long to retry a lock (ms). A process that only checks a lock (`isHeld`) holds it for an
 * instant; a watcher holds it for longer.
 */
const LOCK_RETRY_MS = 1_000;
/** Shortest interval between two updates of the health (ms). */
const UPDATE_MS = 1_000;

/**
 * Registers this process as a watcher, until {@link Registration.end} or its death.
 *
 * @throws SyncError `BUSY` if another process watches the same, `STORAGE`
 */
export async function registerWatcher(
  context: Pick<Context, 'clock' | 'signal'> & { readonly platform: NodeJS.Platform },
  paths: WatcherPaths,
  who: Pick<WatcherState, 'profile' | 'folders' | 'devices' | 'kind' | 'passOn'>,
): Promise<Registration> {
  const { clock, platform } = context;
  makeStateFolder(paths.dir);
  const lock = await waitForLock(paths.lockFile, context, LOCK_RETRY_MS);
  if (lock === undefined) {
    throw alreadyWatching(who, inspectWatcher(paths).state, who.profile);
  }
  const start = processStart(thisProcess.pid, platform);
  const state: WatcherState = {
    version: 1,
    ...who,
    pid: thisProcess.pid,
    ...(start === undefined ? {} : { processStart: start }),
    startedAt: clock.now(),
  };
  const earlier = inspectWatcher(paths).state;
  try {
    writeState(paths, state);
  } catch (cause) {
    lock.release();
    throw storageError(paths.stateFile, cause, 'SYNC_STATE_DIR');
  }
  return new Registration(paths, lock, state, earlier, clock);
}

/** This process as a registered watcher. No method throws for a full disk. */
export class Registration {
  readonly #paths: WatcherPaths;
  #lock: Lock;
  readonly #clock: Clock;
  readonly #earlier: WatcherState | undefined;
  #state: WatcherState;
  #health: Omit<WatcherHealth, 'updatedAt'> | undefined;
  #isOpen = true;
  /** The health differs from the file. */
  #isStale = false;
  /** When the health was last written (ms of the monotonic clock). */
  #writtenAt = -Infinity;

  /** @param earlier the watcher before this one; undefined if there was none */
  constructor(
    paths: WatcherPaths,
    lock: Lock,
    state: WatcherState,
    earlier: WatcherState | undefined,
    clock: Clock,
  ) {
    this.#paths = paths;
    this.#lock = lock;
    this.#state = state;
    this.#earlier = earlier;
    this.#clock = clock;
  }

  /** Devices that left the watcher before this one with recordings. */
  get earlierAway(): readonly DeviceHealth[] {
    return this.#earlier?.health?.devices?.filter(({ state }) => state === 'away') ?? [];
  }

  ready(): void {
    this.#write({ readyAt: this.#clock.now() }, true);
  }

  /** Takes over the watcher's health; {@link Registration.writeHealth} writes it. */
  setHealth(health: Omit<WatcherHealth, 'updatedAt'>): void {
    this.#health = health;
    this.#isStale = true;
  }

  /** Writes the health if it changed, once a second at most. @param force writes it at once */
  writeHealth(force: boolean): void {
    const now = this.#clock.monotonic();
    if (!this.#isOpen || !this.#isStale) return;
    if (!force && now - this.#writtenAt < UPDATE_MS) return;
    this.#writtenAt = now;
    this.#isStale = !this.#write({}, false);
  }

  /** Records how the watcher ended, and releases the lock. */
  end(exitCode: number, message?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#state.kind !== 'terminal') this.#writeEnd(exitCode, message);
    else if (this.#earlier !== undefined && this.#earlier.kind !== 'terminal') {
      // `sync daemon status` and `sync daemon logs` still show the daemon that ran before.
      this.#put(this.#earlier, true);
    } else if (this.#health !== undefined) this.#writeEnd(exitCode, message);
    // It ended before its first check: nothing is worth keeping.
    else rmSync(this.#paths.stateFile, { force: true });
    this.#lock.release();
  }

  #writeEnd(exitCode: number, message?: string): void {
    const at = this.#clock.now();
    this.#write({ ended: { at, exitCode, ...(message === undefined ? {} : { message }) } }, true);
  }

  /** @returns false if the disk refused; the watcher runs on. */
  #write(change: Partial<WatcherState>, durable: boolean): boolean {
    const updatedAt = new Date(this.#clock.now()).toISOString();
    const health = this.#health && { health: { ...this.#health, updatedAt } };
    this.#state = { ...this.#state, ...change, ...health };
    return this.#put(this.#state, durable);
  }

  #put(state: WatcherState, durable: boolean): boolean {
    try {
      if (!this.#holdsLock()) return false;
      writeState(this.#paths, state, durable);
      return true;
    } catch (error) {
      if (!(error instanceof SyncError) && systemCode(error) === undefined) throw error;
      return false;
    }
  }

  /** Takes the lock again if the state folder was moved or deleted. @returns false if another process has it now */
  #holdsLock(): boolean {
    const { dir, lockFile } = this.#paths;
    if (existsSync(lockFile)) return true;
    makeStateFolder(dir);
    const lock = tryLock(lockFile);
    if (lock === undefined) return false;
    this.#lock.release();
    this.#lock = lock;
    return true;
  }
}

export interface FolderOwner {
  readonly stateDir: string;
  readonly profile: string;
  readonly account: string;
}

/**
 * Locks a scope for an account: folders under all their names, since watchers with different sets of
 * folders may overlap. The folders of a device are locked when it is plugged in.
 *
 * @throws SyncError `BUSY`
 */
export async function lockScope(
  context: Pick<Context, 'clock' | 'signal'>,
  owner: FolderOwner,
  { folders, devices }: WatchScope,
): Promise<Lock> {
  const locks: Lock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  const take = async (name: string, what: WatchScope, isHeldBy: (held: WatchScope) => boolean) => {
    const hash = sha256(`${owner.account}\0${name}`);
    const path = join(owner.stateDir, 'locks', `folder-${hash.slice(0, 16)}.lock`);
    const lock = await waitForLock(path, context, LOCK_RETRY_MS);
    if (lock === undefined) throw alreadyWatching(what, holder(owner, isHeldBy), owner.profile);
    locks.push(lock);
  };
  try {
    // No absolute path is empty.
    if (devices === true) await take('', { folders: [], devices }, (held) => held.devices === true);
    for (const folder of folders) {
      const real = realPath(folder);
      const isHeldBy = (held: WatchScope) => held.folders.some((each) => realPath(each) === real);
      await take(real, { folders: [folder] }, isHeldBy);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** Returns the watcher of an account that holds a lock; undefined if its state file does not tell. */
function holder(
  { stateDir, account }: FolderOwner,
  isHeldBy: (held: WatchScope) => boolean,
): WatcherState | undefined {
  return listWatchers(stateDir).find(({ state, running }) => {
    if (!running || state?.health?.account !== account) return false;
    // The folders of plugged-in devices are in the health alone.
    const folders = [...state.folders, ...state.health.folders.map(({ path }) => path)];
    return isHeldBy({ ...state, folders });
  })?.state;
}

/** Resolves links, up to the first missing part. @param folder absolute */
function realPath(folder: string): string {
  return placeOf(folder).path;
}

/** Returns the absolute path of each folder once, under the first of its names. */
export function eachOnce(cwd: string, given: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const folder of given.map((each) => resolve(cwd, each))) {
    const real = realPath(folder);
    if (!names.has(real)) names.set(real, folder);
  }
  return [...names.values()];
}

/** Returns whether two scopes share a folder, also under different names, or both watch devices. */
export function overlap(one: WatchScope, other: WatchScope): boolean {
  if (one.devices === true && other.devices === true) return true;
  const real = new Set(other.folders.map(realPath));
  return one.folders.some((folder) => real.has(realPath(folder)));
}
