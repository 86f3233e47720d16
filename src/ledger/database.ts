import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SyncError, messageOf } from '../base/errors.ts';
import { makeFolder, storageError } from '../system/storage.ts';
import { type Database, guarded } from './guard.ts';
import { type Lock, tryLock } from '../system/process-lock.ts';

export type { Database } from './guard.ts';

/** The version of {@link SCHEMA}, kept as `user_version` of the file. */
const VERSION = 1;

const SCHEMA = `
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
    -- How often the service refused it since it last took it.
    refusals INTEGER NOT NULL DEFAULT 0,
    -- Runs that ended with a 500 for it since the service last answered; when the first of them began,
    -- and when the last was counted (ms since the epoch).
    faults INTEGER NOT NULL DEFAULT 0,
    faults_since INTEGER,
    faulted_at INTEGER,
    -- What the recording says of itself: its start (ms since the epoch) and timer time (s), if it does;
    -- and the file name that it was sent under.
    started_at INTEGER,
    duration_secs REAL,
    sent_as TEXT,
    -- When it was last compared with the workouts of the platform (ms since the epoch).
    verified_at INTEGER,
    -- Milliseconds since the epoch; of a confirmed one, when it was confirmed.
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
    -- Runs in a row in which the service failed (500) on the record of this digest.
    failures INTEGER NOT NULL DEFAULT 0,
    failed_digest TEXT,
    PRIMARY KEY (account, kind, date)
  ) WITHOUT ROWID;

  -- One row a nutrition day and account. JSON (ledger/nutrition.ts): what the service confirmed,
  -- and what the day is to hold while that is not confirmed.
  CREATE TABLE nutrition_days (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    stored TEXT NOT NULL DEFAULT '{"items":[],"fields":{}}',
    intended TEXT,
    -- 1: a request may have been processed, and no answer can show it.
    unclear INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, date)
  ) WITHOUT ROWID;

  -- How an account's service treats nutrition, as its answers have shown (JSON).
  CREATE TABLE nutrition_services (account TEXT PRIMARY KEY, traits TEXT NOT NULL) WITHOUT ROWID;

  -- Small facts, such as when something last succeeded.
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

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
`;

/** How long a statement waits for another process to finish writing, in ms. */
const BUSY_MS = 10_000;

/** Mean pause between two tries to create the ledger while another process does, in ms. */
const CREATE_POLL_MS = 20;
const SLEEP = new Int32Array(new SharedArrayBuffer(4));

/**
 * Opens the ledger's file; creates it if there is none.
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
    if (!isThere(path)) create(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
  } catch (cause) {
    throw cause instanceof SyncError ? cause : broken(path, cause);
  }
  const ledger = guarded(
    database,
    (cause) => broken(path, cause),
    () => tidy(database, path),
  );
  try {
    ledger.exec('PRAGMA synchronous = NORMAL');
    checkVersion(ledger, path);
    return ledger;
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/**
 * A ledger is never empty, not even while it is created: an empty file was cut off by a crash or a
 * disk fault. SQLite would take it for a new database, and delete a log that still holds rows.
 */
function isThere(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true && stats.size === 0) {
    throw new SyncError('STORAGE', `${path} is damaged: it is empty.`, {
      hint: DAMAGED,
      details: { path },
    });
  }
  return stats !== undefined;
}

/**
 * Creates the ledger under a temporary name and renames it when it is complete. The lock keeps a
 * second process from replacing a ledger that is in use by then. Switching to write-ahead logging
 * does not wait for other connections, so it happens where there are none.
 */
function create(path: string): void {
  let lock: Lock | undefined;
  for (let waited = 0; ; waited += CREATE_POLL_MS) {
    lock = tryLock(join(dirname(path), 'locks', 'create-ledger.lock'));
    if (lock !== undefined) break;
    if (waited >= BUSY_MS) throw new Error('another process is creating it and does not finish');
    // Not all at the same time: two that try at once may both be refused.
    Atomics.wait(SLEEP, 0, 0, CREATE_POLL_MS * (0.5 + Math.random()));
    if (isThere(path)) return;
  }
  try {
    if (isThere(path)) return;
    const made = `${path}.new`;
    // The log and the journal of a creation that was killed, or of a ledger that was moved away.
    for (const file of [made, path]) {
      for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    }
    rmSync(made, { force: true });
    // SQLite gives the files beside it (log, shared memory) the permissions that it finds here.
    closeSync(openSync(made, 'wx', 0o600));
    const database = new DatabaseSync(made);
    try {
      database.exec(`BEGIN; ${SCHEMA}; PRAGMA user_version = ${VERSION}; COMMIT`);
      database.exec('PRAGMA journal_mode = WAL');
    } finally {
      database.close();
    }
    renameSync(made, path);
  } finally {
    lock.release();
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

function checkVersion(database: Database, path: string): void {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
    user_version: number;
  };
  if (version > VERSION) {
    throw new SyncError('STORAGE', `${path} was written by a newer version of this program.`, {
      hint: 'Update this installation, or set SYNC_STATE_DIR to another folder.',
    });
  }
  if (version < VERSION) {
    throw new SyncError('STORAGE', `${path} is not a ledger of this program.`, {
      hint: DAMAGED,
      details: { path },
    });
  }
}

/** What to do about a damaged ledger, and why that is safe. */
const DAMAGED =
  'Move the file away, and those beside it (`ledger.db-wal`, `ledger.db-shm`): the next command ' +
  'starts a new ledger. Nothing is doubled: the service recognises recordings, and what it holds ' +
  'of a nutrition day is compared before anything is added.';

function broken(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path}: ${messageOf(cause)}`,
    hint: `Is the disk full, or the folder not writable? If the file is damaged: ${DAMAGED}`,
  });
}
