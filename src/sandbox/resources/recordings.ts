import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { Store } from '../store.ts';
import { readWorkout, type WorkoutFacts } from './workout.ts';

/** A stored recording. */
export interface RecordingState {
  readonly fitFileId: string;
  readonly sha256: string;
  /** bytes */
  readonly size: number;
  readonly fileName: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Number of times these bytes were received. */
  readonly receivedCount: number;
  readonly firstReceivedAt: string;
  readonly lastReceivedAt: string;
  /** `queued`: not processed yet; `none`: no workout; `discarded`: the bytes were not kept. */
  readonly processing: 'queued' | 'workout' | 'none' | 'discarded';
}

/** An entry of `GET /api/workouts`. */
export interface Workout {
  readonly id: string;
  readonly userId: string;
  /** `fit_<start in ms>_<file name>`, with `_` for each non-word character of the name. */
  readonly externalId: string;
  readonly source: 'fit_file';
  /** Start, ISO 8601 in UTC. */
  readonly date: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly type: string;
  readonly durationSec: number | null;
  readonly distanceMeters: number | null;
  readonly averageWatts: number | null;
  readonly averageHr: number | null;
  readonly tss: number | null;
  /** Whether the platform considers it a duplicate of a workout from another source. */
  readonly isDuplicate: boolean;
}

/** The result of storing an upload. */
export interface Received {
  readonly fitFileId: string;
  readonly duplicate: boolean;
  /** null if it has not become a workout. */
  readonly workoutId: string | null;
}

