import type { Activity } from '../fit/activity.ts';
import { type Database, transaction } from './guard.ts';
import {
  type ConfirmedRow,
  type UploadRow,
  decode,
  decodeConfirmed,
  prepareStatements,
} from './upload-rows.ts';
import type { ProcessMark } from '../system/processes.ts';

export interface UploadStanding {
  readonly state: 'pending' | 'confirmed' | 'rejected' | 'undone';
  /** Requests made for it so far, in all runs. */
  readonly attempts: number;
  /** Refusals since the service last took it. */
  readonly refusals: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

/** A recording as the ledger knows it. */
export interface LedgerUpload extends UploadStanding {
  readonly sha256: string;
  readonly path: string;
  readonly size: number;
  readonly activity: Activity;
  /** The ids in the service's answer; empty before it is confirmed. */
  readonly service: Readonly<Record<string, unknown>>;
  readonly message: string | undefined;
}

export interface ClaimedRecording {
  readonly sha256: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly activity: Activity;
}

/** What the platform shows of a recording as a workout. */
export interface SentRecording {
  /** Timer time of its first session, in s. */
  readonly durationSecs: number | undefined;
  readonly sentAs: string;
}

/** A recording that the service took. */
export interface ConfirmedUpload extends SentRecording {
  readonly sha256: string;
  readonly path: string;
  /** When it began (ms since the epoch), if the recording states it. */
  readonly startedAt: number | undefined;
  /** Over all sessions, in s. */
  readonly movingSecs: number | undefined;
  /** Over all sessions. */
  readonly distanceMeters: number | undefined;
  /** ms since the epoch. */
  readonly confirmedAt: number;
  readonly workoutId: string | undefined;
}

export type Claim =
  /** This process sends the recording. The ledger says so before the request leaves. */
  | { readonly claim: 'yours' }
  /** The service has it. */
  | { readonly claim: 'confirmed'; readonly upload: LedgerUpload }
  /** Its workout was taken back: only `force` claims it. */
  | { readonly claim: 'undone'; readonly upload: LedgerUpload }
  /** The service refused it, and it is too early to send it again. */
  | { readonly claim: 'refused'; readonly upload: LedgerUpload }
  /** Another task, in this process or another one, is sending it. */
  | { readonly claim: 'busy' };

/** The uploads of one account, as other modules use and wrap them. */
export type UploadLedger = Pick<SqliteUploadLedger, keyof SqliteUploadLedger>;

/** The part of the ledger that sends recordings. */
export type UploadClaims = Pick<
  UploadLedger,
  'find' | 'claim' | 'confirm' | 'reject' | 'release' | 'countFault'
>;

/** A long-running process counts a fault of a recording once in this time (ms). */
const FAULT_GAP_MS = 3_600_000;

export function uploadLedger(
  database: Database,
  account: string,
  mark: ProcessMark,
  now: () => number,
): UploadLedger {
  return new SqliteUploadLedger(database, account, mark, now);
}

/**
 * The uploads of one account. Every write is one transaction. `confirm`, `reject` and `release` end a
 * claim, even if they fail to write.
 */
class SqliteUploadLedger {
  readonly #database: Database;
  readonly #account: string;
  readonly #mark: ProcessMark;
  readonly #now: () => number;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(database: Database, account: string, mark: ProcessMark, now: () => number) {
    this.#database = database;
    this.#account = account;
    this.#mark = mark;
    this.#now = now;
    this.#statements = prepareStatements(database);
  }

  find(sha256: string): LedgerUpload | undefined {
    const found = this.#row(sha256);
    return found === undefined ? undefined : decode(found);
  }

  /**
   * Claims a recording for this process. A row that a dead process left pending is taken over: it is
   * sent again, and the service recognises it by its hash (interface 4.4).
   *
   * @param force claims it even if it is confirmed; it then stays confirmed
   */
  claim({ sha256, path, size, activity }: ClaimedRecording, force: boolean): Claim {
    const values = [
      this.#account,
      sha256,
      this.#mark.id,
      path,
      size,
      this.#now(),
      activity.name ?? null,
      activity.startedAt ?? null,
      activity.offsetMinutes ?? null,
      activity.movingSecs ?? null,
      activity.distanceMeters ?? null,
    ] as const;
    // Nearly every recording is new: one statement finds that out and takes it.
    if (this.#statements.takeFirst.run(...values) === 1) return this.#begin(sha256);
    const claim = transaction(this.#database, () => {
      const found = this.#row(sha256);
      const judged = this.#judge(found, force);
      if (judged.claim !== 'yours') return judged;
      if (found?.state === 'confirmed') {
        this.#statements.retake.run(this.#mark.id, this.#account, sha256);
      } else this.#statements.take.run(...values);
      return judged;
    });
    return claim.claim === 'yours' ? this.#begin(sha256) : claim;
  }

