import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SyncError, messageOf } from '../base/errors.ts';
import { makeFolder, storageError } from '../system/storage.ts';
import { type Database, guarded, transaction } from './guard.ts';
import { type Lock, tryLock } from '../system/process-lock.ts';
import { type SqliteDatabase, loadSqlite, loadCrypto } from '../system/this-process.ts';

export type { Database } from './guard.ts';

/** The version of {@link SCHEMA}, kept as `user_version` of the file. */
const VERSION = 1;

const SCHEMA = `
  -- One row a recording and account. A recording is the SHA-256 of its bytes; paths are labels. With
  -- row ids, because every entry of an index would repeat the hash without them.
  CREATE TABLE uploads (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    -- pending: may have been sent. confirmed: the service has it. rejected: the service refused it.
    -- undone: the service had it, and its workout was taken back from here.
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'rejected', 'undone')),
    -- While pending: the process that sends it (system/processes.ts), alive or dead.
    owner TEXT,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The service's answer: JSON with its ids. And why it refused the recording.
    service TEXT NOT NULL DEFAULT '{}',
    message TEXT,
    -- Refusals since the service last took it.
    refusals INTEGER NOT NULL DEFAULT 0,
    -- Runs that ended with a 500 for it since the service last answered; when the first began, and when
    -- the last was counted (ms since the epoch).
    faults INTEGER NOT NULL DEFAULT 0,
    faults_since INTEGER,
    faulted_at INTEGER,
    -- The activity, as far as the recording states it (fit/activity.ts).
    name TEXT,
    started_at INTEGER,
    offset_minutes INTEGER,
    moving_secs REAL,
    distance_meters REAL,
    -- Timer time of the first session (s), and the file name that it was sent under.
    duration_secs REAL,
    sent_as TEXT,
    -- When it was last compared with the workouts of the platform (ms since the epoch).
    verified_at INTEGER,
    -- Milliseconds since the epoch; of a confirmed one, when it was confirmed.
    changed_at INTEGER NOT NULL,
    UNIQUE (account, sha256)
  );
  CREATE INDEX uploads_started ON uploads (account, started_at);
  CREATE INDEX uploads_changed ON uploads (account, state, changed_at);

  -- What was found in a file, so that an unchanged one is not read again.
  CREATE TABLE known_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    ctime_ms REAL NOT NULL,
    -- Of the recording in it; NULL if it holds none that can be sent.
    sha256 TEXT,
    -- 'activity', or the reason why it is not sent, and a sentence about it.
    verdict TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '',
    -- 1: it holds wellness and no activity.
    wellness INTEGER NOT NULL DEFAULT 0,
    -- Where to look first for the upload of this hash: neighbours in a folder are neighbours there, too,
    -- while their hashes are far apart. NULL or another upload: unknown.
    upload INTEGER
  ) WITHOUT ROWID;

  -- One row a day, kind and account: what was last confirmed.
  CREATE TABLE records (
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('wellness', 'nutrition')),
    date TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'undone')),
    owner TEXT,
    digest TEXT NOT NULL,
    -- Of the confirmed record, the fields that the service dropped, with commas between; NULL if it kept all.
    dropped TEXT,
    changed_at INTEGER NOT NULL,
    -- Runs in a row in which the service failed (500) on the record of this digest.
    failures INTEGER NOT NULL DEFAULT 0,
    failed_digest TEXT,
    PRIMARY KEY (account, kind, date)
  ) WITHOUT ROWID;

  -- The files that the values of a day were sent from, and when each was last (ms since the epoch).
  CREATE TABLE record_files (
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    date TEXT NOT NULL,
    -- An absolute path, a path in an archive, or stdin.
    path TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    PRIMARY KEY (account, kind, date, path)
  ) WITHOUT ROWID;

  -- One row a nutrition day and account: its items and fields as JSON (ledger/nutrition.ts).
  CREATE TABLE nutrition_days (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    day TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'fresh', 'settled')),
    -- With a rowid: SQLite writes rows of many kB twice as fast.
    PRIMARY KEY (account, date)
  );

  -- FIT files that a watcher has read for the athlete's days.
  CREATE TABLE wellness_files (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    -- NULL: it may have changed since it was read.
    size INTEGER,
    mtime_ms REAL,
    ctime_ms REAL,
    -- 1: a day that is in it may have to be sent.
    open INTEGER NOT NULL,
    PRIMARY KEY (account, path)
  ) WITHOUT ROWID;

  -- Their measurements (fit/wellness.ts), so that a day can be sent after the device has left.
  CREATE TABLE wellness_samples (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    -- Its place in the file.
    number INTEGER NOT NULL,
    -- Seconds since the epoch.
    at INTEGER NOT NULL,
    -- JSON, without the time.
    sample TEXT NOT NULL,
    PRIMARY KEY (account, path, number)
  ) WITHOUT ROWID;
  CREATE INDEX wellness_samples_at ON wellness_samples (account, at);

  -- One row a wellness day and account.
  CREATE TABLE wellness_days (
    account TEXT NOT NULL,
    date TEXT NOT NULL,
    -- JSON (ledger/wellness.ts): the value of each field that was sent last, and its origin.
    sent TEXT NOT NULL DEFAULT '{}',
    -- Digest of the record that a watcher sent last.
    watched TEXT,
    -- Digest of the record that the service refused; how often, and when last (ms since the epoch).
    refused TEXT,
    refusals INTEGER NOT NULL DEFAULT 0,
    refused_at INTEGER,
    PRIMARY KEY (account, date)
  ) WITHOUT ROWID;

  -- The wellness fields that an account's service drops, as its answers have shown, each with the time
  -- of the last such answer (JSON; ms since the epoch).
  CREATE TABLE wellness_services (account TEXT PRIMARY KEY, dropped TEXT NOT NULL) WITHOUT ROWID;

  -- The zone in which a written time was read, if the time does not state its own offset.
  CREATE TABLE read_zones (
    account TEXT NOT NULL,
    written TEXT NOT NULL,
    zone TEXT NOT NULL,
    PRIMARY KEY (account, written)
  ) WITHOUT ROWID;

  -- Units that a table does not say, as the user answered: by its source and columns, and the field.
  CREATE TABLE source_units (
    account TEXT NOT NULL,
    form TEXT NOT NULL,
    field TEXT NOT NULL,
    unit TEXT NOT NULL,
    PRIMARY KEY (account, form, field)
  ) WITHOUT ROWID;

  -- The source that an account's service gives to this client's items.
  CREATE TABLE nutrition_services (account TEXT PRIMARY KEY, source TEXT NOT NULL) WITHOUT ROWID;

  -- The account of a token from the environment, as the service named it. Tokens are digests.
  CREATE TABLE token_accounts (token TEXT PRIMARY KEY, account_key TEXT NOT NULL) WITHOUT ROWID;

  -- What the watcher remembers of a file, apart from its content.
  CREATE TABLE watch_marks (
    account TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ms REAL NOT NULL,
    -- seen: was there before, so it is not sent. unfinished: reported as incomplete.
    mark TEXT NOT NULL CHECK (mark IN ('seen', 'unfinished')),
    PRIMARY KEY (account, path)
  ) WITHOUT ROWID;

  -- Folders of which only new files are sent, and since when (ms since the epoch).
  CREATE TABLE new_only_folders (
    account TEXT NOT NULL,
    folder TEXT NOT NULL,
    since INTEGER NOT NULL,
    -- 1: it has been scanned since; every file in it without a mark is new.
    done INTEGER NOT NULL,
    PRIMARY KEY (account, folder)
  ) WITHOUT ROWID;
`;

