import { clamp, interpolate } from './arithmetic.ts';
import type { Athlete } from './athlete.ts';
import { Wander, type Random } from './random.ts';
import type { Terrain } from './route.ts';
import type { SeedSegment, SegmentKind, Training } from './workouts.ts';

/** A workout by the second, before each second gets a position and a time. */
export type Motion = Readonly<ReturnType<typeof move>>;

interface Break {
  readonly after: number;
  readonly seconds: number;
}

interface Conditions {
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

/** A second of the plan, and the road in it. */
interface Second {
  /** Share of the threshold. */
  readonly share: number;
  readonly kind: SegmentKind;
  readonly grade: number;
  /** Whether a light is red. */
  readonly stop: boolean;
}

/** Power (W), speed (m/s) and cadence of one second. The cadence may be out of range. */
interface Effort {
  readonly power: number;
  readonly speed: number;
  readonly cadence: number;
}

/** Simulates a workout: heart rate follows from power, and the distance from speed. */
export function move(workout: Training, conditions: Conditions) {
  const { sport, segments, indoors, race } = workout;
  const { athlete, threshold, terrain, random } = conditions;
  const cycling = sport === 'cycling';
  const duration = segments.reduce((sum, { seconds }) => sum + seconds, 0);
  const column = () => new Int32Array(duration);
  const breaks = cycling && !indoors && !race ? breaksOf(random, duration) : [];
  const motion = {
    /** bpm */
    heartRate: column(),
    /** Revolutions or strides per minute. */
    cadence: column(),
    /** W */
    power: column(),
    /** Distance of each second (mm). */
    step: column(),
    /** Breaks with the timer stopped, after a number of seconds of timer time. */
    breaks,
  };
  const isClosed = crossings(random);
  const heart = new Heart(athlete, random, indoors ? 22 : conditions.heat);
  const effortOf = cycling ? rider(indoors, conditions) : runner(conditions);
  let elapsed = 0;
  let metres = 0;
  for (const { seconds, from, to, kind } of segments) {
    for (let second = 0; second < seconds; second++, elapsed++) {
      heart.settle(breaks.find(({ after }) => after === elapsed)?.seconds ?? 0);
      const share = from + ((to - from) * second) / seconds;
      const grade = indoors ? 0 : terrain.grade(metres);
      const stop = !indoors && !race && isClosed(elapsed, kind);
      const { power, speed, cadence } = effortOf({ share, kind, grade, stop });
      motion.power[elapsed] = power;
      motion.heartRate[elapsed] = heart.beat(power / threshold, elapsed);
      motion.cadence[elapsed] = power > 12 && speed > 0.8 ? Math.round(clamp(cadence, 45, 125)) : 0;
      motion.step[elapsed] = Math.round(speed * 1000);
      metres += Math.round(speed * 1000) / 1000;
    }
  }
  return motion;
}

const BIKE = 8.6;
const GRAVITY = 9.81;
const ROLLING = 0.0046;
/** Half the air density times the drag area (kg/m). */
const DRAG = 0.5 * 1.19 * 0.33;
const DRIVETRAIN = 0.975;
/** Speed at which the rider brakes (m/s). */
const FASTEST = 17.5;

/** Power follows from plan and hills; speed from power and resistance. */
function rider(indoors: boolean, { weight, threshold, random }: Conditions) {
  const surge = new Wander(random, 0.93, indoors ? 0.025 : 0.1);
  const spin = new Wander(random, 0.96, indoors ? 1.6 : 3.2);
  const preferred = random.between(86, 93);
  const mass = weight + BIKE;
  let speed = 0;
  let legs = 0;
  return ({ share, kind, grade, stop }: Second): Effort => {
    // More power uphill, less downhill, little of both in an interval.
    const hill =
      kind === 'interval' ? clamp(grade * 1.2, -0.12, 0.1) : clamp(grade * 4.5, -0.4, 0.24);
    legs += (share * (1 + hill) - legs) / 2.5;
    const coasts = stop || (grade < -0.03 && speed > 12.5);
    const wanted = threshold * legs * (1 + surge.next()) + random.normal() * 4;
    const power = coasts ? 0 : Math.max(0, Math.round(wanted));
    const cadence = preferred + (share - 0.75) * 9 - Math.max(0, grade) * 190 + spin.next();
    const push = (power * DRIVETRAIN) / Math.max(speed, 1.6);
    const hold = mass * GRAVITY * (grade + (speed > 0 ? ROLLING : 0)) + DRAG * speed * speed;
    speed = stop ? Math.max(0, speed - 1.9) : clamp(speed + (push - hold) / mass, 1.3, FASTEST);
    return { power, speed, cadence };
  };
}

/** Running power per kg at 1 m/s on the flat, as power meters show it (W). */
export const RUNNING_POWER = 1.04;

/** Speed follows from plan and hills, power from speed. */
function runner({ weight, runThreshold, random }: Conditions) {
  const pacing = new Wander(random, 0.95, 0.022);
  const stride = new Wander(random, 0.9, 0.9);
  const habit = random.between(-2.5, 2.5);
  let speed = 0;
  return ({ share, grade, stop }: Second): Effort => {
    const hill = 1 - clamp(grade * (grade > 0 ? 2.4 : 1.3), -0.08, 0.2);
    const wanted = stop ? 0 : runThreshold * share * (1 + pacing.next()) * hill;
    speed += (wanted - speed) / (stop ? 1.5 : 3);
    if (stop && speed < 0.4) speed = 0;
    const climbing = 1 + clamp(grade * 3.1, -0.3, 0.5);
    const power = weight * speed * RUNNING_POWER * climbing * (1 + random.normal() * 0.015);
    return {
      power: Math.max(0, Math.round(power)),
      speed,
      cadence: 84 + (speed - 3.3) * 5.5 + habit + stride.next(),
    };
  };
}

/** Draws the breaks of a ride: long ones usually have a stop at a cafe or a fountain. */
function breaksOf(random: Random, duration: number): Break[] {
  if (duration < 9000 || random.chance(0.25)) return [];
  const after = Math.round(duration * random.between(0.45, 0.65));
  return [{ after, seconds: random.integer(240, 780) }];
}

/** Returns whether to stand still at a red light in a second; never during an interval. */
function crossings(random: Random) {
  let next = random.integer(240, 900);
  let until = 0;
  return (elapsed: number, kind: SeedSegment['kind']): boolean => {
    if (kind === 'interval') until = 0;
    else if (elapsed >= next) {
      until = elapsed + random.integer(18, 55);
      next = until + random.integer(500, 2400);
    }
    return elapsed < until;
  };
}

/** Steady-state share of the heart rate reserve by effort. */
const HEART_CURVE: readonly (readonly [x: number, y: number])[] = [
  [0, 0.2],
  [0.5, 0.48],
  [0.75, 0.69],
  [1, 0.875],
  [1.15, 0.95],
  [1.4, 0.99],
];

/** Heart rate: follows effort with a lag, slower down than up, and drifts over hours. */
class Heart {
  readonly #athlete: Athlete;
  readonly #noise: Wander;
  readonly #drift: number;
  #level: number;
  #effort = 0;

