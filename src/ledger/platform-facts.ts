import type { PlatformFacts } from '../config/platforms.ts';
import type { Database } from './sql.ts';

const DOCUMENT_ONLY = 'document-only';

/** Days after which a platform is known to refuse fields that the interface does not name. */
const ENOUGH_DAYS = 2;

/** Time until it is asked again whether it takes them (ms). */
const VALID_MS = 7 * 86_400_000;

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
    knowsSandbox: () =>
      database.get`
        SELECT 1 FROM platform_facts
        WHERE substr(address, 1, length(${address}) + 1) = ${`${address} `}` !== undefined,
    has: (endpoint, fact) =>
      database.get`
        SELECT 1 FROM platform_facts
        WHERE address = ${key} AND endpoint = ${endpoint} AND fact = ${fact}` !== undefined,
    note(endpoint, fact) {
      database.run`
        INSERT OR REPLACE INTO platform_facts (address, endpoint, fact, seen_at)
        VALUES (${key}, ${endpoint}, ${fact}, ${now()})`;
    },
    noteDocumentOnly(endpoint, date) {
      database.run`
        INSERT OR REPLACE INTO platform_facts (address, endpoint, fact, date, seen_at)
        VALUES (${key}, ${endpoint}, ${DOCUMENT_ONLY}, ${date}, ${now()})`;
    },
    isDocumentOnly(endpoint) {
      const { days, last } = database.get`
        SELECT count(*) AS days, coalesce(max(seen_at), 0) AS last FROM platform_facts
        WHERE address = ${key} AND endpoint = ${endpoint} AND fact = ${DOCUMENT_ONLY}` as {
        days: number;
        last: number;
      };
      return days >= ENOUGH_DAYS && last > now() - VALID_MS;
    },
  };
}
