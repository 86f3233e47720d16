import type { Activity } from '../fit/activity.ts';
import { type Database, durably, transaction } from './sql.ts';
import {
  type ConfirmedUpload,
  type LedgerUpload,
  type UploadRow,
  type WorkoutFacts,
  decode,
  decodeConfirmed,
} from './upload-rows.ts';
import type { ProcessMark } from '../system/processes.ts';
import type { Shape } from '../fit/recorded.ts';
import { platformFacts } from './platform-facts.ts';
import { type LedgerRide, ridesBetween, trackFiles } from './rides.ts';

export interface ClaimedRecording {
  readonly sha256: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly activity: Activity;
  readonly workout: WorkoutFacts;
  /** Absent: it is compared with no other recording. */
  readonly shape?: Shape;
  /** Of GPX and TCX. */
  readonly track?: ConvertedFrom | undefined;
}

/** The identity of a converted activity, and the version of its converter. */
interface ConvertedFrom {
  readonly digest: string;
  readonly converter: number;
}

/** A recording that becomes the same workout as another one. */
export type Namesake = Pick<LedgerUpload, 'path'> & Pick<WorkoutFacts, 'recordedSecs'>;

/**
 * The answer to a claim. `yours`: this process sends the recording, and the ledger says so before the request
 * leaves. `confirmed`: the service has it. `undoing`: its undo is open. `undone`: its workout was taken back, and
 * only `force` claims it. `busy`: another task, in this process or another one, is sending it, or a
 * recording that becomes the same workout: the last to arrive fills it.
 */
type Claim = 'yours' | 'confirmed' | 'undoing' | 'undone' | 'busy';

/** A long-running process counts a fault of a recording once in this time (ms). */
const FAULT_GAP_MS = 3_600_000;

export type UploadLedger = ReturnType<typeof uploadLedger>;

/**
 * The uploads of one account. Every write is one transaction. `confirm`, `reject` and `release` end a
 * claim, even if they fail to write.
 */
