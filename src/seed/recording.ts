/**
 * What is in a synthetic recording, in the units that the FIT file holds, so that each number can be
 * compared to what a decoder finds. All numbers are whole.
 */
export interface RecordingTruth {
  /** First and last moment, seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly end: number;
  /** Local time less UTC at the end, in seconds: what `local_timestamp` tells. */
  readonly offset: number;
  readonly serial: number;
  readonly sessions: readonly SessionTruth[];
}

export type SportName = 'cycling' | 'running' | 'swimming' | 'transition';
export type SubSportName =
  'generic' | 'road' | 'indoor_cycling' | 'lap_swimming' | 'bike_to_run_transition';

export interface SessionTruth {
  readonly sport: SportName;
  readonly subSport: SubSportName;
  /** One a second while the timer runs; each tells of the second that it ends. */
  readonly records: Records;
  readonly laps: readonly LapTruth[];
  /** Swims only. */
  readonly lengths: readonly LengthTruth[];
  /** While the timer stood still: seconds since 1970, from the last record before it. */
  readonly pauses: readonly { readonly from: number; readonly to: number }[];
  readonly totals: Totals;
  /** W (power at threshold) that training stress is measured against; null for a sport without power. */
  readonly thresholdPower: number | null;
  /** Tenths of a point; null without power. */
  readonly trainingStress: number | null;
  /** Thousandths; null without power. */
  readonly intensityFactor: number | null;
}

/**
 * The records of a session, a column for each field: a long ride has fifteen thousand of them. Null:
 * this sport or place does not have the field.
 */
export interface Records {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly timestamp: Uint32Array;
  /** Semicircles: 2^31 of them are 180 degrees. */
  readonly latitude: Int32Array | null;
  readonly longitude: Int32Array | null;
  /** Fifths of a metre above the sea. */
  readonly altitude: Int32Array | null;
  /** bpm */
  readonly heartRate: Int32Array;
  /** Revolutions, strides or strokes a minute. */
  readonly cadence: Int32Array;
  /** cm since the session began. */
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

/** One crossing of the pool, or the rest at its wall. */
export interface LengthTruth {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly seconds: number;
  readonly active: boolean;
  readonly strokes: number;
}

/** Of a lap or a session, all from its records. */
export interface Totals {
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly start: number;
  readonly end: number;
  /** Seconds, the pauses included. */
  readonly elapsed: number;
  /** Seconds, without the pauses: the number of records. */
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
  /** Over the records that have one, as devices do: coasting doesn't count. */
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
