import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type SyncError, systemCode } from '../base/errors.ts';

type Value = null | number | bigint | string | Uint8Array;

export interface Statement {
  /** The first row. */
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  /** How many rows it changed. */
  run(...values: Value[]): number;
}

/** The part of SQLite that the ledger uses. All of it throws SyncError `STORAGE`. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/**
 * A database whose failures (a full disk, a damaged file) are told as what they are.
 *
 * @param beforeClose must not throw
 */
export function guarded(
  database: DatabaseSyncInstance,
  failureOf: (cause: unknown) => SyncError,
  beforeClose: () => void,
): Database {
  const guard = <T>(task: () => T): T => {
    try {
      return task();
    } catch (cause) {
      throw systemCode(cause) === 'ERR_SQLITE_ERROR' ? failureOf(cause) : cause;
    }
  };
  return {
    exec: (sql) => guard(() => database.exec(sql)),
    prepare(sql) {
      // Most commands run few of the statements that they could: each is compiled at its first use.
      let compiled: ReturnType<typeof database.prepare> | undefined;
      const statement = () => (compiled ??= database.prepare(sql));
      return {
        get: (...values) => guard((): unknown => statement().get(...values)),
        all: (...values) => guard((): unknown[] => statement().all(...values)),
        run: (...values) => guard(() => statement().run(...values).changes),
      };
    },
    close() {
      beforeClose();
      database.close();
    },
  };
}

/** Runs a task in one write transaction: all of it happens, or nothing. */
export function transaction<T>(database: Database, task: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = task();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself; what went wrong before is what counts.
    }
    throw error;
  }
}
