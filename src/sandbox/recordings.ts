import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { Store } from './store.ts';
import { readWorkout } from './workout.ts';

/** An uploaded recording as the platform holds it. */
export interface RecordingState {
  readonly fitFileId: string;
  readonly sha256: string;
  /** bytes */
  readonly size: number;
  readonly fileName: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** How often these bytes came in: 1 is exactly once. */
  readonly receivedCount: number;
  readonly firstReceivedAt: string;
  readonly lastReceivedAt: string;
  /** `queued`: not looked into yet; `none`: it holds no workout; `discarded`: its bytes were not kept. */
  readonly processing: 'queued' | 'workout' | 'none' | 'discarded';
}

/** An entry of `GET /api/workouts`. */
export interface Workout {
  readonly id: string;
  /** Start, ISO 8601 in UTC. */
  readonly date: string;
  readonly title: string;
  readonly type: string;
  readonly durationSec: number | null;
  readonly distanceMeters: number | null;
  readonly averageWatts: number | null;
  readonly averageHr: number | null;
  readonly tss: number | null;
  readonly source: string;
  readonly fitFileId: string;
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
}

type Label = Pick<NewRecording, 'fileName' | 'name' | 'metadata'>;

/** The recordings of all athletes, each held once per athlete and SHA-256. */
export class Recordings {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #sql: Record<
    | 'find'
    | 'add'
    | 'update'
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
        'INSERT INTO recordings (athlete_id, sha256, size, label, received_count, first_received_at, last_received_at, processing) VALUES (?, ?, ?, ?, 1, ?, ?, ?)',
      ),
      update: db.prepare(
        'UPDATE recordings SET label = ?, received_count = received_count + 1, last_received_at = ? WHERE id = ?',
      ),
      addBytes: db.prepare('INSERT INTO recording_bytes (recording_id, bytes) VALUES (?, ?)'),
      bytes: db.prepare(
        'SELECT bytes FROM recording_bytes JOIN recordings ON recordings.id = recording_id WHERE sha256 = ? AND athlete_id LIKE ? LIMIT 1',
      ),
      list: db.prepare('SELECT * FROM recordings WHERE athlete_id = ? ORDER BY id'),
      queued: db.prepare(
        `SELECT id, bytes FROM recordings JOIN recording_bytes ON recording_id = id WHERE athlete_id = ? AND processing = 'queued' ORDER BY id LIMIT 1`,
      ),
      process: db.prepare(
        'UPDATE recordings SET processing = ?, started_at = ?, type = ?, workout = ? WHERE id = ?',
      ),
      workouts: db.prepare(
        `SELECT * FROM recordings WHERE athlete_id = ?1 AND processing = 'workout'
         AND (?2 IS NULL OR started_at >= ?2) AND (?3 IS NULL OR started_at < ?3)
         AND (?4 IS NULL OR type = ?4) ORDER BY started_at DESC, id DESC LIMIT ?5 OFFSET ?6`,
      ),
      clear: db.prepare('DELETE FROM recordings'),
      clearBytes: db.prepare('DELETE FROM recording_bytes'),
    };
  }

  /**
   * Holds a recording: a new one is added, a known one takes the name and metadata of this upload.
   */
  receive(
    athleteId: string,
    recording: NewRecording,
    options: { discardBytes: boolean },
  ): { fitFileId: string; duplicate: boolean; workoutId: string | null } {
    const now = this.#now();
    const label = JSON.stringify({
      fileName: recording.fileName,
      name: recording.name,
      metadata: recording.metadata,
    } satisfies Label);
    const known = this.#sql.find.get(athleteId, recording.sha256) as Row | undefined;
    if (known !== undefined) {
      this.#sql.update.run(label, now, known.id);
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
      label,
      now,
      now,
      options.discardBytes ? 'discarded' : 'queued',
    );
    const id = Number(added.lastInsertRowid);
    if (!options.discardBytes) this.#sql.addBytes.run(id, recording.bytes);
    return { fitFileId: fitFileId(id), duplicate: false, workoutId: null };
  }

  /** In the order of first arrival. */
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

  /** The bytes as they were received; null where nobody, or not this athlete, uploaded them. */
  bytes(sha256: string, athleteId?: string): Uint8Array | null {
    const row = this.#sql.bytes.get(sha256, athleteId ?? '%') as { bytes: Uint8Array } | undefined;
    return row?.bytes ?? null;
  }

  /**
   * The athlete's workouts, newest first. Reads what was uploaded since the last call: decoding at
   * upload time would make every upload wait for it.
   */
  async workouts(athleteId: string, filter: WorkoutFilter): Promise<Workout[]> {
    await this.#processQueue(athleteId);
    const rows = this.#sql.workouts.all(
      athleteId,
      filter.from,
      filter.before,
      filter.type,
      filter.limit,
      filter.offset,
    ) as Row[];
    return rows.map(toWorkout);
  }

  clear(): void {
    this.#store.transaction(() => {
      this.#sql.clear.run();
      this.#sql.clearBytes.run();
    });
  }

  async #processQueue(athleteId: string): Promise<void> {
    for (;;) {
      const next = this.#sql.queued.get(athleteId) as { id: number; bytes: Uint8Array } | undefined;
      if (next === undefined) return;
      const facts = await readWorkout(Buffer.from(next.bytes));
      this.#sql.process.run(
        facts === null ? 'none' : 'workout',
        facts?.startedAt ?? null,
        facts?.type ?? null,
        facts === null ? null : JSON.stringify(facts),
        next.id,
      );
    }
  }
}

function toWorkout(row: Row): Workout {
  const { startedAt, ...facts } = JSON.parse(row.workout ?? '{}') as { startedAt: number } & Omit<
    Workout,
    'id' | 'date' | 'title' | 'source' | 'fitFileId'
  >;
  const label = JSON.parse(row.label) as Label;
  return {
    id: workoutId(row.id),
    date: new Date(startedAt).toISOString(),
    title: label.name ?? facts.type,
    ...facts,
    source: 'upload',
    fitFileId: fitFileId(row.id),
  };
}

function fitFileId(id: number): string {
  return `fit-${id}`;
}

function workoutId(id: number): string {
  return `workout-${id}`;
}
