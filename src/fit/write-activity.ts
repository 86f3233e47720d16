import { sealed } from './envelope.ts';
import { FIT_EPOCH_MS, MESSAGE } from './messages.ts';
import { type FitPause, type FitRecord, totalsOf } from './write-totals.ts';

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

/** Base types of fields, their sizes, and the method that writes one. A text has its own size. */
const TYPES = {
  enum: { base: 0x00, size: 1, write: 'writeUInt8' },
  sint8: { base: 0x01, size: 1, write: 'writeInt8' },
  uint8: { base: 0x02, size: 1, write: 'writeUInt8' },
  text: { base: 0x07, size: 0, write: 'writeUInt8' },
  uint16: { base: 0x84, size: 2, write: 'writeUInt16LE' },
  /** Left out if it does not fit: an enhanced field has the value, or it is wrong. */
  fitting16: { base: 0x84, size: 2, write: 'writeUInt16LE' },
  sint32: { base: 0x85, size: 4, write: 'writeInt32LE' },
  uint32: { base: 0x86, size: 4, write: 'writeUInt32LE' },
  uint32z: { base: 0x8c, size: 4, write: 'writeUInt32LE' },
} as const;

/**
 * A field: its number, its type, and the name of its value in the item that is written, or the number that it
 * always is. The file has `scale` units for one of the item, counted from an offset.
 */
type Row<Name extends string> = readonly [
  number: number,
  type: keyof typeof TYPES,
  value: Name | number,
  scale?: number,
  offset?: number,
];

type Item<Name extends string> = Readonly<Partial<Record<Name, number | string | undefined>>>;

/** Each kind of message has its own local number, so it is defined once. */
function kind<Name extends string>(local: number, message: number, rows: readonly Row<Name>[]) {
  const fields = rows.map(([number, type, value, scale = 1, offset = 0]) => {
    return { number, type: TYPES[type], value, scale, offset };
  });
  return { local, message, fields };
}

type Kind<Name extends string> = ReturnType<typeof kind<Name>>;

const SECONDS = [1, -FIT_EPOCH_MS / 1000] as const;
const SEMICIRCLES = 2 ** 31 / 180;

const FILE_ID = kind(0, MESSAGE.fileId, [
  [0, 'enum', ACTIVITY_FILE],
  [1, 'uint16', 'manufacturer'],
  [2, 'uint16', 'product'],
  [3, 'uint32z', 'serial'],
  [4, 'uint32', 'time', ...SECONDS],
  [8, 'text', 'productName'],
]);

const DEVICE_INFO = kind(1, MESSAGE.deviceInfo, [
  [253, 'uint32', 'time', ...SECONDS],
  [0, 'uint8', 0], // the device that made the file
  [2, 'uint16', 'manufacturer'],
  [3, 'uint32z', 'serial'],
  [4, 'uint16', 'product'],
  [27, 'text', 'productName'],
]);

const TIMER = kind(2, MESSAGE.event, [
  [253, 'uint32', 'time', ...SECONDS],
  [0, 'enum', EVENT.timer],
  [1, 'enum', 'type'],
]);

const RECORD = kind(3, MESSAGE.record, [
  [253, 'uint32', 'time', ...SECONDS],
  [0, 'sint32', 'latitude', SEMICIRCLES],
  [1, 'sint32', 'longitude', SEMICIRCLES],
  [5, 'uint32', 'distance', 100],
  [6, 'fitting16', 'speed', 1000],
  [73, 'uint32', 'speed', 1000],
  [2, 'fitting16', 'altitude', 5, 500],
  [78, 'uint32', 'altitude', 5, 500],
  [7, 'uint16', 'power'],
  [3, 'uint8', 'heartRate'],
  [4, 'uint8', 'cadence'],
  [13, 'sint8', 'temperature'],
]);

/** Returns the fields that laps and sessions share, most by other numbers. */
function totalsBy(message: 'lap' | 'session') {
  const either = (lap: number, session: number) => (message === 'lap' ? lap : session);
  return [
    [253, 'uint32', 'end', ...SECONDS],
    [1, 'enum', EVENT_TYPE.stop],
    [2, 'uint32', 'start', ...SECONDS],
    [3, 'sint32', 'startLatitude', SEMICIRCLES],
    [4, 'sint32', 'startLongitude', SEMICIRCLES],
    [7, 'uint32', 'elapsed', 1000],
    [8, 'uint32', 'timer', 1000],
    [9, 'uint32', 'distance', 100],
    [either(13, 14), 'fitting16', 'avgSpeed', 1000],
    [either(110, 124), 'uint32', 'avgSpeed', 1000],
    [either(14, 15), 'fitting16', 'maxSpeed', 1000],
    [either(111, 125), 'uint32', 'maxSpeed', 1000],
    [either(15, 16), 'uint8', 'avgHeartRate'],
    [either(16, 17), 'uint8', 'maxHeartRate'],
    [either(17, 18), 'uint8', 'avgCadence'],
    [either(18, 19), 'uint8', 'maxCadence'],
    [either(19, 20), 'uint16', 'avgPower'],
    [either(20, 21), 'uint16', 'maxPower'],
    [either(21, 22), 'fitting16', 'ascent'],
    [either(22, 23), 'fitting16', 'descent'],
    [either(50, 57), 'sint8', 'avgTemperature'],
    [either(51, 58), 'sint8', 'maxTemperature'],
  ] as const;
}

