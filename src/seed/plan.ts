import type { Athlete, Starts } from './athlete.ts';
import type { Calendar } from './calendar.ts';
import type { LoadHistory } from './load.ts';
import { stream } from './random.ts';
import type { RecordingTruth } from './recording.ts';
import { isIll, isRaceDay, weekOf, type Phase } from './season.ts';
import { makeRace, makeWorkout, plannedStress, type Purpose, type Training } from './workouts.ts';

/**
 * A day of the training plan. The index counts back from the next race after the last day: 0 is race
 * day. A day's plan depends only on the seed and the index. So a longer history ends with the same
 * days, and another last date moves the plan without changing it.
 */
export interface TrainingPlan {
  readonly index: number;
  readonly phase: Phase;
  readonly ill: boolean;
  readonly workout: Training | null;
  /** Planned training stress of the day (TSS). */
  readonly stress: number;
}

/** A day as the athlete lived it: its records of wellness and nutrition follow from it. */
export interface LivedDay {
  readonly athlete: Athlete;
  readonly calendar: Calendar;
  readonly date: string;
  /** Days before the last one, for the calendar. */
  readonly daysBefore: number;
  /** Of the morning. */
  readonly load: ReturnType<LoadHistory['morning']>;
  /** Yesterday's training stress. */
  readonly yesterday: number;
  readonly plan: TrainingPlan;
  readonly recorded: RecordingTruth | null;
}

/**
 * The purpose of each day of a week. Day 6 has the long workout or the race. The first day is the one
 * without training, see {@link slotOf}.
 */
const WEEKS: Readonly<Record<Phase, readonly (Purpose | 'race' | null)[]>> = {
  base: [null, 'strength', 'easy', 'tempo', 'spin', 'saturday', 'long'],
  build: [null, 'hard', 'easy', 'second', 'spin', 'saturday', 'long'],
  specific: [null, 'hard', 'easy', 'second', 'spin', 'saturday', 'long'],
  recovery: [null, 'spin', null, 'openers', 'spin', null, 'long'],
  taper: [null, 'hard', 'easy', 'second', 'spin', null, 'long'],
  race: [null, 'openers', 'easy', 'spin', null, 'openers', 'race'],
  'off-season': [null, null, 'easy', null, 'spin', null, 'long'],
};

/** Start of a race (minutes after midnight). */
const RACE_START = 8 * 60 + 30;

/** Largest deviation from a usual start (s). */
const SPREAD = 20 * 60;

export function planDay(athlete: Athlete, index: number): TrainingPlan {
  const { seed, character } = athlete;
  const { sport, volume, restDay, starts } = character;
  const week = weekOf(index, character.workWeeks);
  const ill = isIll(seed, index);
  const random = stream(seed, 'plan', index);
  const missed = random.chance(character.missed) && !isRaceDay(index);
  const slot = slotOf(6 - (index % 7), restDay);
  const purpose = WEEKS[week.phase][slot] ?? null;
  if (ill || missed || purpose === null) {
    return { index, phase: week.phase, ill, workout: null, stress: 0 };
  }
  const isRace = purpose === 'race';
  const made = isRace ? makeRace(sport, random) : makeWorkout(sport, purpose, week, volume, random);
  const usual = isRace ? RACE_START : startOf(slot, starts);
  const workout = { ...made, startMinute: usual + random.integer(-SPREAD, SPREAD) / 60 };
  return { index, phase: week.phase, ill, workout, stress: plannedStress(workout) };
}

/** Returns the slot of a day (0 to 6): the rest day and the first day of the week are swapped. */
function slotOf(day: number, restDay: number): number {
  return day === restDay ? 0 : day === 0 ? restDay : day;
}

function startOf(slot: number, { hard, easy, weekend }: Starts): number {
  return slot >= 5 ? weekend : slot === 1 || slot === 3 ? hard : easy;
}
