import { type SyncError, systemCode } from '../base/errors.ts';
import type { SqliteDatabase } from '../system/this-process.ts';

type Value = null | number | bigint | string | Uint8Array;

export interface Statement {
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): number;
}

/** The part of SQLite that the ledger uses. All of it throws SyncError `STORAGE`. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  /** Returns whether the file was deleted or replaced since it was opened: then all writes fail. */
  isReplaced(): boolean;
  close(): void;
}

export interface DatabaseFile {
  readonly failureOf: (cause: unknown) => SyncError;
  readonly isReplaced: () => boolean;
  readonly replacedError: () => SyncError;
  /** Must not throw. */
  readonly beforeClose: () => void;
}

/**
 * Wraps a database so that its errors (a full disk, a damaged file) become `SyncError`s, and that nothing is
 * written into a deleted file.
 */
export function guarded(
  database: SqliteDatabase,
  { failureOf, isReplaced, replacedError, beforeClose }: DatabaseFile,
): Database {
  const guard = <T>(task: () => T): T => {
    try {
      return task();
    } catch (cause) {
      throw systemCode(cause) === 'ERR_SQLITE_ERROR' ? failureOf(cause) : cause;
    }
  };
  const refuseIfReplaced = () => {
    if (isReplaced()) throw replacedError();
  };
  return {
    exec(sql) {
      if (sql === 'BEGIN IMMEDIATE') refuseIfReplaced();
      guard(() => database.exec(sql));
    },
    prepare(sql) {
      // Compiled at its first use: most commands run few of the statements.
      let compiled: ReturnType<typeof database.prepare> | undefined;
      const statement = () => (compiled ??= database.prepare(sql));
      return {
        get: (...values) => guard((): unknown => statement().get(...values)),
        all: (...values) => guard((): unknown[] => statement().all(...values)),
        run(...values) {
          refuseIfReplaced();
          return guard(() => statement().run(...values).changes);
        },
      };
    },
    isReplaced,
    close() {
      if (!isReplaced()) beforeClose();
      database.close();
    },
  };
}

/**
 * Runs a task in one transaction: all of it happens, or nothing.
 *
 * @param mode `DEFERRED` for a task that only reads: it does not wait for writers.
 */
export function transaction<T>(
  database: Pick<Database, 'exec'>,
  task: () => T,
  mode: 'IMMEDIATE' | 'DEFERRED' = 'IMMEDIATE',
): T {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = task();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back. The first error is reported.
    }
    throw error;
  }
}
