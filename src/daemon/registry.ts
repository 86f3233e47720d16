import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SyncError, systemCode } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { type Config, environmentToken } from '../config/config.ts';
import { isHeld } from '../system/process-lock.ts';
import { isStopped } from '../system/processes.ts';
import { storageError } from '../system/storage.ts';
import { ago, wallTime } from '../terminal/words.ts';
import { processStart } from './process-start.ts';
import { type WatcherState, type WatchScope, parseState, readStateText } from './state-file.ts';
import { sha256 } from '../system/this-process.ts';

/*
 * The registry of watchers: who watches which folders, whether that process is alive, and how it
 * ended. Every watcher has a folder `watch/ID/` in the state folder, with one state file and one lock.
 */

export type WatcherPaths = Readonly<ReturnType<typeof pathsOf>>;

/** A watcher's health for `sync status`, `sync daemon status` and monitors. */
export type SeenHealth = Readonly<NonNullable<ReturnType<typeof healthOf>>>;

/** A watcher seen from outside. */
export type FoundWatcher = Readonly<ReturnType<typeof inspectWatcher>>;

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
  return pathsOf(stateDir, sha256(text).slice(0, 16));
}

/**
 * Names a login: the profile, and a digest of the token if that is from the environment, since one
 * profile can then stand for several athletes.
 */
export function watcherLogin(config: Pick<Config, 'profile' | 'environmentTokens'>): string {
  const token = environmentToken(config);
  if (token === undefined) return config.profile;
  return `${config.profile} ${sha256(token.reveal()).slice(0, 16)}`;
}

function pathsOf(stateDir: string, id: string) {
  const dir = join(stateDir, 'watch', id);
  return {
    id,
    stateDir,
    dir,
    stateFile: join(dir, 'watcher.json'),
    lockFile: join(dir, 'watcher.lock'),
    /** The log of a watcher in the background (`log.ts`). */
    logFile: join(dir, 'daemon.log'),
    crashFile: join(dir, 'crash.log'),
  };
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
 * process takes the lock before it writes its own state. Without a readable file, `state` is undefined.
 *
 * @throws SyncError `STORAGE`
 */
export function inspectWatcher(paths: WatcherPaths) {
  let before = readStateText(paths.stateFile);
  for (;;) {
    const running = isHeld(paths.lockFile);
    const text = readStateText(paths.stateFile);
    // A running watcher updates its health once a second at most.
    if (text === before) return { paths, state: parseState(text), running };
    before = text;
  }
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
 * Returns a watcher's health; undefined before it began.
 *
 * @param disk why the disk of the state folder takes no data: then the watcher sends nothing, and cannot report that
 */
export function healthOf(
  { paths, state, running: alive }: FoundWatcher,
  now: number,
  disk?: { readonly message: string },
) {
  if (state?.health === undefined) return undefined;
  const { health, version, pid, profile, kind, startedAt, ended } = state;
  const ends = health.login.refreshEndsAt;
  const reported = ago(now - Date.parse(health.updatedAt));
  return {
    version,
    id: paths.id,
    pid,
    profile,
    kind,
    /** False after a clean exit. */
    running: ended === undefined,
    since: new Date(startedAt).toISOString(),
    ...health,
    ...(disk === undefined || !alive
      ? {}
      : {
          connection: {
            state: 'storage' as const,
            message: `${disk.message} The last report of the watcher is from ${reported}.`,
          },
        }),
    alive,
    stopped: alive && isStopped(pid),
    /** Seconds until the login ends, negative after that; absent if that is unknown. */
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
  const { folders } = scope;
  return new SyncError('BUSY', `Already watched by ${who}: ${scopeNames(scope)}.`, {
    hint: holder === undefined ? 'Try again when it has ended.' : howToStop(holder, profile),
    details: {
      ...scopeOf(scope),
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

/** Returns the scope alone, without `devices: false`. */
export function scopeOf({ folders, devices }: WatchScope): WatchScope {
  return { folders, ...(devices === true ? { devices } : {}) };
}

/** Names all devices that a watcher may find. */
export const ANY_DEVICE = 'any known device';

export function scopeNames({ folders, devices }: WatchScope): string {
  return [...(devices === true ? [ANY_DEVICE] : []), ...folders].join(', ');
}

/** Returns a scope as `sync watch` takes it. */
export function scopeArguments({ folders, devices }: WatchScope): string[] {
  return [...folders, ...(devices === true ? ['--devices'] : [])];
}

export function isEmpty({ folders, devices }: WatchScope): boolean {
  return folders.length === 0 && devices !== true;
}
