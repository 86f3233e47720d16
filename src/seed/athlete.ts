import { stream } from './random.ts';

/** A synthetic athlete: all days follow from it and their dates. */
export type Athlete = Readonly<ReturnType<typeof athleteOf>>;

export type SeedSport = 'cycling' | 'running';

/** Usual starts of workouts (minutes after local midnight). */
const STARTS = [
  { weekday: 17 * 60 + 50, weekend: 8 * 60 + 50 },
  { weekday: 5 * 60 + 50, weekend: 7 * 60 + 25 },
  { weekday: 12 * 60 + 5, weekend: 9 * 60 + 40 },
] as const;

/** Days of the week without training, 0 is Monday. */
const REST_DAYS = [0, 2, 4] as const;

const SPORTS = ['cycling', 'running'] as const;

/** Devices by their numbers in the FIT profile (types `manufacturer` and `garmin_product`). */
const DEVICES = {
  cycling: { name: 'Edge 840', manufacturer: 1, product: 4062 },
  running: { name: 'Forerunner 955', manufacturer: 1, product: 4024 },
} as const;

/** @param seed an integer from 0; consecutive ones differ in start and rest day, every second one in sport */
export function athleteOf(seed: number) {
  const random = stream(seed, 'athlete');
  const sport: SeedSport = dealt(SPORTS, seed - 1);
  const weight = random.between(57, 82);
  const wattsPerKg = random.between(3.3, 4.1);
  return {
    seed,
    sport,
    device: DEVICES[sport],
    // Of the device, so that two athletes' files always differ. A serial number of 0 would mean "none".
    serial: (random.uint32() | 1) >>> 0,
    starts: dealt(STARTS, seed - 1),
    restDay: dealt(REST_DAYS, seed - 1),
    /** Training time as a share of the plan's. */
    volume: random.between(0.8, 1.2),
    /** kg */
    weight,
    /** Functional threshold power (W). */
    ftp: Math.round(weight * wattsPerKg),
    /** Threshold speed on foot (m/s). */
    runSpeed: random.between(3.7, 4.5),
    maxHr: random.integer(180, 194),
    restingHr: random.integer(43, 52),
    /** When well rested (ms). */
    hrv: random.between(62, 88),
    /** ml/kg/min */
    vo2max: 20 + wattsPerKg * random.between(9, 9.6),
    sleepHours: random.between(7.2, 8),
  };
}

function dealt<T>(choices: readonly [T, ...T[]], number: number): T {
  return choices[(number + choices.length) % choices.length] ?? choices[0];
}
