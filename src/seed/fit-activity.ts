import { FitBaseType, FitEncoder, type FitEncoderField } from 'fit-file-parser/encoder';

import type {
  Intensity,
  LapTrigger,
  LapTruth,
  RecordingTruth,
  Sample,
  SessionTruth,
  SportName,
  SubSportName,
  Totals,
} from './recording.ts';
import { POOL } from './swim.ts';

/** Written as the device's and the user's name: anyone who opens such a file can tell. */
export const SYNTHETIC_NAME = 'Synthetic athlete';

/** FIT counts seconds from 1989-12-31T00:00:00Z. */
const FIT_EPOCH = 631_065_600;
/** The manufacturer number that the FIT profile keeps for development. */
const DEVELOPMENT = 255;
const PRODUCT = 1;

/** Message numbers of the FIT profile, each with a local number of its own: one definition each. */
const Message = {
  fileId: [0, 0],
  fileCreator: [49, 1],
  userProfile: [3, 2],
  zonesTarget: [7, 3],
  deviceInfo: [23, 4],
  event: [21, 5],
  record: [20, 6],
  length: [101, 7],
  lap: [19, 8],
  session: [18, 9],
  activity: [34, 10],
} as const;

const Event = { timer: 0, session: 8, lap: 9, activity: 26, length: 28 };
const EventType = { start: 0, stop: 1, stopAll: 4 };
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

/** What a device writes about its owner. */
export interface Owner {
  readonly age: number;
  /** kg */
  readonly weight: number;
  readonly restingHr: number;
  readonly maxHr: number;
  /** W */
  readonly ftp: number;
}

/** The recording as a FIT activity file. The bytes follow from the arguments alone. */
export function encodeActivity(truth: RecordingTruth, owner: Owner): Uint8Array {
  // Protocol 1.0: nothing here needs more, and every reader takes it.
  const encoder = new FitEncoder({ protocolVersion: 0x10 });
  const write = ([global, local]: readonly [number, number], fields: FitEncoderField[]) => {
    encoder.writeMessage(global, fields, local);
  };
  const timer = (instant: number, type: number) => {
    write(Message.event, [time(253, instant), enumeration(0, Event.timer), enumeration(1, type)]);
  };

  writeHead(write, truth, owner);
  timer(truth.start, EventType.start);
  let firstLap = 0;
  let firstLength = 0;
  const sessions: FitEncoderField[][] = [];
  for (const [number, session] of truth.sessions.entries()) {
    const fields = new RecordFields(session.records[0]);
    const pauses = [...session.pauses];
    const lengths = [...session.lengths.entries()];
    const laps = [...session.laps.entries()];
    for (const sample of session.records) {
      if (pauses[0] !== undefined && pauses[0].to < sample.timestamp) {
        timer(pauses[0].from, EventType.stopAll);
        timer(pauses[0].to, EventType.start);
        pauses.shift();
      }
      write(Message.record, fields.of(sample));
      const [length] = lengths;
      if (length !== undefined && length[1].start + length[1].seconds === sample.timestamp) {
        write(Message.length, lengthFields(firstLength + length[0], length[1]));
        lengths.shift();
      }
      const [lap] = laps;
      if (lap?.[1].totals.end === sample.timestamp) {
        write(Message.lap, lapFields(firstLap + lap[0], lap[1], session, firstLength));
        laps.shift();
      }
    }
    sessions.push(sessionFields(number, session, firstLap, truth.sessions.length > 1));
    firstLap += session.laps.length;
    firstLength += session.lengths.length;
  }
  timer(truth.end, EventType.stopAll);
  for (const fields of sessions) write(Message.session, fields);
  write(Message.activity, activityFields(truth));
  return encoder.close();
}

