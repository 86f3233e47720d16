import type { Database } from './database.ts';

/** A recording whose bytes are kept until the service has it. */
export interface OutboxRow {
  readonly sha256: string;
  /** Where it was found. */
  readonly path: string;
  /** Of the recording, in bytes. */
  readonly size: number;
  /** When it was recorded, as far as is known; ms since the epoch. */
  readonly recordedAt: number;
}

/** The list of kept recordings of one account; the bytes are the watcher's (watch/outbox.ts). */
export interface OutboxRows {
  all(): readonly OutboxRow[];
  has(sha256: string): boolean;
  /** Nothing happens if it is there already. */
  add(row: OutboxRow): void;
  remove(sha256: string): void;
  /** Of all accounts. */
  everyHash(): ReadonlySet<string>;
}

export function outboxRows(database: Database, account: string, now: () => number): OutboxRows {
  const select = database.prepare(
    `SELECT sha256, path, size, recorded_at AS recordedAt FROM outbox
     WHERE account = ? ORDER BY recorded_at`,
  );
  const find = database.prepare('SELECT 1 FROM outbox WHERE account = ? AND sha256 = ?');
  const insert = database.prepare(
    `INSERT OR IGNORE INTO outbox (account, sha256, path, size, recorded_at, kept_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM outbox WHERE account = ? AND sha256 = ?');
  const hashes = database.prepare('SELECT DISTINCT sha256 FROM outbox');
  return {
    all: (): readonly OutboxRow[] => select.all(account) as OutboxRow[],
    has: (sha256) => find.get(account, sha256) !== undefined,
    add({ sha256, path, size, recordedAt }) {
      insert.run(account, sha256, path, size, Math.trunc(recordedAt), now());
    },
    remove(sha256) {
      remove.run(account, sha256);
    },
    everyHash: () =>
      new Set((hashes.all() as unknown as { sha256: string }[]).map(({ sha256 }) => sha256)),
  };
}
