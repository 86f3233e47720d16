import { clamp } from './arithmetic.ts';
import { stream } from './random.ts';

export const PHASES = [
  'off-season',
  'base',
  'build',
  'specific',
  'recovery',
  'taper',
  'race',
] as const;
export type Phase = (typeof PHASES)[number];

/** Days between two races: 52 weeks. */
export const SEASON = 364;

/** Number of work weeks in a block, before its recovery week. */
export type WorkWeeks = 2 | 3 | 4;

/** A week, counted back from race week, in blocks of work weeks and one recovery week. */
export interface Week {
  readonly phase: Phase;
  /** 1 to 3, rising towards the last week of the block: the difficulty of its workouts. */
  readonly step: number;
  /** Training time as a share of a full week's. */
  readonly volume: number;
  /** Whether roads are dark and cold, so that more training is indoors. */
  readonly winter: boolean;
}

export function weekOf(index: number, workWeeks: WorkWeeks): Week {
  const week = Math.floor((index % SEASON) / 7);
  const winter = week >= 18 && week <= 36;
  if (week === 0) return { phase: 'race', step: 1, volume: 0.5, winter };
  if (week === 1) return { phase: 'taper', step: 1, volume: 0.65, winter };
  if (week >= 50) return { phase: 'off-season', step: 1, volume: 0.5, winter };
  const place = (week - 2) % (workWeeks + 1);
  if (place === workWeeks) return { phase: 'recovery', step: 1, volume: 0.6, winter };
  const last = week - place;
  const phase = last < 10 ? 'specific' : last < 22 ? 'build' : 'base';
  const step = Math.max(1, 3 - place);
  return {
    phase,
    step,
    volume: clamp(1.07 - 0.005 * last, 0.84, 1.06) * (0.82 + 0.06 * step),
    winter,
  };
}

/** Whether the athlete has a cold: four or five days, twice a season, never close to the race. */
export function isIll(seed: number, index: number): boolean {
  const half = Math.floor(index / (SEASON / 2));
  const random = stream(seed, 'illness', half);
  const last = half * (SEASON / 2) + random.integer(45, 160);
  return index >= last && index < last + random.integer(4, 5);
}

export function isRaceDay(index: number): boolean {
  return index % SEASON === 0;
}
