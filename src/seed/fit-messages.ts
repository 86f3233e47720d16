import type { FitEncoderField } from 'fit-file-parser/encoder';

import {
  enumeration,
  FIT_EPOCH,
  optional,
  position,
  sint32,
  sint8,
  time,
  uint16,
  uint32,
  uint8,
} from './fit-fields.ts';
import type {
  Intensity,
  LapTrigger,
  LapTruth,
  Records,
  RecordingTruth,
  SessionTruth,
  SportName,
  SubSportName,
} from './recording.ts';
import { POOL } from './swim.ts';

/** Numbers of the FIT profile's types. */
export const Event = { timer: 0, session: 8, lap: 9, activity: 26, length: 28 };
export const EventType = { start: 0, stop: 1, stopAll: 4 };
const SPORT: Record<SportName, number> = { running: 1, cycling: 2, transition: 3, swimming: 5 };
const SUB_SPORT: Record<SubSportName, number> = {
  generic: 0,
  indoor_cycling: 6,
  road: 7,
  lap_swimming: 17,
  bike_to_run_transition: 32,
};
const INTENSITY: Record<Intensity, number> = {
  active: 0,
  rest: 1,
  warmup: 2,
  cooldown: 3,
  interval: 5,
};
const LAP_TRIGGER: Record<LapTrigger, number> = { manual: 0, distance: 2, session_end: 7 };

/**
 * The fields of a record message. All records of a session reuse one set of objects, which the
 * encoder reads at once: a ride has ten thousand records.
 */
export class RecordFields {
  readonly #fields: FitEncoderField[] = [];
  readonly #columns: { values: Int32Array | Uint32Array; offset: number }[] = [];

  constructor(records: Records) {
    this.#add(uint32(253, 0), records.timestamp, -FIT_EPOCH);
    this.#add(sint32(0, 0), records.latitude);
    this.#add(sint32(1, 0), records.longitude);
    this.#add(uint32(5, 0), records.distance);
    this.#add(uint32(73, 0), records.speed);
    this.#add(uint32(78, 0), records.altitude, 500 * 5); // FIT counts from 500 m below sea level
    this.#add(uint16(7, 0), records.power);
    this.#add(uint8(3, 0), records.heartRate);
    this.#add(uint8(4, 0), records.cadence);
    this.#add(sint8(13, 0), records.temperature);
  }

  /** Returns the fields with the values of one record. */
  at(index: number): FitEncoderField[] {
    this.#columns.forEach(({ values, offset }, column) => {
      const field = this.#fields[column];
      const value = values[index];
      if (field === undefined || value === undefined) throw new RangeError(`No record ${index}`);
      field.value = value + offset;
    });
    return this.#fields;
  }

  #add(field: FitEncoderField, values: Int32Array | Uint32Array | null, offset = 0): void {
    if (values === null) return;
    this.#fields.push(field);
    this.#columns.push({ values, offset });
  }
}

export function lengthFields(
  index: number,
  length: SessionTruth['lengths'][number],
): FitEncoderField[] {
  const { start, seconds, active, strokes } = length;
  return [
    uint16(254, index),
    time(253, start + seconds),
    enumeration(0, Event.length),
    enumeration(1, EventType.stop),
    time(2, start),
    uint32(3, seconds * 1000),
    uint32(4, seconds * 1000),
    uint16(5, strokes),
    uint16(6, active ? Math.round((POOL * 1000) / seconds) : 0),
    enumeration(7, 0), // freestyle
    uint8(9, active ? Math.round((strokes * 60) / seconds) : 0),
    enumeration(12, active ? 1 : 0),
  ];
}

