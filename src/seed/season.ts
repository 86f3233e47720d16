import { clamp } from './arithmetic.ts';
import { SEASON } from './athlete.ts';
import { stream } from './random.ts';

export type Phase = 'off-season' | 'base' | 'build' | 'specific' | 'recovery' | 'taper' | 'race';

/** Weeks are counted back from the race's; blocks of three weeks of work and one of recovery. */
export interface Week {
  readonly phase: Phase;
  /** 1, 2, 3: the weeks of work in a block, each more than the one before. */
  readonly step: number;
  /** Training time as a share of that of a full week. */
  readonly volume: number;
  /** Roads are dark and cold: more of it happens indoors. */
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

/** A cold, twice a season, never close to the race: four or five days without training. */
export function isIll(seed: number, index: number): boolean {
  const half = Math.floor(index / (SEASON / 2));
  const random = stream(seed, 'illness', half);
  const last = half * (SEASON / 2) + random.integer(45, 160);
  return index >= last && index < last + random.integer(4, 5);
}

/** The day of the event. */
export function isRaceDay(index: number): boolean {
  return index % SEASON === 0;
}
