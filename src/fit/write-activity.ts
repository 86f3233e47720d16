import { crc16 } from './crc16.ts';
import { CRC_BYTES, DATA_SIZE_AT } from './envelope.ts';
import { FIT_EPOCH_MS, MESSAGE } from './messages.ts';
import { type FitPause, type FitRecord, type Totals, totalsOf } from './write-totals.ts';

/** An activity of one session, in common units. Times are seconds since 1970-01-01T00:00:00Z. */
export interface FitActivity {
  readonly fileId: FitFileId;
  /** `sport` and `sub_sport` of the FIT profile: src/fit/sports.ts. */
  readonly sport: number;
  readonly subSport: number;
  /** At least one, in the order of their times. The first and the last begin and end the session. */
  readonly records: readonly FitRecord[];
  /** In the order of their times. Without any, the session is one lap. */
  readonly laps?: readonly FitLap[];
  readonly pauses?: readonly FitPause[];
  /** m; counts if no record has a distance. */
  readonly distance?: number | undefined;
  /** kcal */
  readonly calories?: number | undefined;
  /** Local time minus UTC (s). Without it, the recording states no local time. */
  readonly utcOffset?: number | undefined;
}

/** The device or program that made the recording, by numbers of the FIT profile. */
export interface FitFileId {
  readonly manufacturer: number;
  readonly product: number;
  readonly productName: string;
  /** 1 to 4,294,967,295. */
  readonly serial?: number | undefined;
}

/** Two laps share the record at their border. */
export interface FitLap {
  readonly from: number;
  readonly to: number;
  readonly intensity?: keyof typeof INTENSITY;
  /** m; counts if no record of the activity has a distance. */
  readonly distance?: number | undefined;
  /** kcal */
  readonly calories?: number | undefined;
}

/** Numbers of the FIT profile's types. */
const ACTIVITY_FILE = 4;
const EVENT = { timer: 0, session: 8, lap: 9, activity: 26 };
const EVENT_TYPE = { start: 0, stop: 1, stopAll: 4 };
const INTENSITY = { active: 0, rest: 1, warmup: 2, cooldown: 3, interval: 5 };
const ACTIVITY_END = 0;

/** The messages of a file. Each has its own local number, so it is defined once. */
const WRITTEN: readonly number[] = [
  MESSAGE.fileId,
  MESSAGE.deviceInfo,
  MESSAGE.event,
  MESSAGE.record,
  MESSAGE.lap,
  MESSAGE.session,
  MESSAGE.activity,
];

/** Sizes and base types of fields; a text has its own size. */
const TYPES = {
  enum: [1, 0x00],
  sint8: [1, 0x01],
  uint8: [1, 0x02],
  text: [0, 0x07],
  uint16: [2, 0x84],
  sint32: [4, 0x85],
  uint32: [4, 0x86],
  uint32z: [4, 0x8c],
} as const;

/** A field's number, type and value, scaled as in the file. A field without a value is left out. */
type Field = readonly [
  number: number,
  type: keyof typeof TYPES,
  value: number | string | undefined,
];

type Write = (message: number, fields: readonly Field[]) => void;

/**
 * Encodes an activity as a FIT file. The same activity gives the same bytes.
 *
 * @throws RangeError for a value that its field cannot hold, and without records
 */
export function encodeActivity(activity: FitActivity): Uint8Array {
  const { records, pauses = [], utcOffset } = activity;
  const start = records[0]?.time;
  const end = records.at(-1)?.time;
  if (start === undefined || end === undefined) throw new RangeError('An activity has records.');
  const laps = activity.laps?.length ? activity.laps : [{ from: start, to: end }];
  const file = new FitFile();
  const write: Write = (message, fields) => file.write(message, fields);
  const timer = (at: number, type: number) => {
    write(MESSAGE.event, [time(253, at), [0, 'enum', EVENT.timer], [1, 'enum', type]]);
  };

  writeFileId(write, activity.fileId, start);
  timer(start, EVENT_TYPE.start);
  const nextPauses = [...pauses];
  const nextLaps = [...laps.entries()];
  for (const record of records) {
    for (const pause of takeWhile(nextPauses, ({ to }) => to <= record.time)) {
      timer(pause.from, EVENT_TYPE.stopAll);
      timer(pause.to, EVENT_TYPE.start);
    }
    write(MESSAGE.record, recordFields(record));
    for (const [index, lap] of takeWhile(nextLaps, ([, { to }]) => to <= record.time)) {
      const totals = totalsOf(records, pauses, lap);
      write(MESSAGE.lap, lapFields(index, lap, totals, activity.sport));
    }
  }
  timer(end, EVENT_TYPE.stopAll);
  const totals = totalsOf(records, pauses, { from: start, to: end, distance: activity.distance });
  write(MESSAGE.session, sessionFields(activity, totals, laps.length));
  write(MESSAGE.activity, [
    time(253, end),
    [0, 'uint32', scaled(totals.timer, 1000)],
    [1, 'uint16', 1], // sessions
    [2, 'enum', 0], // one sport
    [3, 'enum', EVENT.activity],
    [4, 'enum', EVENT_TYPE.stop],
    time(5, utcOffset === undefined ? undefined : end + utcOffset),
  ]);
  return file.close();
}

