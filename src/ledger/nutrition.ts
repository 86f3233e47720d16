import type { Database } from './guard.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Body = { [name: string]: Json };

/**
 * A statement of items, over all runs. `origin`: a name that the user gave. `source`: a program, and what its export
 * holds. `file`: a path. `stream`: stdin or a pipe, of which no later version can come.
 */
export interface ItemInput {
  readonly kind: 'origin' | 'source' | 'file' | 'stream';
  readonly name: string;
}

/** An item that was sent from here, or will be. */
export interface SentItem {
  readonly body: Body;
  /** The inputs that hold it, the last one first. It stays until none does. */
  readonly inputs: readonly ItemInput[];
  /** The id that the platform gave it, if an answer showed one. */
  readonly id?: string;
  /** Absent: the platform holds it. */
  readonly state?: ItemState;
  /** A look found it before it was sent, so another computer sent it: it stays if the user takes the day back. */
  readonly found?: true;
  /** How the platform stored it, if it changed the values itself. */
  readonly as?: Body;
  /** The user took it back: the inputs that hold it do not send it again. */
  readonly undone?: true;
  /** The athlete's or another computer's version in the platform, which stays. */
  readonly edited?: Body;
}

/**
 * `new`: no request held it. `unanswered`: a request held it, and no answer showed it. `fresh`: the platform
 * took it, and no later run has read it back; another computer's request at the same moment may drop it.
 * `removed`: it is no longer on the platform, and stays away. `dropped`: it has to leave the platform.
 * `gone`: it was removed from here, and a request of another computer may still bring it back.
 */
export type ItemState = 'new' | 'unanswered' | 'fresh' | 'removed' | 'dropped' | 'gone';

/** The content of a day: its items, and its own fields (totals, `waterMl`, `rawJson`). */
export interface DayContent {
  readonly items: readonly SentItem[];
  readonly fields: Body;
}

export interface KnownDay extends DayContent {
  /** The fields as the platform last got them. It recalculates them when an item is removed. */
  readonly sentFields: Body;
  /** The ids of the items of other computers, when the day was last seen. */
  readonly others: readonly string[];
  /** When the file of a source was written that was sent last (ms since the epoch), by the source's name. */
  readonly asOf?: Readonly<Record<string, number | undefined>>;
}

/**
 * `open`: the next run has to finish the day. `fresh`: it was sent, and the next run looks if another
 * computer's request has dropped something of it. `settled`: that is done.
 */
export type DayStatus = 'open' | 'fresh' | 'settled';

/** A row of the ledger. */
export type LedgerDay = KnownDay & { readonly status: DayStatus };

export const EMPTY_DAY: LedgerDay = {
  items: [],
  fields: {},
  sentFields: {},
  others: [],
  status: 'settled',
};

export type NutritionLedger = ReturnType<typeof nutritionLedger>;

/**
 * Returns the nutrition days of one account.
 *
 * @param otherTokens how the keys of tokens begin that may be of this account, or of another one
 */
export function nutritionLedger(database: Database, account: string, otherTokens?: string) {
  return {
    /** Returns whether another token sent items of the day that were not replaced since. */
    isOfOtherToken(date: string): boolean {
      if (otherTokens === undefined) return false;
      const rows = database.all`
        SELECT day FROM nutrition_days WHERE date = ${date} AND account <> ${account}
          AND substr(account, 1, length(${otherTokens})) = ${otherTokens}`;
      const days = (rows as { day: string }[]).map(({ day }) => JSON.parse(day) as KnownDay);
      const isThere = ({ state }: SentItem) => state !== 'new' && state !== 'gone';
      return days.some(({ items }) => items.some(isThere));
    },
    /** Records that a request replaced what other tokens sent of the day. */
    forgetOtherTokens(date: string): void {
      if (otherTokens === undefined) return;
      const isOther = `date = ?1 AND account <> ?2 AND substr(account, 1, length(?3)) = ?3`;
      for (const rows of ['nutrition_days WHERE', `records WHERE kind = 'nutrition' AND`]) {
        database.run(`DELETE FROM ${rows} ${isOther}`, date, account, otherTokens);
      }
    },
    day(date: string): LedgerDay {
      const row = database.get`
        SELECT day, status FROM nutrition_days WHERE account = ${account} AND date = ${date}` as
        { readonly day: string; readonly status: DayStatus } | undefined;
      if (row === undefined) return EMPTY_DAY;
      return { ...(JSON.parse(row.day) as KnownDay), status: row.status };
    },
    put(date: string, { status, ...day }: LedgerDay): void {
      database.run`
        INSERT OR REPLACE INTO nutrition_days (account, date, day, status)
        VALUES (${account}, ${date}, ${JSON.stringify(day)}, ${status})`;
    },
    dates(status: DayStatus): readonly string[] {
      const rows = database.all`
        SELECT date FROM nutrition_days
        WHERE account = ${account} AND status = ${status} ORDER BY date`;
      return (rows as { date: string }[]).map(({ date }) => date);
    },
    /** Returns each `source` that an answer has shown for items that were sent from here. */
    sources(): readonly string[] {
      const rows = database.all`
        SELECT source FROM nutrition_sources WHERE account = ${account} ORDER BY source`;
      return (rows as { source: string }[]).map(({ source }) => source);
    },
    noteSource(source: string): void {
      database.run`
        INSERT OR IGNORE INTO nutrition_sources (account, source) VALUES (${account}, ${source})`;
    },
  };
}
