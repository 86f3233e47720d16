import type { Position, Sample, SportName, Totals } from './recording.ts';

/** What totals need to know beside the records. */
export interface TotalsBasis {
  readonly sport: SportName;
  /** Seconds since 1970-01-01T00:00:00Z: when the session began. */
  readonly start: number;
  readonly origin: Position | null;
  /** kg */
  readonly weight: number;
}

/**
 * The totals of the records `from` (included) to `to` (not included). Everything but the calories
 * can be worked out again from the recording's own records.
 */
export function totalsOf(
  samples: readonly Sample[],
  from: number,
  to: number,
  activeLengths: number,
  basis: TotalsBasis,
): Totals {
  const part = samples.slice(from, to);
  const before = from === 0 ? undefined : samples[from - 1];
  const last = part.at(-1);
  if (last === undefined) throw new RangeError('There are no totals of nothing.');
  const start = before?.timestamp ?? basis.start;
  const timer = part.length;
  const distance = last.distance - (before?.distance ?? 0);
  const pedalling = part.filter((sample) => sample.cadence > 0);
  const power = valuesOf(part, 'power');
  const temperature = valuesOf(part, 'temperature');
  const work = power === null ? null : sum(power);
  const climb = climbOf(before === undefined ? part : [before, ...part]);
  return {
    start,
    end: last.timestamp,
    elapsed: last.timestamp - start,
    timer,
    distance,
    cycles: Math.round(sum(part.map((sample) => sample.cadence)) / 60),
    calories: caloriesOf(basis, distance, work),
    avgSpeed: Math.round((distance * 10) / timer),
    maxSpeed: maximum(part.map((sample) => sample.speed)),
    avgHr: mean(part.map((sample) => sample.heartRate)),
    maxHr: maximum(part.map((sample) => sample.heartRate)),
    avgCadence: mean(pedalling.map((sample) => sample.cadence)),
    maxCadence: maximum(part.map((sample) => sample.cadence)),
    avgPower: power === null ? null : mean(power),
    maxPower: power === null ? null : maximum(power),
    normalizedPower: power === null ? null : normalized(power),
    work,
    ascent: climb?.ascent ?? null,
    descent: climb?.descent ?? null,
    avgTemperature: temperature === null ? null : mean(temperature),
    maxTemperature: temperature === null ? null : maximum(temperature),
    startPosition: (before === undefined ? null : positionOf(before)) ?? basis.origin,
    endPosition: positionOf(last),
    activeLengths,
  };
}

/** Tenths of a point of training stress: 1000 is an hour at threshold. */
export function stressOf(timer: number, normalizedPower: number, threshold: number): number {
  const work = timer * normalizedPower * normalizedPower;
  return Math.round((work * 1000) / (threshold * threshold * 3600));
}

const WINDOW = 30;

/**
 * Coggan's normalized power, W: the fourth root of the mean fourth power of a 30-second moving
 * average, taken where the window is full. Shorter parts have their mean.
 */
function normalized(power: readonly number[]): number {
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

function climbOf(samples: readonly Sample[]): { ascent: number; descent: number } | null {
  let up = 0;
  let down = 0;
  let before: number | null = null;
  for (const { altitude } of samples) {
    if (altitude === null) return null;
    const change = altitude - (before ?? altitude);
    if (change > 0) up += change;
    else down -= change;
    before = altitude;
  }
  return { ascent: Math.round(up / 5), descent: Math.round(down / 5) };
}

function positionOf(sample: Sample): Position | null {
  const { latitude, longitude } = sample;
  return latitude === null || longitude === null ? null : { latitude, longitude };
}

function valuesOf(samples: readonly Sample[], name: 'power' | 'temperature'): number[] | null {
  const values: number[] = [];
  for (const sample of samples) {
    const value = sample[name];
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.round(sum(values) / values.length) + 0;
}

function maximum(values: readonly number[]): number {
  let most = values[0] ?? 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
