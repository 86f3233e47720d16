import type { Athlete } from './athlete.ts';
import { type Random, stream } from './random.ts';
import { isIll, isRaceDay, weekOf, type Phase, type Week } from './season.ts';
import { plannedStress, type LandLeg, type Workout } from './workout.ts';
import { rides, runs, swims, transition, type WorkoutTemplate } from './workout-library.ts';

/**
 * A day of the training plan. The index counts back from the race: 0 is race day, the last day. A
 * day's plan depends only on the seed and the index. So a longer history ends with the same days, and
 * another last date moves the plan without changing it.
 */
export interface DayPlan {
  readonly index: number;
  readonly phase: Phase;
  readonly ill: boolean;
  readonly workouts: readonly Workout[];
  /** Planned training stress of the day (TSS). */
  readonly stress: number;
}

export function planDay(athlete: Athlete, index: number): DayPlan {
  const week = weekOf(index);
  const ill = isIll(athlete.seed, index);
  const random = stream(athlete.seed, 'plan', index);
  const day = 6 - (index % 7);
  const missed = random.chance(0.04) && !isRaceDay(index);
  const workouts = ill || missed ? [] : workoutsOf(week, day, random);
  let stress = 0;
  for (const workout of workouts) stress += plannedStress(workout);
  return { index, phase: week.phase, ill, workouts, stress };
}

/** @param day 0 to 6; day 6 has the long workout or the race */
function workoutsOf(week: Week, day: number, random: Random): Workout[] {
  switch (week.phase) {
    case 'race':
      return raceWeek(day, random);
    case 'taper':
      return taperWeek(day, week, random);
    case 'off-season':
      return offSeasonWeek(day, random);
    case 'recovery':
      return recoveryWeek(day, week, random);
    case 'base':
    case 'build':
    case 'specific':
      return workWeek(day, week, random);
  }
}

function workWeek(day: number, week: Week, random: Random): Workout[] {
  const indoors = week.winter ? random.chance(0.75) : random.chance(0.2);
  switch (day) {
    case 1:
      return [ride(keyWorkout(week, random), evening(random), indoors)];
    case 2: {
      const template =
        week.phase === 'base' ? runs.easy(minutes(48, week, random)) : runs.tempo(week.step);
      return [run(template, morning(random))];
    }
    case 3:
      return [ride(secondWorkout(week, random), evening(random), indoors)];
    case 4: {
      if (!random.chance(0.72)) return [];
      const swim = swimming(week, morning(random), random);
      return random.chance(0.15) ? [swim, ride(rides.recovery(40), evening(random), true)] : [swim];
    }
    case 5:
      if (week.phase !== 'base' && random.chance(0.3)) return [brick(week, random)];
      return random.chance(0.5)
        ? [run(runs.long(minutes(82, week, random)), weekend(random))]
        : [ride(rides.endurance(minutes(115, week, random)), weekend(random), false)];
    case 6: {
      const long = minutes(week.winter ? 165 : 215, week, random);
      const blocks = week.phase === 'base' ? 0 : week.phase === 'build' ? 1 : 2;
      return [ride(rides.long(long, blocks), weekend(random), week.winter && random.chance(0.12))];
    }
    default:
      return [];
  }
}

function keyWorkout(week: Week, random: Random): WorkoutTemplate {
  switch (week.phase) {
    case 'base':
      return rides[random.pick(['sweetSpot', 'tempo'] as const)](week.step);
    case 'build':
      return rides[random.pick(['vo2max', 'threshold'] as const)](week.step);
    default:
      return rides[random.pick(['shortShort', 'vo2max'] as const)](week.step);
  }
}

function secondWorkout(week: Week, random: Random): WorkoutTemplate {
  switch (week.phase) {
    case 'base':
      return random.chance(0.5)
        ? rides.endurance(minutes(75, week, random))
        : rides.tempo(week.step);
    case 'build':
      return rides[random.pick(['overUnder', 'sweetSpot'] as const)](week.step);
    default:
      return rides[random.pick(['threshold', 'overUnder'] as const)](week.step);
  }
}

function recoveryWeek(day: number, week: Week, random: Random): Workout[] {
  const indoors = week.winter && random.chance(0.7);
  switch (day) {
    case 1:
      return [ride(rides.recovery(random.integer(40, 55)), evening(random), indoors)];
    case 2:
      return random.chance(0.5) ? [run(runs.easy(random.integer(32, 42)), morning(random))] : [];
    case 3:
      return [ride(rides.openers(), evening(random), indoors)];
    case 4:
      return random.chance(0.6) ? [swimming(week, morning(random), random)] : [];
    case 5:
      return random.chance(0.6) ? [run(runs.easy(random.integer(40, 52)), weekend(random))] : [];
    case 6:
      return [ride(rides.endurance(minutes(170, week, random)), weekend(random), false)];
    default:
      return [];
  }
}

