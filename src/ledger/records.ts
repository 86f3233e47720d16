import type { Database } from './database.ts';
import { transaction } from './guard.ts';
import { type NutritionLedger, nutritionLedger } from './nutrition.ts';
import type { ProcessMark } from '../system/processes.ts';

export type RecordKind = 'wellness' | 'nutrition';

/** What came of asking for a day, so as to send it. */
export type DayClaim = 'yours' | 'unchanged' | 'busy';

/** The days of one account, by kind and local date. Every method is one transaction. */
export interface RecordLedger {
  /** `changedAt`: ms since the epoch. */
  find(
    kind: RecordKind,
    date: string,
  ): { readonly state: 'pending' | 'confirmed'; readonly changedAt: number } | undefined;
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
  /**
   * Counts a run in which the service failed (500) on this very record, and returns how many runs
   * that were in a row. Confirming the day ends the count.
   */
  noteFailure(kind: RecordKind, date: string, digest: string): number;
  /** The days on which the service failed in the last run that sent them, and in how many runs. */
  failedDays(kind: RecordKind): ReadonlyMap<string, number>;
  readonly nutrition: NutritionLedger;
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
    `UPDATE records SET state = 'confirmed', owner = NULL, digest = ?, changed_at = ?, failures = 0
     WHERE account = ? AND kind = ? AND date = ?`,
  );
  const free = database.prepare(
    'UPDATE records SET owner = NULL WHERE account = ? AND kind = ? AND date = ? AND owner = ?',
  );
  const fail = database.prepare(
    `UPDATE records SET failures = CASE failed_digest WHEN ?1 THEN failures + 1 ELSE 1 END,
       failed_digest = ?1
     WHERE account = ?2 AND kind = ?3 AND date = ?4 RETURNING failures`,
  );
  const selectFailed = database.prepare(
    'SELECT date, failures FROM records WHERE account = ? AND kind = ? AND failures > 0',
  );

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
    noteFailure(kind, date, digest) {
      const row = fail.get(digest, account, kind, date) as { failures: number } | undefined;
      return row?.failures ?? 0;
    },
    failedDays(kind) {
      const rows = selectFailed.all(account, kind) as { date: string; failures: number }[];
      return new Map(rows.map(({ date, failures }) => [date, failures]));
    },
    nutrition: nutritionLedger(database, account),
  };
}

interface Row {
  readonly state: 'pending' | 'confirmed';
  readonly owner: string | null;
  readonly digest: string;
  readonly changed_at: number;
}
