import { FitBaseType, FitEncoder, type FitEncoderField } from 'fit-file-parser/encoder';

import type { Athlete } from './athlete.ts';
import type { Lap, LapTrigger, RecordingTruth } from './recording.ts';
import type { Records } from './records.ts';
import type { RoutePosition } from './route.ts';
import type { SessionTotals } from './totals.ts';
import type { SegmentKind, SeedSport } from './workouts.ts';

/** FIT counts seconds from 1989-12-31T00:00:00Z. */
const FIT_EPOCH = 631_065_600;

/** Marks the file as synthetic for anyone who opens it. */
const SYNTHETIC_NAME = 'Synthetic athlete';

/** Global and local message numbers: with its own local number, a message is defined once. */
const Message = {
  fileId: [0, 0],
  fileCreator: [49, 1],
  userProfile: [3, 2],
  zonesTarget: [7, 3],
  deviceInfo: [23, 4],
  event: [21, 5],
  record: [20, 6],
  lap: [19, 7],
  session: [18, 8],
  activity: [34, 9],
} as const;

/** Numbers of the FIT profile's types. */
const Event = { timer: 0, session: 8, lap: 9, activity: 26 };
const EventType = { start: 0, stop: 1, stopAll: 4 };
const SPORT: Record<SeedSport, number> = { running: 1, cycling: 2 };
const SUB_SPORT = { generic: 0, indoor_cycling: 6, road: 7 };
const INTENSITY: Record<SegmentKind, number> = {
  active: 0,
  rest: 1,
  warmup: 2,
  cooldown: 3,
  interval: 5,
};
const LAP_TRIGGER: Record<LapTrigger, number> = { manual: 0, distance: 2, session_end: 7 };

/** Sizes and base types of fields. */
const TYPES = {
  enum: [1, FitBaseType.Enum],
  uint8: [1, FitBaseType.Uint8],
  sint8: [1, FitBaseType.Sint8],
  uint16: [2, FitBaseType.Uint16],
  uint32: [4, FitBaseType.Uint32],
  uint32z: [4, FitBaseType.Uint32z],
  sint32: [4, FitBaseType.Sint32],
} as const;

/** A field's number, type and value, scaled as in the file. A field with null is left out. */
type FitField =
  | readonly [number: number, type: keyof typeof TYPES, value: number | null]
  | readonly [number: number, type: 'text', value: string];

/** The owner as the device describes them, on that day. */
type Owner = Pick<Athlete, 'age' | 'weight' | 'restingHr' | 'maxHr' | 'ftp'>;

/** Encodes a recording as a FIT activity file. The same arguments give the same bytes. */
export function encodeActivity(truth: RecordingTruth, owner: Owner): Uint8Array {
  // Protocol 1.0, which every reader accepts.
  const encoder = new FitEncoder({ protocolVersion: 0x10, profileVersion: 21_188 });
  const write = ([global, local]: readonly [number, number], fields: readonly FitField[]) => {
    const present = fields.filter(([, , value]) => value !== null);
    encoder.writeMessage(global, present.map(encoded), local);
  };
  const timer = (instant: number, type: number) => {
    write(Message.event, [time(253, instant), [0, 'enum', Event.timer], [1, 'enum', type]]);
  };

  writeHead(write, truth, owner);
  timer(truth.start, EventType.start);
  const pauses = [...truth.pauses];
  const laps = [...truth.laps.entries()];
  for (const [index, now] of truth.records.timestamp.entries()) {
    if (pauses[0] !== undefined && pauses[0].to < now) {
      timer(pauses[0].from, EventType.stopAll);
      timer(pauses[0].to, EventType.start);
      pauses.shift();
    }
    write(Message.record, recordFields(truth.records, index));
    const [lap] = laps;
    if (lap?.[1].totals.end === now) {
      write(Message.lap, lapFields(...lap, truth));
      laps.shift();
    }
  }
  timer(truth.end, EventType.stopAll);
  write(Message.session, sessionFields(truth));
  write(Message.activity, [
    time(253, truth.end),
    [0, 'uint32', truth.totals.timer * 1000],
    [1, 'uint16', 1], // sessions
    [2, 'enum', 0], // one sport
    [3, 'enum', Event.activity],
    [4, 'enum', EventType.stop],
    time(5, truth.end + truth.offset),
  ]);
  return encoder.close();
}

function encoded([number, type, value]: FitField): FitEncoderField {
  if (type === 'text') {
    const bytes = FitEncoder.string(value);
    return { number, size: bytes.length, baseType: FitBaseType.String, value: bytes };
  }
  const [size, baseType] = TYPES[type];
  return { number, size, baseType, value: value ?? 0 };
}

/** @param instant seconds since 1970-01-01T00:00:00Z */
function time(number: number, instant: number): FitField {
  return [number, 'uint32', instant - FIT_EPOCH];
}

