import { daysAfter } from '../base/time.ts';
import type { Athlete } from './athlete.ts';
import { stream } from './random.ts';
import { sine } from './route.ts';
import { stressOn } from './workouts.ts';

/** Marks records as synthetic, at the service too. */
export function marked({ seed }: Athlete) {
  return { synthetic: true, generator: 'athlete-sync seed', seed };
}

/**
 * Returns the wellness record of a morning, the fields of the service interface (section 2.2) first: tired after two
 * hard days, fresh after two easy ones.
 */
export function wellnessOn(athlete: Athlete, date: string) {
  const random = stream(athlete.seed, 'morning', date);
  const [yesterday, before] = [1, 2].map((days) => stressOn(athlete, daysAfter(date, -days)));
  // 0 without training, about 1 after hard days.
  const tired = ((yesterday ?? 0) + (before ?? 0) / 2) / 150;
  const sleep = athlete.sleepHours + tired * 0.3 + random.normal() * 0.5;
  const rested = sleep - athlete.sleepHours - tired;
  const year = sine(Date.parse(date) / 365.25 / 86_400_000);
  // The scales of the service: of a hundred, and of ten.
  const ofHundred = (value: number) => within(1, Math.round(value), 100);
  const ofTen = (value: number) => within(1, Math.round(value + random.normal() * 0.8), 10);
  return {
    date,
    hrv: decimal(athlete.hrv * (1 - 0.09 * tired + random.normal() * 0.04)),
    restingHr: Math.round(athlete.restingHr + 3 * tired + random.normal()),
    sleepSecs: Math.round(sleep * 60) * 60,
    weight: decimal(athlete.weight + year * 0.9 - tired * 0.2 + random.normal() * 0.25),
    vo2max: decimal(athlete.vo2max - year * 1.5),
    sleepScore: ofHundred(77 + (sleep - 7.5) * 9 + random.normal() * 4),
    readiness: ofHundred(74 + rested * 14 + random.normal() * 5),
    mood: ofTen(7.5 + rested * 0.8),
    motivation: ofTen(7.5 + rested),
    fatigue: ofTen(3 + tired * 3),
    soreness: ofTen(2 + tired * 3),
    rawJson: marked(athlete),
  };
}

/** Rounds to the nearest decimal number with one digit. */
export function decimal(value: number): number {
  return Math.round(value * 10) / 10;
}

function within(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
