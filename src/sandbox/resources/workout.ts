import FitParser from 'fit-file-parser';

type Parsed = Awaited<ReturnType<FitParser['parseAsync']>>;

export type FitSession = NonNullable<Parsed['sessions']>[number];
export type FitRecord = NonNullable<Parsed['records']>[number];

/** Decodes a recording. One that cannot be decoded is empty: its upload has long been answered. */
export async function readFit(bytes: Uint8Array) {
  try {
    const parser = new FitParser({ mode: 'list', force: true });
    // The parser needs a Buffer with its own ArrayBuffer.
    const parsed = await parser.parseAsync(Buffer.from(bytes));
    const { file_ids: [fileId] = [], sessions = [], records = [] } = parsed;
    const isCut = fileId?.type === 'activity' && sessions.length === 0;
    return { sessions: isCut ? sessionOf(records) : sessions, records };
  } catch {
    return { sessions: [], records: [] };
  }
}

/** Returns the session of a recording that was cut off before its device wrote one. */
function sessionOf(records: readonly FitRecord[]): FitSession[] {
  const [start, end] = [toMillis(records[0]?.timestamp), toMillis(records.at(-1)?.timestamp)];
  if (start === null || end === null) return [];
  const distance = numberIn(records.at(-1)?.distance);
  return [
    {
      start_time: new Date(start),
      total_timer_time: (end - start) / 1000,
      ...(distance === null ? {} : { total_distance: distance }),
    },
  ];
}

/** The facts about a recording that the workout list shows. */
export type WorkoutFacts = Readonly<NonNullable<ReturnType<typeof factsOf>>>;

const TYPES: Readonly<Record<string, string>> = {
  cycling: 'Ride',
  running: 'Run',
  swimming: 'Swim',
  walking: 'Walk',
  hiking: 'Hike',
  rowing: 'Rowing',
  training: 'WeightTraining',
};

export async function readWorkout(bytes: Uint8Array): Promise<WorkoutFacts | null> {
  return factsOf((await readFit(bytes)).sessions);
}

/**
 * Returns the facts of a recording's first session, as deployed services read a multisport recording;
 * null if it has none (settings, courses, broken data).
 */
export function factsOf([session]: readonly FitSession[]) {
  const startedAt = toMillis(session?.start_time);
  if (session === undefined || startedAt === null) return null;
  const seconds = numberIn(session.total_timer_time ?? session.total_elapsed_time);
  return {
    /** ms since 1970-01-01T00:00:00Z */
    startedAt,
    type: typeOf(session),
    /** s, without pauses */
    durationSec: seconds === null ? null : Math.round(seconds),
    /** m */
    distanceMeters: numberIn(session.total_distance),
    // Some devices write 0 W or 0 bpm if they have no such sensor.
    averageWatts: numberIn(session.avg_power) || null,
    averageHr: numberIn(session.avg_heart_rate) || null,
    tss: numberIn(session.training_stress_score),
  };
}

function typeOf(session: FitSession): string {
  const sport = String(session.sport ?? 'generic');
  return TYPES[sport] ?? sport.charAt(0).toUpperCase() + sport.slice(1);
}

function toMillis(time: unknown): number | null {
  return time instanceof Date ? numberIn(time.getTime()) : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
