import { CYCLING, RUNNING } from '../fit/sports.ts';
import { encodeActivity, type FitLap } from '../fit/write-activity.ts';
import type { FitRecord } from '../fit/write-totals.ts';
import type { Athlete } from './athlete.ts';
import { stream } from './random.ts';
import { type Place, loopFrom } from './route.ts';
import type { Workout } from './workouts.ts';

/** Sub sports of the FIT profile. */
const GENERIC = 0;
const INDOOR_CYCLING = 6;
const ROAD = 7;

/** Running power at 1 m/s, as power meters show it (W/kg). */
const RUNNING_POWER = 1.04;

/** Share of the energy that the legs of a cyclist turn into work, and joules to the kilocalorie. */
const EFFICIENCY = 0.225;
const JOULES = 4184;

export interface Ride {
  readonly athlete: Athlete;
  readonly date: string;
  readonly workout: Workout;
  readonly home: Place;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  /** Local time minus UTC (s). */
  readonly utcOffset: number;
}

/** Returns the FIT file of a workout as the athlete did it. The product name marks it as synthetic. */
export function recordRide(ride: Ride): Uint8Array {
  const { athlete, workout, start, utcOffset } = ride;
  const { device, serial } = athlete;
  let end = start;
  const laps = workout.parts.map(({ seconds, kind }): FitLap => {
    const from = end;
    end += seconds;
    return { from, to: end, intensity: kind };
  });
  const cycling = workout.indoors ? INDOOR_CYCLING : ROAD;
  return encodeActivity({
    fileId: { ...device, productName: `${device.name} (synthetic)`, serial },
    sport: workout.sport === 'cycling' ? CYCLING : RUNNING,
    subSport: workout.sport === 'cycling' ? cycling : GENERIC,
    records: recordsOf(ride),
    laps,
    calories: caloriesOf(athlete, workout),
    utcOffset,
  });
}

/** Returns the energy that a workout takes (kcal). */
export function caloriesOf({ ftp, weight, runSpeed }: Athlete, { sport, parts }: Workout): number {
  const effort = parts.reduce((sum, part) => sum + part.seconds * part.effort, 0);
  const perSecond = sport === 'cycling' ? ftp / JOULES / EFFICIENCY : (runSpeed * weight) / 1000;
  return Math.round(effort * perSecond);
}

/** What the sensors show at the start and after each second. */
function recordsOf({ athlete, date, workout, home, start }: Ride): FitRecord[] {
  const { sport, indoors, parts } = workout;
  const random = stream(athlete.seed, 'ride', date);
  const legs = sport === 'cycling' ? ridden(athlete) : run(athlete);
  const length = parts.reduce(
    (sum, { seconds, effort }) => sum + seconds * legs(effort, 0).pace,
    0,
  );
  const loop = indoors ? undefined : loopFrom(home, length, stream(athlete.seed, 'route', date));
  const efforts = parts.flatMap(({ seconds, effort }) => Array<number>(seconds).fill(effort));
  let [speed, distance, effort, heart] = [0, 0, 0, 0.3];
  return [efforts[0] ?? 0, ...efforts].map((wanted, second) => {
    effort += (wanted * (1 + random.normal() * 0.1) - effort) / 4;
    const { power, pace, cadence } = legs(effort, loop?.grade(distance) ?? 0);
    if (second > 0) speed += (pace - speed) / 6;
    distance += speed;
    // The heart follows the effort with a lag, and drifts over the hours.
    const drift = 1 + (second / 3600) * 0.02;
    heart += ((0.25 + effort * 0.62) * drift - heart) / 35;
    const { restingHr, maxHr } = athlete;
    return {
      time: start + second,
      distance,
      speed,
      power,
      cadence,
      heartRate: restingHr + (maxHr - restingHr) * Math.min(0.98, heart),
      ...loop?.follow(distance, speed),
    };
  });
}

/** Power follows from the effort, and speed from power and grade: 30 km/h at 200 W on the flat. */
function ridden({ ftp }: Athlete) {
  return (effort: number, grade: number) => {
    const power = ftp * effort;
    const pace = (4 + power * 0.022) * Math.max(0.4, 1 - grade * 9);
    return { power, pace, cadence: 88 + (effort - 0.75) * 9 - Math.max(0, grade) * 150 };
  };
}

/** Speed follows from the effort and the grade, and power from speed. */
function run({ runSpeed, weight }: Athlete) {
  return (effort: number, grade: number) => {
    const pace = runSpeed * effort * (1 - grade * 2);
    const power = weight * RUNNING_POWER * runSpeed * effort;
    return { power, pace, cadence: 84 + (pace - 3.3) * 5 };
  };
}
