import { sine } from './arithmetic.ts';
import { characterOf, type Character } from './character.ts';
import { stream } from './random.ts';
import { SEASON } from './season.ts';

/** The synthetic athlete at the peak of the season; {@link detraining} applies to other days. */
export interface Athlete {
  readonly seed: number;
  readonly character: Character;
  /** Functional threshold power on race day (W). */
  readonly ftp: number;
  /** Work capacity above FTP (W'), J. */
  readonly reserve: number;
  /** Threshold speed of running (m/s). */
  readonly runThreshold: number;
  /** Critical swim speed, m/s. */
  readonly swimThreshold: number;
  /** kg, on race day. */
  readonly weight: number;
  readonly maxHr: number;
  readonly restingHr: number;
  /** ms, when well rested. */
  readonly hrv: number;
  /** ml/kg/min, on race day. */
  readonly vo2max: number;
  readonly sleepHours: number;
  readonly age: number;
  /** Serial number of the recording device, so that two athletes' files always differ. */
  readonly serial: number;
}

export function athleteOf(seed: number): Athlete {
  const random = stream(seed, 'athlete');
  const character = characterOf(seed);
  const weight = random.between(57, 82);
  // More training makes fitter, by up to 0.5 W/kg.
  const wattsPerKg = random.between(3.5, 3.9) + (character.volume - 0.7) * 0.83;
  return {
    seed,
    character,
    ftp: Math.round(weight * wattsPerKg),
    reserve: Math.round(random.between(17_000, 24_000)),
    runThreshold: random.between(3.8, 4.5),
    swimThreshold: random.between(1.12, 1.36),
    weight,
    maxHr: random.integer(180, 194),
    restingHr: random.integer(43, 52),
    hrv: random.between(62, 88),
    vo2max: 20 + wattsPerKg * random.between(9.2, 9.8),
    sleepHours: random.between(7.3, 8),
    age: random.integer(24, 45),
    // A uint32z of 0 would mean "none".
    serial: (random.uint32() | 1) >>> 0,
  };
}

/**
 * Returns the lack of form: 0 on race day, 1 at the start of the season, 320 days before it. Form
 * falls again after the previous race. Depends only on the days before the race.
 */
export function detraining(index: number): number {
  const day = index % SEASON;
  return day <= 320 ? day / 320 : (SEASON - day) / (SEASON - 320);
}

/** Returns the FTP on a day (W). */
export function ftpOn(athlete: Athlete, index: number): number {
  return Math.round(athlete.ftp * (1 - 0.11 * detraining(index)));
}

/** Returns the share of the threshold speeds on a day. They vary less than power. */
export function speedForm(index: number): number {
  return 1 - 0.05 * detraining(index);
}

/** Returns the weight on a day (kg), without daily fluctuation. */
export function weightOn(athlete: Athlete, index: number): number {
  return athlete.weight * (1 + 0.035 * detraining(index));
}

/**
 * Returns the usual temperature at noon (degrees Celsius). The race is always in the warm season, so
 * another last day moves the weather together with the training.
 */
export function warmth(index: number): number {
  return 13.5 + 8.5 * sine(0.25 + index / SEASON);
}
