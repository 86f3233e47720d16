import type { Store, Table } from '../store.ts';
import type { RecordingState } from '../types.ts';
import { readWorkout, type WorkoutFacts } from './workout.ts';

/** An entry of `GET /api/workouts`. */
export type SandboxWorkout = Readonly<NonNullable<ReturnType<typeof workoutOf>>>;

export interface NewRecording {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly fileName: string;
  readonly name: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface WorkoutFilter {
  /** ms, inclusive */
  readonly from?: number | undefined;
  /** ms, exclusive */
  readonly before?: number | undefined;
  readonly type?: string | undefined;
  readonly includeDuplicates: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

interface RecordingRow {
  readonly athleteId: string;
  readonly state: RecordingState;
  readonly workoutId: string;
  /** ms since 1970-01-01T00:00:00Z */
  readonly queuedAt: number;
  readonly isDuplicate: boolean;
  /** null unless `processing` is `workout`. */
  readonly facts: WorkoutFacts | null;
}

/** The recordings of all athletes, stored once per athlete and SHA-256. */
export class Recordings {
  readonly #store: Store;
  readonly #table: Table<RecordingRow>;
  /** Number of the newest recording, including removed ones. */
  readonly #last: Table<number>;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#table = store.table('recordings');
    this.#last = store.table('last');
    this.#now = now;
  }

  /**
   * Stores a recording. A known one keeps its metadata, and its name if it became a workout; otherwise
   * it is queued again.
   */
  receive(athleteId: string, { bytes, ...recording }: NewRecording) {
    const now = this.#now();
    const receivedAt = new Date(now).toISOString();
    const key = keyOf(athleteId, recording.sha256);
    const known = this.#table.get(key);
    const isWorkout = known?.state.processing === 'workout';
    const number = (this.#last.get('recording') ?? 0) + 1;
    if (known === undefined) {
      this.#last.put('recording', number);
      this.#store.putBytes(recording.sha256, bytes);
    }
    const { state, workoutId } = this.#table.put(key, {
      athleteId,
      workoutId: `workout-${number}`,
      isDuplicate: false,
      facts: null,
      ...known,
      queuedAt: known?.state.processing === 'queued' ? known.queuedAt : now,
      state: {
        fitFileId: `fit-${number}`,
        size: bytes.length,
        firstReceivedAt: receivedAt,
        ...recording,
        ...known?.state,
        name: isWorkout ? known.state.name : (recording.name ?? known?.state.name ?? null),
        receivedCount: (known?.state.receivedCount ?? 0) + 1,
        lastReceivedAt: receivedAt,
        processing: isWorkout ? 'workout' : 'queued',
      },
    });
    const duplicate = known !== undefined;
    return { fitFileId: state.fitFileId, duplicate, workoutId: isWorkout ? workoutId : null };
  }

  /** Lists recordings in the order of their first arrival. */
  list(athleteId: string): RecordingState[] {
    return this.#of(athleteId).map(({ state }) => state);
  }

