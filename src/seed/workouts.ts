import type { Random } from './random.ts';
import type { Week } from './season.ts';

/** A planned workout, independent of body and landscape. It becomes one recording. */
export interface Training {
  readonly title: string;
  readonly sport: SeedSport;
  readonly indoors: boolean;
  /** Whether the road is closed: there are no stops. */
  readonly race: boolean;
  readonly segments: readonly SeedSegment[];
  /** Minutes after local midnight, to the second. */
  readonly startMinute: number;
}

export type UnscheduledWorkout = Omit<Training, 'startMinute'>;

export type SeedSport = 'cycling' | 'running';

/** A word of the FIT profile's type `intensity`. */
export type SegmentKind = 'warmup' | 'active' | 'interval' | 'rest' | 'cooldown';

export interface SeedSegment {
  readonly seconds: number;
  /** Share of the threshold (power on the bike, speed on foot) at the start and at the end. */
  readonly from: number;
  readonly to: number;
  readonly kind: SegmentKind;
}

type Intervals = readonly [
  title: string,
  repeats: number,
  /** Additional repeats in each week of a block. */
  more: number,
  minutes: number,
  /** Additional minutes in each week of a block. */
  longer: number,
  /** Share of the threshold. */
  share: number,
  rest: number,
];

type Steady = readonly [
  title: string,
  /** Minutes in a full week. */
  minutes: number,
  /** Shares of the threshold at the start, after the warm-up and at the end. */
  start: number,
  middle: number,
  end: number,
];

//                title        repeats, more, minutes, longer, share, rest
const sweetSpot: Intervals = ['Sweet spot', 3, 0, 10, 2, 0.9, 5];
const tempo: Intervals = ['Tempo', 2, 0, 18, 3, 0.81, 6];
const threshold: Intervals = ['Threshold', 3, 0, 8, 1, 0.985, 5];
const vo2max: Intervals = ['VO2 max', 3, 1, 4, 0, 1.11, 4];
const openers: Intervals = ['Openers', 4, 0, 1, 0, 1.12, 3];
const tempoRun: Intervals = ['Tempo run', 2, 0, 6, 2, 0.95, 3];
const runIntervals: Intervals = ['Run', 3, 1, 3, 0, 1.06, 2];
const strides: Intervals = ['Strides', 5, 0, 0.5, 0, 1.18, 1.5];

const spin: Steady = ['Recovery spin', 52, 0.48, 0.5, 0.46];
const endurance: Steady = ['Endurance ride', 78, 0.5, 0.67, 0.48];
const saturdayRide: Steady = ['Endurance ride', 120, 0.5, 0.67, 0.48];
const longRide: Steady = ['Long ride', 205, 0.5, 0.67, 0.48];
const easyRun: Steady = ['Easy run', 54, 0.66, 0.76, 0.74];
const longRun: Steady = ['Long run', 125, 0.66, 0.78, 0.86];

export type Purpose =
  'strength' | 'tempo' | 'hard' | 'second' | 'easy' | 'spin' | 'saturday' | 'long' | 'openers';

type Choices = readonly [Intervals | Steady, ...(Intervals | Steady)[]];

/** The workouts that serve a purpose in a week. */
const CHOICES: Readonly<Record<SeedSport, Readonly<Record<Purpose, Choices>>>> = {
  cycling: {
    strength: [sweetSpot, tempo],
    tempo: [endurance, tempo],
    hard: [vo2max, threshold],
    second: [threshold, sweetSpot],
    easy: [endurance],
    spin: [spin],
    saturday: [saturdayRide],
    long: [longRide],
    openers: [openers],
  },
  running: {
    strength: [tempoRun],
    tempo: [easyRun],
    hard: [runIntervals],
    second: [tempoRun],
    easy: [easyRun],
    spin: [spin],
    saturday: [saturdayRide, easyRun],
    long: [longRun],
    openers: [strides],
  },
};