export function uploadLedger(
  database: Database,
  account: string,
  mark: ProcessMark,
  now: () => number,
) {
  const tracks = trackFiles(database, account);
  return {
    platform: platformFacts(database, account, now),
    trackFiles: tracks,
    find,
    findConverted,
    namesake,
    /** Returns the recordings of a time (ms since 1970) that were sent or are being sent. */
    rides({ startedAt, endedAt }: Pick<Shape, 'startedAt' | 'endedAt'>): LedgerRide[] {
      return ridesBetween(database, account, startedAt, endedAt);
    },
    /**
     * Claims a recording for this process. A row that a dead process left pending is taken over: it is
     * sent again, and the service recognises it by its hash (interface 4.4).
     *
     * @param force claims it even if it is confirmed; it then stays confirmed
     */
    claim(recording: ClaimedRecording, force: boolean): Claim {
      const { sha256, path, track } = recording;
      const claim = transaction(database, () => {
        if (track !== undefined) rekey(sha256, track);
        const found = rowOf(sha256);
        const state = claimState(found, force);
        if (state !== 'yours') return state;
        if (isNamesakeSent(recording, force)) return 'busy';
        if (found === undefined) insert(recording);
        else if (found.state === 'confirmed') {
          database.run`
            UPDATE uploads SET owner = ${mark.id}
            WHERE account = ${account} AND sha256 = ${sha256}`;
        } else {
          database.run`
            UPDATE uploads SET state = 'pending', owner = ${mark.id}, path = ${path},
              changed_at = ${now()}
            WHERE account = ${account} AND sha256 = ${sha256}`;
        }
        return state;
      });
      if (claim === 'yours') mark.begin(workOf(sha256));
      return claim;
    },
    /** Marks a recording as held: another recording of the same ride was sent. */
    hold(recording: ClaimedRecording): void {
      const { sha256 } = recording;
      transaction(database, () => {
        if (rowOf(sha256) === undefined) insert(recording, 'held');
        else
          database.run`
            UPDATE uploads SET state = 'held', changed_at = ${now()}
            WHERE account = ${account} AND sha256 = ${sha256} AND owner IS NULL
              AND state IN ('pending', 'rejected')`;
      });
    },
    /** Forgets a conversion that others cover, if the service never confirmed it: no run sends it now. */
    dismiss(sha256: string): void {
      const row = rowOf(sha256);
      if (row === undefined || !isFree(row)) return;
      database.run`
        DELETE FROM uploads
        WHERE account = ${account} AND sha256 = ${row.sha256} AND state IN ('pending', 'rejected')`;
    },
    releaseHeld,
    confirm(sha256: string, attempts: number, service: Readonly<Record<string, unknown>>): void {
      end(
        sha256,
        () =>
          database.run`
            UPDATE uploads SET state = 'confirmed', owner = NULL, attempts = attempts + ${attempts},
              service = ${JSON.stringify(service)}, message = NULL, changed_at = ${now()},
              refusals = 0, faults = 0, faults_since = NULL, faulted_at = NULL, verified_at = NULL
            WHERE account = ${account} AND sha256 = ${sha256}`,
      );
    },
    /** Records a refusal. A recording that the service took before stays confirmed. */
    reject(sha256: string, attempts: number, message: string): void {
      end(sha256, () => {
        const rejected = database.run`
          UPDATE uploads SET state = 'rejected', owner = NULL, attempts = attempts + ${attempts},
            message = ${message}, changed_at = ${now()}, refusals = refusals + 1
          WHERE account = ${account} AND sha256 = ${sha256} AND state <> 'confirmed'`;
        if (rejected === 0) giveUp(sha256, attempts);
      });
    },
    /** Records that `attempts` requests did not deliver it: it stays pending, and any process may claim it. */
    release(sha256: string, attempts: number): void {
      end(sha256, () => giveUp(sha256, attempts));
    },
    /**
     * Counts that the service failed (500) on a claimed recording, or refused it without a reason.
     *
     * @param run when the run began (ms since the epoch); undefined for a long-running process, which
     *   counts once an hour.
     * @returns the count, if the service took another recording meanwhile; else 0.
     */
    countFault(sha256: string, run: number | undefined): number {
      const at = now();
      const gap = run === undefined ? FAULT_GAP_MS : 0;
      database.run`
        UPDATE uploads SET faults = faults + 1, faulted_at = ${at},
          faults_since = coalesce(faults_since, ${run}, changed_at)
        WHERE account = ${account} AND sha256 = ${sha256}
          AND (faulted_at IS NULL OR faulted_at <= ${at - gap})`;
      const row = database.get`
        SELECT faults FROM uploads AS failing
        WHERE account = ${account} AND sha256 = ${sha256} AND EXISTS (
          SELECT 1 FROM uploads WHERE account = failing.account AND sha256 <> failing.sha256
            AND state = 'confirmed' AND changed_at >= failing.faults_since)`;
      return (row as { faults: number } | undefined)?.faults ?? 0;
    },
    /**
     * Returns confirmed recordings, the oldest confirmation first; times in ms since the epoch.
     *
     * @param which `unverified`: only recordings never compared with the workouts of the platform. `until`: when
     *   the last one was confirmed. `begun`: when the first and the last one began, or was confirmed if that is
     *   unknown. `undoing`: also recordings whose undo is open
     */
    confirmed(
      which: {
        readonly unverified?: boolean;
        readonly until?: number | undefined;
        readonly begun?: readonly [from: number, to: number];
        readonly undoing?: boolean;
      } = {},
    ): ConfirmedUpload[] {
      const { unverified = false, until = Number.MAX_SAFE_INTEGER, begun, undoing = false } = which;
      const [from, to] = begun ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
      // Nearly every row is confirmed: an index would only add a look-up for each.
      const rows = database.all`
        SELECT * FROM uploads NOT INDEXED
        WHERE account = ${account} AND changed_at <= ${until}
          AND (state = 'confirmed' OR (state = 'undoing' AND ${Number(undoing)}))
          AND (verified_at IS NULL OR NOT ${Number(unverified)})
          AND coalesce(started_at, changed_at) BETWEEN ${from} AND ${to}
        ORDER BY changed_at`;
      return (rows as UploadRow[]).map(decodeConfirmed);
    },
    /** Records that the request to remove a workout is about to leave. */
    beginUndo(sha256: string, workoutId: string): void {
      const begin = () => database.run`
        UPDATE uploads SET state = 'undoing', service = json_set(service, '$.workoutId', ${workoutId})
        WHERE account = ${account} AND sha256 = ${sha256} AND state = 'confirmed'`;
      durably(database, begin);
    },
    /** Records that the workout of an open undo is there. */
    cancelUndo(sha256: string): void {
      database.run`
        UPDATE uploads SET state = 'confirmed'
        WHERE account = ${account} AND sha256 = ${sha256} AND state = 'undoing'`;
    },
    /** Records that the workout of an open undo is gone. */
    endUndo(sha256: string): void {
      database.run`
        UPDATE uploads SET state = 'undone', changed_at = ${now()}
        WHERE account = ${account} AND sha256 = ${sha256} AND state = 'undoing'`;
      tracks.uncover();
      releaseHeld();
    },
    /** Forgets a recording that the service took or that was taken back: the next run sends it again. */
    forget(sha256: string): void {
      database.run`
        DELETE FROM uploads
        WHERE account = ${account} AND sha256 = ${sha256}
          AND state IN ('confirmed', 'undoing', 'undone')`;
      tracks.uncover();
      releaseHeld();
    },
    /**
     * Returns the path and the size (bytes) of each recording that the service took, or that was taken back, and
     * of each file without an activity.
     */
    settledFiles(): readonly { readonly path: string; readonly size: number }[] {
      return database.all`
        SELECT path, size FROM uploads NOT INDEXED
        WHERE account = ${account} AND state IN ('confirmed', 'undoing', 'undone', 'held')
        UNION ALL SELECT path, size FROM known_files WHERE verdict = 'not-an-activity'` as {
        path: string;
        size: number;
      }[];
    },
    /** Records that they were compared with the workouts of the platform. @returns those that never were before */
    markVerified(uploads: readonly ConfirmedUpload[]): readonly ConfirmedUpload[] {
      return transaction(database, () =>
        uploads.filter(({ sha256, confirmedAt }) => {
          const marked = database.run`
            UPDATE uploads SET verified_at = ${now()}
            WHERE account = ${account} AND sha256 = ${sha256} AND state = 'confirmed'
              AND changed_at = ${confirmedAt} AND verified_at IS NULL`;
          return marked === 1;
        }),
      );
    },
    counts(): Readonly<Record<LedgerUpload['state'], number>> {
      // Nearly every row is confirmed and of this account. Counting the whole table, and subtracting the
      // others, is three times as fast: SQLite adds up the pages of the smallest index.
      return database.get`
        WITH parts AS MATERIALIZED (SELECT
          (SELECT count(*) FROM uploads) AS total,
          (SELECT count(*) FROM uploads WHERE account < ${account}) +
            (SELECT count(*) FROM uploads WHERE account > ${account}) AS others,
          (SELECT count(*) FROM uploads WHERE account = ${account} AND state = 'pending') AS pending,
          (SELECT count(*) FROM uploads WHERE account = ${account} AND state = 'rejected') AS rejected,
          (SELECT count(*) FROM uploads WHERE account = ${account} AND state = 'undoing') AS undoing,
          (SELECT count(*) FROM uploads WHERE account = ${account} AND state = 'undone') AS undone,
          (SELECT count(*) FROM uploads WHERE account = ${account} AND state = 'held') AS held)
        SELECT pending, total - others - pending - rejected - undoing - undone - held AS confirmed,
          rejected, undoing, undone, held
        FROM parts` as Record<LedgerUpload['state'], number>;
    },
    /** Returns the time of the last confirmation (ms since the epoch). */
    lastConfirmedAt(): number | undefined {
      const row = database.get`
        SELECT max(changed_at) AS at FROM uploads
        WHERE account = ${account} AND state = 'confirmed'`;
      return (row as { at: number | null }).at ?? undefined;
    },
    /** Returns the confirmed recordings that began last, the newest first. */
    latest(limit: number): LedgerUpload[] {
      const rows = database.all`
        SELECT * FROM uploads WHERE account = ${account} AND state = 'confirmed'
        ORDER BY started_at DESC LIMIT ${limit}`;
      return (rows as UploadRow[]).map(decode);
    },
    /** Returns recordings in any state that began in `[from, to)` (ms since the epoch), in that order. */
    startedBetween(from: number, to: number): LedgerUpload[] {
      const rows = database.all`
        SELECT * FROM uploads
        WHERE account = ${account} AND started_at >= ${from} AND started_at < ${to}
        ORDER BY started_at`;
      return (rows as UploadRow[]).map(decode);
    },
    /** Returns recordings that the service does not have, the latest change first. */
    undelivered(limit: number): LedgerUpload[] {
      // Without the name of the index SQLite reads every row: it does not know that few match.
      const rows = database.all`
        SELECT * FROM uploads INDEXED BY uploads_changed
        WHERE account = ${account} AND state IN ('pending', 'rejected')
        ORDER BY changed_at DESC LIMIT ${limit}`;
      return (rows as UploadRow[]).map(decode);
    },
    /** Returns the mark of the process that is sending a recording. */
    senderOf(sha256: string): string | undefined {
      return rowOf(sha256)?.owner ?? undefined;
    },
  };

  /** Lets each held recording be judged again. One that was sent before it was held may have arrived. */
  function releaseHeld(): void {
    database.run`
      UPDATE uploads SET state = 'pending'
      WHERE account = ${account} AND state = 'held' AND attempts > 0`;
    database.run`DELETE FROM uploads WHERE account = ${account} AND state = 'held'`;
  }

  /** @param digest of a conversion: another version of the converter may have made other bytes of its points */
  function find(sha256: string, digest?: string): LedgerUpload | undefined {
    const converted = digest === undefined ? undefined : findConverted(digest);
    if (converted !== undefined) return converted;
    const found = rowOf(sha256);
    return found === undefined ? undefined : decode(found);
  }

  /** Finds a GPX or TCX activity by the digest of its points, whichever version converted it. */
  function findConverted(digest: string): LedgerUpload | undefined {
    const row = database.get`
      SELECT * FROM uploads WHERE account = ${account} AND digest = ${digest}`;
    return row === undefined ? undefined : decode(row as UploadRow);
  }

  /**
   * Returns the longest other recording that was sent, or may have been, and that becomes the same workout:
   * start and file name identify one.
   */
  function namesake({
    sha256,
    activity,
    workout,
  }: Pick<ClaimedRecording, 'sha256' | 'activity' | 'workout'>): Namesake | undefined {
    const rows = database.all`
      SELECT * FROM uploads
      WHERE account = ${account} AND started_at = ${activity.startedAt}
        AND sent_as = ${workout.sentAs} AND sha256 <> ${sha256}
        AND (state IN ('confirmed', 'undoing')
          OR (state = 'pending' AND (attempts > 0 OR owner IS NOT NULL)))
      ORDER BY recorded_secs DESC`;
    // A request may have left before its process was killed.
    const isOver = (row: UploadRow) => row.state !== 'pending' || isFree(row);
    const row = (rows as UploadRow[]).find(isOver);
    return row && { path: row.path, recordedSecs: row.recorded_secs ?? undefined };
  }

  /** Returns whether another process has sent a longer namesake meanwhile, or a task sends one now. */
  function isNamesakeSent(recording: ClaimedRecording, force: boolean): boolean {
    const { sha256, activity, workout } = recording;
    if (!force && isShorter(workout, namesake(recording))) return true;
    const others = database.all`
      SELECT * FROM uploads
      WHERE account = ${account} AND started_at = ${activity.startedAt}
        AND sent_as = ${workout.sentAs} AND sha256 <> ${sha256} AND owner IS NOT NULL`;
    return (others as UploadRow[]).some((other) => !isFree(other));
  }

  /** Gives the row of an activity the hash of what this version made of it. */
  function rekey(sha256: string, { digest, converter }: ConvertedFrom): void {
    database.run`
      UPDATE OR IGNORE uploads SET sha256 = ${sha256}, converter = ${converter}
      WHERE account = ${account} AND digest = ${digest} AND sha256 <> ${sha256}`;
  }

  function insert(
    { sha256, path, size, activity, workout, shape, track }: ClaimedRecording,
    state: 'pending' | 'held' = 'pending',
  ): void {
    const owner = state === 'pending' ? mark.id : undefined;
    const { name, startedAt, offsetMinutes, movingSecs, distanceMeters } = activity;
    database.run`
      INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at,
        name, started_at, offset_minutes, moving_secs, distance_meters,
        duration_secs, recorded_secs, recorded_meters, sent_as,
        digest, converter, ended_at, sport, file_id)
      VALUES (${account}, ${sha256}, ${state}, ${owner}, ${path}, ${size}, ${now()},
        ${name}, ${startedAt}, ${offsetMinutes}, ${movingSecs}, ${distanceMeters},
        ${workout.durationSecs}, ${workout.recordedSecs}, ${workout.recordedMeters}, ${workout.sentAs},
        ${track?.digest}, ${track?.converter}, ${shape?.endedAt}, ${shape?.sport}, ${shape?.fileId})`;
    if (shape === undefined) return;
    database.run`
      INSERT OR REPLACE INTO shapes (upload, shape) VALUES (last_insert_rowid(), ${JSON.stringify(shape)})`;
  }

  function giveUp(sha256: string, attempts: number): void {
    database.run`
      UPDATE uploads SET owner = NULL, attempts = attempts + ${attempts}
      WHERE account = ${account} AND sha256 = ${sha256} AND owner = ${mark.id}`;
  }

  function rowOf(sha256: string): UploadRow | undefined {
    return database.get`
      SELECT * FROM uploads WHERE account = ${account} AND sha256 = ${sha256}` as
      UploadRow | undefined;
  }

  function workOf(sha256: string): string {
    return `upload ${account} ${sha256}`;
  }

  function end(sha256: string, write: () => void): void {
    try {
      write();
    } finally {
      mark.end(workOf(sha256));
    }
  }

  function claimState(found: UploadRow | undefined, force: boolean): Claim {
    if (found === undefined) return 'yours';
    const { state } = found;
    const isOpen = state === 'pending' || state === 'rejected' || state === 'held';
    if (!isOpen && !force) return state;
    return isFree(found) ? 'yours' : 'busy';
  }

  function isFree({ owner, sha256 }: UploadRow): boolean {
    return owner === null || mark.isAbandoned(owner, workOf(sha256));
  }
}

/** Returns whether a recording would replace the workout of a longer one. */
export function isShorter(
  { recordedSecs = Infinity }: Pick<WorkoutFacts, 'recordedSecs'>,
  sent: Namesake | undefined,
): boolean {
  // A damaged file may have a negative duration.
  return sent !== undefined && recordedSecs < (sent.recordedSecs ?? 0);
}
