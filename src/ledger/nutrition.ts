import type { Database } from './database.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** An item that was sent from here, or is to be. */
export interface SentItem {
  /** As it goes out. */
  readonly body: { [name: string]: Json };
  /** The input that it came from: a path, a source's name or `stdin`. */
  readonly input: string;
  /** The id that the service gave it, if an answer showed one. */
  readonly id?: string;
  /** The list that the service put it in, if an answer showed it. */
  readonly meal?: string;
  /** The athlete removed it in the platform: it stays away until the input changes it. */
  readonly removed?: true;
}

/** A day as it was sent: its items, and its own fields (totals, `waterMl`, `rawJson`). */
export interface DayContent {
  readonly items: readonly SentItem[];
  readonly fields: { [name: string]: Json };
}

export const EMPTY_DAY: DayContent = { items: [], fields: {} };

/** What a day is to hold. */
export interface IntendedDay extends DayContent {
  /** Items of earlier intentions that were given up before the service had confirmed anything. */
  readonly maybe: readonly SentItem[];
}

/** What is known of a nutrition day of one account. */
export interface SentDay {
  /** What the service confirmed. */
  readonly stored: DayContent;
  /** What the day is to hold, from before the first request until the service has confirmed it. */
  readonly intended: IntendedDay | undefined;
  /** The service shows no items, and a request may or may not have been processed. */
  readonly unclear: boolean;
}

/** How a service treats nutrition, as its answers have shown. Times are ms since the epoch. */
export interface NutritionTraits {
  /** Does a day that is sent again replace the earlier one, or is it added to it? */
  readonly kind?: 'replace' | 'append';
  readonly kindAt?: number;
  /** The `source` of our items. */
  readonly source?: string;
  /** When it last turned out that items cannot be removed. */
  readonly noRemovalAt?: number;
  /** When it last turned out that answers show no items. */
  readonly opaqueAt?: number;
}

/** The nutrition days of one account. Every method is one statement. */
export interface NutritionLedger {
  day(date: string): SentDay;
  /** Records the debt: what the day is to hold. */
  intend(date: string, content: IntendedDay): void;
  /** The service holds this now: there is no debt. */
  settle(date: string, content: DayContent): void;
  /** Drops the debt: the day holds what it held before. */
  restore(date: string): void;
  /** Before a request whose outcome no later answer can show. */
  markUnclear(date: string): void;
  /** The days with a debt, by date. */
  debts(): readonly string[];
  traits(): NutritionTraits;
  /** Adds to what is known of the service; `undefined` forgets. */
  noteTraits(traits: {
    readonly [K in keyof NutritionTraits]: NutritionTraits[K] | undefined;
  }): void;
}

export function nutritionLedger(database: Database, account: string): NutritionLedger {
  const select = database.prepare(
    'SELECT stored, intended, unclear FROM nutrition_days WHERE account = ? AND date = ?',
  );
  const put = (column: string, value: string) =>
    database.prepare(
      `INSERT INTO nutrition_days (account, date, ${column}) VALUES (?, ?, ${value})
       ON CONFLICT (account, date) DO UPDATE SET ${column} = excluded.${column}`,
    );
  const intend = put('intended', '?');
  const settle = database.prepare(
    `INSERT INTO nutrition_days (account, date, stored) VALUES (?, ?, ?)
     ON CONFLICT (account, date) DO UPDATE SET stored = excluded.stored, intended = NULL, unclear = 0`,
  );
  const restore = database.prepare(
    'UPDATE nutrition_days SET intended = NULL, unclear = 0 WHERE account = ? AND date = ?',
  );
  const mark = put('unclear', '1');
  const selectDebts = database.prepare(
    'SELECT date FROM nutrition_days WHERE account = ? AND intended IS NOT NULL ORDER BY date',
  );
  const selectTraits = database.prepare('SELECT traits FROM nutrition_services WHERE account = ?');
  const putTraits = database.prepare(
    'INSERT OR REPLACE INTO nutrition_services (account, traits) VALUES (?, ?)',
  );

  const traits = () => {
    const row = selectTraits.get(account) as { traits: string } | undefined;
    return row === undefined ? {} : (JSON.parse(row.traits) as NutritionTraits);
  };
  return {
    day(date) {
      const row = select.get(account, date) as Row | undefined;
      if (row === undefined) return { stored: EMPTY_DAY, intended: undefined, unclear: false };
      return {
        stored: JSON.parse(row.stored) as DayContent,
        intended: row.intended === null ? undefined : (JSON.parse(row.intended) as IntendedDay),
        unclear: row.unclear === 1,
      };
    },
    intend: (date, content) => void intend.run(account, date, JSON.stringify(content)),
    settle: (date, content) => void settle.run(account, date, JSON.stringify(content)),
    restore: (date) => void restore.run(account, date),
    markUnclear: (date) => void mark.run(account, date),
    debts: () => (selectDebts.all(account) as { date: string }[]).map(({ date }) => date),
    traits,
    noteTraits: (news) => void putTraits.run(account, JSON.stringify({ ...traits(), ...news })),
  };
}

interface Row {
  readonly stored: string;
  readonly intended: string | null;
  readonly unclear: number;
}
