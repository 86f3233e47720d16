import { type Database, type Statement, transaction } from './guard.ts';

/** The zones in which one account's written times were read. */
export class ReadZoneLedger {
  readonly #database: Database;
  readonly #account: string;
  readonly #select: Statement;
  readonly #put: Statement;

  constructor(database: Database, account: string) {
    this.#database = database;
    this.#account = account;
    this.#select = database.prepare(
      'SELECT zone FROM read_zones WHERE account = ? AND written = ?',
    );
    this.#put = database.prepare(
      `INSERT INTO read_zones (account, written, zone) VALUES (?, ?, ?)
       ON CONFLICT (account, written) DO UPDATE SET zone = excluded.zone WHERE zone <> excluded.zone`,
    );
  }

  /** @param written a time as the input spells it */
  find(written: string): string | undefined {
    return (this.#select.get(this.#account, written) as { zone: string } | undefined)?.zone;
  }

  /** Records zones by written time, in one transaction. */
  put(zones: ReadonlyMap<string, string>): void {
    transaction(this.#database, () => {
      for (const [written, zone] of zones) this.#put.run(this.#account, written, zone);
    });
  }
}
