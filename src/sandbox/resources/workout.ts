import FitParser from 'fit-file-parser';

type Parsed = Awaited<ReturnType<FitParser['parseAsync']>>;

export type FitSession = NonNullable<Parsed['sessions']>[number];
export type FitRecord = NonNullable<Parsed['records']>[number];

/** The messages of a recording that the platform reads. */
export interface FitContent {
  readonly sessions: readonly FitSession[];
  readonly records: readonly FitRecord[];
}

/** Decodes a recording. One that cannot be decoded is empty: its upload has long been answered. */
export async function readFit(bytes: Uint8Array): Promise<FitContent> {
  try {
    const parser = new FitParser({ mode: 'list', force: true });
    // The parser needs a Buffer with its own ArrayBuffer.
    const { sessions = [], records = [] } = await parser.parseAsync(Buffer.from(bytes));
    return { sessions, records };
  } catch {
    return { sessions: [], records: [] };
  }
}

/** The facts about a recording that the workout list shows. */
export interface WorkoutFacts {
  /** ms since 1970-01-01T00:00:00Z */
  readonly startedAt: number;
  readonly type: string;
  /** s, without pauses */
  readonly durationSec: number | null;
  /** m */
  readonly distanceMeters: number | null;
  /** W */
  readonly averageWatts: number | null;
  /** bpm */
  readonly averageHr: number | null;
  readonly tss: number | null;
}

const TYPES: Readonly<Record<string, string>> = {
  cycling: 'Ride',
  running: 'Run',
  swimming: 'Swim',
  walking: 'Walk',
  hiking: 'Hike',
  rowing: 'Rowing',
  training: 'WeightTraining',
};

/** Reads the facts about a recording. */
export async function readWorkout(bytes: Uint8Array): Promise<WorkoutFacts | null> {
  return factsOf((await readFit(bytes)).sessions);
}

/** Sums up the sessions of a recording; null if it has none (settings, courses, broken data). */
export function factsOf(sessions: readonly FitSession[]): WorkoutFacts | null {
  const starts = sessions.flatMap((session) => toMillis(session.start_time) ?? []);
  if (starts.length === 0) return null;
  const types = new Set(
    sessions.map(typeOf).filter((type) => type !== 'Transition' && type !== 'Generic'),
  );
  const [only = 'Workout'] = types;
  return {
    startedAt: Math.min(...starts),
    type: types.size > 1 ? 'Multisport' : only,
    durationSec: total(sessions, (s) => s.total_timer_time ?? s.total_elapsed_time, Math.round),
    distanceMeters: total(sessions, (s) => s.total_distance, Math.round),
    averageWatts: average(sessions, (s) => s.avg_power),
    averageHr: average(sessions, (s) => s.avg_heart_rate),
    tss: total(
      sessions,
      (s) => s.training_stress_score,
      (sum) => Math.round(sum * 10) / 10,
    ),
  };
}

function typeOf(session: FitSession): string {
  const sport = String(session.sport ?? 'generic');
  if (sport === 'cycling' && session.sub_sport === 'virtual_activity') return 'VirtualRide';
  return TYPES[sport] ?? sport.charAt(0).toUpperCase() + sport.slice(1);
}

function toMillis(time: unknown): number | null {
  const millis =
    time instanceof Date ? time.getTime() : typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isFinite(millis) ? millis : null;
}

function numbers(sessions: readonly FitSession[], pick: (session: FitSession) => unknown) {
  return sessions.flatMap((session) => {
    const value = pick(session);
    const seconds = session.total_timer_time ?? session.total_elapsed_time ?? 0;
    return typeof value === 'number' && Number.isFinite(value) ? [{ value, seconds }] : [];
  });
}

function total(
  sessions: readonly FitSession[],
  pick: (session: FitSession) => unknown,
  round: (sum: number) => number,
): number | null {
  const found = numbers(sessions, pick);
  return found.length === 0 ? null : round(found.reduce((sum, { value }) => sum + value, 0));
}

/** Averages over time, without 0: some devices write 0 if they have no such sensor. */
function average(
  sessions: readonly FitSession[],
  pick: (session: FitSession) => unknown,
): number | null {
  const found = numbers(sessions, pick).filter(({ value }) => value > 0);
  if (found.length === 0) return null;
  const seconds = found.reduce((sum, entry) => sum + entry.seconds, 0);
  if (seconds === 0)
    return Math.round(found.reduce((sum, { value }) => sum + value, 0) / found.length);
  return Math.round(found.reduce((sum, entry) => sum + entry.value * entry.seconds, 0) / seconds);
}
