import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../api/wire.ts';
import { SyncError, systemCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import type { Config } from '../config/config.ts';
import { isHeld } from '../system/process-lock.ts';
import { replaceFile, storageError } from '../system/storage.ts';
import { thisProcess } from '../system/this-process.ts';
import { wallTime } from '../terminal/words.ts';
import { processStart } from './process-start.ts';

/*
 * The registry of watchers: who watches which folders, whether that process is alive, and how it
 * ended. Every watcher has a folder `watch/ID/` in the state folder, with one state file and one lock.
 */

/** Who keeps a watcher running in the background. */
export const BACKGROUND_KINDS = ['daemon', 'systemd', 'launchd', 'windows-task'] as const;
export type BackgroundKind = (typeof BACKGROUND_KINDS)[number];
export type WatcherKind = 'terminal' | BackgroundKind;

/** What a watcher watches. */
export interface WatchScope {
  /** Absolute paths, as the user gave them. */
  readonly folders: readonly string[];
  /** Watches every known device that is plugged in, too. Absent: it does not. */
  readonly devices?: boolean;
}

/** The files of one watcher: one login and one scope. */
export interface WatcherPaths {
  readonly id: string;
  readonly dir: string;
  readonly stateFile: string;
  /** Held by the watcher's process while it lives. */
  readonly lockFile: string;
  /** The log of a watcher in the background (`log.ts`). */
  readonly logFile: string;
  /** Output of a runtime that crashed; empty after a clean exit. */
  readonly crashFile: string;
}

export interface WatcherEnd {
  /** ms since the epoch */
  readonly at: number;
  readonly exitCode: number;
  /** The failure, if there was one. */
  readonly message?: string;
}

/** What a watcher writes about itself. */
export interface WatcherState extends WatchScope {
  readonly version: 1;
  readonly profile: string;
  readonly kind: WatcherKind;
  /** Flags of `sync watch` for the same watcher, to start it again. */
  readonly passOn?: readonly string[];
  readonly pid: number;
  /** `processStart` of the pid; tells this process from a later one with the same number. */
  readonly processStart?: string;
  readonly appVersion: string;
  /** ms since the epoch */
  readonly startedAt: number;
  /** When the first rescan was complete; absent until then (ms since the epoch). */
  readonly readyAt?: number;
  /** Absent while the process runs, and after it was killed. */
  readonly ended?: WatcherEnd;
  /** Absent until the watcher knows its login. */
  readonly health?: WatcherHealth;
}

/** A device that a watcher knows. */
export interface DeviceHealth {
  /** Identifies it at any mount point (`Device.key`). */
  readonly key: string;
  /** For people: `Garmin Edge 840`. */
  readonly title: string;
  readonly state: 'plugged-in' | 'away';
  /** Where it is mounted; absent while it is away. */
  readonly root?: string;
  /** Recordings that were not sent when it was unplugged; absent: none. */
  readonly left?: number;
}

export type FolderState =
  /** The folder does not exist (a device that is not plugged in). */
  | 'waiting'
  /** The system reports changes in the folder. */
  | 'watching'
  /** The folder is rescanned at short intervals. */
  | 'polling';

/** Why nothing can be delivered now. */
export type Obstacle =
  /** No connection to the service. */
  | 'offline'
  /** The service answers with failures. */
  | 'service'
  /** The keychain is locked or missing. */
  | 'keychain'
  /** This machine's own disk or database. */
  | 'storage';

/** What a watcher reports about its work. Times are ISO 8601 in UTC. */
export interface WatcherHealth {
  /** The ledger's account key. */
  readonly account?: string;
  readonly updatedAt: string;
  readonly folders: readonly {
    readonly path: string;
    readonly state: FolderState;
    readonly reason?: string;
  }[];
  /** Devices that are plugged in, and those that left with recordings. Absent: it watches folders only. */
  readonly devices?: readonly DeviceHealth[];
  readonly queue: {
    /** Recordings to send, in-flight requests included. */
    readonly waiting: number;
    readonly sending: number;
    /** Recordings in the outbox. */
    readonly kept: number;
    /** Incomplete files. */
    readonly unfinished: number;
  };
  /** Wellness days since the start, and those that wait; absent if the watcher sends no wellness. */
  readonly days?: { readonly sent: number; readonly waiting: number };
  readonly connection: {
    readonly state: 'ok' | Obstacle;
    readonly message?: string;
    readonly nextTryAt?: string;
  };
  readonly login: {
    readonly state: 'ok' | 'needed';
    readonly message?: string;
    /** When the refresh token ends, if the service says so. */
    readonly refreshEndsAt?: string;
  };
  readonly lastSuccessAt?: string;
  readonly lastSweepAt?: string;
  readonly lastHeartbeatAt?: string;
  readonly lastError?: { readonly at: string; readonly message: string };
}

/** A watcher's health for `sync status`, `sync daemon status` and monitors. */
export interface SeenHealth extends WatcherHealth {
  readonly version: 1;
  readonly id: string;
  readonly pid: number;
  readonly profile: string;
  readonly kind: WatcherKind;
  /** False after a clean exit. */
  readonly running: boolean;
  readonly since: string;
  /** The process lives. */
  readonly alive: boolean;
  /** Seconds until the refresh token ends; absent if that is unknown. */
  readonly loginEndsInSecs?: number;
}

/** A watcher seen from outside. */
export interface FoundWatcher {
  readonly paths: WatcherPaths;
  /** Absent if the state file was never written, or is not readable. */
  readonly state: WatcherState | undefined;
  /** A process holds its lock. */
  readonly running: boolean;
}

/**
 * Returns the files of the watcher for a login and a scope.
 *
 * @param login see {@link watcherLogin}
 * @param scope its folders in any order
 */
export function watcherPaths(
  stateDir: string,
  login: string,
  { folders, devices }: WatchScope,
): WatcherPaths {
  const named = [...folders].sort();
  // No absolute path is empty.
  const text = [login, ...(devices === true ? [''] : []), ...named].join('\0');
  return pathsOf(stateDir, createHash('sha256').update(text).digest('hex').slice(0, 16));
}

/**
 * Names a login: the profile, and a digest of the token if that is from the environment, since one
 * profile can then stand for several athletes.
 */
export function watcherLogin({
  profile,
  environmentTokens,
}: Pick<Config, 'profile' | 'environmentTokens'>): string {
  const token = environmentTokens.access ?? environmentTokens.refresh;
  if (token === undefined) return profile;
  return `${profile} ${createHash('sha256').update(token.reveal()).digest('hex').slice(0, 16)}`;
}

function pathsOf(stateDir: string, id: string): WatcherPaths {
  const dir = join(stateDir, 'watch', id);
  return {
    id,
    dir,
    stateFile: join(dir, 'watcher.json'),
    lockFile: join(dir, 'watcher.lock'),
    logFile: join(dir, 'daemon.log'),
    crashFile: join(dir, 'crash.log'),
  };
}

/** Names all devices that a watcher may find. */
export const ANY_DEVICE = 'any known device';

/** Names what a watcher watches, on one line. */
export function scopeNames({ folders, devices }: WatchScope): string {
  return [...(devices === true ? [ANY_DEVICE] : []), ...folders].join(', ');
}

/**
 * Lists all watchers that run or ever ran, of every profile, sorted by id.
 *
 * @throws SyncError `STORAGE`
 */
export function listWatchers(stateDir: string): FoundWatcher[] {
  const folder = join(stateDir, 'watch');
  try {
    return (
      readdirSync(folder)
        // File managers leave their files there.
        .filter((name) => /^[0-9a-f]{16}$/.test(name))
        .sort()
        .map((id) => inspectWatcher(pathsOf(stateDir, id)))
    );
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    if (error instanceof SyncError) throw error;
    throw storageError(folder, error, 'SYNC_STATE_DIR');
  }
}

/**
 * Reads a watcher's state file and checks its lock. The lock decides whether it runs: a state file
 * may be left over from a process that was killed. The file is read before and after, because a new
 * process takes the lock before it writes its own state.
 *
 * @throws SyncError `STORAGE`
 */
export function inspectWatcher(paths: WatcherPaths): FoundWatcher {
  let before = readText(paths.stateFile);
  for (;;) {
    const running = isRunning(paths);
    const text = readText(paths.stateFile);
    // A running watcher updates its health once a second at most.
    if (text === before) return { paths, state: parseState(text), running };
    before = text;
  }
}

/** @throws SyncError `STORAGE` */
export function isRunning(paths: WatcherPaths): boolean {
  return isHeld(paths.lockFile);
}

/**
 * Returns whether the process in a state file still runs. It may hang after it released its lock. On
 * Windows this is unknown, and the answer is false.
 */
export function isProcessThere(
  { pid, processStart: recorded }: WatcherState,
  platform: NodeJS.Platform,
): boolean {
  const start = processStart(pid, platform);
  return start !== undefined && start === recorded;
}

/**
 * Returns the health of all watchers, the living first, then the most recent.
 *
 * @param now ms since the epoch
 * @throws SyncError `STORAGE`
 */
export function readHealth(stateDir: string, now: number): readonly SeenHealth[] {
  return listWatchers(stateDir)
    .flatMap((found) => healthOf(found, now) ?? [])
    .sort((a, b) => Number(b.alive) - Number(a.alive) || (a.updatedAt < b.updatedAt ? 1 : -1));
}

/** Returns a watcher's health; undefined before it began. */
export function healthOf(
  { paths, state, running: alive }: FoundWatcher,
  now: number,
): SeenHealth | undefined {
  if (state?.health === undefined) return undefined;
  const { health, version, pid, profile, kind, startedAt, ended } = state;
  const ends = health.login.refreshEndsAt;
  return {
    ...{ version, id: paths.id, pid, profile, kind },
    running: ended === undefined,
    since: new Date(startedAt).toISOString(),
    ...health,
    alive,
    ...(ends === undefined ? {} : { loginEndsInSecs: Math.floor((Date.parse(ends) - now) / 1000) }),
  };
}

/**
 * Returns the failure of a second watcher for the same folders or devices.
 *
 * @param profile of the second watcher
 */
export function alreadyWatching(
  scope: WatchScope,
  holder: WatcherState | undefined,
  profile: string,
): SyncError {
  const since = holder === undefined ? undefined : new Date(holder.startedAt);
  const who =
    holder === undefined || since === undefined
      ? 'another process'
      : `process ${holder.pid} since ${wallTime(since).slice(0, 16)}`;
  const { folders, devices } = scope;
  return new SyncError('BUSY', `Already watched by ${who}: ${scopeNames(scope)}.`, {
    hint: holder === undefined ? 'Try again when it has ended.' : howToStop(holder, profile),
    details: {
      folders,
      ...(devices === true ? { devices } : {}),
      ...(folders.length === 1 ? { folder: folders[0] } : {}),
      ...(holder === undefined ? {} : { pid: holder.pid, since: since?.toISOString() }),
    },
  });
}

function howToStop(holder: WatcherState, profile: string): Text {
  if (holder.kind === 'terminal') return 'It runs in a terminal: Ctrl-C there stops it.';
  const named = holder.profile === profile ? [] : ['--profile', holder.profile];
  return phrase`It runs in the background: ${sync('daemon', 'stop', ...named)} stops it.`;
}

/** Replaces the state file. @throws system errors */
export function writeState(paths: WatcherPaths, state: WatcherState, durable = true): void {
  replaceFile(paths.stateFile, `${JSON.stringify(state)}\n`, { durable });
}

/**
 * Reads a state file of this user. Its pid and flags decide which process gets a signal and how a daemon
 * is started again, so a file of another user counts as missing.
 */
function readText(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const { userId } = thisProcess;
    if (userId !== undefined && fstatSync(descriptor).uid !== userId) return undefined;
    return readFileSync(descriptor, 'utf8');
  } catch {
    // Missing or unreadable: nothing is known, and no process is signalled.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function parseState(text: string | undefined): WatcherState | undefined {
  if (text === undefined) return undefined;
  try {
    const value = parseJson(text);
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isState(value: unknown): value is WatcherState {
  if (!isObject(value) || value['version'] !== 1) return false;
  const { profile, folders, kind, passOn = [], pid, startedAt, readyAt, ended, health } = value;
  const { processStart: start, appVersion, devices } = value;
  return (
    typeof profile === 'string' &&
    [folders, passOn].every(isTexts) &&
    (devices === undefined || typeof devices === 'boolean') &&
    ['terminal', ...BACKGROUND_KINDS].some((known) => known === kind) &&
    Number.isSafeInteger(pid) &&
    (pid as number) > 1 &&
    (start === undefined || typeof start === 'string') &&
    typeof appVersion === 'string' &&
    isTime(startedAt) &&
    (readyAt === undefined || isTime(readyAt)) &&
    (ended === undefined || isEnd(ended)) &&
    (health === undefined || isHealth(health))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Returns whether a value is a time that a `Date` can hold (ms since the epoch). */
function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

function isEnd(value: unknown): boolean {
  return (
    isObject(value) &&
    isTime(value['at']) &&
    typeof value['exitCode'] === 'number' &&
    (value['message'] === undefined || typeof value['message'] === 'string')
  );
}

function isHealth(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { updatedAt, folders, devices = [], queue, connection, login } = value;
  return (
    typeof updatedAt === 'string' &&
    [folders, devices].every((list) => Array.isArray(list) && list.every(isObject)) &&
    [queue, connection, login].every(isObject)
  );
}
