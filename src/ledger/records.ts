import { type Database, transaction } from './sql.ts';
import { nutritionLedger } from './nutrition.ts';
import { wellnessLedger } from './wellness.ts';
import { platformFacts } from './platform-facts.ts';
import type { ProcessMark } from '../system/processes.ts';

export const KINDS = ['wellness', 'nutrition'] as const;
export type RecordKind = (typeof KINDS)[number];

/**
 * `pending`: it may have been sent. `confirmed`: the service holds the sent values. `rejected`: the service refused
 * what was sent last. `undone`: the user took back all that was sent.
 */
export type RecordState = 'pending' | 'confirmed' | 'rejected' | 'undone';

/**
 * The answer to a claim. `yours`: this process sends the day. `unchanged`: the service confirmed this
 * very record. `busy`: another task is sending the day.
 */
export type DayClaim = 'yours' | 'unchanged' | 'busy';

export interface DayFile {
  /** An absolute path, a path in an archive, or `stdin`. */
  readonly path: string;
  /** When its values were last sent (ms since the epoch). */
  readonly sentAt: number;
}

interface Confirmation {
  /** The files that the day was sent from. The ledger adds them to those of earlier deliveries. */
  readonly sentFrom?: readonly string[];
  /** Fields that the service dropped. The day is sent again when the service may know them. */
  readonly dropped?: readonly string[];
  readonly undone?: boolean;
}

export type RecordLedger = ReturnType<typeof recordLedger>;

/**
 * The days of one account, by kind and local date. Every method is one transaction.
 *
 * @param otherTokens prefix of the keys of unnamed tokens, which may belong to another account
 */