function writeHead(
  write: (message: readonly [number, number], fields: readonly FitField[]) => void,
  { device, serial, start }: RecordingTruth,
  owner: Owner,
): void {
  const productName = `${device.name} (synthetic)`;
  write(Message.fileId, [
    [0, 'enum', 4], // activity
    [1, 'uint16', device.manufacturer],
    [2, 'uint16', device.product],
    [3, 'uint32z', serial],
    time(4, start),
    [8, 'text', productName],
  ]);
  write(Message.fileCreator, [[0, 'uint16', 100]]);
  write(Message.deviceInfo, [
    time(253, start),
    [0, 'uint8', 0], // the device that made the file
    [2, 'uint16', device.manufacturer],
    [3, 'uint32z', serial],
    [4, 'uint16', device.product],
    [5, 'uint16', 100],
    [27, 'text', productName],
  ]);
  write(Message.userProfile, [
    [0, 'text', SYNTHETIC_NAME],
    [2, 'uint8', owner.age],
    [4, 'uint16', Math.round(owner.weight * 10)],
    [8, 'uint8', owner.restingHr],
  ]);
  write(Message.zonesTarget, [
    [1, 'uint8', owner.maxHr],
    [3, 'uint16', owner.ftp],
  ]);
}

function recordFields(records: Records, index: number): FitField[] {
  const { path } = records;
  const at = (column: Int32Array | undefined, offset = 0) => {
    const value = column?.[index];
    return value === undefined ? null : value + offset;
  };
  return [
    time(253, records.timestamp[index] ?? 0),
    [0, 'sint32', at(path?.latitude)],
    [1, 'sint32', at(path?.longitude)],
    [5, 'uint32', at(records.distance)],
    [73, 'uint32', at(records.speed)],
    [78, 'uint32', at(path?.altitude, 500 * 5)], // FIT counts from 500 m below sea level
    [7, 'uint16', at(records.power)],
    [3, 'uint8', at(records.heartRate)],
    [4, 'uint8', at(records.cadence)],
    [13, 'sint8', at(records.temperature)],
  ];
}

function lapFields(index: number, lap: Lap, { sport, subSport }: RecordingTruth): FitField[] {
  const { totals } = lap;
  return [
    [254, 'uint16', index],
    [0, 'enum', Event.lap],
    ...totalFields(totals, 'lap'),
    ...positionFields(5, totals.endPosition),
    [23, 'enum', INTENSITY[lap.intensity]],
    [24, 'enum', LAP_TRIGGER[lap.trigger]],
    [25, 'enum', SPORT[sport]],
    [39, 'enum', SUB_SPORT[subSport]],
  ];
}

function sessionFields(truth: RecordingTruth): FitField[] {
  const { totals } = truth;
  return [
    [254, 'uint16', 0],
    [0, 'enum', Event.session],
    ...totalFields(totals, 'session'),
    [5, 'enum', SPORT[truth.sport]],
    [6, 'enum', SUB_SPORT[truth.subSport]],
    [25, 'uint16', 0], // the first lap
    [26, 'uint16', truth.laps.length],
    [28, 'enum', 0], // the trigger: the activity's end
    [35, 'uint16', truth.trainingStress],
    [36, 'uint16', truth.intensityFactor],
    [45, 'uint16', truth.thresholdPower],
    [57, 'sint8', totals.avgTemperature],
    [58, 'sint8', totals.maxTemperature],
  ];
}

/** Returns the fields that laps and sessions share, many by other numbers. */
function totalFields(totals: SessionTotals, message: 'lap' | 'session'): FitField[] {
  const either = (lap: number, session: number) => (message === 'lap' ? lap : session);
  return [
    time(253, totals.end),
    [1, 'enum', EventType.stop],
    time(2, totals.start),
    ...positionFields(3, totals.startPosition),
    [7, 'uint32', totals.elapsed * 1000],
    [8, 'uint32', totals.timer * 1000],
    [9, 'uint32', totals.distance],
    [10, 'uint32', totals.cycles],
    [11, 'uint16', totals.calories],
    [either(15, 16), 'uint8', totals.avgHr],
    [either(16, 17), 'uint8', totals.maxHr],
    [either(17, 18), 'uint8', totals.avgCadence],
    [either(18, 19), 'uint8', totals.maxCadence],
    [either(19, 20), 'uint16', totals.avgPower],
    [either(20, 21), 'uint16', totals.maxPower],
    [either(21, 22), 'uint16', totals.ascent],
    [either(22, 23), 'uint16', totals.descent],
    [either(33, 34), 'uint16', totals.normalizedPower],
    [either(41, 48), 'uint32', totals.work],
    [either(110, 124), 'uint32', totals.avgSpeed],
    [either(111, 125), 'uint32', totals.maxSpeed],
  ];
}

/** Returns the two fields of a position, from the number of its latitude. */
function positionFields(number: number, position: RoutePosition | null): FitField[] {
  return [
    [number, 'sint32', position && position.latitude],
    [number + 1, 'sint32', position && position.longitude],
  ];
}
