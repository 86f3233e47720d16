import type { Database } from './guard.ts';
import type { ProcessMark } from '../system/processes.ts';

/** A recording that is kept until the service has it. */
export interface OutboxRow {
  readonly sha256: string;
  /** Where it was found. */
  readonly path: string;
  /** Of the recording, in bytes. */
  readonly size: number;
  /** When it was recorded, or the best estimate (ms since the epoch). */
  readonly recordedAt: number;
}

/** What the outbox holds. */
export interface OutboxView {
  /** Rows that this process sends, including newly adopted ones. */
  readonly own: readonly OutboxRow[];
  /** Total size of all rows (bytes). */
  readonly totalSize: number;
}

/** The list of kept recordings of one account; the bytes are the watcher's (watch/outbox.ts). */
export interface OutboxRows {
  /** Adopts the rows that no living process owns, and returns all rows of this process. */
  adopt(): OutboxView;
  has(sha256: string): boolean;
  /** Adds a row that this process sends. @returns false if it is already there */
  add(row: OutboxRow): boolean;
  remove(sha256: string): void;
  /** Returns the hashes of all accounts. */
  everyHash(): ReadonlySet<string>;
}

export function outboxRows(
  database: Database,
  account: string,
  mark: ProcessMark,
  now: () => number,
): OutboxRows {
  const select = database.prepare(
    `SELECT sha256, path, size, recorded_at AS recordedAt, owner FROM outbox
     WHERE account = ? ORDER BY recorded_at`,
  );
  const find = database.prepare('SELECT 1 FROM outbox WHERE account = ? AND sha256 = ?');
  const insert = database.prepare(
    `INSERT OR IGNORE INTO outbox (account, sha256, path, size, recorded_at, kept_at, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const take = database.prepare(
    'UPDATE outbox SET owner = ? WHERE account = ? AND sha256 = ? AND owner = ?',
  );
  const remove = database.prepare('DELETE FROM outbox WHERE account = ? AND sha256 = ?');
  const hashes = database.prepare('SELECT DISTINCT sha256 FROM outbox');
  const workOf = (sha256: string) => `outbox ${account} ${sha256}`;
  return {
    adopt() {
      const rows = select.all(account) as (OutboxRow & { readonly owner: string })[];
      // Each other process is checked once, however many rows it owns.
      const dead = new Map<string, boolean>();
      const isAbandoned = ({ owner, sha256 }: (typeof rows)[number]) => {
        if (owner === mark.id) return mark.isAbandoned(owner, workOf(sha256));
        const known = dead.get(owner) ?? mark.isAbandoned(owner, workOf(sha256));
        dead.set(owner, known);
        return known;
      };
      const own = rows.filter((row) => {
        if (!isAbandoned(row)) return row.owner === mark.id;
        const taken = take.run(mark.id, account, row.sha256, row.owner) === 1;
        if (taken) mark.begin(workOf(row.sha256));
        return taken;
      });
      return { own, totalSize: rows.reduce((sum, { size }) => sum + size, 0) };
    },
    has: (sha256) => find.get(account, sha256) !== undefined,
    add({ sha256, path, size, recordedAt }) {
      const at = Math.trunc(recordedAt);
      const isNew = insert.run(account, sha256, path, size, at, now(), mark.id) === 1;
      if (isNew) mark.begin(workOf(sha256));
      return isNew;
    },
    remove(sha256) {
      try {
        remove.run(account, sha256);
      } finally {
        mark.end(workOf(sha256));
      }
    },
    everyHash: () =>
      new Set((hashes.all() as unknown as { sha256: string }[]).map(({ sha256 }) => sha256)),
  };
}

/** Returns the number of recordings that are kept for an account until they are delivered. */
export function countKept(database: Database, account: string): number {
  const row = database
    .prepare('SELECT count(*) AS kept FROM outbox WHERE account = ?')
    .get(account) as { kept: number };
  return row.kept;
}
