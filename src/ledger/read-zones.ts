import { type Database, transaction } from './guard.ts';

/** The zones in which one account's written times were read. */
export class ReadZoneLedger {
  readonly #database: Database;
  readonly #account: string;

  constructor(database: Database, account: string) {
    this.#database = database;
    this.#account = account;
  }

  /** @param written a time as the input spells it */
  find(written: string): string | undefined {
    const row = this.#database.get`
      SELECT zone FROM read_zones WHERE account = ${this.#account} AND written = ${written}`;
    return (row as { zone: string } | undefined)?.zone;
  }

  /** Records zones by written time, in one transaction. */
  put(zones: ReadonlyMap<string, string>): void {
    transaction(this.#database, () => {
      for (const [written, zone] of zones) {
        this.#database.run`
          INSERT INTO read_zones (account, written, zone) VALUES (${this.#account}, ${written}, ${zone})
          ON CONFLICT (account, written) DO UPDATE SET zone = excluded.zone WHERE zone <> excluded.zone`;
      }
    });
  }
}