  confirm(
    sha256: string,
    attempts: number,
    service: Readonly<Record<string, unknown>>,
    recording?: SentRecording,
  ): void {
    const { durationSecs = null, sentAs = null } = recording ?? {};
    this.#end(sha256, () =>
      this.#statements.confirm.run(
        attempts,
        JSON.stringify(service),
        this.#now(),
        durationSecs,
        sentAs,
        this.#account,
        sha256,
      ),
    );
  }

  /** Records that the service refused it. A recording that it took before stays confirmed. */
  reject(sha256: string, attempts: number, message: string): void {
    const { reject, release } = this.#statements;
    this.#end(sha256, () => {
      const rejected = reject.run(attempts, message, this.#now(), this.#account, sha256);
      if (rejected === 0) release.run(attempts, this.#account, sha256, this.#mark.id);
    });
  }

  /** Records that `attempts` requests did not deliver it: it stays pending, and any process may claim it. */
  release(sha256: string, attempts: number): void {
    this.#end(sha256, () =>
      this.#statements.release.run(attempts, this.#account, sha256, this.#mark.id),
    );
  }

  /**
   * Counts a 500 for a claimed recording.
   *
   * @param run when the run began (ms since the epoch); undefined for a long-running process, which
   *   counts once an hour.
   * @returns the count, if the service took another recording meanwhile; else 0.
   */
  countFault(sha256: string, run: number | undefined): number {
    const { countFault, faults } = this.#statements;
    const at = this.#now();
    const gap = run === undefined ? FAULT_GAP_MS : 0;
    countFault.run(run ?? null, at, this.#account, sha256, at - gap);
    return (faults.get(this.#account, sha256) as { faults: number } | undefined)?.faults ?? 0;
  }

  /**
   * Returns confirmed recordings, the oldest confirmation first.
   *
   * @param which `unverified`: only recordings never compared with the workouts of the platform.
   *   `before`: only recordings confirmed before this (ms since the epoch).
   */
  confirmed(
    which: { readonly unverified?: boolean; readonly before?: number } = {},
  ): ConfirmedUpload[] {
    const { unverified = false, before = Number.MAX_SAFE_INTEGER } = which;
    const rows = this.#statements.listConfirmed.all(this.#account, before, Number(unverified));
    return (rows as ConfirmedRow[]).map(decodeConfirmed);
  }

  /** Records that its workout was taken back. */
  undo(sha256: string): void {
    this.#statements.undo.run(this.#now(), this.#account, sha256);
  }

  /** Forgets a recording that the service took: the next run sends it again. */
  forget(sha256: string): void {
    this.#statements.forget.run(this.#account, sha256);
  }

  /**
   * Returns the path and the size (bytes) of each recording that the service took, or that was taken back, and
   * of each file without an activity.
   */
  settledFiles(): readonly { readonly path: string; readonly size: number }[] {
    return this.#statements.listSettled.all(this.#account) as { path: string; size: number }[];
  }

  /** Records that they were compared with the workouts of the platform. */
  markVerified(hashes: readonly string[]): void {
    transaction(this.#database, () => {
      for (const sha256 of hashes) {
        this.#statements.verify.run(this.#now(), this.#account, sha256);
      }
    });
  }

  counts(): Readonly<Record<LedgerUpload['state'], number>> {
    const counts = this.#statements.count.get(this.#account);
    return counts as Record<LedgerUpload['state'], number>;
  }

  /** Returns the time of the last confirmation (ms since the epoch). */
  lastConfirmedAt(): number | undefined {
    return (this.#statements.last.get(this.#account) as { at: number | null }).at ?? undefined;
  }

  /** Returns the confirmed recordings that began last, the newest first. */
  latest(limit: number): LedgerUpload[] {
    return (this.#statements.latest.all(this.#account, limit) as UploadRow[]).map(decode);
  }

  /** Returns recordings in any state that began in `[from, to)` (ms since the epoch), in that order. */
  startedBetween(from: number, to: number): LedgerUpload[] {
    return (this.#statements.started.all(this.#account, from, to) as UploadRow[]).map(decode);
  }

  /** Returns recordings that the service does not have, the latest change first. */
  undelivered(limit: number): LedgerUpload[] {
    return (this.#statements.undelivered.all(this.#account, limit) as UploadRow[]).map(decode);
  }

  #row(sha256: string): UploadRow | undefined {
    return this.#statements.select.get(this.#account, sha256) as UploadRow | undefined;
  }

  #workOf(sha256: string): string {
    return `upload ${this.#account} ${sha256}`;
  }

  #begin(sha256: string): Claim {
    this.#mark.begin(this.#workOf(sha256));
    return { claim: 'yours' };
  }

  #end(sha256: string, write: () => void): void {
    try {
      write();
    } finally {
      this.#mark.end(this.#workOf(sha256));
    }
  }

  #judge(found: UploadRow | undefined, force: boolean): Claim {
    if (found === undefined) return { claim: 'yours' };
    const { state } = found;
    if ((state === 'confirmed' || state === 'undone') && !force) {
      return { claim: state, upload: decode(found) };
    }
    const { owner, sha256 } = found;
    const free = owner === null || this.#mark.isAbandoned(owner, this.#workOf(sha256));
    return { claim: free ? 'yours' : 'busy' };
  }
}
