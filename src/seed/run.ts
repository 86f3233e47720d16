import { clamp } from './arithmetic.ts';
import { Heart, Stamina } from './body.ts';
import { Crossings, durationOf, secondsOf } from './effort.ts';
import { Wander } from './random.ts';
import type { Conditions, Motion } from './ride.ts';
import type { LandLeg } from './workout.ts';

/** Running power per kg at 1 m/s on the flat, as power meters show it (W). */
const RUNNING_POWER = 1.04;

/** Returns the running power at a speed (W). */
export function runPower(weight: number, speed: number): number {
  return Math.round(weight * speed * RUNNING_POWER);
}

/**
 * Simulates a run: speed follows from plan and hills, power from speed. Also simulates the walk
 * through the transition area, without power.
 */
export function run(leg: LandLeg, conditions: Conditions, thresholdSpeed: number): Motion {
  const { athlete, weight, threshold, terrain, random } = conditions;
  const walking = leg.sport === 'transition';
  const crossings = new Crossings(random);
  const heart = new Heart(athlete, random, conditions.heat);
  const stamina = new Stamina(threshold, athlete.reserve * 0.8);
  const pacing = new Wander(random, 0.95, 0.022);
  const stride = new Wander(random, 0.9, 0.9);
  const habit = random.between(-2.5, 2.5);

  const duration = durationOf(leg.segments);
  const motion = {
    heartRate: new Int32Array(duration),
    cadence: new Int32Array(duration),
    power: new Int32Array(duration),
    step: new Int32Array(duration),
  };
  let speed = 0;
  let metres = 0;
  for (const second of secondsOf(leg.segments)) {
    const grade = terrain.grade(metres);
    const stop = !leg.closedRoad && crossings.closed(second);
    const wander = pacing.next();
    const turn = stride.next();
    const hill = 1 - clamp(grade * (grade > 0 ? 2.4 : 1.3), -0.08, 0.2);
    const wanted = stop ? 0 : thresholdSpeed * second.share * hill * stamina.share() * (1 + wander);
    speed += (wanted - speed) / (stop ? 1.5 : 3);
    if (stop && speed < 0.4) speed = 0;
    const step = Math.round(speed * 1000);
    metres += step / 1000;
    const climbing = 1 + clamp(grade * 3.1, -0.3, 0.5);
    const power = Math.round(weight * speed * RUNNING_POWER * climbing);
    stamina.spend(power);
    const cadence = walking ? 58 + turn : 84 + (speed - 3.3) * 5.5 + habit + turn;
    motion.heartRate[second.elapsed] = heart.beat(power / threshold, second.elapsed);
    motion.cadence[second.elapsed] = speed > 0.8 ? Math.round(clamp(cadence, 45, 104)) : 0;
    motion.power[second.elapsed] = power;
    motion.step[second.elapsed] = step;
  }
  return { ...motion, power: walking ? null : motion.power, breaks: [] };
}
