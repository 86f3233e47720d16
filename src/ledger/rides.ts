import type { Shape } from '../fit/recorded.ts';
import type { Database } from './sql.ts';

/** A recording that the service has, or may get, to compare with others of its time. */
export type LedgerRide = Readonly<ReturnType<typeof decode>>;

interface RideRow {
  readonly sha256: string;
  readonly path: string;
  readonly state: 'confirmed' | 'pending';
  readonly changed_at: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly digest: string | null;
  readonly shape: string;
}

function decode(row: RideRow) {
  return {
    sha256: row.sha256,
    path: row.path,
    state: row.state,
    /** When it was confirmed; of a pending one, when it was claimed (ms since 1970). */
    changedAt: row.changed_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    /** It was GPX or TCX. */
    isConverted: row.digest !== null,
    shape: JSON.parse(row.shape) as Shape,
  };
}

/** Remembers what the GPX and TCX files that a watcher has read became, by the SHA-256 of their bytes. */
export function trackFiles(database: Database, account: string) {
  return {
    /** Returns the hashes of the recordings that a file became; undefined if it was not read. */
    find(sha256: string): readonly string[] | undefined {
      const row = database.get`SELECT recordings FROM track_files WHERE sha256 = ${sha256}`;
      const { recordings } = (row ?? {}) as { readonly recordings?: string };
      return recordings?.split(' ').filter(Boolean);
    },
    add(sha256: string, recordings: readonly string[]): void {
      database.run`INSERT OR REPLACE INTO track_files VALUES (${sha256}, ${recordings.join(' ')})`;
    },
    /** Returns whether other recordings cover a conversion. */
    isCovered(sha256: string): boolean {
      const row = database.get`
        SELECT 1 FROM covered_recordings WHERE account = ${account} AND sha256 = ${sha256}`;
      return row !== undefined;
    },
    cover(sha256: string): void {
      database.run`INSERT OR IGNORE INTO covered_recordings VALUES (${account}, ${sha256})`;
    },
    /** Lets each conversion be judged again: a recording that may have covered it counts no longer. */
    uncover(): void {
      database.run`DELETE FROM covered_recordings WHERE account = ${account}`;
    },
  };
}

/** No recording is longer (ms). */
const LONGEST_MS = 4 * 86_400_000;
/** Recordings of one time that are compared. A device without a clock gives all of them the same time. */
const MOST_RIDES = 50;

/**
 * Returns the recordings of an account that were sent, or are being sent, and overlap a time (ms since 1970): at most 50.
 */
export function ridesBetween(
  database: Database,
  account: string,
  from: number,
  to: number,
): LedgerRide[] {
  const rows = database.all`
    SELECT sha256, path, state, changed_at, started_at, ended_at, digest, shape
    FROM uploads JOIN shapes ON shapes.upload = uploads.id
    WHERE account = ${account} AND started_at BETWEEN ${from - LONGEST_MS} AND ${to}
      AND ended_at >= ${from}
      AND (state = 'confirmed' OR (state = 'pending' AND (attempts > 0 OR owner IS NOT NULL)))
    ORDER BY started_at LIMIT ${MOST_RIDES}`;
  return (rows as RideRow[]).map(decode);
}
