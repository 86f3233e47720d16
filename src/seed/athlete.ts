import { sine } from './arithmetic.ts';
import { stream } from './random.ts';

/** The synthetic athlete at the peak of the season, and how far from it they are on any day. */
export interface Athlete {
  readonly seed: number;
  /** W that can be held for an hour, on race day. */
  readonly ftp: number;
  /** Work above FTP before it is used up (W'), J. */
  readonly reserve: number;
  /** m/s that can be held for an hour's run. */
  readonly runThreshold: number;
  /** Critical swim speed, m/s. */
  readonly swimThreshold: number;
  /** kg, on race day. */
  readonly weight: number;
  readonly maxHr: number;
  readonly restingHr: number;
  /** ms, well rested. */
  readonly hrv: number;
  /** ml/kg/min, on race day. */
  readonly vo2max: number;
  readonly sleepHours: number;
  readonly age: number;
  /** Written as the recording device's serial number, so that no two athletes' files are equal. */
  readonly serial: number;
}

export function athleteOf(seed: number): Athlete {
  const random = stream(seed, 'athlete');
  const weight = random.between(62, 78);
  const wattsPerKg = random.between(3.5, 4.4);
  return {
    seed,
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

/** Days between two events of the same kind: 52 weeks. */
export const SEASON = 364;

/**
 * How far from the peak: 0 on race day, 1 at the start of the season, 320 days before it; after the
 * last event, form is lost again. Depends on the days before the event only.
 */
export function detraining(index: number): number {
  const day = index % SEASON;
  return day <= 320 ? day / 320 : (SEASON - day) / (SEASON - 320);
}

/** W on that day. */
export function ftpOn(athlete: Athlete, index: number): number {
  return Math.round(athlete.ftp * (1 - 0.11 * detraining(index)));
}

/** Threshold running and swimming speeds vary less than power does. */
export function speedForm(index: number): number {
  return 1 - 0.05 * detraining(index);
}

/** kg, without the day's water. */
export function weightOn(athlete: Athlete, index: number): number {
  return athlete.weight * (1 + 0.035 * detraining(index));
}

/**
 * Degrees Celsius on a usual day at noon. The event is held in the warm season, and the seasons
 * count back from it, whatever its date: moving the last day moves the weather with the training.
 */
export function warmth(index: number): number {
  return 13.5 + 8.5 * sine(0.25 + index / SEASON);
}