/** Limits how long a statement waits for another process to finish writing (ms). */
const BUSY_MS = 10_000;

/** Pages of the log that a power cut may take: those of a dozen uploads. */
const FLUSH_PAGES = 100;

/** Pause between two attempts to create the ledger while another process does (ms). */
const CREATE_POLL_MS = { min: 10, max: 30 };
const SLEEP = new Int32Array(new SharedArrayBuffer(4));

/**
 * Opens the ledger; creates it if there is none.
 *
 * Write-ahead logging, `synchronous = NORMAL`: nothing is lost when a process dies. After a power
 * cut the last few rows may be lost; a recording is then sent again, and the service recognises it.
 *
 * @throws SyncError `STORAGE`
 */
export function openDatabase(path: string): Database {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase;
  try {
    makeFolder(dirname(path), 0o700);
    if (!isThere(path)) create(path);
    database = new DatabaseSync(path, { timeout: BUSY_MS });
  } catch (cause) {
    throw cause instanceof SyncError ? cause : broken(path, cause);
  }
  const opened = identityOf(path);
  const ledger = guarded(database, {
    failureOf: (cause) => broken(path, cause),
    isReplaced: () => identityOf(path) !== opened,
    replacedError: () =>
      new SyncError('STORAGE', `${path} was deleted or replaced while it was in use.`, {
        hint: 'Run the command again. What it sent stays sent: the platform recognises it.',
      }),
    beforeClose: () => tidy(database, path),
  });
  try {
    ledger.exec('PRAGMA synchronous = NORMAL');
    ledger.exec(`PRAGMA wal_autocheckpoint = ${FLUSH_PAGES}`);
    checkVersion(ledger, path);
    return ledger;
  } catch (error) {
    ledger.close();
    throw error;
  }
}

