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

/** A lap or a session: from one time to another, both included (s since 1970). */
interface Part {
  readonly from: number;
  readonly to: number;
  /** What the device states (m); counts if no record has a distance. */
  readonly distance?: number | undefined;
}

/**
 * Computes what a lap or a session states about its records. A channel that no record has is undefined.
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
  const paused = pauses.map((pause) =>
    Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from)),
  );
  const timer = to - from - sum(paused);
  const along = sumUp(records, 'distance');
  const distance = along === undefined ? stated : along.last - along.first;
  const altitude = sumUp(records, 'altitude');
  const heartRate = sumUp(records, 'heartRate');
  const cadence = sumUp(records, 'cadence');
  const power = sumUp(records, 'power');
  const temperature = sumUp(records, 'temperature');
  const isPlaced = ({ latitude }: FitRecord) => latitude !== undefined;
  const first = records.find(isPlaced);
  const last = records.findLast(isPlaced);
  return {
    start: from,
    end: to,
    /** Seconds with pauses, and without. */
    elapsed: to - from,
    timer,
    /** m */
    distance,
    ascent: altitude?.rise,
    descent: altitude?.fall,
    /** m/s */
    avgSpeed: distance === undefined || timer === 0 ? undefined : distance / timer,
    maxSpeed: sumUp(records, 'speed')?.most,
    /** Bpm, W and °C. */
    avgHeartRate: heartRate && heartRate.sum / heartRate.count,
    maxHeartRate: heartRate?.most,
    avgPower: power && power.sum / power.count,
    maxPower: power?.most,
    avgTemperature: temperature && temperature.sum / temperature.count,
    maxTemperature: temperature?.most,
    /** Per minute. Devices average the values above 0: coasting does not count. */
    avgCadence: cadence?.positive ? cadence.sum / cadence.positive : undefined,
    maxCadence: cadence?.most,
    startLatitude: first?.latitude,
    startLongitude: first?.longitude,
    endLatitude: last?.latitude,
    endLongitude: last?.longitude,
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

/** Sums up the values of a channel, without an array of them; undefined if no record has it. */
function sumUp(records: readonly FitRecord[], channel: keyof FitRecord) {
  const first = records.find(({ [channel]: value }) => value !== undefined)?.[channel];
  if (first === undefined) return undefined;
  let [last, most, sum, count, positive, rise, fall] = [first, first, 0, 0, 0, 0, 0];
  for (const { [channel]: value } of records) {
    if (value === undefined) continue;
    if (value > most) most = value;
    if (value > last) rise += value - last;
    else fall += last - value;
    sum += value;
    count++;
    if (value > 0) positive++;
    last = value;
  }
  return { first, last, most, sum, count, positive, rise, fall };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
