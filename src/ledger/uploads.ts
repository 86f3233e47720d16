import { basename } from 'node:path';
import { type Database, transaction } from './guard.ts';
import type { ProcessMark } from '../system/processes.ts';

/** How far a recording has come. */
export interface UploadStanding {
  readonly state: 'pending' | 'confirmed' | 'rejected';
  /** Requests made for it so far, in all runs. */
  readonly attempts: number;
  /** How often the service refused it since it last took it. */
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

/** What the platform makes a workout of. */
export interface SentRecording {
  /** When it began, in ms since the epoch; undefined: the recording does not say. */
  readonly startedAt: number | undefined;
  /** Timer time of its first session, in s. */
  readonly durationSecs: number | undefined;
  /** The file name that it was sent under. */
  readonly sentAs: string;
}

/** A recording that the service took. */
export interface ConfirmedUpload extends SentRecording {
  readonly sha256: string;
  readonly path: string;
  /** ms since the epoch. */
  readonly confirmedAt: number;
  /** The workout that the service named, if it did. */
  readonly workoutId: string | undefined;
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
   * @param force ask for it even if it is confirmed. It stays confirmed, whatever becomes of this.
   */
  claim(recording: { sha256: string; path: string; size: number }, force: boolean): Claim;
  confirm(
    sha256: string,
    attempts: number,
    service: Readonly<Record<string, unknown>>,
    recording?: SentRecording,
  ): void;
  /** The service refused it. One that it took before stays confirmed. */
  reject(sha256: string, attempts: number, message: string): void;
  /** Not delivered by so many requests: it stays pending, free for whoever tries next. */
  release(sha256: string, attempts: number): void;
  /**
   * Counts a 500 for a claimed recording.
   *
   * @param run when the run began, in ms since the epoch; undefined: this process runs for long, and
   *   counts once an hour.
   * @returns how often it was counted, if the service took another recording meanwhile; else 0.
   */
  countFault(sha256: string, run: number | undefined): number;
  /** Confirmed recordings, the oldest confirmation first. */
  confirmed(which?: {
    /** Only those that were never compared with the workouts of the platform. */
    readonly unverified?: boolean;
    /** Only those confirmed before this, in ms since the epoch. */
    readonly before?: number;
  }): ConfirmedUpload[];
  /** They were compared with the workouts of the platform. */
  markVerified(hashes: readonly string[]): void;
  counts(): Readonly<Record<LedgerUpload['state'], number>>;
  /** Time of the last confirmation, in ms since the epoch. */
  lastConfirmedAt(): number | undefined;
}

/** A process that runs for long counts a fault once in this time, in ms. */
const FAULT_GAP_MS = 3_600_000;

export function uploadLedger(
  database: Database,
  account: string,
  process: ProcessMark,
  now: () => number,
): UploadLedger {
  const select = database.prepare(
    `SELECT sha256, state, owner, path, size, attempts, refusals, service, message,
       changed_at
     FROM uploads WHERE account = ? AND sha256 = ?`,
  );
  const take = database.prepare(
    `INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at)
     VALUES (?, ?, 'pending', ?, ?, ?, ?)
     ON CONFLICT (account, sha256) DO UPDATE SET
       state = 'pending', owner = excluded.owner, path = excluded.path, changed_at = excluded.changed_at`,
  );
  const retake = database.prepare('UPDATE uploads SET owner = ? WHERE account = ? AND sha256 = ?');
  const takeFirst = database.prepare(
    `INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at)
     VALUES (?, ?, 'pending', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const settle = database.prepare(
    `UPDATE uploads
     SET state = 'confirmed', owner = NULL, attempts = attempts + ?, service = ?, message = NULL, changed_at = ?,
       refusals = 0, faults = 0, faults_since = NULL, faulted_at = NULL, verified_at = NULL,
       started_at = ?, duration_secs = ?, sent_as = ?
     WHERE account = ? AND sha256 = ?`,
  );
  const refuse = database.prepare(
    `UPDATE uploads
     SET state = 'rejected', owner = NULL, attempts = attempts + ?, message = ?, changed_at = ?,
       refusals = refusals + 1
     WHERE account = ? AND sha256 = ? AND state <> 'confirmed'`,
  );
  const countFault = database.prepare(
    `UPDATE uploads
     SET faults = faults + 1, faults_since = coalesce(faults_since, ?, changed_at), faulted_at = ?
     WHERE account = ? AND sha256 = ? AND (faulted_at IS NULL OR faulted_at <= ?)`,
  );
  const faults = database.prepare(
    `SELECT faults FROM uploads AS failing WHERE account = ? AND sha256 = ? AND EXISTS (
       SELECT 1 FROM uploads WHERE account = failing.account AND sha256 <> failing.sha256
       AND state = 'confirmed' AND changed_at >= failing.faults_since)`,
  );
  const listConfirmed = database.prepare(
    `SELECT sha256, path, service, started_at, duration_secs, sent_as, changed_at FROM uploads
     WHERE account = ? AND state = 'confirmed' AND changed_at < ? AND (verified_at IS NULL OR NOT ?)
     ORDER BY changed_at`,
  );
  const verified = database.prepare(
    'UPDATE uploads SET verified_at = ? WHERE account = ? AND sha256 = ?',
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
        const found = row(sha256);
        const judged = judge(found, force);
        if (judged.claim !== 'yours') return judged;
        if (found?.state === 'confirmed') retake.run(process.id, account, sha256);
        else take.run(...values);
        return judged;
      });
      return claim.claim === 'yours' ? mine(sha256) : claim;
    },
    confirm(sha256, attempts, service, recording) {
      const { startedAt = null, durationSecs = null, sentAs = null } = recording ?? {};
      const told = [JSON.stringify(service), now(), startedAt, durationSecs, sentAs] as const;
      giveUp(sha256, () => settle.run(attempts, ...told, account, sha256));
    },
    reject(sha256, attempts, message) {
      giveUp(sha256, () => {
        const refused = refuse.run(attempts, message, now(), account, sha256);
        if (refused === 0) free.run(attempts, account, sha256, process.id);
      });
    },
    countFault(sha256, run) {
      const gap = run === undefined ? FAULT_GAP_MS : 0;
      countFault.run(run ?? null, now(), account, sha256, now() - gap);
      return (faults.get(account, sha256) as { faults: number } | undefined)?.faults ?? 0;
    },
    confirmed({ unverified = false, before = Number.MAX_SAFE_INTEGER } = {}) {
      const rows = listConfirmed.all(account, before, Number(unverified));
      return (rows as unknown as ConfirmedRow[]).map(decodeConfirmed);
    },
    markVerified(hashes) {
      transaction(database, () => {
        for (const sha256 of hashes) verified.run(now(), account, sha256);
      });
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
  readonly refusals: number;
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
    refusals: row.refusals,
    service: row.state === 'confirmed' ? (JSON.parse(row.service) as Record<string, unknown>) : {},
    message: row.message ?? undefined,
    changedAt: row.changed_at,
  };
}

interface ConfirmedRow {
  readonly sha256: string;
  readonly path: string;
  readonly service: string;
  readonly started_at: number | null;
  readonly duration_secs: number | null;
  readonly sent_as: string | null;
  readonly changed_at: number;
}

function decodeConfirmed(row: ConfirmedRow): ConfirmedUpload {
  const { workoutId } = JSON.parse(row.service) as { workoutId?: unknown };
  return {
    sha256: row.sha256,
    path: row.path,
    confirmedAt: row.changed_at,
    startedAt: row.started_at ?? undefined,
    durationSecs: row.duration_secs ?? undefined,
    sentAs: row.sent_as ?? basename(row.path),
    workoutId: typeof workoutId === 'string' ? workoutId : undefined,
  };
}
