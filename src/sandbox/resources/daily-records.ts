import type { Store, Table } from '../store.ts';
import type { DailyState } from '../types.ts';

export type DailyKind = 'wellness' | 'nutrition';

export class DailyRecords {
  readonly #now: () => number;
  readonly #table: Table<DailyState>;

  constructor(store: Store, now: () => number) {
    this.#now = now;
    this.#table = store.table('daily');
  }

  find(athleteId: string, kind: DailyKind, date: string): DailyState | null {
    return this.#table.get(keyOf(athleteId, kind, date)) ?? null;
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
    const key = keyOf(athleteId, kind, date);
    const now = new Date(this.#now()).toISOString();
    const before = this.#table.get(key);
    return this.#table.put(key, {
      id: before?.id ?? `${kind}-${this.#table.size + 1}`,
      date,
      record,
      receivedCount: (before?.receivedCount ?? 0) + received,
      firstReceivedAt: before?.firstReceivedAt ?? now,
      lastReceivedAt: now,
    });
  }

  list(athleteId: string, kind: DailyKind): DailyState[] {
    return [...this.#table]
      .filter(([key]) => key.startsWith(keyOf(athleteId, kind, '')))
      .map(([, state]) => state)
      .sort((a, b) => (a.date < b.date ? -1 : 1));
  }

  clear(): void {
    this.#table.clear();
  }
}

function keyOf(athleteId: string, kind: DailyKind, date: string): string {
  return `${athleteId} ${kind} ${date}`;
}
