import type { Database } from './database.ts';
import { facts } from './facts.ts';
import { transaction } from './guard.ts';
import type { ProcessMark } from './processes.ts';

export type RecordKind = 'wellness' | 'nutrition';

/** What the ledger knows of a nutrition item that was sent to a service that appends. */
export type ItemState = 'pending' | 'confirmed';

/** What came of asking for a day, so as to send it. */
export type DayClaim = 'yours' | 'unchanged' | 'busy';

/** The days of one account, by kind and local date. Every method is one transaction. */
export interface RecordLedger {
  /** `changedAt`: ms since the epoch. */
  find(
    kind: RecordKind,
    date: string,
  ): { readonly state: ItemState; readonly changedAt: number } | undefined;
  /**
   * Asks for a day. `unchanged`: the service confirmed a record of this very digest.
   * @param force ask for it even then.
   */
  claim(kind: RecordKind, date: string, digest: string, force: boolean): DayClaim;
  /** Is this what the service last confirmed for the day? Writes nothing. */
  isUnchanged(kind: RecordKind, date: string, digest: string): boolean;
  confirm(kind: RecordKind, date: string, digest: string): void;
  /** Done with, delivered or not: whoever wants the day next may have it. */
  release(kind: RecordKind, date: string): void;
  /** The items of a day that were ever sent, by their keys (`records/item-keys.ts`). */
  items(date: string): ReadonlyMap<string, ItemState>;
  /** The same items are known by other keys from now on: old key to new key. */
  renameItems(date: string, keys: ReadonlyMap<string, string>): void;
  /** Before items are sent to a service that appends: from now on nobody knows whether it has them. */
  markSent(date: string, keys: readonly string[]): void;
  /** The service has these. With `only`, it has no others: it replaced the day. */
  confirmItems(date: string, keys: readonly string[], only: boolean): void;
  /** These surely did not arrive. */
  forgetItems(date: string, keys: readonly string[]): void;
  /** Did the service last add to a day of nutrition what it was sent, where it should replace it? */
  appends(): boolean;
  noteAppends(appends: boolean): void;
}

export function recordLedger(
  database: Database,
  account: string,
  process: ProcessMark,
  now: () => number,
): RecordLedger {
  const select = database.prepare(
    'SELECT state, owner, digest, changed_at FROM records WHERE account = ? AND kind = ? AND date = ?',
  );
  const take = database.prepare(
    `INSERT INTO records (account, kind, date, state, owner, digest, changed_at)
     VALUES (?, ?, ?, 'pending', ?, '', ?)
     ON CONFLICT (account, kind, date) DO UPDATE SET
       state = 'pending', owner = excluded.owner, changed_at = excluded.changed_at`,
  );
  const settle = database.prepare(
    `UPDATE records SET state = 'confirmed', owner = NULL, digest = ?, changed_at = ?
     WHERE account = ? AND kind = ? AND date = ?`,
  );
  const free = database.prepare(
    'UPDATE records SET owner = NULL WHERE account = ? AND kind = ? AND date = ? AND owner = ?',
  );
  const selectItems = database.prepare(
    'SELECT item_key, state FROM record_items WHERE account = ? AND date = ?',
  );
  const putItem = database.prepare(
    `INSERT INTO record_items (account, date, item_key, state) VALUES (?, ?, ?, ?)
     ON CONFLICT (account, date, item_key) DO UPDATE SET state = excluded.state`,
  );
  const renameItem = database.prepare(
    'UPDATE OR REPLACE record_items SET item_key = ? WHERE account = ? AND date = ? AND item_key = ?',
  );
  const dropItem = database.prepare(
    'DELETE FROM record_items WHERE account = ? AND date = ? AND item_key = ?',
  );
  const dropItems = database.prepare('DELETE FROM record_items WHERE account = ? AND date = ?');

  const observed = facts(database);
  const appending = `nutrition is added up: ${account}`;
  const appends = () => observed.find(appending) === 'yes';

  const find = (kind: RecordKind, date: string) =>
    select.get(account, kind, date) as Row | undefined;

  const workOf = (kind: RecordKind, date: string) => `${kind} ${account} ${date}`;

  const unchanged = (found: Row | undefined, digest: string) =>
    found?.state === 'confirmed' && found.digest === digest;

  return {
    find(kind, date) {
      const found = find(kind, date);
      return found && { state: found.state, changedAt: found.changed_at };
    },
    claim(kind, date, digest, force) {
      const work = workOf(kind, date);
      const claim = transaction<DayClaim>(database, () => {
        const found = find(kind, date);
        const owner = found?.owner ?? null;
        if (owner !== null && !process.isAbandoned(owner, work)) return 'busy';
        if (unchanged(found, digest) && !force) return 'unchanged';
        take.run(account, kind, date, process.id, now());
        return 'yours';
      });
      if (claim === 'yours') process.begin(work);
      return claim;
    },
    isUnchanged: (kind, date, digest) => unchanged(find(kind, date), digest),
    confirm(kind, date, digest) {
      settle.run(digest, now(), account, kind, date);
    },
    release(kind, date) {
      try {
        free.run(account, kind, date, process.id);
      } finally {
        process.end(workOf(kind, date));
      }
    },
    items(date) {
      const rows = selectItems.all(account, date) as unknown as ItemRow[];
      return new Map(rows.map(({ item_key, state }) => [item_key, state]));
    },
    renameItems: (date, keys) =>
      transaction(database, () => {
        for (const [old, key] of keys) renameItem.run(key, account, date, old);
      }),
    markSent: (date, keys) =>
      transaction(database, () => {
        for (const key of keys) putItem.run(account, date, key, 'pending');
      }),
    confirmItems: (date, keys, only) =>
      transaction(database, () => {
        if (only) dropItems.run(account, date);
        for (const key of keys) putItem.run(account, date, key, 'confirmed');
      }),
    forgetItems: (date, keys) =>
      transaction(database, () => {
        for (const key of keys) dropItem.run(account, date, key);
      }),
    appends,
    noteAppends(seen) {
      if (seen !== appends()) observed.remember(appending, seen ? 'yes' : 'no');
    },
  };
}

interface Row {
  readonly state: 'pending' | 'confirmed';
  readonly owner: string | null;
  readonly digest: string;
  readonly changed_at: number;
}

interface ItemRow {
  readonly item_key: string;
  readonly state: ItemState;
}