/** Bytes of the header, and of the largest message with its definition. */
const HEADER_BYTES = 14;
const MESSAGE_BYTES = 1024;
/** Protocol 1.0, which every reader accepts, and the profile's version. */
const PROTOCOL = 0x10;
const PROFILE = 21_188;
/** In a message's header: it defines the fields of the messages behind it. */
const DEFINITION = 0x40;

/** Writes a FIT file. A message is defined again if it has other fields than the last one of its kind. */
class FitFile {
  #bytes = Buffer.alloc(64 * MESSAGE_BYTES);
  #size = HEADER_BYTES;
  /** By local number. */
  readonly #definitions: string[] = [];

  write(message: number, fields: readonly Field[]): void {
    if (this.#size + MESSAGE_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    const known = fields.filter(([, , value]) => value !== undefined);
    const local = WRITTEN.indexOf(message);
    const definition = known.map((field) => `${field[0]} ${sizeOf(field)}`).join();
    if (this.#definitions[local] !== definition) {
      this.#definitions[local] = definition;
      for (const byte of [DEFINITION | local, 0, 0]) this.#put(1, byte);
      this.#put(2, message);
      this.#put(1, known.length);
      for (const field of known) {
        for (const byte of [field[0], sizeOf(field), TYPES[field[1]][1]]) this.#put(1, byte);
      }
    }
    this.#put(1, local);
    for (const [, type, value = 0] of known) {
      if (typeof value === 'string') this.#size += this.#bytes.write(`${value}\0`, this.#size);
      else this.#put(TYPES[type][0], value, type.startsWith('sint'));
    }
  }

  close(): Uint8Array {
    const whole = this.#bytes.subarray(0, this.#size + CRC_BYTES);
    whole.set([HEADER_BYTES, PROTOCOL]);
    whole.writeUInt16LE(PROFILE, 2);
    whole.writeUInt32LE(this.#size - HEADER_BYTES, DATA_SIZE_AT);
    whole.write('.FIT', 8);
    for (const end of [HEADER_BYTES - CRC_BYTES, this.#size]) {
      whole.writeUInt16LE(crc16(whole.subarray(0, end)), end);
    }
    return whole;
  }

  /** @throws RangeError */
  #put(size: number, value: number, isSigned = false): void {
    if (isSigned) this.#size = this.#bytes.writeIntLE(value, this.#size, size);
    else this.#size = this.#bytes.writeUIntLE(value, this.#size, size);
  }
}

function sizeOf([, type, value]: Field): number {
  return typeof value === 'string' ? Buffer.byteLength(value) + 1 : TYPES[type][0];
}

/** Removes and returns the first items for which a condition holds. */
function takeWhile<T>(items: T[], holds: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !holds(item));
  return items.splice(0, end < 0 ? items.length : end);
}

/** Returns a time as seconds since the FIT epoch. */
function time(number: number, at: number | undefined): Field {
  return [number, 'uint32', at === undefined ? undefined : Math.round(at) - FIT_EPOCH_MS / 1000];
}

/** Returns a value in the unit of its field, a whole number. */
function scaled(value: number | undefined, scale: number, offset = 0): number | undefined {
  return value === undefined ? undefined : Math.round((value + offset) * scale) + 0;
}

/** Returns the values of a field in its old form, which is too small for some, and in its enhanced form. */
function withEnhanced(old: number, enhanced: number, value: number | undefined): Field[] {
  const fits = value !== undefined && value >= 0 && value < 0xffff;
  return [
    [old, 'uint16', fits ? value : undefined],
    [enhanced, 'uint32', value],
  ];
}

/** Returns the two fields of a position (semicircles), from the number of its latitude. */
function position(number: number, at: Partial<FitRecord> | undefined): Field[] {
  const semicircles = 2 ** 31 / 180;
  return [
    [number, 'sint32', scaled(at?.latitude, semicircles)],
    [number + 1, 'sint32', scaled(at?.longitude, semicircles)],
  ];
}

function writeFileId(write: Write, fileId: FitFileId, start: number): void {
  const { manufacturer, product, productName, serial } = fileId;
  write(MESSAGE.fileId, [
    [0, 'enum', ACTIVITY_FILE],
    [1, 'uint16', manufacturer],
    [2, 'uint16', product],
    [3, 'uint32z', serial],
    time(4, start),
    [8, 'text', productName],
  ]);
  write(MESSAGE.deviceInfo, [
    time(253, start),
    [0, 'uint8', 0], // the device that made the file
    [2, 'uint16', manufacturer],
    [3, 'uint32z', serial],
    [4, 'uint16', product],
    [27, 'text', productName],
  ]);
}

function recordFields(record: FitRecord): Field[] {
  return [
    time(253, record.time),
    ...position(0, record),
    [5, 'uint32', scaled(record.distance, 100)],
    ...withEnhanced(6, 73, scaled(record.speed, 1000)),
    ...withEnhanced(2, 78, scaled(record.altitude, 5, 500)),
    [7, 'uint16', scaled(record.power, 1)],
    [3, 'uint8', scaled(record.heartRate, 1)],
    [4, 'uint8', scaled(record.cadence, 1)],
    [13, 'sint8', scaled(record.temperature, 1)],
  ];
}

function lapFields(index: number, lap: FitLap, totals: Totals, sport: number): Field[] {
  return [
    [254, 'uint16', index],
    [0, 'enum', EVENT.lap],
    ...totalFields(totals, 'lap'),
    ...position(5, totals.endPosition),
    [11, 'uint16', lap.calories],
    [23, 'enum', lap.intensity && INTENSITY[lap.intensity]],
    [25, 'enum', sport],
  ];
}

function sessionFields(activity: FitActivity, totals: Totals, laps: number): Field[] {
  return [
    [254, 'uint16', 0],
    [0, 'enum', EVENT.session],
    ...totalFields(totals, 'session'),
    [5, 'enum', activity.sport],
    [6, 'enum', activity.subSport],
    [11, 'uint16', activity.calories],
    [25, 'uint16', 0], // the first lap
    [26, 'uint16', laps],
    [28, 'enum', ACTIVITY_END],
  ];
}

/** Returns the fields that laps and sessions share, most by other numbers. */
function totalFields(totals: Totals, message: 'lap' | 'session'): Field[] {
  const either = (lap: number, session: number) => (message === 'lap' ? lap : session);
  const speeds = (old: number, enhanced: number, speed: number | undefined) =>
    withEnhanced(old, enhanced, scaled(speed, 1000));
  return [
    time(253, totals.end),
    [1, 'enum', EVENT_TYPE.stop],
    time(2, totals.start),
    ...position(3, totals.startPosition),
    [7, 'uint32', scaled(totals.elapsed, 1000)],
    [8, 'uint32', scaled(totals.timer, 1000)],
    [9, 'uint32', scaled(totals.distance, 100)],
    ...speeds(either(13, 14), either(110, 124), totals.avgSpeed),
    ...speeds(either(14, 15), either(111, 125), totals.maxSpeed),
    [either(15, 16), 'uint8', scaled(totals.avgHeartRate, 1)],
    [either(16, 17), 'uint8', scaled(totals.maxHeartRate, 1)],
    [either(17, 18), 'uint8', scaled(totals.avgCadence, 1)],
    [either(18, 19), 'uint8', scaled(totals.maxCadence, 1)],
    [either(19, 20), 'uint16', scaled(totals.avgPower, 1)],
    [either(20, 21), 'uint16', scaled(totals.maxPower, 1)],
    [either(21, 22), 'uint16', climbed(totals.ascent)],
    [either(22, 23), 'uint16', climbed(totals.descent)],
    [either(50, 57), 'sint8', scaled(totals.avgTemperature, 1)],
    [either(51, 58), 'sint8', scaled(totals.maxTemperature, 1)],
  ];
}

/** Returns metres up or down; undefined if they exceed the field, which only wrong altitudes cause. */
function climbed(metres: number | undefined): number | undefined {
  return metres !== undefined && metres < 0xffff - 1 ? scaled(metres, 1) : undefined;
}
