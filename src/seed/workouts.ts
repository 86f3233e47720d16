import type { Athlete, SeedSport } from './athlete.ts';
import { stream } from './random.ts';

/** A planned workout. It becomes one recording. */
export interface Workout {
  readonly title: string;
  readonly sport: SeedSport;
  readonly indoors: boolean;
  /** Seconds after local midnight. */
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
}

/** A part of a workout at an even effort. It is a lap of the recording. */
export interface Part {
  readonly seconds: number;
  /** Share of the threshold: of power on the bike, of speed on foot. */
  readonly effort: number;
  readonly kind: 'warmup' | 'active' | 'interval' | 'rest' | 'cooldown';
}

type Intervals = readonly [title: string, count: number, minutes: number, effort: number];
type Steady = readonly [title: string, minutes: number, effort: number];

const INTERVALS: Readonly<Record<SeedSport, readonly [Intervals, ...Intervals[]]>> = {
  cycling: [
    ['Sweet spot', 3, 15, 0.9],
    ['Threshold', 3, 10, 0.98],
    ['VO2 max', 5, 4, 1.1],
  ],
  running: [
    ['Tempo', 3, 8, 0.95],
    ['Intervals', 6, 3, 1.05],
  ],
};

const STEADY: Readonly<Record<SeedSport, Readonly<Record<'easy' | 'long', Steady>>>> = {
  cycling: { easy: ['Easy ride', 70, 0.62], long: ['Long ride', 190, 0.67] },
  running: { easy: ['Easy run', 45, 0.74], long: ['Long run', 100, 0.78] },
};

const OTHER = { cycling: 'running', running: 'cycling' } as const;

/**
 * Returns the workout of a day, null on a day without one. A week has a rest day, two days with intervals, a
 * day in the other sport (Saturday) and a long workout (Sunday).
 *
 * @param date `YYYY-MM-DD`
 */
export function workoutOn(athlete: Athlete, date: string): Workout | null {
  const random = stream(athlete.seed, 'workout', date);
  // 1970-01-01 was a Thursday.
  const weekday = (Date.parse(date) / 86_400_000 + 3) % 7;
  if (weekday === athlete.restDay) return null;
  const isWeekend = weekday >= 5;
  const usual = isWeekend ? athlete.starts.weekend : athlete.starts.weekday;
  const sport = weekday === 5 ? OTHER[athlete.sport] : athlete.sport;
  const isHard = weekday === 1 || weekday === 3;
  const volume = athlete.volume * random.between(0.93, 1.07);
  const { title, parts } = isHard
    ? intervals(random.pick(INTERVALS[sport]))
    : steady(STEADY[sport][weekday === 6 ? 'long' : 'easy'], volume);
  const indoors = sport === 'cycling' && isHard && random.chance(0.35);
  const start = usual * 60 + random.integer(-1200, 1200);
  return {
    title: indoors ? `${title} (trainer)` : title,
    sport,
    indoors,
    start,
    end: parts.reduce((sum, { seconds }) => sum + seconds, start),
    parts,
  };
}

function intervals([title, count, minutes, effort]: Intervals) {
  const part = (each: number, share: number, kind: Part['kind']): Part => {
    return { seconds: each * 60, effort: share, kind };
  };
  const main = Array.from({ length: count }, () => [
    part(minutes, effort, 'interval'),
    part(3, 0.55, 'rest'),
  ]);
  const parts = [part(14, 0.62, 'warmup'), ...main.flat().slice(0, -1), part(9, 0.55, 'cooldown')];
  return { title: `${title} ${count} x ${minutes} min`, parts };
}

function steady([title, minutes, effort]: Steady, volume: number) {
  const parts: Part[] = [
    { seconds: 600, effort: effort - 0.1, kind: 'warmup' },
    { seconds: Math.round(minutes * volume * 60) - 900, effort, kind: 'active' },
    { seconds: 300, effort: effort - 0.12, kind: 'cooldown' },
  ];
  return { title, parts };
}

/** Returns a day's training stress: 100 for one hour at threshold. */
export function stressOn(athlete: Athlete, date: string): number {
  const parts = workoutOn(athlete, date)?.parts ?? [];
  return parts.reduce((sum, { seconds, effort }) => sum + (seconds * effort * effort) / 36, 0);
}
