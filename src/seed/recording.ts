import type { Device } from './device.ts';

/**
 * The contents of a synthetic recording in the units of the FIT file, so that tests can compare each
 * number with a decoder's. All numbers are integers.
 */
export interface RecordingTruth {
  /** First and last moment, seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly end: number;
  /** Local time minus UTC at the end (s), for `local_timestamp`. */
  readonly offset: number;
  readonly device: Device;
  readonly serial: number;
  readonly sessions: readonly SessionTruth[];
}

export type SportName = 'cycling' | 'running' | 'swimming' | 'transition';
export type SubSportName =
  'generic' | 'road' | 'indoor_cycling' | 'lap_swimming' | 'bike_to_run_transition';

export interface SessionTruth {
  readonly sport: SportName;
  readonly subSport: SubSportName;
  /** One per second while the timer runs, at the end of that second. */
  readonly records: Records;
  readonly laps: readonly LapTruth[];
  /** Swims only. */
  readonly lengths: readonly LengthTruth[];
  /** Pauses of the timer: seconds since 1970, from the last record before each. */
  readonly pauses: readonly { readonly from: number; readonly to: number }[];
  readonly totals: Totals;
  /** Threshold power for the training stress (W); null for a sport without power. */
  readonly thresholdPower: number | null;
  /** Training stress score in tenths; null without power. */
  readonly trainingStress: number | null;
  /** Intensity factor in thousandths; null without power. */
  readonly intensityFactor: number | null;
}

/**
 * The records of a session as one column per field: a long ride has fifteen thousand records. A
 * column is null if the sport or place does not have the field.
 */
export interface Records {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly timestamp: Uint32Array;
  /** Semicircles: 2^31 of them are 180 degrees. */
  readonly latitude: Int32Array | null;
  readonly longitude: Int32Array | null;
  /** Fifths of a metre above sea level. */
  readonly altitude: Int32Array | null;
  /** bpm */
  readonly heartRate: Int32Array;
  /** Revolutions, strides or strokes per minute. */
  readonly cadence: Int32Array;
  /** cm since the start of the session. */
  readonly distance: Int32Array;
  /** mm/s over the second that ends here. */
  readonly speed: Int32Array;
  /** W */
  readonly power: Int32Array | null;
  /** Degrees Celsius. */
  readonly temperature: Int32Array | null;
}

export type LapTrigger = 'manual' | 'distance' | 'session_end';
export type Intensity = 'active' | 'rest' | 'warmup' | 'cooldown' | 'interval';

export interface LapTruth {
  readonly intensity: Intensity;
  readonly trigger: LapTrigger;
  readonly firstLength: number;
  readonly totals: Totals;
}

/** A length of the pool, or a rest at the wall. */
export interface LengthTruth {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly seconds: number;
  readonly active: boolean;
  readonly strokes: number;
}

/** Totals of a lap or a session, computed from its records. */
export interface Totals {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly end: number;
  /** Duration including pauses (s). */
  readonly elapsed: number;
  /** Duration without pauses (s): the number of records. */
  readonly timer: number;
  /** cm */
  readonly distance: number;
  /** Revolutions, strides or strokes. */
  readonly cycles: number;
  /** kcal */
  readonly calories: number;
  /** mm/s */
  readonly avgSpeed: number;
  readonly maxSpeed: number;
  readonly avgHr: number;
  readonly maxHr: number;
  /** Average of the records above 0, like devices compute it: coasting does not count. */
  readonly avgCadence: number;
  readonly maxCadence: number;
  readonly avgPower: number | null;
  readonly maxPower: number | null;
  /** W: the fourth root of the mean fourth power of 30-second averages. */
  readonly normalizedPower: number | null;
  /** J: the sum of the records' power. */
  readonly work: number | null;
  /** m */
  readonly ascent: number | null;
  readonly descent: number | null;
  readonly avgTemperature: number | null;
  readonly maxTemperature: number | null;
  readonly startPosition: Position | null;
  readonly endPosition: Position | null;
  readonly activeLengths: number;
}

/** Semicircles. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}
