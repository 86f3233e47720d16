import { basename } from 'node:path';
import type { Database } from './guard.ts';
import type { ConfirmedUpload, LedgerUpload } from './uploads.ts';

/** The SQL of `uploads.ts`: its statements, and the rows that they return. */

const COLUMNS = `sha256, state, owner, path, size, attempts, refusals, service, message, changed_at,
  name, started_at, offset_minutes, moving_secs, distance_meters`;

const INSERT = `INSERT INTO uploads (account, sha256, state, owner, path, size, changed_at,
    name, started_at, offset_minutes, moving_secs, distance_meters)
  VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function prepareStatements(database: Database) {
  return {
    select: database.prepare(`SELECT ${COLUMNS} FROM uploads WHERE account = ? AND sha256 = ?`),
    latest: database.prepare(
      `SELECT ${COLUMNS} FROM uploads WHERE account = ? AND state = 'confirmed'
       ORDER BY started_at DESC LIMIT ?`,
    ),
    started: database.prepare(
      `SELECT ${COLUMNS} FROM uploads WHERE account = ? AND started_at >= ? AND started_at < ?
       ORDER BY started_at`,
    ),
    // Without the name of the index SQLite reads every row: it does not know that few match.
    undelivered: database.prepare(
      `SELECT ${COLUMNS} FROM uploads INDEXED BY uploads_changed
       WHERE account = ? AND state IN ('pending', 'rejected')
       ORDER BY changed_at DESC LIMIT ?`,
    ),
    take: database.prepare(
      `${INSERT} ON CONFLICT (account, sha256) DO UPDATE SET
         state = 'pending', owner = excluded.owner, path = excluded.path, changed_at = excluded.changed_at`,
    ),
    retake: database.prepare('UPDATE uploads SET owner = ? WHERE account = ? AND sha256 = ?'),
    takeFirst: database.prepare(`${INSERT} ON CONFLICT DO NOTHING`),
    confirm: database.prepare(
      `UPDATE uploads
       SET state = 'confirmed', owner = NULL, attempts = attempts + ?, service = ?, message = NULL, changed_at = ?,
         refusals = 0, faults = 0, faults_since = NULL, faulted_at = NULL, verified_at = NULL,
         duration_secs = ?, sent_as = ?
       WHERE account = ? AND sha256 = ?`,
    ),
    reject: database.prepare(
      `UPDATE uploads
       SET state = 'rejected', owner = NULL, attempts = attempts + ?, message = ?, changed_at = ?,
         refusals = refusals + 1
       WHERE account = ? AND sha256 = ? AND state <> 'confirmed'`,
    ),
    release: database.prepare(
      `UPDATE uploads SET owner = NULL, attempts = attempts + ?
       WHERE account = ? AND sha256 = ? AND owner = ?`,
    ),
    countFault: database.prepare(
      `UPDATE uploads
       SET faults = faults + 1, faults_since = coalesce(faults_since, ?, changed_at), faulted_at = ?
       WHERE account = ? AND sha256 = ? AND (faulted_at IS NULL OR faulted_at <= ?)`,
    ),
    faults: database.prepare(
      `SELECT faults FROM uploads AS failing WHERE account = ? AND sha256 = ? AND EXISTS (
         SELECT 1 FROM uploads WHERE account = failing.account AND sha256 <> failing.sha256
         AND state = 'confirmed' AND changed_at >= failing.faults_since)`,
    ),
    // Nearly every row is confirmed: an index would only add a look-up for each.
    listConfirmed: database.prepare(
      `SELECT sha256, path, service, started_at, moving_secs, distance_meters, duration_secs, sent_as,
         changed_at
       FROM uploads NOT INDEXED
       WHERE account = ? AND state = 'confirmed' AND changed_at < ? AND (verified_at IS NULL OR NOT ?)
       ORDER BY changed_at`,
    ),
    listSettled: database.prepare(
      `SELECT path, size FROM uploads NOT INDEXED
       WHERE account = ? AND state IN ('confirmed', 'undone')
       UNION ALL SELECT path, size FROM known_files WHERE verdict = 'not-an-activity'`,
    ),
    undo: database.prepare(
      `UPDATE uploads SET state = 'undone', changed_at = ?
       WHERE account = ? AND sha256 = ? AND state = 'confirmed'`,
    ),
    forget: database.prepare(
      `DELETE FROM uploads WHERE account = ? AND sha256 = ? AND state = 'confirmed'`,
    ),
    verify: database.prepare('UPDATE uploads SET verified_at = ? WHERE account = ? AND sha256 = ?'),
    // Nearly every row is confirmed and of this account. Counting the whole table, and subtracting the
    // others, is three times as fast: SQLite adds up the pages of the smallest index.
    count: database.prepare(
      `WITH parts AS MATERIALIZED (SELECT
         (SELECT count(*) FROM uploads) AS total,
         (SELECT count(*) FROM uploads WHERE account < ?1) +
           (SELECT count(*) FROM uploads WHERE account > ?1) AS others,
         (SELECT count(*) FROM uploads WHERE account = ?1 AND state = 'pending') AS pending,
         (SELECT count(*) FROM uploads WHERE account = ?1 AND state = 'rejected') AS rejected,
         (SELECT count(*) FROM uploads WHERE account = ?1 AND state = 'undone') AS undone)
       SELECT pending, total - others - pending - rejected - undone AS confirmed, rejected, undone
       FROM parts`,
    ),
    last: database.prepare(
      `SELECT max(changed_at) AS at FROM uploads WHERE account = ? AND state = 'confirmed'`,
    ),
  };
}

export interface UploadRow {
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
  readonly name: string | null;
  readonly started_at: number | null;
  readonly offset_minutes: number | null;
  readonly moving_secs: number | null;
  readonly distance_meters: number | null;
}

/** Converts a row of {@link prepareStatements}' `select` and lists. */
export function decode(row: UploadRow): LedgerUpload {
  return {
    sha256: row.sha256,
    state: row.state,
    path: row.path,
    size: row.size,
    activity: {
      name: row.name ?? undefined,
      startedAt: row.started_at ?? undefined,
      offsetMinutes: row.offset_minutes ?? undefined,
      movingSecs: row.moving_secs ?? undefined,
      distanceMeters: row.distance_meters ?? undefined,
    },
    attempts: row.attempts,
    refusals: row.refusals,
    service: row.state === 'confirmed' ? (JSON.parse(row.service) as Record<string, unknown>) : {},
    message: row.message ?? undefined,
    changedAt: row.changed_at,
  };
}

export interface ConfirmedRow {
  readonly sha256: string;
  readonly path: string;
  readonly service: string;
  readonly started_at: number | null;
  readonly moving_secs: number | null;
  readonly distance_meters: number | null;
  readonly duration_secs: number | null;
  readonly sent_as: string | null;
  readonly changed_at: number;
}

/** Converts a row of `listConfirmed`. */
export function decodeConfirmed(row: ConfirmedRow): ConfirmedUpload {
  const { workoutId } = JSON.parse(row.service) as { workoutId?: unknown };
  return {
    sha256: row.sha256,
    path: row.path,
    confirmedAt: row.changed_at,
    startedAt: row.started_at ?? undefined,
    movingSecs: row.moving_secs ?? undefined,
    distanceMeters: row.distance_meters ?? undefined,
    durationSecs: row.duration_secs ?? undefined,
    sentAs: row.sent_as ?? basename(row.path),
    workoutId: typeof workoutId === 'string' ? workoutId : undefined,
  };
}
