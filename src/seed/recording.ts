import { sine } from './arithmetic.ts';
import { type Athlete, ftpOn, speedForm, warmth, weightOn } from './athlete.ts';
import { move, RUNNING_POWER } from './motion.ts';
import { stream } from './random.ts';
import { recordsOf } from './records.ts';
import { Loop, Terrain, type Home } from './route.ts';
import { stressOf, totalsOf, type SessionTotals } from './totals.ts';
import type { SegmentKind, SeedSport, Training } from './workouts.ts';

/**
 * The contents of a synthetic recording in the units of the FIT file, so that tests can compare each
 * number with a decoder's. All numbers are integers.
 */
export type RecordingTruth = Performance & {
  /** Local time minus UTC at the end (s), for `local_timestamp`. */
  readonly offset: number;
};

/** A workout as an athlete performed it. */
export type Performance = Readonly<ReturnType<typeof perform>>;

export interface Lap extends LapStart {
  readonly totals: SessionTotals;
}

interface LapStart {
  readonly intensity: SegmentKind;
  readonly trigger: LapTrigger;
}

export type LapTrigger = 'manual' | 'distance' | 'session_end';

interface Circumstances {
  readonly athlete: Athlete;
  /** Days before the race. */
  readonly index: number;
  readonly home: Home;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
}

/** Number of routes that the athlete uses for each sport. */
const ROUTES: Readonly<Record<SeedSport, number>> = { cycling: 6, running: 4 };

export function perform(workout: Training, circumstances: Circumstances) {
  const { athlete, index, home, start } = circumstances;
  const { sport, indoors } = workout;
  const cycling = sport === 'cycling';
  const random = stream(athlete.seed, 'session', index);
  const weight = weightOn(athlete, index);
  const route = random.integer(1, ROUTES[sport]) + (cycling ? 0 : 100);
  const terrain = new Terrain(athlete.seed, route, home.altitude, cycling ? 1 : 0.6);
  const runThreshold = athlete.runThreshold * speedForm(index);
  const heat = temperatureAt(index, workout.startMinute) + random.between(-3, 3);
  const threshold = cycling
    ? ftpOn(athlete, index)
    : Math.round(weight * runThreshold * RUNNING_POWER);
  const conditions = { athlete, weight, threshold, runThreshold, heat, terrain, random };
  const motion = move(workout, conditions);
  let millimetres = 0;
  for (const step of motion.step) millimetres += step;
  const length = millimetres / 1000;
  const loop = indoors ? null : new Loop(athlete.seed, route, home, length);
  const basis = { sport, start, weight, origin: loop && loop.at(0) };
  const { records, pauses } = recordsOf(motion, {
    start,
    path: loop && { loop, altitude: (metres) => terrain.altitude(metres, length) },
    heat: indoors ? random.between(18, 20.5) : heat,
    warming: indoors ? 3.5 : 1.2,
  });
  let from = 0;
  const laps = lapEndsOf(workout, records.distance).map(({ end, ...lap }): Lap => {
    const totals = totalsOf(records, from, end, basis);
    from = end;
    return { ...lap, totals };
  });
  const totals = totalsOf(records, 0, records.timestamp.length, basis);
  const subSport = indoors ? 'indoor_cycling' : 'road';
  return {
    sport,
    subSport: cycling ? subSport : 'generic',
    /** Seconds since 1970-01-01T00:00:00Z. */
    start,
    end: totals.end,
    device: athlete.character.device,
    serial: athlete.serial,
    /** One per second while the timer runs, at the end of that second. */
    records,
    laps,
    pauses,
    totals,
    /** Threshold power for the training stress (W). */
    thresholdPower: threshold,
    /** Training stress score in tenths. */
    trainingStress: stressOf(totals.timer, totals.normalizedPower, threshold),
    /** Thousandths. */
    intensityFactor: Math.round((totals.normalizedPower * 1000) / threshold),
  } as const;
}

interface LapEnd extends LapStart {
  /** Number of records before the end. */
  readonly end: number;
}

/** Ends laps at the segments of intervals and on a trainer, otherwise every 10 km (on foot 1 km). */
function lapEndsOf({ sport, segments, indoors, race }: Training, distance: Int32Array): LapEnd[] {
  const ends: LapEnd[] = [];
  if (!race && (indoors || segments.some(({ kind }) => kind === 'interval'))) {
    let end = 0;
    for (const { seconds, kind } of segments) {
      end += seconds;
      const trigger = end === distance.length ? 'session_end' : 'manual';
      ends.push({ end, intensity: kind, trigger });
    }
    return ends;
  }
  const every = sport === 'cycling' ? 1_000_000 : 100_000;
  let next = every;
  distance.forEach((reached, record) => {
    // The last lap ends with the session and must not be empty.
    if (reached < next || record === distance.length - 1) return;
    ends.push({ end: record + 1, intensity: 'active', trigger: 'distance' });
    next += every;
  });
  return [...ends, { end: distance.length, intensity: 'active', trigger: 'session_end' }];
}

/** Returns the temperature (degrees Celsius): lowest at 03:00, highest at 15:00. */
function temperatureAt(index: number, minute: number): number {
  return warmth(index) + 4 * sine((minute - 540) / 1440);
}