export interface NewRecording {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface WorkoutFilter {
  /** ms, inclusive */
  readonly from: number | null;
  /** ms, exclusive */
  readonly before: number | null;
  readonly type: string | null;
  readonly includeDuplicates: boolean;
  readonly limit: number;
  readonly offset: number;
}

interface Row {
  id: number;
  sha256: string;
  size: number;
  label: string;
  received_count: number;
  first_received_at: number;
  last_received_at: number;
  processing: RecordingState['processing'];
  workout: string | null;
  is_duplicate: 0 | 1;
}

type Label = Pick<NewRecording, 'fileName' | 'name' | 'metadata'>;

/** The recordings of all athletes, stored once per athlete and SHA-256. */
export class Recordings {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #sql: Record<
    | 'find'
    | 'add'
    | 'again'
    | 'requeue'
    | 'mark'
    | 'addBytes'
    | 'bytes'
    | 'list'
    | 'queued'
    | 'process'
    | 'workouts'
    | 'clear'
    | 'clearBytes',
    StatementSyncInstance
  >;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    const { db } = store;
    this.#sql = {
      find: db.prepare('SELECT * FROM recordings WHERE athlete_id = ? AND sha256 = ?'),
      add: db.prepare(
        'INSERT INTO recordings (athlete_id, sha256, size, label, received_count, first_received_at, last_received_at, processing, queued_at) VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6, ?5)',
      ),
      again: db.prepare(
        'UPDATE recordings SET received_count = received_count + 1, last_received_at = ? WHERE id = ?',
      ),
      requeue: db.prepare(
        "UPDATE recordings SET processing = 'queued', queued_at = ? WHERE id = ? AND processing = 'none'",
      ),
      mark: db.prepare(
        'UPDATE recordings SET is_duplicate = ? WHERE athlete_id = ? AND sha256 = ?',
      ),
      addBytes: db.prepare('INSERT INTO recording_bytes (recording_id, bytes) VALUES (?, ?)'),
      bytes: db.prepare(
        'SELECT bytes FROM recording_bytes JOIN recordings ON recordings.id = recording_id WHERE sha256 = ? AND athlete_id LIKE ? LIMIT 1',
      ),
      list: db.prepare('SELECT * FROM recordings WHERE athlete_id = ? ORDER BY id'),
      queued: db.prepare(
        `SELECT id, bytes FROM recordings JOIN recording_bytes ON recording_id = id WHERE athlete_id = ?1 AND processing = 'queued' AND queued_at <= ?2 AND (?3 IS NULL OR sha256 = ?3) ORDER BY id LIMIT 1`,
      ),
      process: db.prepare(
        'UPDATE recordings SET processing = ?, started_at = ?, type = ?, workout = ? WHERE id = ?',
      ),
      workouts: db.prepare(
        `SELECT * FROM recordings WHERE athlete_id = ?1 AND processing = 'workout'
         AND (?2 IS NULL OR started_at >= ?2) AND (?3 IS NULL OR started_at < ?3)
         AND (?4 IS NULL OR type = ?4) AND (?7 OR NOT is_duplicate) ORDER BY started_at DESC, id DESC LIMIT ?5 OFFSET ?6`,
      ),
      clear: db.prepare('DELETE FROM recordings'),
      clearBytes: db.prepare('DELETE FROM recording_bytes'),
    };
  }

  /**
   * Stores a recording. For a known one, name and metadata are ignored, and it is queued again
   * unless it became a workout.
   */
  receive(
    athleteId: string,
    recording: NewRecording,
    options: { discardBytes: boolean },
  ): Received {
    const now = this.#now();
    const known = this.#sql.find.get(athleteId, recording.sha256) as Row | undefined;
    if (known !== undefined) {
      this.#sql.again.run(now, known.id);
      this.#sql.requeue.run(now, known.id);
      return {
        fitFileId: fitFileId(known.id),
        duplicate: true,
        workoutId: known.processing === 'workout' ? workoutId(known.id) : null,
      };
    }
    const added = this.#sql.add.run(
      athleteId,
      recording.sha256,
      recording.bytes.length,
      JSON.stringify({
        fileName: recording.fileName,
        name: recording.name,
        metadata: recording.metadata,
      } satisfies Label),
      now,
      options.discardBytes ? 'discarded' : 'queued',
    );
    const id = Number(added.lastInsertRowid);
    if (!options.discardBytes) this.#sql.addBytes.run(id, recording.bytes);
    return { fitFileId: fitFileId(id), duplicate: false, workoutId: null };
  }

  /** Lists recordings in the order of their first arrival. */
  list(athleteId: string): RecordingState[] {
    return (this.#sql.list.all(athleteId) as Row[]).map((row) => ({
      fitFileId: fitFileId(row.id),
      sha256: row.sha256,
      size: row.size,
      ...(JSON.parse(row.label) as Label),
      receivedCount: row.received_count,
      firstReceivedAt: new Date(row.first_received_at).toISOString(),
      lastReceivedAt: new Date(row.last_received_at).toISOString(),
      processing: row.processing,
    }));
  }

  /** Returns the received bytes; null if no athlete, or not this one, uploaded them. */
  bytes(sha256: string, athleteId?: string): Uint8Array | null {
    const row = this.#sql.bytes.get(sha256, athleteId ?? '%') as { bytes: Uint8Array } | undefined;
    return row?.bytes ?? null;
  }

  /** Returns the athlete's processed workouts, newest first. */
  workouts(athleteId: string, filter: WorkoutFilter): Workout[] {
    const rows = this.#sql.workouts.all(
      athleteId,
      filter.from,
      filter.before,
      filter.type,
      filter.limit,
      filter.offset,
      filter.includeDuplicates ? 1 : 0,
    ) as Row[];
    return rows.map((row) => toWorkout(row, athleteId));
  }

  clear(): void {
    this.#store.transaction(() => {
      this.#sql.clear.run();
      this.#sql.clearBytes.run();
    });
  }

  /**
   * Turns due recordings into workouts. Decoding is deferred, so that uploads need not wait for it.
   * @param sha256 processes only this recording
   */
  async process(
    athleteId: string,
    { processingMs }: { processingMs: number | null },
    sha256: string | null = null,
  ): Promise<void> {
    if (processingMs === null) return;
    const before = this.#now() - processingMs;
    for (;;) {
      const next = this.#sql.queued.get(athleteId, before, sha256) as
        { id: number; bytes: Uint8Array } | undefined;
      if (next === undefined) return;
      this.#finish(next.id, await readWorkout(Buffer.from(next.bytes)));
    }
  }

  /** Ends a recording's processing without a workout, and removes an existing one. */
  fail(athleteId: string, sha256: string): void {
    const row = this.#sql.find.get(athleteId, sha256) as Row | undefined;
    if (row !== undefined) this.#finish(row.id, null);
  }

  /** Marks whether a recording's workout duplicates one from another source. */
  mark(athleteId: string, sha256: string, isDuplicate: boolean): void {
    this.#sql.mark.run(isDuplicate ? 1 : 0, athleteId, sha256);
  }

  #finish(id: number, facts: WorkoutFacts | null): void {
    this.#sql.process.run(
      facts === null ? 'none' : 'workout',
      facts?.startedAt ?? null,
      facts?.type ?? null,
      facts === null ? null : JSON.stringify(facts),
      id,
    );
  }
}

function toWorkout(row: Row, athleteId: string): Workout {
  const { startedAt, ...facts } = JSON.parse(row.workout ?? '{}') as WorkoutFacts;
  const { name, fileName } = JSON.parse(row.label) as Label;
  return {
    id: workoutId(row.id),
    userId: athleteId,
    externalId: `fit_${startedAt}_${fileName.replaceAll(/\W/g, '_')}`,
    source: 'fit_file',
    date: new Date(startedAt).toISOString(),
    title: name ?? fileName,
    tags: [],
    ...facts,
    isDuplicate: row.is_duplicate === 1,
  };
}

function fitFileId(id: number): string {
  return `fit-${id}`;
}

function workoutId(id: number): string {
  return `workout-${id}`;
}
