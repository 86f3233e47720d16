import type { Athlete } from './athlete.ts';
import type { Character, Starts } from './character.ts';
import { DISCIPLINES, type Discipline } from './disciplines.ts';
import { type Random, stream } from './random.ts';
import { isIll, isRaceDay, weekOf, type Phase, type Week } from './season.ts';
import { plannedStress, type Leg, type Workout } from './workout.ts';

/**
 * A day of the training plan. The index counts back from the next race after the last day: 0 is race
 * day. A day's plan depends only on the seed and the index. So a longer history ends with the same
 * days, and another last date moves the plan without changing it.
 */
export interface DayPlan {
  readonly index: number;
  readonly phase: Phase;
  readonly ill: boolean;
  readonly workouts: readonly Workout[];
  /** Planned training stress of the day (TSS). */
  readonly stress: number;
}

type Slot = readonly [kind: keyof Discipline, share: number] | null;
type SlotsOfWeek = readonly [Slot, Slot, Slot, Slot, Slot, Slot, Slot];

const WORK: SlotsOfWeek = [
  null,
  ['hard', 1],
  ['midweek', 1],
  ['secondHard', 1],
  ['cross', 0.72],
  ['saturday', 1],
  ['long', 1],
];

/**
 * The kind of workout on each day of a week, and the share of weeks with it. Day 6 has the long workout
 * or the race. The first day is the one without training, see {@link slotOf}.
 */
const SLOTS: Readonly<Record<Phase, SlotsOfWeek>> = {
  base: WORK,
  build: WORK,
  specific: WORK,
  recovery: [
    null,
    ['spin', 1],
    ['easy', 0.5],
    ['openers', 1],
    ['cross', 0.6],
    ['easy', 0.6],
    ['endurance', 1],
  ],
  taper: [null, ['hard', 1], ['easy', 1], ['secondHard', 1], ['cross', 1], null, ['long', 1]],
  race: [null, ['openers', 1], ['easy', 1], ['spin', 1], null, ['openers', 1], ['race', 1]],
  'off-season': [null, null, ['easy', 1], null, ['cross', 1], null, ['endurance', 1]],
};

export function planDay(athlete: Athlete, index: number): DayPlan {
  const { seed, character } = athlete;
  const week = weekOf(index, character.workWeeks);
  const ill = isIll(seed, index);
  const random = stream(seed, 'plan', index);
  const missed = random.chance(character.missed) && !isRaceDay(index);
  const workouts = ill || missed ? [] : workoutsOf(character, week, index, random);
  let stress = 0;
  for (const workout of workouts) stress += plannedStress(workout);
  return { index, phase: week.phase, ill, workouts, stress };
}

function workoutsOf(
  { sport, volume, restDay, starts }: Character,
  week: Week,
  index: number,
  random: Random,
): Workout[] {
  const slot = slotOf(6 - (index % 7), restDay);
  const planned = SLOTS[week.phase][slot] ?? null;
  if (planned === null || !random.chance(planned[1])) return [];
  const made = DISCIPLINES[sport][planned[0]]({ ...week, volume: week.volume * volume }, random);
  const usual = isRaceDay(index) ? RACE_START : startOf(slot, starts);
  return made.map((workout, number) => {
    const start = made.length === 1 ? usual : (TWICE[number] ?? usual);
    const startMinute = start + random.integer(-SPREAD, SPREAD) / 60;
    return { ...workout, startMinute, legs: workout.legs.map((leg) => uneven(leg, random)) };
  });
}

/** Returns the slot of a day (0 to 6): the rest day and the first day of the week are swapped. */
function slotOf(day: number, restDay: number): number {
  return day === restDay ? 0 : day === 0 ? restDay : day;
}

/** Starts of the workouts on a day with two of them, and of a race, in minutes after midnight. */
const TWICE = [6 * 60 + 35, 17 * 60 + 50];
const RACE_START = 8 * 60 + 30;

/** Largest deviation from a usual start (s). */
const SPREAD = 20 * 60;

function startOf(slot: number, { hard, easy, weekend }: Starts): number {
  return slot >= 5 ? weekend : slot === 1 || slot === 3 ? hard : easy;
}

/** Varies the parts of a leg that end at a place or at will: intervals and rests end by the clock. */
function uneven(leg: Leg, random: Random): Leg {
  if (leg.sport === 'swimming') return leg;
  const segments = leg.segments.map((segment) => {
    if (segment.kind === 'interval' || segment.kind === 'rest') return segment;
    return { ...segment, seconds: Math.round(segment.seconds * random.between(0.95, 1.05)) };
  });
  return { ...leg, segments };
}
