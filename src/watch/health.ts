import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SyncError, systemCode } from '../base/errors.ts';
import { isHeld } from '../system/process-lock.ts';
import { isObject } from '../api/wire.ts';
import { makeFolder, replaceFile, storageError } from '../system/storage.ts';
import type { FolderState, Obstacle } from './report.ts';

/** How a watcher is doing: what `sync status` and a monitor read. Times are ISO 8601 in UTC. */
export interface WatchHealth {
  readonly version: 1;
  readonly id: string;
  readonly pid: number;
  readonly profile: string;
  /** What its work is filed under; absent until that is known. */
  readonly account?: string;
  /** It is up; false once it ended in good order. A dead one is known by its lock. */
  readonly running: boolean;
  readonly since: string;
  readonly updatedAt: string;
  readonly folders: readonly {
    readonly path: string;
    readonly state: FolderState;
    readonly reason?: string;
  }[];
  readonly queue: {
    /** Recordings that are to be sent, those under way included. */
    readonly waiting: number;
    readonly sending: number;
    /** Of those that wait, how many have their bytes kept here. */
    readonly kept: number;
    /** Files that are not whole, so far. */
    readonly unfinished: number;
  };
  readonly connection: {
    readonly state: 'ok' | Obstacle;
    readonly message?: string;
    readonly nextTryAt?: string;
  };
  readonly login: {
    readonly state: 'ok' | 'needed';
    readonly message?: string;
    /** When the refresh token ends, where the service says so. */
    readonly refreshEndsAt?: string;
  };
  readonly lastSuccessAt?: string;
  readonly lastSweepAt?: string;
  readonly lastHeartbeatAt?: string;
  readonly lastError?: { readonly at: string; readonly message: string };
}

/** A watcher's health as somebody else sees it. */
export interface SeenHealth extends WatchHealth {
  /** Its process lives. */
  readonly alive: boolean;
  /** Seconds until the refresh token ends; absent where that is not known. */
  readonly loginEndsInSecs?: number;
}

/**
 * The same watcher has the same id.
 *
 * @param login the profile, or what else tells whose recordings they are
 * @param folders absolute, in whatever order
 */
export function watchId(login: string, folders: readonly string[]): string {
  return createHash('sha256')
    .update([login, ...[...folders].sort()].join('\0'))
    .digest('hex')
    .slice(0, 16);
}

/** Has it the form of a {@link watchId}? File managers leave files of their own everywhere. */
export function isWatchId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'watch');
}

function fileOf(stateDir: string, id: string): string {
  return join(folderOf(stateDir), `${id}.json`);
}

/** The lock that a watcher holds as long as it lives. */
export function lifeLock(stateDir: string, id: string): string {
  return join(stateDir, 'locks', `watch-${id}.lock`);
}

/** Replaces what is there. @throws what the disk throws */
export function writeHealth(stateDir: string, health: WatchHealth): void {
  makeFolder(folderOf(stateDir), 0o700);
  replaceFile(fileOf(stateDir, health.id), `${JSON.stringify(health)}\n`, { durable: false });
}

/**
 * All watchers that are up or have been, the living first, then those that were up last.
 *
 * @param now ms since the epoch
 */
export function readHealth(stateDir: string, now: number): readonly SeenHealth[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(stateDir));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw storageError(folderOf(stateDir), error, 'SYNC_STATE_DIR');
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => basename(name, '.json'))
    .filter(isWatchId)
    .flatMap((id) => readOne(stateDir, id, now) ?? [])
    .sort((a, b) => Number(b.alive) - Number(a.alive) || (a.updatedAt < b.updatedAt ? 1 : -1));
}

/** The health of one watcher; undefined if there is none, or what is there cannot be read. */
export function readOne(stateDir: string, id: string, now: number): SeenHealth | undefined {
  let health: unknown;
  try {
    health = JSON.parse(readFileSync(fileOf(stateDir, id), 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw storageError(fileOf(stateDir, id), error, 'SYNC_STATE_DIR');
  }
  if (!isHealth(health)) return undefined;
  const alive = isAlive(lifeLock(stateDir, id));
  const ends = health.login.refreshEndsAt;
  return {
    ...health,
    alive,
    ...(ends === undefined ? {} : { loginEndsInSecs: Math.floor((Date.parse(ends) - now) / 1000) }),
  };
}

/** Written by another version, or by somebody else: not understood, so not shown. */
function isHealth(value: unknown): value is WatchHealth {
  if (!isObject(value) || value['version'] !== 1) return false;
  const { pid, profile, since, updatedAt, folders, queue, connection, login } = value;
  return (
    typeof pid === 'number' &&
    [profile, since, updatedAt].every((text) => typeof text === 'string') &&
    Array.isArray(folders) &&
    folders.every(isObject) &&
    [queue, connection, login].every(isObject)
  );
}

/** Forgets a watcher that is no more. */
export function removeHealth(stateDir: string, id: string): void {
  rmSync(fileOf(stateDir, id), { force: true });
}

function isAlive(lock: string): boolean {
  try {
    return isHeld(lock);
  } catch (error) {
    // A lock that cannot even be opened says nothing of a process that lives.
    if (error instanceof SyncError) return false;
    throw error;
  }
}
