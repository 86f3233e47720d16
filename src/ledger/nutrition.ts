import type { Database } from './sql.ts';

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

/** An item of a day. */
export interface DayItem {
  /** As the inputs state it. */
  readonly body: Body;
  /** The inputs that state it, the last one first. None: the item has to leave the platform. */
  readonly inputs: readonly ItemInput[];
  /**
   * `unsure`: a request held it, and no later run has seen it. `base`: a later run has, or the platform took it and
   * shows nothing. `away`: it is not to be sent. With `edited`, it is in conflict with that version; without inputs, the
   * user took it back; else it was removed in the platform. Absent: no request has held it; the ledger has no such item.
   */
  readonly state?: 'unsure' | 'base' | 'away';
  /** The id that the platform gave it, if an answer showed one. */
  readonly id?: string;
  /** A look found it before it was sent, so another computer or the athlete entered it. */
  readonly foreign?: true;
  /**
   * As the platform showed it, if it changed the values itself, holds another version in its place, or shows no writer
   * that is known.
   */
  readonly stored?: Body;
  /** The version of the athlete or of another computer in the platform, which stays. */
  readonly edited?: Body;
}

/** A row of the ledger: a day. */
export interface LedgerDay {
  readonly items: readonly DayItem[];
  /** Its own fields: totals, `waterMl`, `rawJson`. */
  readonly fields: Body;
  /** The program that states each field: a source's name, or `json` for the athlete's own records. */
  readonly programs?: Readonly<Record<string, string>>;
  /** The fields that the user took back. */
  readonly undone?: Body;
  /** The fields as the platform last got them. It recalculates them when an item is removed. */
  readonly sentFields: Body;
  /** The ids of the items of other computers, when the day was last seen. */
  readonly others: readonly string[];
  /** When the file of a source was written that was sent last (ms since the epoch), by the source's name. */
  readonly asOf?: Readonly<Record<string, number | undefined>>;
  /**
   * `open`: the next run has to finish the day. `fresh`: it was sent, and the next run looks if another
   * computer's request has dropped something of it. `settled`: that is done.
   */
  readonly status: 'open' | 'fresh' | 'settled';
}

/** A day without its status, which is a column. */
type StoredDay = Omit<LedgerDay, 'status'>;

export const EMPTY_DAY: LedgerDay = {
  items: [],
  fields: {},
  sentFields: {},
  others: [],
  status: 'settled',
};

/**
 * Returns the nutrition days of one account.
 *
 * @param otherTokens prefix of the keys of unnamed tokens, which may belong to another account
 */
export function nutritionLedger(database: Database, account: string, otherTokens?: string) {
  return {
    /** Returns whether another token sent items of the day that were not replaced since. */
    isOfOtherToken(date: string): boolean {
      if (otherTokens === undefined) return false;
      const rows = database.all`
        SELECT day FROM nutrition_days WHERE date = ${date} AND account <> ${account}
          AND substr(account, 1, length(${otherTokens})) = ${otherTokens}`;
      const days = (rows as { day: string }[]).map(({ day }) => JSON.parse(day) as StoredDay);
      const isThere = ({ state }: DayItem) => state !== 'away';
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
        { readonly day: string; readonly status: LedgerDay['status'] } | undefined;
      if (row === undefined) return EMPTY_DAY;
      return { ...(JSON.parse(row.day) as StoredDay), status: row.status };
    },
    put(date: string, { status, ...day }: LedgerDay): void {
      database.run`
        INSERT OR REPLACE INTO nutrition_days (account, date, day, status)
        VALUES (${account}, ${date}, ${JSON.stringify(day)}, ${status})`;
    },
    dates(status: LedgerDay['status']): readonly string[] {
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
