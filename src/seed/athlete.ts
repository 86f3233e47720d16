import { sine } from './arithmetic.ts';
import { stream } from './random.ts';
import { type Phase, PHASES, SEASON, type WorkWeeks, weekOf } from './season.ts';
import type { SeedSport } from './workouts.ts';

/** The synthetic athlete at the peak of the season; {@link detraining} applies to other days. */
export type Athlete = Readonly<ReturnType<typeof athleteOf>>;

export function athleteOf(seed: number) {
  const random = stream(seed, 'athlete');
  const character = characterOf(seed);
  const weight = random.between(57, 82);
  // More training makes fitter, by up to 0.5 W/kg.
  const wattsPerKg = random.between(3.5, 3.9) + (character.volume - 0.7) * 0.83;
  return {
    seed,
    character,
    /** Functional threshold power on race day (W). */
    ftp: Math.round(weight * wattsPerKg),
    /** Threshold speed of running (m/s). */
    runThreshold: random.between(3.8, 4.5),
    /** kg, on race day. */
    weight,
    maxHr: random.integer(180, 194),
    restingHr: random.integer(43, 52),
    /** When well rested (ms). */
    hrv: random.between(62, 88),
    /** ml/kg/min, on race day. */
    vo2max: 20 + wattsPerKg * random.between(9.2, 9.8),
    sleepHours: random.between(7.3, 8),
    age: random.integer(24, 45),
    // Of the recording device, so that two athletes' files always differ. A uint32z of 0 would mean "none".
    serial: (random.uint32() | 1) >>> 0,
  };
}

/** Usual starts of workouts, in minutes after local midnight: intervals on a weekday, other workouts, weekends. */
export type Starts = Athlete['character']['starts'];

const STARTS = [
  { habit: 'early', hard: 5 * 60 + 50, easy: 6 * 60 + 25, weekend: 7 * 60 + 25 },
  { habit: 'lunch', hard: 12 * 60 + 5, easy: 12 * 60 + 20, weekend: 9 * 60 + 50 },
  { habit: 'evening', hard: 17 * 60 + 50, easy: 18 * 60 + 20, weekend: 8 * 60 + 50 },
] as const;

/** Returns the habits that distinguish one athlete's training from another's. */
function characterOf(seed: number) {
  const random = stream(seed, 'self');
  const sport = dealt<SeedSport>(seed, 'sport', ['cycling', 'running']);
  const workWeeks = dealt<WorkWeeks>(seed, 'weeks', [2, 3, 4]);
  const later = random.integer(-18, 18);
  const { habit, hard, easy, weekend } = dealt<(typeof STARTS)[number]>(seed, 'starts', STARTS);
  return {
    sport,
    device: random.pick(DEVICES[sport]),
    /** Days from the last seeded day to the next race, 0 on race day. */
    raceIn: random.pick(daysToRace(dealt(seed, 'phase', PHASES), workWeeks)),
    /** Training time as a share of a full plan's. */
    volume: random.between(0.7, 1.3),
    workWeeks,
    /** Day of the week without training, 0 to 6; day 6 has the long workout. */
    restDay: dealt<0 | 2 | 4>(seed, 'rest', [0, 2, 4]),
    starts: { habit, hard: hard + later, easy: easy + later, weekend: weekend + later },
    /** Share of the days whose workouts the athlete misses. */
    missed: random.between(0.02, 0.08),
  };
}

/**
 * Returns the possible numbers of days to the race in a phase. All are whole weeks, so that the long
 * workouts are on weekends if the last day is a Sunday.
 */
function daysToRace(phase: Phase, workWeeks: WorkWeeks): readonly [number, ...number[]] {
  const days = Array.from({ length: SEASON / 7 }, (_, week) => week * 7);
  const [first = 0, ...others] = days.filter((day) => weekOf(day, workWeeks).phase === phase);
  return [first, ...others];
}

/**
 * Deals a choice like a card: as many consecutive seeds as there are choices, from 1 on, all get
 * another one. So the first athletes of a test differ in each habit.
 */
function dealt<T>(seed: number, name: string, choices: readonly [T, ...T[]]): T {
  const round = Math.floor((seed - 1) / choices.length);
  const random = stream(round, 'lot', name);
  const cards: [T, ...T[]] = [...choices];
  for (let left = seed - 1 - round * choices.length; left > 0; left--) {
    cards.splice(cards.indexOf(random.pick(cards)), 1);
  }
  return random.pick(cards);
}

/** A device by its numbers in FIT files. */
export interface SeedDevice {
  readonly name: string;
  readonly manufacturer: number;
  readonly product: number;
}

const GARMIN = 1;

/**
 * The devices of cyclists and of runners. Numbers are those of the FIT profile (types `manufacturer`
 * and `garmin_product`). The products of other makers are those in public recordings: of
 * dtcooper/python-fitparse (Wahoo) and jat255/Fit-File-Faker (COROS).
 */
export const DEVICES: Readonly<Record<SeedSport, readonly [SeedDevice, ...SeedDevice[]]>> = {
  cycling: [
    { name: 'Edge 840', manufacturer: GARMIN, product: 4062 },
    { name: 'ELEMNT', manufacturer: 32, product: 28 },
    { name: 'COROS DURA', manufacturer: 294, product: 851 },
    { name: 'Edge 1040', manufacturer: GARMIN, product: 3843 },
  ],
  running: [
    { name: 'Forerunner 255', manufacturer: GARMIN, product: 3992 },
    { name: 'Forerunner 955', manufacturer: GARMIN, product: 4024 },
    { name: 'Forerunner 965', manufacturer: GARMIN, product: 4315 },
    { name: 'fenix 7', manufacturer: GARMIN, product: 3906 },
  ],
};

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
