import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SyncError, messageOf } from '../base/errors.ts';
import { type SqliteDatabase, loadCrypto, loadSqlite } from './this-process.ts';
import { makeFolder, storageError } from './storage.ts';
import type { Context } from '../base/context.ts';

/** A lock across all processes of this machine, held until {@link Lock.release}. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock at `path` if it is free.
 *
 * The lock is SQLite's exclusive lock on a small database file. The operating system releases it when
 * the process dies, so that no lock is ever stale. The file stays.
 *
 * @throws SyncError `STORAGE` if the file cannot be created.
 */
export function tryLock(path: string): Lock | undefined {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase;
  try {
    makeFolder(dirname(path), 0o700);
    database = new DatabaseSync(path);
  } catch (cause) {
    throw unusable(path, cause);
  }
  try {
    // Nothing is ever written: without a journal on the disk, no release waits for it.
    database.exec(
      'PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE',
    );
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
      // Closing the database releases the lock.
      database.close();
    },
  };
}

/**
 * Returns whether a process holds the lock at `path`. This is a shared read: any number of processes may
 * check at once. A process that takes the lock during a check fails, and has to retry.
 *
 * @throws SyncError `STORAGE` if the file is there and cannot be read.
 */
export function isHeld(path: string): boolean {
  if (!existsSync(path)) return false;
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 0; SELECT count(*) FROM sqlite_master');
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    // Another process removed the file just now: the lock is free.
    if (!existsSync(path)) return false;
    throw unusable(path, cause);
  } finally {
    database?.close();
  }
}

/**
 * Limit on the wait for another process (ms). A refresh may take the limits of its parts together: two calls of a
 * keychain whose child starts slowly and which asks a person (80 s each), the token endpoint (40 s), a save (140 s).
 */
const PATIENCE_MS = 360_000;
/** Range of the pause between two tries (ms). */
const RETRY_MS = { min: 5, max: 50 };

/** Takes the lock at `path` as soon as it is free. @returns undefined if it is not released in time */
export async function waitForLock(
  path: string,
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  patienceMs: number,
): Promise<Lock | undefined> {
  const deadline = clock.monotonic() + patienceMs;
  for (;;) {
    signal.throwIfAborted();
    const lock = tryLock(path);
    if (lock !== undefined || clock.monotonic() >= deadline) return lock;
    await clock.sleep(loadCrypto().randomInt(RETRY_MS.min, RETRY_MS.max), signal);
  }
}

/**
 * Runs `task` while holding the lock at `path`.
 *
 * @throws SyncError `BUSY` if the lock is not released in time; any error of `task`.
 */
export async function withLock<T>(
  path: string,
  context: Pick<Context, 'clock' | 'signal'>,
  task: () => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(path, context, PATIENCE_MS);
  if (lock === undefined) {
    throw new SyncError('BUSY', `Another process has held ${path} for too long.`, {
      hint: 'End the other `sync` process, then try again.',
      details: { path },
    });
  }
  try {
    return await task();
  } finally {
    lock.release();
  }
}

/** Returns whether an error is SQLITE_BUSY: another process holds the file's lock. */
export function isBusy(error: unknown): boolean {
  return /database is locked/i.test(messageOf(error));
}

function unusable(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path} cannot be used as a lock: ${messageOf(cause)}`,
    hint: 'Is the folder on a local disk that this user may write to?',
  });
}
