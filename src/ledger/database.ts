import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { makeFolder, storageError } from '../system/storage.ts';
import { type Database, type Sql, type Value, transaction } from './sql.ts';
import { SCHEMA, VERSION } from './schema.ts';
import { type Lock, isBusy, tryLock } from '../system/process-lock.ts';
import { type SqliteDatabase, loadSqlite, loadCrypto } from '../system/this-process.ts';

export type { Database } from './sql.ts';

/** Limits how long a statement waits for another process to finish writing (ms). */
const BUSY_MS = 10_000;

/**
 * Size of the log at which SQLite writes it into the file (pages). A power cut loses at most about a dozen
 * uploads, which are then sent again.
 */
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
  const ledger = guarded(database, path);
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

/**
 * Wraps a database so that its errors (a full disk, a damaged file) become `SyncError`s, and that nothing is
 * written into a deleted file.
 */
function guarded(database: SqliteDatabase, path: string): Database {
  const opened = identityOf(path);
  const isReplaced = () => identityOf(path) !== opened;
  const refuseIfReplaced = () => {
    if (!isReplaced()) return;
    throw new SyncError('STORAGE', `${path} was deleted or replaced while it was in use.`, {
      hint: 'Run the command again. What it sent stays sent: the platform recognises it.',
    });
  };
  const guard = <T>(task: () => T): T => {
    try {
      return task();
    } catch (cause) {
      throw systemCode(cause) === 'ERR_SQLITE_ERROR' ? broken(path, cause) : cause;
    }
  };
  const compiled = new Map<Sql, ReturnType<SqliteDatabase['prepare']>>();
  const statement = (sql: Sql) => {
    const found =
      compiled.get(sql) ?? database.prepare(typeof sql === 'string' ? sql : sql.join('?'));
    compiled.set(sql, found);
    return found;
  };
  const bound = (values: Value[]) => values.map((value) => value ?? null);
  return {
    exec(sql) {
      if (sql === 'BEGIN IMMEDIATE') refuseIfReplaced();
      guard(() => database.exec(sql));
    },
    get: (sql, ...values) => guard((): unknown => statement(sql).get(...bound(values))),
    all: (sql, ...values) => guard((): unknown[] => statement(sql).all(...bound(values))),
    run(sql, ...values) {
      refuseIfReplaced();
      return guard(() => statement(sql).run(...bound(values)).changes);
    },
    isReplaced,
    close() {
      if (!isReplaced()) tidy(database, path);
      database.close();
    },
  };
}

function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`;
}

/**
 * Reads every page of a ledger over another connection: an open connection has pages in its cache, and
 * shows no damage of them.
 *
 * @throws SyncError `STORAGE` if it is damaged
 */
export function checkDatabase(path: string): void {
  const { DatabaseSync } = loadSqlite();
  let database: SqliteDatabase | undefined;
  let found: unknown;
  isThere(path);
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    found = (
      database.prepare('PRAGMA quick_check(1)').get() as { quick_check: unknown } | undefined
    )?.quick_check;
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
      // No journal on the disk: what a crash leaves of this file is removed above.
      database.exec('PRAGMA journal_mode = MEMORY');
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
  'of a nutrition day is compared before anything is added. The copies of recordings that wait ' +
  '(`outbox`) do not need it. If the platform does not show nutrition to applications, push all ' +
  'files of a nutrition day together: the first push replaces the day.';

function broken(path: string, cause: unknown): SyncError {
  return storageError(path, cause, 'SYNC_STATE_DIR', {
    message: `${path}: ${messageOf(cause)}`,
    hint: isBusy(cause)
      ? 'Another program uses it, such as a backup. Try again when that has finished.'
      : `If the file is damaged: ${DAMAGED}`,
  });
}
