import type { Database } from './database.ts';
import type { ProcessMark } from '../system/processes.ts';

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

/** What a look through the outbox found. */
export interface OutboxView {
  /** Rows that are this process's to send, those that it has just adopted included. */
  readonly own: readonly OutboxRow[];
  /** Size of all rows together, in bytes. */
  readonly totalSize: number;
}

/** The list of kept recordings of one account; the bytes are the watcher's (watch/outbox.ts). */
export interface OutboxRows {
  /** Adopts the rows that no living process owns, and reads what there is. */
  adopt(): OutboxView;
  has(sha256: string): boolean;
  /** It is this process's to send. @returns false: it is there already */
  add(row: OutboxRow): boolean;
  remove(sha256: string): void;
  /** Of all accounts. */
  everyHash(): ReadonlySet<string>;
}

export function outboxRows(
  database: Database,
  account: string,
  process: ProcessMark,
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
      // One look at each of the others, however much it keeps.
      const dead = new Map<string, boolean>();
      const isAbandoned = ({ owner, sha256 }: (typeof rows)[number]) => {
        if (owner === process.id) return process.isAbandoned(owner, workOf(sha256));
        const known = dead.get(owner) ?? process.isAbandoned(owner, workOf(sha256));
        dead.set(owner, known);
        return known;
      };
      const own = rows.filter((row) => {
        if (!isAbandoned(row)) return row.owner === process.id;
        const taken = take.run(process.id, account, row.sha256, row.owner) === 1;
        if (taken) process.begin(workOf(row.sha256));
        return taken;
      });
      return { own, totalSize: rows.reduce((sum, { size }) => sum + size, 0) };
    },
    has: (sha256) => find.get(account, sha256) !== undefined,
    add({ sha256, path, size, recordedAt }) {
      const at = Math.trunc(recordedAt);
      const isNew = insert.run(account, sha256, path, size, at, now(), process.id) === 1;
      if (isNew) process.begin(workOf(sha256));
      return isNew;
    },
    remove(sha256) {
      try {
        remove.run(account, sha256);
      } finally {
        process.end(workOf(sha256));
      }
    },
    everyHash: () =>
      new Set((hashes.all() as unknown as { sha256: string }[]).map(({ sha256 }) => sha256)),
  };
}
