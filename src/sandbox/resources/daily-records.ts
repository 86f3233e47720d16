import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { Store } from '../store.ts';

export type DailyKind = 'wellness' | 'nutrition';

/** A stored wellness or nutrition record: one for each athlete, kind and date. */
export interface DailyState {
  readonly id: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** The known fields; unknown ones are dropped. */
  readonly record: Readonly<Record<string, unknown>>;
  /** Number of accepted requests for this date. */
  readonly receivedCount: number;
  readonly firstReceivedAt: string;
  readonly lastReceivedAt: string;
}

interface Row {
  id: number;
  date: string;
  record: string;
  received_count: number;
  first_received_at: number;
  last_received_at: number;
}

export class DailyRecords {
  readonly #now: () => number;
  readonly #sql: Record<'find' | 'put' | 'list' | 'clear', StatementSyncInstance>;

  constructor(store: Store, now: () => number) {
    this.#now = now;
    const { db } = store;
    this.#sql = {
      find: db.prepare('SELECT * FROM daily WHERE athlete_id = ? AND kind = ? AND date = ?'),
      put: db.prepare(
        `INSERT INTO daily (athlete_id, kind, date, record, received_count, first_received_at, last_received_at)
         VALUES (?1, ?2, ?3, ?4, ?6, ?5, ?5)
         ON CONFLICT (athlete_id, kind, date) DO UPDATE SET record = ?4, received_count = received_count + ?6, last_received_at = ?5`,
      ),
      list: db.prepare('SELECT * FROM daily WHERE athlete_id = ? AND kind = ? ORDER BY date'),
      clear: db.prepare('DELETE FROM daily'),
    };
  }

  find(athleteId: string, kind: DailyKind, date: string): DailyState | null {
    const row = this.#sql.find.get(athleteId, kind, date) as Row | undefined;
    return row === undefined ? null : toState(row, kind);
  }

  /**
   * Replaces the record of a date; the caller merges.
   * @param received requests to count: 0 for an edit in the app
   */
  put(
    athleteId: string,
    kind: DailyKind,
    date: string,
    record: Readonly<Record<string, unknown>>,
    received: 0 | 1 = 1,
  ): DailyState {
    this.#sql.put.run(athleteId, kind, date, JSON.stringify(record), this.#now(), received);
    return toState(this.#sql.find.get(athleteId, kind, date) as Row, kind);
  }

  /** Lists the records of a kind by date. */
  list(athleteId: string, kind: DailyKind): DailyState[] {
    return (this.#sql.list.all(athleteId, kind) as Row[]).map((row) => toState(row, kind));
  }

  clear(): void {
    this.#sql.clear.run();
  }
}

function toState(row: Row, kind: DailyKind): DailyState {
  return {
    id: `${kind}-${row.id}`,
    date: row.date,
    record: JSON.parse(row.record) as Record<string, unknown>,
    receivedCount: row.received_count,
    firstReceivedAt: new Date(row.first_received_at).toISOString(),
    lastReceivedAt: new Date(row.last_received_at).toISOString(),
  };
}