  /** @param heat degrees Celsius; warmth increases the drift */
  constructor(athlete: Athlete, random: Random, heat: number) {
    this.#athlete = athlete;
    this.#noise = new Wander(random, 0.97, 1.1);
    this.#drift = random.between(0.006, 0.012) + Math.max(0, heat - 18) * 0.0006;
    this.#level = 0.22 + random.between(0, 0.08);
  }

  /**
   * @param effort share of the threshold, this second
   * @param elapsed seconds since the start
   * @returns bpm
   */
  beat(effort: number, elapsed: number): number {
    // The heart responds to the effort averaged over the last seconds.
    this.#effort += (effort - this.#effort) / 8;
    const hours = clamp((elapsed - 900) / 3600, 0, 5);
    const asked = interpolate(HEART_CURVE, this.#effort) * (1 + this.#drift * hours * 3);
    this.#level += (asked - this.#level) / (asked > this.#level ? 26 : 42);
    const { restingHr, maxHr } = this.#athlete;
    const rate = restingHr + (maxHr - restingHr) * this.#level + this.#noise.next();
    return clamp(Math.round(rate), restingHr, maxHr);
  }

  /** Lets the heart rate fall during a stop. */
  settle(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.#effort -= this.#effort / 8;
      this.#level += (0.26 - this.#level) / 60;
    }
  }
}
