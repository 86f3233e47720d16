import type { PlatformFacts } from '../config/platforms.ts';
import type { Database } from './guard.ts';

/**
 * Opens what the answers of an account's platform have shown. Its other accounts share it, because its key is the
 * address of the platform. Every method is one statement.
 */
export function platformFacts(
  database: Database,
  account: string,
  now: () => number,
): PlatformFacts {
  const [address = ''] = account.split(' ');
  let key = address;
  return {
    answeredBy(run) {
      key = run === undefined ? address : `${address} ${run}`;
    },
    has: (endpoint, fact) =>
      database.get`
        SELECT 1 FROM platform_facts
        WHERE address = ${key} AND endpoint = ${endpoint} AND fact = ${fact}` !== undefined,
    note(endpoint, fact) {
      database.run`
        INSERT OR REPLACE INTO platform_facts (address, endpoint, fact, seen_at)
        VALUES (${key}, ${endpoint}, ${fact}, ${now()})`;
    },
  };
}
