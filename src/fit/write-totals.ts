/** Times are seconds since 1970-01-01T00:00:00Z. */
export interface FitRecord {
  readonly time: number;
  /** Degrees. */
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  /** Metres above sea level. */
  readonly altitude?: number | undefined;
  /** Metres since the start. */
  readonly distance?: number | undefined;
  /** m/s */
  readonly speed?: number | undefined;
  /** bpm */
  readonly heartRate?: number | undefined;
  /** Revolutions, or pairs of steps, per minute. */
  readonly cadence?: number | undefined;
  /** W */
  readonly power?: number | undefined;
  /** °C */
  readonly temperature?: number | undefined;
}

/** A time in which the timer stood still. It holds no records, except at its ends. */
export interface FitPause {
  readonly from: number;
  readonly to: number;
}

/** What a lap or a session states about its records. A channel that no record has is undefined. */
export type Totals = Readonly<ReturnType<typeof totalsOf>>;

/** A lap or a session: from one time to another, both included (s since 1970). */
interface Part {
  readonly from: number;
  readonly to: number;
  /** What the device states (m); counts if no record has a distance. */
  readonly distance?: number | undefined;
}

/**
 * Computes the totals of the records in a part of an activity.
 *
 * @param pauses times in which the timer stood still
 */
export function totalsOf(
  all: readonly FitRecord[],
  pauses: readonly FitPause[],
  { from, to, distance: stated }: Part,
) {
  const records = all.slice(
    firstWith(all, ({ time }) => time >= from),
    firstWith(all, ({ time }) => time > to),
  );
  const channel = (name: keyof FitRecord) => {
    const values: number[] = [];
    for (const { [name]: value } of records) if (value !== undefined) values.push(value);
    return values;
  };
  const paused = pauses.map((pause) =>
    Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from)),
  );
  const timer = to - from - sum(paused);
  const along = channel('distance');
  const distance = along.length === 0 ? stated : (along.at(-1) ?? 0) - (along[0] ?? 0);
  const steps = stepsOf(channel('altitude'));
  const places = records.filter(({ latitude }) => latitude !== undefined);
  return {
    start: from,
    end: to,
    /** Seconds with pauses, and without. */
    elapsed: to - from,
    timer,
    /** m */
    distance,
    ascent: steps && sum(steps.filter((step) => step > 0)),
    descent: steps && -sum(steps.filter((step) => step < 0)),
    /** m/s */
    avgSpeed: distance === undefined || timer === 0 ? undefined : distance / timer,
    maxSpeed: maximum(channel('speed')),
    /** Bpm, W and °C. */
    avgHeartRate: mean(channel('heartRate')),
    maxHeartRate: maximum(channel('heartRate')),
    avgPower: mean(channel('power')),
    maxPower: maximum(channel('power')),
    avgTemperature: mean(channel('temperature')),
    maxTemperature: maximum(channel('temperature')),
    /** Per minute. Devices average the values above 0: coasting does not count. */
    avgCadence: mean(channel('cadence').filter((turns) => turns > 0)),
    maxCadence: maximum(channel('cadence')),
    startPosition: places[0],
    endPosition: places.at(-1),
  };
}

/** Returns the index of the first record for which a condition holds, as for every one behind it. */
function firstWith(records: readonly FitRecord[], holds: (record: FitRecord) => boolean): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const record = records[middle];
    if (record === undefined || holds(record)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function stepsOf(altitudes: readonly number[]): number[] | undefined {
  if (altitudes.length === 0) return undefined;
  return altitudes.slice(1).map((altitude, index) => altitude - (altitudes[index] ?? altitude));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : sum(values) / values.length;
}

function maximum(values: readonly number[]): number | undefined {
  return values.length === 0
    ? undefined
    : values.reduce((most, value) => Math.max(most, value), -Infinity);
}