const LAP = kind(4, MESSAGE.lap, [
  [254, 'uint16', 'index'],
  [0, 'enum', EVENT.lap],
  ...totalsBy('lap'),
  [5, 'sint32', 'endLatitude', SEMICIRCLES],
  [6, 'sint32', 'endLongitude', SEMICIRCLES],
  [11, 'uint16', 'calories'],
  [23, 'enum', 'intensity'],
  [25, 'enum', 'sport'],
]);

const SESSION = kind(5, MESSAGE.session, [
  [254, 'uint16', 0],
  [0, 'enum', EVENT.session],
  ...totalsBy('session'),
  [5, 'enum', 'sport'],
  [6, 'enum', 'subSport'],
  [11, 'uint16', 'calories'],
  [25, 'uint16', 0], // the first lap
  [26, 'uint16', 'laps'],
  [28, 'enum', ACTIVITY_END],
]);

const ACTIVITY = kind(6, MESSAGE.activity, [
  [253, 'uint32', 'time', ...SECONDS],
  [0, 'uint32', 'timer', 1000],
  [1, 'uint16', 1], // sessions
  [2, 'enum', 0], // one sport
  [3, 'enum', EVENT.activity],
  [4, 'enum', EVENT_TYPE.stop],
  [5, 'uint32', 'localTime', ...SECONDS],
]);

/**
 * Encodes an activity as a FIT file. The same activity gives the same bytes.
 *
 * @throws RangeError for a value that its field cannot hold, and without records
 */
export function encodeActivity(activity: FitActivity): Uint8Array {
  const { fileId, sport, subSport, calories, records, pauses = [], utcOffset } = activity;
  const start = records[0]?.time;
  const end = records.at(-1)?.time;
  if (start === undefined || end === undefined) throw new RangeError('An activity has records.');
  const laps = activity.laps?.length ? activity.laps : [{ from: start, to: end }];
  const file = new FitFile();
  const timer = (time: number, type: number) => file.write(TIMER, { time, type });

  file.write(FILE_ID, { ...fileId, time: start });
  file.write(DEVICE_INFO, { ...fileId, time: start });
  timer(start, EVENT_TYPE.start);
  let nextPause = 0;
  let nextLap = 0;
  for (const record of records) {
    for (let pause; (pause = pauses[nextPause]) && pause.to <= record.time; nextPause++) {
      timer(pause.from, EVENT_TYPE.stopAll);
      timer(pause.to, EVENT_TYPE.start);
    }
    file.write(RECORD, record);
    for (let lap; (lap = laps[nextLap]) && lap.to <= record.time; nextLap++) {
      const intensity = lap.intensity && INTENSITY[lap.intensity];
      const totals = totalsOf(records, pauses, lap);
      file.write(LAP, { ...lap, ...totals, index: nextLap, intensity, sport });
    }
  }
  timer(end, EVENT_TYPE.stopAll);
  const totals = totalsOf(records, pauses, { from: start, to: end, distance: activity.distance });
  file.write(SESSION, { ...totals, sport, subSport, calories, laps: laps.length });
  const localTime = utcOffset === undefined ? undefined : end + utcOffset;
  file.write(ACTIVITY, { time: end, timer: totals.timer, localTime });
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
  /** The values of the last message by local number. A kind with a text is written once. */
  readonly #last: (readonly (number | string | undefined)[])[] = [];

  /**
   * A value that is undefined is left out.
   *
   * @throws RangeError
   */
  write<Name extends string>(kind: Kind<Name>, item: Item<Name>): void {
    if (this.#size + MESSAGE_BYTES > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)]);
    }
    const { local, fields } = kind;
    const values = fields.map((field) => valueOf(field, item));
    const last = this.#last[local];
    if (values.some((value, at) => typeof value !== typeof last?.[at])) this.#define(kind, values);
    this.#last[local] = values;
    const bytes = this.#bytes;
    let at = bytes.writeUInt8(local, this.#size);
    for (const [index, { type }] of fields.entries()) {
      const value = values[index];
      if (typeof value === 'string') at += bytes.write(`${value}\0`, at);
      else if (value !== undefined) at = bytes[type.write](value, at);
    }
    this.#size = at;
  }

  #define<Name extends string>(
    { local, message, fields }: Kind<Name>,
    values: readonly (number | string | undefined)[],
  ): void {
    const defined = fields.flatMap(({ number, type: { base, size } }, at) => {
      const value = values[at];
      if (value === undefined) return [];
      return [number, typeof value === 'string' ? Buffer.byteLength(value) + 1 : size, base];
    });
    const header = [DEFINITION | local, 0, 0, message & 0xff, message >> 8, defined.length / 3];
    this.#bytes.set([...header, ...defined], this.#size);
    this.#size += header.length + defined.length;
  }

  close(): Uint8Array {
    this.#bytes.set([HEADER_BYTES, PROTOCOL]);
    this.#bytes.writeUInt16LE(PROFILE, 2);
    this.#bytes.write('.FIT', 8);
    return sealed(this.#bytes.subarray(0, this.#size), HEADER_BYTES);
  }
}

/** Returns a value in the unit of its field, a whole number. */
function valueOf<Name extends string>(
  { type, value: name, scale, offset }: Kind<Name>['fields'][number],
  item: Item<Name>,
): number | string | undefined {
  const stated = typeof name === 'number' ? name : item[name];
  if (typeof stated !== 'number') return stated;
  const value = Math.round((stated + offset) * scale) + 0;
  return type !== TYPES.fitting16 || (value >= 0 && value < 0xffff) ? value : undefined;
}
