import { clamp } from './arithmetic.ts';
import type { Athlete } from './athlete.ts';
import { Heart, Stamina } from './body.ts';
import { Wander, type Random } from './random.ts';
import type { Terrain } from './route.ts';
import type { SeedSegment, SegmentKind, Training } from './workouts.ts';

/** A workout by the second, before each second gets a position and a time. */
export interface Motion {
  /** bpm */
  readonly heartRate: Int32Array;
  /** Revolutions or strides per minute. */
  readonly cadence: Int32Array;
  /** W */
  readonly power: Int32Array;
  /** Distance of this second (mm). */
  readonly step: Int32Array;
  /** Breaks with the timer stopped, after a number of seconds of timer time. */
  readonly breaks: readonly Break[];
}

interface Break {
  readonly after: number;
  readonly seconds: number;
}

export interface Conditions {
  readonly athlete: Athlete;
  /** kg on that day. */
  readonly weight: number;
  /** Power at threshold on that day, W. */
  readonly threshold: number;
  /** Threshold speed of running on that day (m/s). */
  readonly runThreshold: number;
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
export function ride({ segments, indoors, race }: Training, conditions: Conditions): Motion {
  const { athlete, weight, threshold, terrain, random } = conditions;
  const traffic = !indoors && !race;
  const motion = emptyMotion(segments);
  const breaks = traffic ? breaksOf(random, motion.step.length) : [];
  const crossings = new Crossings(random);
  const heart = new Heart(athlete, random, indoors ? 22 : conditions.heat);
  const stamina = new Stamina(threshold, athlete.reserve);
  const surge = new Wander(random, 0.93, indoors ? 0.025 : 0.1);
  const spin = new Wander(random, 0.96, indoors ? 1.6 : 3.2);
  const preferred = random.between(86, 93);
  const mass = weight + BIKE;
  const drag = indoors ? DRAG.trainer : DRAG.road;

  let speed = 0;
  let metres = 0;
  let share = 0;
  let coasting = 0;
  for (const second of secondsOf(segments)) {
    const rest = breaks.find((each) => each.after === second.elapsed);
    if (rest !== undefined) {
      heart.settle(rest.seconds);
      speed = 0;
    }
    const grade = indoors ? 0 : terrain.grade(metres);
    const wander = surge.next();
    const turn = spin.next();
    const stop = traffic && crossings.closed(second);
    const hard = second.kind === 'interval';
    coasting = coasting > 0 ? coasting - 1 : hard || indoors ? 0 : coastFrom(grade, speed, random);

    share += (second.share * hillShare(grade, hard) - share) / 2.5;
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
  return { ...motion, breaks };
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

/** Running power per kg at 1 m/s on the flat, as power meters show it (W). */
export const RUNNING_POWER = 1.04;

/** Simulates a run: speed follows from plan and hills, power from speed. */
export function run({ segments, race }: Training, conditions: Conditions): Motion {
  const { athlete, weight, threshold, runThreshold, terrain, random } = conditions;
  const crossings = new Crossings(random);
  const heart = new Heart(athlete, random, conditions.heat);
  const stamina = new Stamina(threshold, athlete.reserve * 0.8);
  const pacing = new Wander(random, 0.95, 0.022);
  const stride = new Wander(random, 0.9, 0.9);
  const habit = random.between(-2.5, 2.5);

  const motion = emptyMotion(segments);
  let speed = 0;
  let metres = 0;
  for (const second of secondsOf(segments)) {
    const grade = terrain.grade(metres);
    const stop = !race && crossings.closed(second);
    const pace = second.share * stamina.share() * (1 + pacing.next());
    const hill = 1 - clamp(grade * (grade > 0 ? 2.4 : 1.3), -0.08, 0.2);
    const wanted = stop ? 0 : runThreshold * pace * hill;
    speed += (wanted - speed) / (stop ? 1.5 : 3);
    if (stop && speed < 0.4) speed = 0;
    const step = Math.round(speed * 1000);
    metres += step / 1000;
    const climbing = 1 + clamp(grade * 3.1, -0.3, 0.5);
    const power = Math.round(weight * speed * RUNNING_POWER * climbing);
    stamina.spend(power);
    const cadence = 84 + (speed - 3.3) * 5.5 + habit + stride.next();
    motion.heartRate[second.elapsed] = heart.beat(power / threshold, second.elapsed);
    motion.cadence[second.elapsed] = speed > 0.8 ? Math.round(clamp(cadence, 45, 104)) : 0;
    motion.power[second.elapsed] = power;
    motion.step[second.elapsed] = step;
  }
  return { ...motion, breaks: [] };
}

function emptyMotion(segments: readonly SeedSegment[]) {
  let duration = 0;
  for (const { seconds } of segments) duration += seconds;
  const column = () => new Int32Array(duration);
  return { heartRate: column(), cadence: column(), power: column(), step: column() };
}

interface Second {
  /** Seconds of timer time before this one. */
  elapsed: number;
  /** Share of the threshold. */
  share: number;
  kind: SegmentKind;
}

/** Yields the plan second by second, in one reused object. */
function* secondsOf(segments: readonly SeedSegment[]): Generator<Readonly<Second>, void> {
  const now: Second = { elapsed: 0, share: 0, kind: 'active' };
  for (const { seconds, from, to, kind } of segments) {
    now.kind = kind;
    for (let second = 0; second < seconds; second++) {
      now.share = from + ((to - from) * second) / seconds;
      yield now;
      now.elapsed++;
    }
  }
}

/** Draws the breaks of a workout: long ones usually have a stop at a cafe or a fountain. */
function breaksOf(random: Random, duration: number): Break[] {
  if (duration < 9000 || random.chance(0.25)) return [];
  const after = Math.round(duration * random.between(0.45, 0.65));
  return [{ after, seconds: random.integer(240, 780) }];
}

/** Red lights and crossings, with the timer running. */
class Crossings {
  readonly #random: Random;
  #next: number;
  #left = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#next = random.integer(240, 900);
  }

  /** Whether to stand still this second; never during an interval. */
  closed(second: Readonly<Second>): boolean {
    if (second.kind === 'interval') this.#left = 0;
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    if (second.elapsed < this.#next || second.kind === 'interval') return false;
    this.#next = second.elapsed + this.#random.integer(500, 2400);
    this.#left = this.#random.integer(18, 55);
    return true;
  }
}