export function lapFields(
  index: number,
  lap: LapTruth,
  session: SessionTruth,
  firstLength: number,
): FitEncoderField[] {
  const { totals } = lap;
  const fields = [
    uint16(254, index),
    time(253, totals.end),
    enumeration(0, Event.lap),
    enumeration(1, EventType.stop),
    time(2, totals.start),
    ...position([3, 4], totals.startPosition),
    ...position([5, 6], totals.endPosition),
    uint32(7, totals.elapsed * 1000),
    uint32(8, totals.timer * 1000),
    uint32(9, totals.distance),
    uint32(10, totals.cycles),
    uint16(11, totals.calories),
    uint8(15, totals.avgHr),
    uint8(16, totals.maxHr),
    uint8(17, totals.avgCadence),
    uint8(18, totals.maxCadence),
    ...optional(uint16, 19, totals.avgPower),
    ...optional(uint16, 20, totals.maxPower),
    ...optional(uint16, 21, totals.ascent),
    ...optional(uint16, 22, totals.descent),
    enumeration(23, INTENSITY[lap.intensity]),
    enumeration(24, LAP_TRIGGER[lap.trigger]),
    enumeration(25, SPORT[session.sport]),
    ...optional(uint16, 33, totals.normalizedPower),
    enumeration(39, SUB_SPORT[session.subSport]),
    ...optional(uint32, 41, totals.work),
    uint32(110, totals.avgSpeed),
    uint32(111, totals.maxSpeed),
  ];
  if (session.sport !== 'swimming') return fields;
  const next = session.laps[session.laps.indexOf(lap) + 1]?.firstLength ?? session.lengths.length;
  return [
    ...fields,
    uint16(32, next - lap.firstLength),
    uint16(35, firstLength + lap.firstLength),
    enumeration(38, 0), // freestyle
    uint16(40, totals.activeLengths),
  ];
}

export function sessionFields(
  index: number,
  session: SessionTruth,
  firstLap: number,
  multisport: boolean,
): FitEncoderField[] {
  const { totals } = session;
  const fields = [
    uint16(254, index),
    time(253, totals.end),
    enumeration(0, Event.session),
    enumeration(1, EventType.stop),
    time(2, totals.start),
    ...position([3, 4], totals.startPosition),
    enumeration(5, SPORT[session.sport]),
    enumeration(6, SUB_SPORT[session.subSport]),
    uint32(7, totals.elapsed * 1000),
    uint32(8, totals.timer * 1000),
    uint32(9, totals.distance),
    uint32(10, totals.cycles),
    uint16(11, totals.calories),
    uint8(16, totals.avgHr),
    uint8(17, totals.maxHr),
    uint8(18, totals.avgCadence),
    uint8(19, totals.maxCadence),
    ...optional(uint16, 20, totals.avgPower),
    ...optional(uint16, 21, totals.maxPower),
    ...optional(uint16, 22, totals.ascent),
    ...optional(uint16, 23, totals.descent),
    uint16(25, firstLap),
    uint16(26, session.laps.length),
    enumeration(28, multisport ? 2 : 0),
    ...optional(uint16, 34, totals.normalizedPower),
    ...optional(uint16, 35, session.trainingStress),
    ...optional(uint16, 36, session.intensityFactor),
    ...optional(uint16, 45, session.thresholdPower),
    ...optional(uint32, 48, totals.work),
    ...optional(sint8, 57, totals.avgTemperature),
    ...optional(sint8, 58, totals.maxTemperature),
    uint32(124, totals.avgSpeed),
    uint32(125, totals.maxSpeed),
  ];
  if (session.sport !== 'swimming') return fields;
  return [
    ...fields,
    uint16(33, session.lengths.length),
    enumeration(43, 0), // freestyle
    uint16(44, POOL * 100),
    enumeration(46, 0), // metric
    uint16(47, totals.activeLengths),
  ];
}

export function activityFields(truth: RecordingTruth): FitEncoderField[] {
  let timer = 0;
  for (const session of truth.sessions) timer += session.totals.timer;
  return [
    time(253, truth.end),
    uint32(0, timer * 1000),
    uint16(1, truth.sessions.length),
    enumeration(2, truth.sessions.length > 1 ? 1 : 0),
    enumeration(3, Event.activity),
    enumeration(4, EventType.stop),
    time(5, truth.end + truth.offset),
  ];
}