export function recordLedger(
  database: Database,
  account: string,
  mark: ProcessMark,
  now: () => number,
  otherTokens?: string,
) {
  const wellness = wellnessLedger(database, account, now);
  const platform = platformFacts(database, account, now);
  return {
    nutrition: nutritionLedger(database, account, otherTokens),
    wellness,
    zones: readZoneLedger(database, account),
    platform,
    forgetFiles,
    /** Returns a day, with the digest of the record that was last confirmed; `changedAt` in ms since the epoch. */
    find(kind: RecordKind, date: string): Omit<RecordRow, 'owner'> | undefined {
      return rowOf(kind, date);
    },
    statesBetween(kind: RecordKind, first: string, last: string): ReadonlyMap<string, RecordState> {
      const rows = database.all`
        SELECT date, state FROM records
        WHERE account = ${account} AND kind = ${kind} AND date BETWEEN ${first} AND ${last}`;
      return new Map(
        (rows as { date: string; state: RecordState }[]).map(({ date, state }) => [date, state]),
      );
    },
    /** Returns the days that the service has not confirmed, or refused, by date. */
    undelivered(kind: RecordKind): readonly UndeliveredDay[] {
      const rows = database.all`
        SELECT date, state, message FROM records
        WHERE account = ${account} AND kind = ${kind} AND state IN ('pending', 'rejected')
        ORDER BY date`;
      return (rows as (Omit<UndeliveredDay, 'message'> & Pick<RecordRow, 'message'>)[]).map(
        ({ message, ...day }) => (message === null ? day : { ...day, message }),
      );
    },
    /**
     * Claims a day for this process, to send it.
     *
     * @param force claims it even if it is unchanged.
     */
    claim(kind: RecordKind, date: string, digest: string, force: boolean): DayClaim {
      const work = workOf(kind, date);
      const claim = transaction<DayClaim>(database, () => {
        const found = rowOf(kind, date);
        const owner = found?.owner ?? null;
        if (owner !== null && !mark.isAbandoned(owner, work)) return 'busy';
        if (isConfirmed(kind, found, digest) && !force) return 'unchanged';
        database.run`
          INSERT INTO records (account, kind, date, state, owner, digest, changed_at)
          VALUES (${account}, ${kind}, ${date}, 'pending', ${mark.id}, '', ${now()})
          ON CONFLICT (account, kind, date) DO UPDATE SET
            state = 'pending', message = NULL, owner = excluded.owner, changed_at = excluded.changed_at`;
        return 'yours';
      });
      if (claim === 'yours') mark.begin(work);
      return claim;
    },
    /** Returns the mark of the process that is sending a day. */
    senderOf(kind: RecordKind, date: string): string | undefined {
      return rowOf(kind, date)?.owner ?? undefined;
    },
    /** Checks if the service last confirmed this record for the day. Writes nothing. */
    isUnchanged(kind: RecordKind, date: string, digest: string): boolean {
      return isConfirmed(kind, rowOf(kind, date), digest);
    },
    confirm(
      kind: RecordKind,
      date: string,
      digest: string,
      { sentFrom = [], dropped = [], undone = false }: Confirmation = {},
    ): void {
      const at = now();
      const lost = dropped.length === 0 ? null : dropped.join(',');
      transaction(database, () => {
        const state: RecordState = undone ? 'undone' : 'confirmed';
        database.run`
          UPDATE records SET state = ${state}, owner = NULL, digest = ${digest}, dropped = ${lost},
            changed_at = ${at}, failures = 0
          WHERE account = ${account} AND kind = ${kind} AND date = ${date}`;
        for (const path of sentFrom) {
          database.run`
            INSERT OR REPLACE INTO record_files (account, kind, date, path, sent_at)
            VALUES (${account}, ${kind}, ${date}, ${path}, ${at})`;
        }
      });
    },
    /** Records why the service refused the claimed day. */
    reject(kind: RecordKind, date: string, message: string): void {
      database.run`
        UPDATE records SET state = 'rejected', message = ${message}, changed_at = ${now()}
        WHERE account = ${account} AND kind = ${kind} AND date = ${date}`;
    },
    /** Undoes the claim of a day. @param before what {@link find} gave before it */
    restore(kind: RecordKind, date: string, before: Omit<RecordRow, 'owner'>): void {
      database.run`
        UPDATE records SET state = ${before.state}, message = ${before.message}, changed_at = ${before.changedAt}
        WHERE account = ${account} AND kind = ${kind} AND date = ${date}`;
    },
    /** Forgets a day that the service confirmed: the next run sends it again. */
    forget(kind: RecordKind, date: string): void {
      transaction(database, () => {
        database.run`
          DELETE FROM records
          WHERE account = ${account} AND kind = ${kind} AND date = ${date} AND state IN ('confirmed', 'undone')`;
        forgetFiles(kind, date);
      });
    },
    /** Returns the files that a day was sent from, the latest first. */
    filesOf(kind: RecordKind, date: string): readonly DayFile[] {
      return database.all`
        SELECT path, sent_at AS sentAt FROM record_files
        WHERE account = ${account} AND kind = ${kind} AND date = ${date}
        ORDER BY sent_at DESC, path` as DayFile[];
    },
    /** Returns the days that the service holds with values of a file. @param path as in {@link DayFile} */
    datesFrom(kind: RecordKind, path: string): readonly string[] {
      const rows = database.all`
        SELECT date FROM records JOIN record_files USING (account, kind, date)
        WHERE account = ${account} AND kind = ${kind} AND path = ${path} AND state = 'confirmed'
        ORDER BY date`;
      return (rows as { date: string }[]).map(({ date }) => date);
    },
    /** Gives up the claim, whether or not the day was delivered. */
    release(kind: RecordKind, date: string): void {
      try {
        database.run`
          UPDATE records SET owner = NULL
          WHERE account = ${account} AND kind = ${kind} AND date = ${date}
            AND owner = ${mark.id}`;
      } finally {
        mark.end(workOf(kind, date));
      }
    },
    /**
     * Counts a run in which the service failed (500) on this very record, and returns the number of such
     * runs in a row. Confirming the day ends the count.
     */
    countFailure(kind: RecordKind, date: string, digest: string): number {
      const row = database.get`
        UPDATE records SET failed_digest = ${digest},
          failures = CASE failed_digest WHEN ${digest} THEN failures + 1 ELSE 1 END
        WHERE account = ${account} AND kind = ${kind} AND date = ${date} RETURNING failures`;
      return (row as { failures: number } | undefined)?.failures ?? 0;
    },
    /** Returns the days on which the service failed when they were last sent, each with its runs. */
    failedDays(kind: RecordKind): ReadonlyMap<string, number> {
      const rows = database.all`
        SELECT date, failures FROM records
        WHERE account = ${account} AND kind = ${kind} AND failures > 0`;
      return new Map(
        (rows as { date: string; failures: number }[]).map(({ date, failures }) => [
          date,
          failures,
        ]),
      );
    },
  };

  /** Records that nothing of a day's files is at the service any more. */
  function forgetFiles(kind: RecordKind, date: string): void {
    database.run`
      DELETE FROM record_files
      WHERE account = ${account} AND kind = ${kind} AND date = ${date}`;
  }

  function isConfirmed(kind: RecordKind, found: RecordRow | undefined, digest: string): boolean {
    if (found?.state !== 'confirmed' || found.digest !== digest) return false;
    if (found.dropped === null || platform.isDocumentOnly(kind)) return true;
    return wellness.drops(found.dropped.split(','));
  }

  function rowOf(kind: RecordKind, date: string): RecordRow | undefined {
    return database.get`
      SELECT state, message, owner, digest, dropped, changed_at AS changedAt FROM records
      WHERE account = ${account} AND kind = ${kind} AND date = ${date}` as RecordRow | undefined;
  }

  function workOf(kind: RecordKind, date: string): string {
    return `${kind} ${account} ${date}`;
  }
}

/** A day that the service has not confirmed. */
export interface UndeliveredDay {
  readonly date: string;
  readonly state: 'pending' | 'rejected';
  /** Why the service refused it. */
  readonly message?: string;
}

interface RecordRow {
  readonly state: RecordState;
  readonly message: string | null;
  readonly owner: string | null;
  readonly digest: string;
  readonly dropped: string | null;
  readonly changedAt: number;
}

export type ReadZoneLedger = ReturnType<typeof readZoneLedger>;

/** Returns the zones in which one account's written times were read. */
function readZoneLedger(database: Database, account: string) {
  return {
    /** @param written a time as the input spells it */
    find(written: string): string | undefined {
      const row = database.get`
        SELECT zone FROM read_zones WHERE account = ${account} AND written = ${written}`;
      return (row as { zone: string } | undefined)?.zone;
    },
    /** Records zones by written time, in one transaction. */
    put(zones: ReadonlyMap<string, string>): void {
      transaction(database, () => {
        for (const [written, zone] of zones) {
          database.run`
            INSERT INTO read_zones (account, written, zone) VALUES (${account}, ${written}, ${zone})
            ON CONFLICT (account, written) DO UPDATE SET zone = excluded.zone WHERE zone <> excluded.zone`;
        }
      });
    },
  };
}
