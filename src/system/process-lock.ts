import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SyncError, messageOf } from '../base/errors.ts';
import { makeFolder, storageError } from './storage.ts';
import type { Clock } from '../base/time.ts';

/** A lock over all processes of this machine, given back by {@link Lock.release}. */
export interface Lock {
  /** May be called twice. */
  release(): void;
}

/**
 * Takes the lock at `path` if nobody has it.
 *
 * The lock is SQLite's own exclusive lock on a small database file: the operating system gives it
 * back when the process dies in whatever way, so there is no stale lock to guess about. The file
 * itself stays.
 *
 * @throws SyncError `STORAGE` if the file cannot be made.
 */
export function tryLock(path: string): Lock | undefined {
  let database: DatabaseSyncInstance;
  try {
    makeFolder(dirname(path), 0o700);
    database = new DatabaseSync(path);
  } catch (cause) {
    throw unusable(path, cause);
  }
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    if (isBusy(cause)) return undefined;
    throw unusable(path, cause);
  }
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      // Closing gives the lock back.
      database.close();
    },
  };
}

/**
 * Does somebody hold the lock at `path`? Looks do not get in each other's way: they read, and any
 * number may at once. Only whoever takes the lock in the very moment of a look is refused, and has to
 * try again.
 *
 * @throws SyncError `STORAGE` if the file is there and cannot be read.
 */
export function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_master');
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    // Swept away just now: then nobody has it.
    if (!existsSync(path)) return false;
    throw unusable(path, cause);
  } finally {
    database?.close();
  }
}

/** How long to wait between two tries for a lock, in ms: short enough not to be felt. */
const RETRY_MS = { min: 5, max: 50 };

/**
 * Runs `task` while holding the lock at `path`.
 *
 * @param patienceMs how long to wait for another process to give it back.
 * @throws SyncError `BUSY` when it is not given back in time; whatever `task` throws.
 */
export async function withLock<T>(
  path: string,
  options: { clock: Clock; signal: AbortSignal; patienceMs: number },
  task: () => Promise<T>,
): Promise<T> {
  const { clock, signal, patienceMs } = options;
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock !== undefined) {
      try {
        return await task();
      } finally {
        lock.release();
      }
    }
    if (clock.monotonic() >= deadline) {
      throw new SyncError('BUSY', `Another process has held ${path} for too long.`, {
        hint: 'End the other `sync` process, then try again.',
        details: { path },
      });
    }
    await clock.sleep(RETRY_MS.min + Math.random() * (RETRY_MS.max - RETRY_MS.min), signal);
  }
}

/** SQLITE_BUSY: somebody else has it. */
function isBusy(error: unknown): boolean {
  return /database is locked/i.test(messageOf(error));
}

function unusable(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path} cannot be used as a lock: ${messageOf(cause)}`,
    hint: 'Is the folder on a local disk that this user may write to?',
  });
}
