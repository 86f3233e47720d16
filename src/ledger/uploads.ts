import { type Database, transaction } from './guard.ts';
import type { ProcessMark } from './processes.ts';

/** How far a recording has come. */
export interface UploadStanding {
  readonly state: 'pending' | 'confirmed' | 'rejected';
  /** Requests made for it so far, in all runs. */
  readonly attempts: number;
  /** How often the service refused it; 0 while it is not refused. */
  readonly refusals: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** A recording as the ledger knows it. */
export interface LedgerUpload extends UploadStanding {
  readonly sha256: string;
  readonly path: string;
  readonly size: number;
  /** What the service said of it; empty while it said nothing. */
  readonly service: Readonly<Record<string, unknown>>;
  /** Why the service refused it. */
  readonly message: string | undefined;
}

/** What came of asking for a recording, so as to send it. */
export type Claim =
  /** It is this process's to send; the row says so before a byte leaves. */
  | { readonly claim: 'yours' }
  /** The service has it. */
  | { readonly claim: 'confirmed'; readonly upload: LedgerUpload }
  /** The service refused it, and it is too early to offer it again. */
  | { readonly claim: 'refused'; readonly upload: LedgerUpload }
  /** Another piece of work, here or in another process, is sending it just now. */
  | { readonly claim: 'busy' };

/**
 * The uploads of one account. Every write is one transaction. What was claimed is given up by
 * `confirm`, `reject` and `release`, also where they cannot write that down.
 */
export interface UploadLedger {
  find(sha256: string): LedgerUpload | undefined;
  /**
   * Asks for a recording. A row that a dead process left pending is taken over: it is sent again,
   * and the service recognises it by its hash (interface 4.4).
   *
   * @param force ask for it even if it is confirmed.
   */
  claim(recording: { sha256: string; path: string; size: number }, force: boolean): Claim;
  confirm(sha256: string, attempts: number, service: Readonly<Record<string, unknown>>): void;
  reject(sha256: string, attempts: number, message: string): void;
  /** Not delivered by so many requests: it stays pending, free for whoever tries next. */
  release(sha256: string, attempts: number): void;
  counts(): Readonly<Record<LedgerUpload['state'], number>>;
  /** Time of the last confirmation, in ms since the epoch. */
  lastConfirmedAt(): number | undefined;
}

/** SQL: how often a recording was refused; kept where the service's words are once it has taken it. */
const COUNTED = "json_extract(service, '$.refusals')";
/** SQL: the same, read only where it says something: folders of known files are looked up by thousands. */
export const REFUSALS = `CASE state WHEN 'rejected' THEN ${COUNTED} END`;

export function uploadLedger(
  database: Database,
  account: string,
  process: ProcessMark,
  now: () => number,
): UploadLedger {
  const select = database.prepare(
    `SELECT sha256, state, owner, path, size, attempts, ${REFUSALS} AS refusals, service, message,
       changed_at
     FROM uploads WHERE account = ? AND sha256 = ?`,
  );
  const take = database.prepare(
    `INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at)
     VALUES (?, ?, 'pending', ?, ?, ?, ?)
     ON CONFLICT (account, sha256) DO UPDATE SET
       state = 'pending', owner = excluded.owner, path = excluded.path, changed_at = excluded.changed_at`,
  );
  const takeFirst = database.prepare(
    `INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at)
     VALUES (?, ?, 'pending', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const settle = database.prepare(
    `UPDATE uploads
     SET state = 'confirmed', owner = NULL, attempts = attempts + ?, service = ?, message = NULL, changed_at = ?
     WHERE account = ? AND sha256 = ?`,
  );
  const refuse = database.prepare(
    `UPDATE uploads
     SET state = 'rejected', owner = NULL, attempts = attempts + ?, message = ?, changed_at = ?,
       service = json_object('refusals', coalesce(${COUNTED}, 0) + 1)
     WHERE account = ? AND sha256 = ?`,
  );
  const free = database.prepare(
    `UPDATE uploads SET owner = NULL, attempts = attempts + ?
     WHERE account = ? AND sha256 = ? AND owner = ?`,
  );
  const count = database.prepare(
    'SELECT state, count(*) AS number FROM uploads WHERE account = ? GROUP BY state',
  );
  const last = database.prepare(
    `SELECT max(changed_at) AS at FROM uploads WHERE account = ? AND state = 'confirmed'`,
  );
  const workOf = (sha256: string) => `upload ${account} ${sha256}`;
  const mine = (sha256: string): Claim => {
    process.begin(workOf(sha256));
    return { claim: 'yours' };
  };
  const giveUp = (sha256: string, write: () => void) => {
    try {
      write();
    } finally {
      process.end(workOf(sha256));
    }
  };
  const row = (sha256: string) => select.get(account, sha256) as Row | undefined;

  return {
    find(sha256) {
      const found = row(sha256);
      return found === undefined ? undefined : decode(found);
    },
    claim({ sha256, path, size }, force) {
      const values = [account, sha256, process.id, path, size, now()] as const;
      // Nearly always nobody has heard of it: one statement finds that out and takes it.
      if (takeFirst.run(...values) === 1) return mine(sha256);
      const claim = transaction(database, () => {
        const judged = judge(row(sha256), force);
        if (judged.claim === 'yours') take.run(...values);
        return judged;
      });
      return claim.claim === 'yours' ? mine(sha256) : claim;
    },
    confirm(sha256, attempts, service) {
      const said = JSON.stringify(service);
      giveUp(sha256, () => settle.run(attempts, said, now(), account, sha256));
    },
    reject(sha256, attempts, message) {
      giveUp(sha256, () => refuse.run(attempts, message, now(), account, sha256));
    },
    release(sha256, attempts) {
      giveUp(sha256, () => free.run(attempts, account, sha256, process.id));
    },
    counts() {
      const counts = { pending: 0, confirmed: 0, rejected: 0 };
      for (const { state, number } of count.all(account) as unknown as {
        state: LedgerUpload['state'];
        number: number;
      }[]) {
        counts[state] = number;
      }
      return counts;
    },
    lastConfirmedAt() {
      return (last.get(account) as { at: number | null }).at ?? undefined;
    },
  };

  function judge(found: Row | undefined, force: boolean): Claim {
    if (found === undefined) return { claim: 'yours' };
    if (found.state === 'confirmed' && !force) return { claim: 'confirmed', upload: decode(found) };
    const { owner, sha256 } = found;
    const free = owner === null || process.isAbandoned(owner, workOf(sha256));
    return { claim: free ? 'yours' : 'busy' };
  }
}

interface Row {
  readonly sha256: string;
  readonly state: LedgerUpload['state'];
  readonly owner: string | null;
  readonly path: string;
  readonly size: number;
  readonly attempts: number;
  readonly refusals: number | null;
  readonly service: string;
  readonly message: string | null;
  readonly changed_at: number;
}

function decode(row: Row): LedgerUpload {
  return {
    sha256: row.sha256,
    state: row.state,
    path: row.path,
    size: row.size,
    attempts: row.attempts,
    refusals: row.refusals ?? 0,
    service: row.state === 'confirmed' ? (JSON.parse(row.service) as Record<string, unknown>) : {},
    message: row.message ?? undefined,
    changedAt: row.changed_at,
  };
}
