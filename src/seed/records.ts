import type { Motion } from './motion.ts';
import type { Loop } from './route.ts';

/** Records as one column per field: a long ride has fifteen thousand records. */
export type Records = Readonly<ReturnType<typeof recordsOf>['records']>;

interface RideSetting {
  readonly start: number;
  readonly path: { readonly loop: Loop; altitude(metres: number): number } | null;
  /** Degrees Celsius at the start, and the rise per hour. */
  readonly heat: number;
  readonly warming: number;
}

/** Adds time, position, altitude and temperature to each second. */
export function recordsOf(motion: Motion, { start, path, heat, warming }: RideSetting) {
  const { heartRate, cadence, power, step: speed, breaks } = motion;
  const column = () => new Int32Array(speed.length);
  const records = {
    /** Seconds since 1970-01-01T00:00:00Z. */
    timestamp: new Uint32Array(speed.length),
    /** Null indoors. Semicircles (2^31 of them are 180 degrees), and fifths of a metre above sea level. */
    path: path && { latitude: column(), longitude: column(), altitude: column() },
    /** bpm */
    heartRate,
    /** Revolutions or strides per minute. */
    cadence,
    /** cm since the start of the session. */
    distance: column(),
    /** mm/s over the second that ends here. */
    speed,
    /** W */
    power,
    /** Degrees Celsius. */
    temperature: column(),
  };
  /** Pauses of the timer: seconds since 1970, from the last record before each. */
  const pauses: { from: number; to: number }[] = [];
  let clock = start;
  let along = 0;
  speed.forEach((step, second) => {
    const rest = breaks.find((each) => each.after === second);
    if (rest !== undefined) {
      pauses.push({ from: clock, to: clock + rest.seconds });
      clock += rest.seconds;
    }
    clock++;
    along += step;
    records.timestamp[second] = clock;
    records.distance[second] = Math.round(along / 10);
    records.temperature[second] = Math.round(heat + warming * Math.min(2, (clock - start) / 3600));
    if (path === null || records.path === null) return;
    const { latitude, longitude } = path.loop.at(along / 1000);
    records.path.latitude[second] = latitude;
    records.path.longitude[second] = longitude;
    records.path.altitude[second] = Math.round(path.altitude(along / 1000) * 5);
  });
  return { records, pauses };
}
