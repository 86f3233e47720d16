export type Value = undefined | null | number | string;

/** The texts between the values of a template, or a text with `?` for each value. */
export type Sql = readonly string[] | string;

/**
 * The part of SQLite that the ledger uses. All of it throws SyncError `STORAGE`. `get`, `all` and `run` are
 * template tags: each value is bound as a parameter. A statement is compiled at its first use, and kept.
 */
export interface Database {
  exec(sql: string): void;
  /** Returns the first row. */
  get(sql: Sql, ...values: Value[]): unknown;
  all(sql: Sql, ...values: Value[]): unknown[];
  /** Returns the number of rows that changed. */
  run(sql: Sql, ...values: Value[]): number;
  /** Returns whether the file was deleted or replaced since it was opened: then all writes fail. */
  isReplaced(): boolean;
  close(): void;
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

/** Runs a task whose writes survive a power cut: before a request that the service does not recognise again. */
export function durably(database: Pick<Database, 'exec'>, task: () => void): void {
  database.exec('PRAGMA synchronous = FULL');
  try {
    task();
  } finally {
    database.exec('PRAGMA synchronous = NORMAL');
  }
}
