import type { Position, Records, SportName, Totals } from './recording.ts';

/** The facts beside the records that totals depend on. */
export interface TotalsBasis {
  readonly sport: SportName;
  /** Start of the session, seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly origin: Position | null;
  /** kg */
  readonly weight: number;
}

/**
 * Computes the totals of the records `from` (inclusive) to `to` (exclusive). All but the calories can
 * be recomputed from the recording.
 */
export function totalsOf(
  records: Records,
  from: number,
  to: number,
  activeLengths: number,
  basis: TotalsBasis,
): Totals {
  const timer = to - from;
  const end = records.timestamp[to - 1];
  if (end === undefined || timer < 1) throw new RangeError('No records to total');
  const start = records.timestamp[from - 1] ?? basis.start;
  const distance = (records.distance[to - 1] ?? 0) - (records.distance[from - 1] ?? 0);
  const part = (column: Int32Array) => column.subarray(from, to);
  const heartRate = part(records.heartRate);
  const cadence = part(records.cadence);
  const power = records.power && part(records.power);
  const temperature = records.temperature && part(records.temperature);
  const work = power && sum(power);
  const climb = records.altitude && climbOf(records.altitude.subarray(Math.max(0, from - 1), to));
  return {
    start,
    end,
    elapsed: end - start,
    timer,
    distance,
    cycles: Math.round(sum(cadence) / 60),
    calories: caloriesOf(basis, distance, work),
    avgSpeed: Math.round((distance * 10) / timer),
    maxSpeed: maximum(part(records.speed)),
    avgHr: mean(heartRate),
    maxHr: maximum(heartRate),
    avgCadence: mean(cadence.filter((each) => each > 0)),
    maxCadence: maximum(cadence),
    avgPower: power && mean(power),
    maxPower: power && maximum(power),
    normalizedPower: power && normalized(power),
    work,
    ascent: climb && climb.ascent,
    descent: climb && climb.descent,
    avgTemperature: temperature && mean(temperature),
    maxTemperature: temperature && maximum(temperature),
    startPosition: from === 0 ? basis.origin : positionAt(records, from - 1),
    endPosition: positionAt(records, to - 1),
    activeLengths,
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

function caloriesOf(basis: TotalsBasis, distance: number, work: number | null): number {
  const kilometres = distance / 100_000;
  switch (basis.sport) {
    case 'cycling':
      // 4.184 J to the calorie, of which the legs turn 22.5 % into work.
      return Math.round((work ?? 0) / 4184 / 0.225);
    case 'running':
    case 'transition':
      return Math.round(basis.weight * kilometres);
    case 'swimming':
      return Math.round(basis.weight * kilometres * 4);
  }
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

function positionAt(records: Records, index: number): Position | null {
  const latitude = records.latitude?.[index];
  const longitude = records.longitude?.[index];
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