/** Makes a workout for a week of training at a share (`volume`) of a full plan's time. */
export function makeWorkout(
  athletes: SeedSport,
  purpose: Purpose,
  week: Week,
  volume: number,
  random: Random,
): UnscheduledWorkout {
  const plan = random.pick(CHOICES[athletes][purpose]);
  const sport = athletes === 'cycling' || RIDES.includes(plan) ? 'cycling' : 'running';
  const isSteady = plan.length === 5;
  const { title, segments } = isSteady
    ? steady(plan, week.volume * volume * random.between(0.93, 1.07))
    : intervals(plan, week.step, sport);
  const isLong = isSteady && plan[1] > 100;
  const indoors = sport === 'cycling' && !isLong && random.chance(week.winter ? 0.75 : 0.15);
  return {
    title: indoors ? `${title} (trainer)` : title,
    sport,
    indoors,
    race: false,
    segments: segments.map((segment) => uneven(segment, random)),
  };
}

const RIDES: readonly (Intervals | Steady)[] = [spin, saturdayRide];

/** Makes a ride of about 80 minutes. */
export function nightRide(random: Random): UnscheduledWorkout {
  const { segments } = steady(endurance, random.between(0.98, 1.08));
  return { title: 'Night ride', sport: 'cycling', indoors: false, race: false, segments };
}

/** Makes a race with changing efforts on the bike, an even one on foot, both with a fast end. */
export function makeRace(sport: SeedSport, random: Random): UnscheduledWorkout {
  const [shortest, longest, usual, spread] =
    sport === 'cycling' ? [105, 160, 0.9, 0.25] : [150, 200, 0.86, 0.02];
  const segments: SeedSegment[] = [];
  for (let left = random.integer(shortest, longest) * 60; left > 0;) {
    const seconds = Math.min(left, random.integer(60, 400));
    const share = usual + random.between(-spread, spread);
    segments.push({ seconds, from: share, to: share, kind: 'active' });
    left -= seconds;
  }
  segments.push({ seconds: 200, from: usual, to: usual + 0.15, kind: 'interval' });
  return { title: 'Race', sport, indoors: false, race: true, segments };
}

type Content = Pick<Training, 'title' | 'segments'>;

function steady([title, full, start, middle, end]: Steady, volume: number): Content {
  return {
    title,
    segments: [
      segment(10, start, 'warmup', middle),
      segment(full * volume - 18, middle, 'active'),
      segment(8, middle, 'cooldown', end),
    ],
  };
}

/** @param step of the week in its block, 1 to 3: workouts get harder over a block */
function intervals(
  [title, repeats, more, minutes, longer, share, rest]: Intervals,
  step: number,
  sport: SeedSport,
): Content {
  const count = repeats + more * step;
  const each = minutes + longer * step;
  const [warm, idle, cool] = sport === 'cycling' ? [0.74, 0.5, 0.42] : [0.74, 0.64, 0.6];
  const between = segment(rest, idle, 'rest');
  const main = Array.from({ length: count }, (_, repeat) => [
    ...(repeat === 0 ? [] : [between]),
    segment(each, share, 'interval'),
  ]).flat();
  return {
    title: `${title} ${count} x ${each < 1 ? `${each * 60} s` : `${each} min`}`,
    segments: [
      segment(14, idle, 'warmup', warm),
      ...main,
      segment(9, idle + 0.06, 'cooldown', cool),
    ],
  };
}

function segment(minutes: number, from: number, kind: SegmentKind, to = from): SeedSegment {
  return { seconds: Math.round(minutes * 60), from, to, kind };
}

/** Varies a part that ends at a place or at will: intervals and rests end by the clock. */
function uneven(each: SeedSegment, random: Random): SeedSegment {
  if (each.kind === 'interval' || each.kind === 'rest') return each;
  return { ...each, seconds: Math.round(each.seconds * random.between(0.95, 1.05)) };
}

/** Returns the planned training stress: 100 for one hour at threshold. */
export function plannedStress({
  segments,
  indoors,
}: Pick<Training, 'segments' | 'indoors'>): number {
  let seconds = 0;
  let fourth = 0;
  for (const each of segments) {
    const middle = (each.from + each.to) / 2;
    seconds += each.seconds;
    fourth += each.seconds * middle * middle * middle * middle;
  }
  // Outdoors power varies, so normalized power is about 3 % above the plan.
  return (Math.sqrt(fourth / seconds) * (indoors ? 1.01 : 1.03 * 1.03) * seconds) / 36;
}
