import { CYCLING, RUNNING } from '../fit/sports.ts';
import { encodeActivity, type FitLap } from '../fit/write-activity.ts';
import type { FitRecord } from '../fit/write-totals.ts';
import type { Athlete } from './athlete.ts';
import { type Random, stream } from './random.ts';
import { type Place, routeFrom, sine } from './route.ts';
import type { Workout } from './workouts.ts';

/** Sub sports of the FIT profile. */
const GENERIC = 0;
const INDOOR_CYCLING = 6;
const ROAD = 7;

/** Routes that the athlete uses in each sport. */
const ROUTES = 5;

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
  const { sport, indoors, parts, pause } = workout;
  const seconds = secondsOf(ride);
  const total = seconds.at(-1)?.distance ?? 0;
  const place = indoors ? undefined : routeOf(ride).loop(total);
  const clock = (second: number) =>
    start + second + (pause && second > pause.after ? pause.seconds : 0);
  const records = seconds.map((second, index): FitRecord => {
    return { time: clock(index), ...second, ...place?.(second.distance) };
  });
  let end = 0;
  const laps = parts.map(({ seconds: length, kind }): FitLap => {
    const from = clock(end);
    end += length;
    return { from, to: clock(end), intensity: kind };
  });
  const cycling = indoors ? INDOOR_CYCLING : ROAD;
  return encodeActivity({
    fileId: { ...device, productName: `${device.name} (synthetic)`, serial },
    sport: sport === 'cycling' ? CYCLING : RUNNING,
    subSport: sport === 'cycling' ? cycling : GENERIC,
    records,
    laps,
    pauses: pause ? [{ from: start + pause.after, to: start + pause.after + pause.seconds }] : [],
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

function routeOf({ athlete, date, home, workout }: Ride) {
  const random = stream(athlete.seed, 'route', workout.sport, date);
  const first = workout.sport === 'cycling' ? 0 : ROUTES;
  return routeFrom(home, athlete.seed, first + random.integer(1, ROUTES));
}

/** What the sensors show at the start and after each second of the timer. */
function secondsOf(ride: Ride) {
  const { athlete, date, workout } = ride;
  const { sport, indoors, parts } = workout;
  const random = stream(athlete.seed, 'ride', date);
  const route = routeOf(ride);
  const heat = indoors ? 20 : warmthOn(date) + random.between(-4, 4);
  const swing = wander(random, sport === 'cycling' && !indoors ? 0.06 : 0.02);
  const pulse = wander(random, 1.2);
  const efforts = parts.flatMap(({ seconds, effort }) => Array<number>(seconds).fill(effort));
  const legs = sport === 'cycling' ? ridden(athlete) : run(athlete);
  let [speed, distance, effort] = [0, 0, 0];
  let heart = 0.3;
  return [efforts[0] ?? 0, ...efforts].map((wanted, second) => {
    effort += (wanted * (1 + swing()) - effort) / 4;
    const { power, pace, cadence } = legs(effort, indoors ? 0 : route.grade(distance));
    if (second > 0) speed += (pace - speed) / 6;
    distance += speed;
    // The heart follows the effort with a lag, and drifts over the hours.
    const drift = 1 + (second / 3600) * 0.02;
    heart += ((0.25 + effort * 0.62) * drift - heart) / 35;
    const share = Math.min(0.98, heart);
    const heartRate = athlete.restingHr + (athlete.maxHr - athlete.restingHr) * share + pulse();
    return {
      distance,
      speed,
      power: Math.max(0, power + random.normal() * 4),
      cadence: cadence + random.normal(),
      heartRate: Math.min(athlete.maxHr, heartRate),
      temperature: heat + second / 3600,
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

/** Returns the usual temperature of a day (°C), as in the middle of Europe. */
function warmthOn(date: string): number {
  return 13 + 8 * sine((Number(date.slice(5, 7)) - 4.5) / 12);
}

/** Returns numbers around 0 with this deviation, each of which keeps most of the previous one. */
function wander(random: Random, deviation: number): () => number {
  let value = 0;
  return () => (value = value * 0.96 + random.normal() * deviation * 0.28);
}