function writeHead(
  write: (message: readonly [number, number], fields: FitEncoderField[]) => void,
  truth: RecordingTruth,
  owner: Owner,
): void {
  write(Message.fileId, [
    enumeration(0, 4), // activity
    uint16(1, DEVELOPMENT),
    uint16(2, PRODUCT),
    { number: 3, size: 4, baseType: FitBaseType.Uint32z, value: truth.serial },
    time(4, truth.start),
    text(8, SYNTHETIC_NAME),
  ]);
  write(Message.fileCreator, [uint16(0, 100)]);
  write(Message.deviceInfo, [
    time(253, truth.start),
    uint8(0, 0), // the device that made the file
    uint16(2, DEVELOPMENT),
    { number: 3, size: 4, baseType: FitBaseType.Uint32z, value: truth.serial },
    uint16(4, PRODUCT),
    uint16(5, 100),
    text(27, SYNTHETIC_NAME),
  ]);
  write(Message.userProfile, [
    text(0, SYNTHETIC_NAME),
    uint8(2, owner.age),
    uint16(4, Math.round(owner.weight * 10)),
    uint8(8, owner.restingHr),
  ]);
  write(Message.zonesTarget, [uint8(1, owner.maxHr), uint16(3, owner.ftp)]);
}

/**
 * The fields of a record message. One set of objects serves all records of a session: the encoder
 * reads them at once, and a ride has ten thousand.
 */
class RecordFields {
  readonly #fields: FitEncoderField[];
  readonly #values: ((sample: Sample) => number | null)[];

  /** @param layout a record that has every field which this session's records have */
  constructor(layout: Sample | undefined) {
    const all: [FitEncoderField, (sample: Sample) => number | null][] = [
      [uint32(253, 0), (sample) => sample.timestamp - FIT_EPOCH],
      [sint32(0, 0), (sample) => sample.latitude],
      [sint32(1, 0), (sample) => sample.longitude],
      [uint32(5, 0), (sample) => sample.distance],
      [uint32(73, 0), (sample) => sample.speed],
      [uint32(78, 0), (sample) => (sample.altitude === null ? null : sample.altitude + 2500)],
      [uint16(7, 0), (sample) => sample.power],
      [uint8(3, 0), (sample) => sample.heartRate],
      [uint8(4, 0), (sample) => sample.cadence],
      [sint8(13, 0), (sample) => sample.temperature],
    ];
    const present = all.filter(([, value]) => layout !== undefined && value(layout) !== null);
    this.#fields = present.map(([field]) => field);
    this.#values = present.map(([, value]) => value);
  }

  of(sample: Sample): FitEncoderField[] {
    this.#fields.forEach((field, index) => {
      const value = this.#values[index]?.(sample);
      if (typeof value !== 'number') throw new TypeError('A session has records of one layout.');
      field.value = value;
    });
    return this.#fields;
  }
}

function lengthFields(index: number, length: SessionTruth['lengths'][number]): FitEncoderField[] {
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

function lapFields(
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

function sessionFields(
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

function activityFields(truth: RecordingTruth): FitEncoderField[] {
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

function position(
  [latitude, longitude]: readonly [number, number],
  place: Totals['startPosition'],
): FitEncoderField[] {
  return place === null
    ? []
    : [sint32(latitude, place.latitude), sint32(longitude, place.longitude)];
}

function optional(
  field: (number: number, value: number) => FitEncoderField,
  number: number,
  value: number | null,
): FitEncoderField[] {
  return value === null ? [] : [field(number, value)];
}

function time(number: number, instant: number): FitEncoderField {
  return uint32(number, instant - FIT_EPOCH);
}

function enumeration(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Enum, value };
}

function uint8(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Uint8, value };
}

function sint8(number: number, value: number): FitEncoderField {
  return { number, size: 1, baseType: FitBaseType.Sint8, value };
}

function uint16(number: number, value: number): FitEncoderField {
  return { number, size: 2, baseType: FitBaseType.Uint16, value };
}

function uint32(number: number, value: number): FitEncoderField {
  return { number, size: 4, baseType: FitBaseType.Uint32, value };
}

function sint32(number: number, value: number): FitEncoderField {
  return { number, size: 4, baseType: FitBaseType.Sint32, value };
}

function text(number: number, value: string): FitEncoderField {
  const bytes = FitEncoder.string(value);
  return { number, size: bytes.length, baseType: FitBaseType.String, value: bytes };
}