function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`;
}

interface Checked {
  readonly quick_check: unknown;
}

/**
 * Reads every page of a ledger over a connection of its own: an open connection has pages in its cache, and
 * shows no damage of them.
 *
 * @throws SyncError `STORAGE` if it is damaged
 */
export function checkDatabase(path: string): void {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase | undefined;
  let found: unknown;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    found = (database.prepare('PRAGMA quick_check(1)').get() as Checked | undefined)?.quick_check;
  } catch (cause) {
    throw broken(path, cause);
  } finally {
    database?.close();
  }
  if (found !== 'ok') throw broken(path, found);
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
 * second process from replacing a ledger that is already in use. Switching to write-ahead logging does
 * not wait for other connections, so it happens while there are none.
 */
function create(path: string): void {
  let lock: Lock | undefined;
  for (let waited = 0; ;) {
    lock = tryLock(join(dirname(path), 'locks', 'create-ledger.lock'));
    if (lock !== undefined) break;
    if (waited >= BUSY_MS) throw new Error('another process is creating it and does not finish');
    // Two processes that try at the same moment may both be refused.
    const pause = loadCrypto().randomInt(CREATE_POLL_MS.min, CREATE_POLL_MS.max);
    Atomics.wait(SLEEP, 0, 0, pause);
    waited += pause;
    if (isThere(path)) return;
  }
  try {
    if (isThere(path)) return;
    const made = `${path}.new`;
    // Left by a creation that was killed, or by a ledger that was moved away.
    for (const file of [made, path]) {
      for (const suffix of ['-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    }
    rmSync(made, { force: true });
    // SQLite copies these permissions to the files beside it (log, shared memory).
    closeSync(openSync(made, 'wx', 0o600));
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(made);
    try {
      transaction(database, () => {
        database.exec(`${SCHEMA}; PRAGMA user_version = ${VERSION}`);
      });
      database.exec('PRAGMA journal_mode = WAL');
    } finally {
      database.close();
    }
    renameSync(made, path);
  } finally {
    lock.release();
  }
}

/** Closing the ledger merges a log larger than this into the file (bytes). */
const TIDY_BYTES = 256 * 1024;

/**
 * Merges a large log into the file. The binding keeps a connection alive until its statements are
 * collected, so closing does not do it, and the next process would have to read the whole log.
 */
function tidy(database: SqliteDatabase, path: string): void {
  try {
    if (statSync(`${path}-wal`).size < TIDY_BYTES) return;
    database.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Another process uses it, or there is no log: nothing is lost.
  }
}

function checkVersion(database: Database, path: string): void {
  const { version } = database.get`SELECT user_version AS version FROM pragma_user_version` as {
    version: number;
  };
  if (version > VERSION) {
    throw new SyncError('STORAGE', `${path} was written by a newer version of this program.`, {
      hint: 'Update this installation, or set SYNC_STATE_DIR to another folder.',
    });
  }
  if (version < VERSION) {
    throw new SyncError('STORAGE', `${path} is not a record of what this program sent.`, {
      hint: DAMAGED,
      details: { path },
    });
  }
}

/** Says what to do about a damaged ledger, and why that is safe. */
const DAMAGED =
  'Move the file away, and those beside it (`ledger.db-wal`, `ledger.db-shm`): the next command ' +
  'starts a new one. Nothing is doubled: the platform recognises recordings, and what it holds ' +
  'of a nutrition day is compared before anything is added. Nothing is lost: the copies of ' +
  'recordings that wait (`outbox`) do not need it.';

function broken(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path}: ${messageOf(cause)}`,
    hint: `If the file is damaged: ${DAMAGED}`,
  });
}
