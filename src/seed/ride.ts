import { clamp } from './arithmetic.ts';
import { Heart, Stamina } from './body.ts';
import { breaksOf, Crossings, durationOf, secondsOf, type Break } from './effort.ts';
import { Wander, type Random } from './random.ts';
import type { Terrain } from './route.ts';
import type { LandLeg } from './workout.ts';
import type { Athlete } from './athlete.ts';

/**
 * A leg by the second, before each second gets a position and a time. The columns become those of the
 * recording.
 */
export interface Motion {
  readonly heartRate: Int32Array;
  readonly cadence: Int32Array;
  readonly power: Int32Array | null;
  /** Distance of this second (mm). */
  readonly step: Int32Array;
  readonly breaks: readonly Break[];
}

export interface Conditions {
  readonly athlete: Athlete;
  /** kg on that day. */
  readonly weight: number;
  /** Power at threshold on that day, W. */
  readonly threshold: number;
  /** Degrees Celsius. */
  readonly heat: number;
  readonly terrain: Terrain;
  readonly random: Random;
}

const BIKE = 8.6;
const GRAVITY = 9.81;
const ROLLING = 0.0046;
/** Half the air density times the drag area (kg/m): on the hoods, and as trainer software assumes. */
const DRAG = { road: 0.5 * 1.19 * 0.33, trainer: 0.5 * 1.19 * 0.31 };
const DRIVETRAIN = 0.975;
/** Speed at which the rider brakes (m/s). */
const FASTEST = 17.5;

/** Simulates a ride: power follows from plan, hills and fatigue; speed from power and resistance. */
export function ride(leg: LandLeg, conditions: Conditions): Motion {
  const { athlete, weight, threshold, terrain, random } = conditions;
  const road = leg.place === 'road';
  const duration = durationOf(leg.segments);
  const traffic = road && !leg.closedRoad;
  const breaks = traffic ? breaksOf(random, duration) : [];
  const crossings = new Crossings(random);
  const heart = new Heart(athlete, random, road ? conditions.heat : 22);
  const stamina = new Stamina(threshold, athlete.reserve);
  const surge = new Wander(random, 0.93, road ? 0.1 : 0.025);
  const spin = new Wander(random, 0.96, road ? 3.2 : 1.6);
  const preferred = random.between(86, 93);
  const mass = weight + BIKE;
  const drag = road ? DRAG.road : DRAG.trainer;

  const motion = {
    heartRate: new Int32Array(duration),
    cadence: new Int32Array(duration),
    power: new Int32Array(duration),
    step: new Int32Array(duration),
    breaks,
  };
  let speed = 0;
  let metres = 0;
  let share = 0;
  let coasting = 0;
  for (const second of secondsOf(leg.segments)) {
    const rest = breaks.find((each) => each.after === second.elapsed);
    if (rest !== undefined) {
      heart.settle(rest.seconds);
      speed = 0;
    }
    const grade = road ? terrain.grade(metres) : 0;
    const wander = surge.next();
    const turn = spin.next();
    const stop = traffic && crossings.closed(second);
    const free = road && second.kind !== 'interval';
    coasting = coasting > 0 ? coasting - 1 : free ? coastFrom(grade, speed, random) : 0;

    share += (second.share * hillShare(grade, second.kind === 'interval') - share) / 2.5;
    const legs = stop || coasting > 0 ? 0 : share * stamina.share() * (1 + wander);
    const power = Math.max(0, Math.round(threshold * legs + (legs > 0 ? random.normal() * 4 : 0)));
    stamina.spend(power);

    if (stop) {
      speed = Math.max(0, speed - 1.9);
    } else {
      const push = (power * DRIVETRAIN) / Math.max(speed, 1.6);
      const hold = mass * GRAVITY * (grade + (speed > 0 ? ROLLING : 0)) + drag * speed * speed;
      speed = clamp(speed + (push - hold) / mass, 0, FASTEST);
      if (speed < 1.3 && power > 0) speed = 1.3;
    }
    const step = Math.round(speed * 1000);
    metres += step / 1000;
    const turning = power > 12 && speed > 0;
    const cadence = preferred + (second.share - 0.75) * 9 - Math.max(0, grade) * 190 + turn;
    motion.heartRate[second.elapsed] = heart.beat(power / threshold, second.elapsed);
    motion.cadence[second.elapsed] = turning ? Math.round(clamp(cadence, 48, 125)) : 0;
    motion.power[second.elapsed] = power;
    motion.step[second.elapsed] = step;
  }
  return motion;
}

/** Returns the factor of a hill on power: more uphill, less downhill, little in an interval. */
function hillShare(grade: number, hard: boolean): number {
  return hard ? 1 + clamp(grade * 1.2, -0.12, 0.1) : 1 + clamp(grade * 4.5, -0.4, 0.24);
}

/** Draws how long the rider coasts from now (s). */
function coastFrom(grade: number, speed: number, random: Random): number {
  if (grade < -0.03 && speed > 12.5) return random.integer(4, 14);
  return random.chance(0.006) ? random.integer(2, 7) : 0;
}
