import { DEVICES, type Device } from './device.ts';
import { stream } from './random.ts';
import { type Phase, PHASES, SEASON, type WorkWeeks, weekOf } from './season.ts';

export type Sport = 'cyclist' | 'triathlete' | 'runner';

/** The habits that distinguish one athlete's training from another's. */
export interface Character {
  readonly sport: Sport;
  readonly device: Device;
  /** Days from the last seeded day to the next race, 0 on race day. */
  readonly raceIn: number;
  /** Training time as a share of a full plan's. */
  readonly volume: number;
  /** Number of work weeks before a recovery week. */
  readonly workWeeks: WorkWeeks;
  /** Day of the week without training, 0 to 6; day 6 has the long workout. */
  readonly restDay: RestDay;
  readonly starts: Starts;
  /** Share of the days whose workouts the athlete misses. */
  readonly missed: number;
}

type RestDay = 0 | 2 | 4;

/** Usual starts of workouts, in minutes after local midnight. */
export interface Starts {
  readonly habit: 'early' | 'lunch' | 'evening';
  /** Intervals on a weekday. */
  readonly hard: number;
  /** Other workouts on a weekday. */
  readonly easy: number;
  readonly weekend: number;
}

const STARTS: readonly [Starts, ...Starts[]] = [
  { habit: 'early', hard: 5 * 60 + 50, easy: 6 * 60 + 25, weekend: 7 * 60 + 25 },
  { habit: 'lunch', hard: 12 * 60 + 5, easy: 12 * 60 + 20, weekend: 9 * 60 + 50 },
  { habit: 'evening', hard: 17 * 60 + 50, easy: 18 * 60 + 20, weekend: 8 * 60 + 50 },
];

export function characterOf(seed: number): Character {
  const random = stream(seed, 'self');
  const sport = dealt<Sport>(seed, 'sport', ['cyclist', 'triathlete', 'runner']);
  const workWeeks = dealt<WorkWeeks>(seed, 'weeks', [2, 3, 4]);
  const later = random.integer(-18, 18);
  const { habit, hard, easy, weekend } = dealt(seed, 'starts', STARTS);
  return {
    sport,
    device: random.pick(DEVICES[sport]),
    raceIn: random.pick(daysToRace(dealt(seed, 'phase', PHASES), workWeeks)),
    volume: random.between(0.7, 1.3),
    workWeeks,
    restDay: dealt<RestDay>(seed, 'rest', [0, 2, 4]),
    starts: { habit, hard: hard + later, easy: easy + later, weekend: weekend + later },
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
