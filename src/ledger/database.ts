import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SyncError, messageOf } from '../errors.ts';
import { makeFolder, storageError } from '../storage.ts';
import { type Database, guarded, transaction } from './guard.ts';

export type { Database } from './guard.ts';

/**
 * The steps from an empty file to today's tables, in order; a file's `user_version` says how many
 * of them it has seen. A step that has been released is never changed: another one follows it.
 */
const STEPS: readonly string[] = [
  `
  -- One row a recording and account. A recording is the SHA-256 of its bytes; paths are labels.
  CREATE TABLE uploads (
    account TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    -- pending: may have been sent. confirmed: the service said that it has it. rejected: it refused.
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'rejected')),
    -- While pending: the process that is at it (ledger/processes.ts), or the one that died over it.
    owner TEXT,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- What the service said: JSON with its ids, or the reason of its refusal.
    service TEXT NOT NULL DEFAULT '{}',
    message TEXT,
    -- Milliseconds since the epoch.
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (account, sha256)
  ) WITHOUT ROWID;

  -- What was read of a file, so that an unchanged one is not read again.
  CREATE TABLE known_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    ctime_ms REAL NOT NULL,
    -- Of the recording in it; NULL where it holds none that could be sent.
    sha256 TEXT,
    -- 'activity', or what it is instead: the word of the outcome's reason, and a sentence.
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT ''
  ) WITHOUT ROWID;

  -- One row a day of wellness or nutrition and account: what was last confirmed.
  CREATE TABLE records (
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('wellness', 'nutrition')),
    date TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed')),
    owner TEXT,
    digest TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (account, kind, date)
  ) WITHOUT ROWID;

  -- For services that append: each item of a day, under its key (records/item-keys.ts).
  CREATE TABLE record_items (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    item_key TEXT NOT NULL,
    -- pending: was sent, and nobody knows whether it arrived.
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed')),
    PRIMARY KEY (account, date, item_key)
  ) WITHOUT ROWID;

  -- Small facts, such as when something last succeeded.
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  -- Recordings that could not be delivered yet and whose bytes this program keeps.
  CREATE TABLE outbox (
    account TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    -- Where it was found: what people are told.
    path TEXT NOT NULL,
    -- Of the recording (unpacked), in bytes.
    size INTEGER NOT NULL,
    -- When it was recorded, as far as is known, and when its bytes were kept: ms since the epoch.
    recorded_at INTEGER NOT NULL,
    kept_at INTEGER NOT NULL,
    -- The process that is to send it (ledger/processes.ts), or the one that died before it had.
    owner TEXT NOT NULL,
    PRIMARY KEY (account, sha256)
  ) WITHOUT ROWID;

  -- What the watcher knows of a file beside what is in it.
  CREATE TABLE watch_marks (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    -- seen: was there before, not to be sent. unfinished: somebody was told that it is not whole.
    mark TEXT NOT NULL CHECK (mark IN ('seen', 'unfinished')),
    PRIMARY KEY (account, path)
  ) WITHOUT ROWID;

  -- Folders of which only what is new is sent, since when (ms since the epoch).
  CREATE TABLE new_only_folders (
    account TEXT NOT NULL,
    folder TEXT NOT NULL,
    since INTEGER NOT NULL,
    -- 1: it has been looked through since; all that is in it and has no mark is new.
    done INTEGER NOT NULL,
    PRIMARY KEY (account, folder)
  ) WITHOUT ROWID;
  `,
];

/** How long a statement waits for another process to finish writing, in ms. */
const BUSY_MS = 10_000;

/**
 * Opens the ledger's file, making or bringing up to date what is there.
 *
 * Write-ahead logging, `synchronous = NORMAL`: nothing is lost when a process dies. After a power
 * cut the last few rows may be; a recording is then sent again and recognised by the service.
 *
 * @throws SyncError `STORAGE`
 */
export function openDatabase(path: string): Database {
  let database: DatabaseSyncInstance;
  try {
    makeFolder(dirname(path), 0o700);
    // SQLite gives the files beside it (log, shared memory) the permissions that it finds here.
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    database = new DatabaseSync(path, { timeout: BUSY_MS });
  } catch (cause) {
    throw broken(path, cause);
  }
  const ledger = guarded(
    database,
    (cause) => broken(path, cause),
    () => tidy(database, path),
  );
  try {
    ledger.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    bringUpToDate(ledger, path);
    return ledger;
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** A log larger than this is merged into the file when the ledger is closed, in bytes. */
const TIDY_BYTES = 256 * 1024;

/**
 * The binding keeps a connection alive until its statements are collected, so that closing does not
 * merge the log into the file; whoever opens it next would have to read all of it.
 */
function tidy(database: DatabaseSyncInstance, path: string): void {
  try {
    if (statSync(`${path}-wal`).size < TIDY_BYTES) return;
    database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Somebody else is at it, or there is no log: nothing is lost.
  }
}

function bringUpToDate(database: Database, path: string): void {
  if (versionOf(database) === STEPS.length) return;
  chmodSync(path, 0o600);
  transaction(database, () => {
    // Another process may have done it while this one waited.
    const version = versionOf(database);
    if (version > STEPS.length) {
      throw new SyncError('STORAGE', `${path} was written by a newer version of this program.`, {
        hint: 'Update this installation, or set SYNC_STATE_DIR to another folder.',
      });
    }
    for (const step of STEPS.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${STEPS.length}`);
  });
}

function versionOf(database: Database): number {
  const row = database.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

function broken(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path}: ${messageOf(cause)}`,
    hint:
      'Is the disk full, or the folder not writable? If the file is damaged, move it away: the ' +
      'service recognises recordings that are sent again.',
  });
}