function taperWeek(day: number, week: Week, random: Random): Workout[] {
  switch (day) {
    case 1:
      return [ride(rides.vo2max(1), evening(random), false)];
    case 2:
      return [run(runs.easy(38), morning(random))];
    case 3:
      return [ride(rides.threshold(1), evening(random), false)];
    case 4:
      return [swimming(week, morning(random), random)];
    case 6:
      return [ride(rides.long(125, 1), weekend(random), false)];
    default:
      return [];
  }
}

function raceWeek(day: number, random: Random): Workout[] {
  switch (day) {
    case 1:
      return [ride(rides.openers(), evening(random), false)];
    case 2:
      return [run(runs.easy(26), morning(random))];
    case 3:
      return [ride(rides.recovery(45), evening(random), false)];
    case 5:
      return [ride(rides.openers(), weekend(random), false)];
    case 6:
      return [race(random)];
    default:
      return [];
  }
}

function offSeasonWeek(day: number, random: Random): Workout[] {
  switch (day) {
    case 2:
      return [run(runs.easy(random.integer(30, 40)), morning(random))];
    case 4:
      return [
        swimming(
          { phase: 'off-season', step: 1, volume: 0.5, winter: false },
          morning(random),
          random,
        ),
      ];
    case 6:
      return [ride(rides.endurance(random.integer(75, 105)), weekend(random), false)];
    default:
      return [];
  }
}

function ride(template: WorkoutTemplate, startMinute: number, indoors: boolean): Workout {
  return {
    title: indoors ? `${template.title} (trainer)` : template.title,
    label: 'ride',
    startMinute,
    legs: [bikeLeg(template, indoors)],
  };
}

function race(random: Random): Workout {
  const template = rides.race(random);
  const leg = { ...bikeLeg(template, false), autoLap: 10_000, closedRoad: true };
  return { title: template.title, label: 'ride', startMinute: 8 * 60, legs: [leg] };
}

function bikeLeg(template: WorkoutTemplate, indoors: boolean): LandLeg {
  const free = !template.segments.some((segment) => segment.kind === 'interval');
  return {
    sport: 'cycling',
    place: indoors ? 'trainer' : 'road',
    segments: template.segments,
    autoLap: free && !indoors ? 10_000 : null,
    closedRoad: false,
  };
}

function run(template: WorkoutTemplate, startMinute: number): Workout {
  return { title: template.title, label: 'run', startMinute, legs: [runLeg(template)] };
}

function runLeg(template: WorkoutTemplate): LandLeg {
  const free = !template.segments.some((segment) => segment.kind === 'interval');
  return {
    sport: 'running',
    place: 'road',
    segments: template.segments,
    autoLap: free ? 1000 : null,
    closedRoad: false,
  };
}

/** Returns one workout of three sessions, like a watch records in multisport mode. */
function brick(week: Week, random: Random): Workout {
  const bike = rides.endurance(minutes(90, week, random));
  const change: LandLeg = {
    sport: 'transition',
    place: 'road',
    segments: transition(random).segments,
    autoLap: null,
    closedRoad: true,
  };
  return {
    title: 'Brick: ride and run',
    label: 'brick',
    startMinute: weekend(random),
    legs: [bikeLeg(bike, false), change, runLeg(runs.brick(random.integer(20, 30)))],
  };
}

function swimming(week: Week, startMinute: number, random: Random): Workout {
  const { title, sets } = swims[random.pick(['technique', 'threshold'] as const)](week.step);
  return { title, label: 'swim', startMinute, legs: [{ sport: 'swimming', place: 'pool', sets }] };
}

function minutes(full: number, week: Week, random: Random): number {
  return Math.round(full * week.volume * random.between(0.93, 1.07));
}

/** Draws a start time around a minute of the day, in steps of a second. */
function around(minute: number, spread: number, random: Random): number {
  return minute + random.integer(-spread * 60, spread * 60) / 60;
}

function morning(random: Random): number {
  return around(6 * 60 + 35, 20, random);
}

function evening(random: Random): number {
  return around(17 * 60 + 50, 30, random);
}

function weekend(random: Random): number {
  return around(8 * 60 + 50, 35, random);
}
