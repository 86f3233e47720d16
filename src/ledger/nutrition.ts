import type { Database, Statement } from './guard.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** An item that was sent from here, or will be. */
export interface SentItem {
  /** The body to send. */
  readonly body: { [name: string]: Json };
  /** The input that it came from: a path, a source's name or `stdin`. */
  readonly input: string;
  /** The id that the service gave it, if an answer showed one. */
  readonly id?: string;
  /** The list that the service put it in, if an answer showed it. */
  readonly meal?: string;
  /** The athlete removed it in the platform: it is not sent until the input changes it. */
  readonly removed?: true;
}

/** The content of a day: its items, and its own fields (totals, `waterMl`, `rawJson`). */
export interface DayContent {
  readonly items: readonly SentItem[];
  readonly fields: { [name: string]: Json };
}

export const EMPTY_DAY: DayContent = { items: [], fields: {} };

/** What a day should hold. */
export interface IntendedDay extends DayContent {
  /** Items of earlier intentions that were replaced before the service confirmed them. */
  readonly maybe: readonly SentItem[];
}

/** What the ledger knows of a nutrition day. */
export interface SentDay {
  /** What the service confirmed. */
  readonly stored: DayContent;
  /** What the day should hold, from before the first request until the service confirms it. */
  readonly intended: IntendedDay | undefined;
  /** The service shows no items, and a request may or may not have been processed. */
  readonly unclear: boolean;
}

/** How a service treats nutrition, as its answers have shown. Times are ms since the epoch. */
export interface NutritionTraits {
  /** A day that is sent again replaces the earlier one, or is added to it. */
  readonly kind?: 'replace' | 'append';
  readonly kindAt?: number;
  /** The `source` of our items. */
  readonly source?: string;
  /** When an answer last showed that items cannot be removed. */
  readonly noRemovalAt?: number;
  /** When an answer last showed no items. */
  readonly opaqueAt?: number;
}

export type TraitChanges = {
  readonly [K in keyof NutritionTraits]: NutritionTraits[K] | undefined;
};

/** The nutrition days of one account. Every method is one statement. */
export class NutritionLedger {
  readonly #account: string;
  readonly #select: Statement;
  readonly #intend: Statement;
  readonly #settle: Statement;
  readonly #restore: Statement;
  readonly #markUnclear: Statement;
  readonly #selectDebts: Statement;
  readonly #selectTraits: Statement;
  readonly #putTraits: Statement;

  constructor(database: Database, account: string) {
    this.#account = account;
    this.#select = database.prepare(
      'SELECT stored, intended, unclear FROM nutrition_days WHERE account = ? AND date = ?',
    );
    this.#intend = database.prepare(
      `INSERT INTO nutrition_days (account, date, intended) VALUES (?, ?, ?)
       ON CONFLICT (account, date) DO UPDATE SET intended = excluded.intended`,
    );
    this.#settle = database.prepare(
      `INSERT INTO nutrition_days (account, date, stored) VALUES (?, ?, ?)
       ON CONFLICT (account, date) DO UPDATE SET
         stored = excluded.stored, intended = NULL, unclear = 0`,
    );
    this.#restore = database.prepare(
      'UPDATE nutrition_days SET intended = NULL, unclear = 0 WHERE account = ? AND date = ?',
    );
    this.#markUnclear = database.prepare(
      `INSERT INTO nutrition_days (account, date, unclear) VALUES (?, ?, 1)
       ON CONFLICT (account, date) DO UPDATE SET unclear = 1`,
    );
    this.#selectDebts = database.prepare(
      'SELECT date FROM nutrition_days WHERE account = ? AND intended IS NOT NULL ORDER BY date',
    );
    this.#selectTraits = database.prepare(
      'SELECT traits FROM nutrition_services WHERE account = ?',
    );
    this.#putTraits = database.prepare(
      'INSERT OR REPLACE INTO nutrition_services (account, traits) VALUES (?, ?)',
    );
  }

  day(date: string): SentDay {
    const row = this.#select.get(this.#account, date) as Row | undefined;
    if (row === undefined) return { stored: EMPTY_DAY, intended: undefined, unclear: false };
    return {
      stored: JSON.parse(row.stored) as DayContent,
      intended: row.intended === null ? undefined : (JSON.parse(row.intended) as IntendedDay),
      unclear: row.unclear === 1,
    };
  }

  /** Records the debt: what the day should hold. */
  intend(date: string, content: IntendedDay): void {
    this.#intend.run(this.#account, date, JSON.stringify(content));
  }

  /** Records what the service holds now, and clears the debt. */
  settle(date: string, content: DayContent): void {
    this.#settle.run(this.#account, date, JSON.stringify(content));
  }

  /** Drops the debt: the day was not changed. */
  restore(date: string): void {
    this.#restore.run(this.#account, date);
  }

  /** Records that a request will be sent, and that no later answer can show its outcome. */
  markUnclear(date: string): void {
    this.#markUnclear.run(this.#account, date);
  }

  /** Returns the days with a debt, by date. */
  debts(): readonly string[] {
    return (this.#selectDebts.all(this.#account) as { date: string }[]).map(({ date }) => date);
  }

  traits(): NutritionTraits {
    const row = this.#selectTraits.get(this.#account) as { traits: string } | undefined;
    return row === undefined ? {} : (JSON.parse(row.traits) as NutritionTraits);
  }

  /** Adds traits of the service; `undefined` removes one. */
  noteTraits(traits: TraitChanges): void {
    this.#putTraits.run(this.#account, JSON.stringify({ ...this.traits(), ...traits }));
  }
}

interface Row {
  readonly stored: string;
  readonly intended: string | null;
  readonly unclear: number;
}
