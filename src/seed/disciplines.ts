import type { Sport } from './character.ts';
import type { Random } from './random.ts';
import type { Week } from './season.ts';
import type { LandLeg, Workout } from './workout.ts';
import { rides, runs, swims, transition, type WorkoutTemplate } from './workout-library.ts';

export type UnscheduledWorkout = Omit<Workout, 'startMinute'>;

type Kind = (week: Week, random: Random) => readonly UnscheduledWorkout[];

/** Makes the workouts of a sport by their purpose in a week. */
export interface Discipline {
  readonly hard: Kind;
  readonly midweek: Kind;
  readonly secondHard: Kind;
  /** Another sport, or an easy day of the same. */
  readonly cross: Kind;
  readonly saturday: Kind;
  readonly long: Kind;
  readonly easy: Kind;
  readonly spin: Kind;
  readonly openers: Kind;
  readonly endurance: Kind;
  readonly race: Kind;
}

const cyclist: Discipline = {
  hard: (week, random) => [ride(hardRide(week, random), indoors(week, random))],
  midweek: (week, random) => [
    ride(rides.endurance(minutes(70, week, random)), indoors(week, random)),
  ],
  secondHard: (week, random) => [ride(secondHardRide(week, random), indoors(week, random))],
  cross: (week, random) => [ride(rides.recovery(random.integer(38, 55)), indoors(week, random))],
  saturday: (week, random) => [ride(rides.endurance(minutes(120, week, random)), false)],
  long: (week, random) => {
    const full = minutes(week.winter ? 165 : 215, week, random);
    const blocks = week.phase === 'base' ? 0 : week.phase === 'specific' ? 2 : 1;
    return [ride(rides.long(full, blocks), week.winter && random.chance(0.12))];
  },
  easy: (week, random) => [ride(rides.endurance(minutes(80, week, random)), indoors(week, random))],
  spin: (week, random) => [ride(rides.recovery(random.integer(40, 55)), indoors(week, random))],
  openers: (week, random) => [ride(rides.openers(), indoors(week, random))],
  endurance: (week, random) => [ride(rides.endurance(minutes(170, week, random)), false)],
  race: (_, random) => [
    {
      title: 'Race',
      label: 'ride',
      legs: [raceLeg(rides.race(random.integer(105, 160), random))],
    },
  ],
};

const triathlete: Discipline = {
  ...cyclist,
  midweek: (week, random) => [
    run(week.phase === 'base' ? runs.easy(minutes(48, week, random)) : runs.tempo(week.step)),
  ],
  cross: (week, random) =>
    week.phase !== 'recovery' && random.chance(0.15)
      ? [swimming(week, random), ride(rides.recovery(40), true)]
      : [swimming(week, random)],
  saturday: (week, random) => {
    if (week.phase !== 'base' && random.chance(0.3)) return [brick(week, random)];
    return random.chance(0.5)
      ? [run(runs.long(minutes(82, week, random)))]
      : [ride(rides.endurance(minutes(115, week, random)), false)];
  },
  easy: (week, random) => [run(runs.easy(minutes(56, week, random)))],
  race: (_, random) => [
    {
      title: 'Race',
      label: 'brick',
      legs: [
        raceLeg(rides.race(random.integer(75, 95), random)),
        changeOfShoes(random),
        { ...runLeg(runs.race(random.integer(38, 48), 0.93, random)), closedRoad: true },
      ],
    },
  ],
};

const runner: Discipline = {
  hard: (week) => [run(week.phase === 'base' ? runs.tempo(week.step) : runs.intervals(week.step))],
  midweek: (week, random) => [run(runs.easy(minutes(52, week, random)))],
  secondHard: (week, random) => [
    run(week.phase === 'base' ? runs.easy(minutes(60, week, random)) : runs.tempo(week.step)),
  ],
  cross: cyclist.cross,
  saturday: (week, random) =>
    random.chance(0.6)
      ? [ride(rides.endurance(minutes(100, week, random)), indoors(week, random))]
      : [run(runs.easy(minutes(45, week, random)))],
  long: (week, random) => [run(runs.long(minutes(125, week, random)))],
  easy: triathlete.easy,
  spin: cyclist.spin,
  openers: () => [run(runs.strides())],
  endurance: (week, random) => [run(runs.easy(minutes(115, week, random)))],
  race: (_, random) => [
    {
      title: 'Race',
      label: 'run',
      legs: [{ ...runLeg(runs.race(random.integer(150, 200), 0.86, random)), closedRoad: true }],
    },
  ],
};

export const DISCIPLINES: Readonly<Record<Sport, Discipline>> = { cyclist, triathlete, runner };

/** Returns a ride of about 80 minutes. */
export function nightRide(random: Random): UnscheduledWorkout {
  return ride({ ...rides.endurance(random.between(75, 85)), title: 'Night ride' }, false);
}

function hardRide(week: Week, random: Random): WorkoutTemplate {
  switch (week.phase) {
    case 'base':
      return rides[random.pick(['sweetSpot', 'tempo'] as const)](week.step);
    case 'build':
      return rides[random.pick(['vo2max', 'threshold'] as const)](week.step);
    default:
      return rides[random.pick(['shortShort', 'vo2max'] as const)](week.step);
  }
}

function secondHardRide(week: Week, random: Random): WorkoutTemplate {
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

function indoors(week: Week, random: Random): boolean {
  return random.chance(week.winter ? 0.75 : 0.15);
}

function ride(template: WorkoutTemplate, onTrainer: boolean): UnscheduledWorkout {
  return {
    title: onTrainer ? `${template.title} (trainer)` : template.title,
    label: 'ride',
    legs: [bikeLeg(template, onTrainer)],
  };
}

function raceLeg(template: WorkoutTemplate): LandLeg {
  return { ...bikeLeg(template, false), autoLap: 10_000, closedRoad: true };
}

function bikeLeg(template: WorkoutTemplate, onTrainer: boolean): LandLeg {
  const free = !template.segments.some((segment) => segment.kind === 'interval');
  return {
    sport: 'cycling',
    place: onTrainer ? 'trainer' : 'road',
    segments: template.segments,
    autoLap: free && !onTrainer ? 10_000 : null,
    closedRoad: false,
  };
}

function run(template: WorkoutTemplate): UnscheduledWorkout {
  return { title: template.title, label: 'run', legs: [runLeg(template)] };
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
function brick(week: Week, random: Random): UnscheduledWorkout {
  const bike = rides.endurance(minutes(90, week, random));
  return {
    title: 'Brick: ride and run',
    label: 'brick',
    legs: [bikeLeg(bike, false), changeOfShoes(random), runLeg(runs.brick(random.integer(20, 30)))],
  };
}

function changeOfShoes(random: Random): LandLeg {
  return {
    sport: 'transition',
    place: 'road',
    segments: transition(random).segments,
    autoLap: null,
    closedRoad: true,
  };
}

function swimming(week: Week, random: Random): UnscheduledWorkout {
  const { title, sets } = swims[random.pick(['technique', 'threshold'] as const)](week.step);
  return { title, label: 'swim', legs: [{ sport: 'swimming', place: 'pool', sets }] };
}

function minutes(full: number, week: Week, random: Random): number {
  return full * week.volume * random.between(0.93, 1.07);
}
