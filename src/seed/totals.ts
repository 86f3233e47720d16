import type { Records } from './records.ts';
import type { RoutePosition } from './route.ts';
import type { SeedSport } from './workouts.ts';

/** The facts beside the records that totals depend on. */
export interface TotalsBasis {
  readonly sport: SeedSport;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly origin: RoutePosition | null;
  /** kg */
  readonly weight: number;
}

export type SessionTotals = Readonly<ReturnType<typeof totalsOf>>;

/**
 * Computes the totals of a lap or a session: the records `from` (inclusive) to `to` (exclusive). All
 * but the calories can be recomputed from the recording.
 */
export function totalsOf(records: Records, from: number, to: number, basis: TotalsBasis) {
  const timer = to - from;
  const end = records.timestamp[to - 1];
  if (end === undefined || timer < 1) throw new RangeError('No records to total');
  const start = records.timestamp[from - 1] ?? basis.start;
  const distance = (records.distance[to - 1] ?? 0) - (records.distance[from - 1] ?? 0);
  const part = (column: Int32Array) => column.subarray(from, to);
  const heartRate = part(records.heartRate);
  const cadence = part(records.cadence);
  const power = part(records.power);
  const temperature = part(records.temperature);
  const work = sum(power);
  const climb = records.path && climbOf(records.path.altitude.subarray(Math.max(0, from - 1), to));
  return {
    // Seconds since 1970-01-01T00:00:00Z.
    start,
    end,
    // Seconds with pauses, and without.
    elapsed: end - start,
    timer,
    // cm
    distance,
    // Revolutions or strides.
    cycles: Math.round(sum(cadence) / 60),
    // kcal: 4.184 J to the calorie, of which the legs turn 22.5 % into work.
    calories: Math.round(
      basis.sport === 'cycling' ? work / 4184 / 0.225 : (basis.weight * distance) / 100_000,
    ),
    // mm/s
    avgSpeed: Math.round((distance * 10) / timer),
    maxSpeed: maximum(part(records.speed)),
    avgHr: mean(heartRate),
    maxHr: maximum(heartRate),
    // Devices average the values above 0: coasting does not count.
    avgCadence: mean(cadence.filter((each) => each > 0)),
    maxCadence: maximum(cadence),
    avgPower: mean(power),
    maxPower: maximum(power),
    normalizedPower: normalized(power),
    // J
    work,
    // m
    ascent: climb && climb.ascent,
    descent: climb && climb.descent,
    avgTemperature: mean(temperature),
    maxTemperature: maximum(temperature),
    startPosition: from === 0 ? basis.origin : positionAt(records, from - 1),
    endPosition: positionAt(records, to - 1),
  };
}

/** Returns the training stress score in tenths: 1000 for an hour at threshold. */
export function stressOf(timer: number, normalizedPower: number, threshold: number): number {
  const work = timer * normalizedPower * normalizedPower;
  return Math.round((work * 1000) / (threshold * threshold * 3600));
}

const WINDOW = 30;

/**
 * Returns Coggan's normalized power (W): the fourth root of the mean fourth power of the 30-second
 * moving averages. For less than 30 seconds, returns the mean.
 */
function normalized(power: Int32Array): number {
  if (power.length < WINDOW) return mean(power);
  let window = 0;
  let fourth = 0;
  power.forEach((watts, index) => {
    window += watts - (power[index - WINDOW] ?? 0);
    if (index < WINDOW - 1) return;
    const average = window / WINDOW;
    fourth += average * average * average * average;
  });
  return Math.round(Math.sqrt(Math.sqrt(fourth / (power.length - WINDOW + 1))));
}

/** @param altitude fifths of a metre */
function climbOf(altitude: Int32Array): { ascent: number; descent: number } {
  let up = 0;
  let down = 0;
  let before = altitude[0] ?? 0;
  for (const height of altitude) {
    if (height > before) up += height - before;
    else down += before - height;
    before = height;
  }
  return { ascent: Math.round(up / 5), descent: Math.round(down / 5) };
}

function positionAt({ path }: Records, index: number): RoutePosition | null {
  const latitude = path?.latitude[index];
  const longitude = path?.longitude[index];
  return latitude === undefined || longitude === undefined ? null : { latitude, longitude };
}

function sum(values: Int32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function mean(values: Int32Array): number {
  return values.length === 0 ? 0 : Math.round(sum(values) / values.length) + 0;
}

function maximum(values: Int32Array): number {
  let most = values[0] ?? 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