  /** Returns the received bytes; null if no athlete, or not this one, uploaded them. */
  bytes(sha256: string, athleteId?: string): Uint8Array | null {
    const isKnown = [...this.#table.values()].some(
      (row) => row.state.sha256 === sha256 && (athleteId ?? row.athleteId) === row.athleteId,
    );
    return isKnown ? new Uint8Array(this.#store.bytes(sha256) ?? []) : null;
  }

  /** Returns the athlete's processed workouts, newest first. */
  workouts(athleteId: string, filter: WorkoutFilter): SandboxWorkout[] {
    const { from = -Infinity, before = Infinity, type, offset = 0, limit = Infinity } = filter;
    const rows = this.#of(athleteId).flatMap((row) => workoutOf(row) ?? []);
    // Of recordings that became one workout, the last one fills it.
    return [...new Map(rows.map((workout) => [workout.id, workout])).values()]
      .filter(
        ({ date, ...workout }) =>
          Date.parse(date) >= from &&
          Date.parse(date) < before &&
          (type ?? workout.type) === workout.type &&
          (filter.includeDuplicates || !workout.isDuplicate),
      )
      .reverse()
      .sort((a, b) => Date.parse(b.date) - Date.parse(a.date))
      .slice(offset, offset + limit);
  }

  /** Renames a workout. @returns null if the athlete has none with this id */
  rename(athleteId: string, workoutId: string, title: string): SandboxWorkout | null {
    const rows = this.#ofWorkout(athleteId, workoutId);
    for (const row of rows) {
      const state = { ...row.state, name: title };
      this.#table.put(keyOf(athleteId, state.sha256), { ...row, state });
    }
    const workouts = this.workouts(athleteId, { includeDuplicates: true });
    return workouts.find(({ id }) => id === workoutId) ?? null;
  }

  /** Removes a workout and its recordings. @returns false if the athlete has none with this id */
  remove(athleteId: string, workoutId: string): boolean {
    const rows = this.#ofWorkout(athleteId, workoutId);
    for (const { state } of rows) this.#table.delete(keyOf(athleteId, state.sha256));
    return rows.length > 0;
  }

  clear(): void {
    this.#table.clear();
    this.#store.clearBytes();
  }

  /**
   * Turns due recordings into workouts. Decoding is deferred, so that uploads need not wait for it.
   * @param sha256 processes only this recording
   */
  async process(
    athleteId: string,
    { processingMs }: { processingMs: number | null },
    sha256?: string,
  ): Promise<void> {
    if (processingMs === null) return;
    const before = this.#now() - processingMs;
    const rows = sha256 === undefined ? this.#of(athleteId) : [this.#find(athleteId, sha256)];
    for (const row of rows) {
      if (row?.state.processing !== 'queued' || row.queuedAt > before) continue;
      const bytes = this.#store.bytes(row.state.sha256) ?? new Uint8Array();
      this.#finish(row, await readWorkout(bytes));
    }
  }

  /**
   * Ends a recording's processing now. `none`: it has no workout; `duplicate`: its workout counts as that of another
   * source.
   */
  async conclude(
    athleteId: string,
    sha256: string,
    outcome: 'workout' | 'none' | 'duplicate',
  ): Promise<void> {
    const row = this.#find(athleteId, sha256);
    if (row === undefined) return;
    if (outcome === 'none') {
      this.#finish(row, null);
    } else {
      this.#table.put(keyOf(athleteId, sha256), { ...row, isDuplicate: outcome === 'duplicate' });
      await this.process(athleteId, { processingMs: 0 }, sha256);
    }
  }

  #of(athleteId: string): RecordingRow[] {
    return [...this.#table.values()].filter((row) => row.athleteId === athleteId);
  }

  #ofWorkout(athleteId: string, workoutId: string): RecordingRow[] {
    return this.#of(athleteId).filter((row) => row.facts !== null && row.workoutId === workoutId);
  }

  #find(athleteId: string, sha256: string): RecordingRow | undefined {
    return this.#table.get(keyOf(athleteId, sha256));
  }

  /** The recording may have arrived again, or have been deleted, while it was decoded. */
  #finish({ athleteId, state: { sha256 } }: RecordingRow, facts: WorkoutFacts | null): void {
    const row = this.#find(athleteId, sha256);
    if (row === undefined) return;
    const state = { ...row.state, processing: facts === null ? 'none' : 'workout' } as const;
    const processed = { ...row, state, facts };
    const externalId = workoutOf(processed)?.externalId;
    // The start first: there may be thousands of others.
    const { workoutId } =
      this.#of(athleteId).find(
        (each) =>
          each.facts !== null &&
          each.facts.startedAt === facts?.startedAt &&
          workoutOf(each)?.externalId === externalId,
      ) ?? row;
    this.#table.put(keyOf(athleteId, sha256), { ...processed, workoutId });
  }
}

/** Returns the workout of a processed recording. Start and file name (`externalId`) identify a workout. */
function workoutOf({ facts: found, ...row }: RecordingRow) {
  if (found === null) return undefined;
  const { startedAt, ...facts } = found;
  const { athleteId, workoutId, isDuplicate, state } = row;
  return {
    id: workoutId,
    userId: athleteId,
    externalId: `fit_${startedAt}_${state.fileName.replaceAll(/\W/g, '_')}`,
    source: 'fit_file',
    date: new Date(startedAt).toISOString(),
    title: state.name ?? state.fileName.replace('.fit', '').replaceAll(/[_-]/g, ' '),
    tags: [],
    ...facts,
    /** Whether the platform takes it for a workout that another source sent. */
    isDuplicate,
  };
}

function keyOf(athleteId: string, sha256: string): string {
  return `${athleteId} ${sha256}`;
}
