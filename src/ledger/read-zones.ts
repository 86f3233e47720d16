import { type Database, transaction } from './guard.ts';

export type ReadZoneLedger = ReturnType<typeof readZoneLedger>;

/** Returns the zones in which one account's written times were read. */
export function readZoneLedger(database: Database, account: string) {
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
