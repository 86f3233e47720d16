import { clamp } from './arithmetic.ts';
import { SEASON } from './athlete.ts';
import { stream } from './random.ts';

export type Phase = 'off-season' | 'base' | 'build' | 'specific' | 'recovery' | 'taper' | 'race';

/** A week, counted back from race week, in blocks of three work weeks and one recovery week. */
export interface Week {
  readonly phase: Phase;
  /** Number of the work week in its block, 1 to 3, with rising load. */
  readonly step: number;
  /** Training time as a share of a full week's. */
  readonly volume: number;
  /** Whether roads are dark and cold, so that more training is indoors. */
  readonly winter: boolean;
}

export function weekOf(index: number): Week {
  const week = Math.floor((index % SEASON) / 7);
  const winter = week >= 18 && week <= 36;
  if (week === 0) return { phase: 'race', step: 1, volume: 0.5, winter };
  if (week === 1) return { phase: 'taper', step: 1, volume: 0.65, winter };
  if (week >= 50) return { phase: 'off-season', step: 1, volume: 0.5, winter };
  const block = Math.floor((week - 2) / 4);
  const place = (week - 2) % 4;
  if (place === 3) return { phase: 'recovery', step: 1, volume: 0.6, winter };
  const phase = block <= 1 ? 'specific' : block <= 4 ? 'build' : 'base';
  const step = 3 - place;
  return {
    phase,
    step,
    volume: clamp(1.06 - 0.02 * block, 0.84, 1.06) * (0.82 + 0.06 * step),
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

/** Whether this is the day of a race. */
export function isRaceDay(index: number): boolean {
  return index % SEASON === 0;
}
