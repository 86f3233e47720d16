import { crc16 } from '../../src/fit/crc16.ts';

/** FIT counts seconds from 1989-12-31T00:00:00Z; ms since 1970. */
const FIT_EPOCH_MS = 631_065_600_000;

export interface RecordingOptions {
  /** The same seed and options give the same bytes, another seed gives others. */
  readonly seed?: number;
  readonly startTime?: Date;
  readonly durationSecs?: number;
  /** `sport` and `sub_sport` by number: 1 running, 2 cycling, 5 swimming, ... */
  readonly sport?: number;
  readonly subSport?: number;
  /** More sessions after the first, as in a triathlon. The duration is shared out evenly. */
  readonly furtherSports?: readonly number[];
  /** Local time minus UTC; absent: the recording has no local time. */
  readonly localOffsetMinutes?: number | undefined;
  readonly manufacturer?: number;
  readonly product?: number;
  readonly serial?: number;
  /** `file_id.type`: 4 is an activity. */
  readonly type?: number;
  /** Exact size of the first segment, bytes, at least 1,000. Otherwise one record a second. */
  readonly sizeBytes?: number;
  readonly headerSize?: 12 | 14;
  readonly bigEndian?: boolean;
  /** A developer field of two bytes in every record. */
  readonly developerField?: boolean;
  /** Records after the first carry their time in the record's header. */
  readonly compressedTimestamps?: boolean;
  /** Further, shorter segments behind the first. */
  readonly chained?: number;
  /** The CRC in the 14-byte header: right, 0 or garbage; all are allowed. */
  readonly headerCrc?: 'right' | 'zero' | 'garbage';
}

/** Makes a complete recording of an activity: a GPS loop with heart rate, cadence and power. */
export function makeRecording(options: RecordingOptions = {}): Uint8Array {
  const first = new RecordingWriter(options).write();
  const more = Array.from({ length: options.chained ?? 0 }, (_, i) =>
    new RecordingWriter({
      ...options,
      seed: (options.seed ?? 1) + 1000 * (i + 1),
      durationSecs: 20,
      sizeBytes: 1_000 + 10 * i,
    }).write(),
  );
  return more.length === 0 ? first : new Uint8Array(Buffer.concat([first, ...more]));
}

/** Makes one FIT segment around given data records. */
export function wrapRecords(
  data: Uint8Array,
  { headerSize = 14, headerCrc = 'right' }: Pick<RecordingOptions, 'headerSize' | 'headerCrc'> = {},
): Uint8Array {
  const bytes = new Uint8Array(headerSize + data.length + 2);
  bytes.set(data, headerSize);
  sealSegment(bytes, headerSize, headerCrc);
  return bytes;
}

/** Returns the file as a device leaves it during a ride: size 0 and no CRC, under the final name. */
export function unfinished(whole: Uint8Array, statedSize: 0 | 0xffffffff = 0): Uint8Array {
  const bytes = new Uint8Array(whole.subarray(0, -2));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, statedSize, true);
  if (bytes[0] === 14) view.setUint16(12, 0, true);
  return bytes;
}

/** Returns a copy without the last `missing` bytes. */
export function truncated(whole: Uint8Array, missing: number): Uint8Array {
  return new Uint8Array(whole.subarray(0, whole.length - missing));
}

/** Returns a failed copy over MTP: the right size, all zeros. */
export function zeroFilled(size: number): Uint8Array {
  return new Uint8Array(size);
}

/** Returns a copy that failed after its space was reserved: the last `bytes` are zero. */
export function zeroTail(whole: Uint8Array, bytes: number): Uint8Array {
  return new Uint8Array(whole).fill(0, whole.length - bytes);
}

export function withBrokenCrc(whole: Uint8Array): Uint8Array {
  return withFlippedBits(whole, whole.length - 1, 0x40);
}

/** XORs `mask` into the byte at `at`. */
export function withFlippedBits(whole: Uint8Array, at: number, mask: number): Uint8Array {
  const bytes = new Uint8Array(whole);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  return bytes;
}

export function withTrailingBytes(whole: Uint8Array, count: number, value = 0x41): Uint8Array {
  const bytes = new Uint8Array(whole.length + count).fill(value);
  bytes.set(whole);
  return bytes;
}

/** Returns the companion that macOS writes on foreign file systems, named `._ride.fit`. */
export function appleDoubleStub(): Uint8Array {
  const bytes = new Uint8Array(4096);
  bytes.set([0x00, 0x05, 0x16, 0x07, 0x00, 0x02, 0x00, 0x00]);
  bytes.set(Buffer.from('Mac OS X        '), 8);
  return bytes;
}

/** FIT base types: enum, sint8, uint8, string, sint32, uint16, uint32, uint32z, byte. */
const ENUM = 0x00;
const SINT8 = 0x01;
const UINT8 = 0x02;
const STRING = 0x07;
const BYTE = 0x0d;
const UINT16 = 0x84;
const SINT32 = 0x85;
const UINT32 = 0x86;
const UINT32Z = 0x8c;
const SIZES: Readonly<Record<number, number>> = {
  [ENUM]: 1,
  [SINT8]: 1,
  [UINT8]: 1,
  [UINT16]: 2,
  [SINT32]: 4,
  [UINT32]: 4,
  [UINT32Z]: 4,
};

type Field = readonly [number: number, baseType: number, value: number | Uint8Array];

/** Local message numbers; compressed headers only have room for 0 to 3. */
const LOCAL = { fileId: 0, record: 1, compressed: 2, other: 3 };

const RECORD_FIELDS = [
  [0, SINT32],
  [1, SINT32],
  [2, UINT16],
  [3, UINT8],
  [4, UINT8],
  [5, UINT32],
  [6, UINT16],
  [7, UINT16],
  [13, SINT8],
] as const;
const RECORD_BYTES = RECORD_FIELDS.reduce((sum, [, type]) => sum + (SIZES[type] ?? 0), 0);
/** The longest definition plus data that {@link RecordingWriter} fills up with. */
const SMALLEST_FILLER = 6 + 3 + 1 + 1;

class RecordingWriter {
  readonly #options: RecordingOptions;
  readonly #littleEndian: boolean;
  readonly #random: () => number;
  readonly #start: number;
  readonly #headerSize: 12 | 14;
  #bytes = new Uint8Array(16_384);
  #view = new DataView(this.#bytes.buffer);
  #at: number;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#littleEndian = options.bigEndian !== true;
    this.#random = mulberry32(options.seed ?? 1);
    const startTime = options.startTime ?? new Date('2026-02-15T07:30:00Z');
    this.#start = Math.round((startTime.getTime() - FIT_EPOCH_MS) / 1000);
    this.#headerSize = options.headerSize ?? 14;
    this.#at = this.#headerSize;
  }

  write(): Uint8Array {
    const { sizeBytes, durationSecs = 600, headerCrc = 'right' } = this.#options;
    this.#fileId();
    if (this.#options.developerField === true) this.#describeDeveloperField();
    // The messages after the records are written twice: first to learn their size.
    const recordsAt = this.#at;
    this.#defineRecords();
    const fixed = this.#at + this.#endSize(durationSecs) + 2;
    let records = durationSecs;
    let filler = 0;
    if (sizeBytes !== undefined) {
      const each = this.#recordSize();
      const room = sizeBytes - fixed - (this.#compressed ? 4 : 0);
      records = Math.floor(room / each);
      filler = room - records * each;
      if (filler > 0 && filler < SMALLEST_FILLER) {
        records--;
        filler += each;
      }
      if (records < 1) throw new Error(`makeRecording: sizeBytes ${sizeBytes} is too small`);
    }
    this.#at = recordsAt;
    this.#defineRecords();
    const distance = this.#records(records, durationSecs);
    if (filler > 0) this.#fill(filler);
    this.#end(durationSecs, distance);
    const bytes = this.#bytes.slice(0, this.#at + 2);
    sealSegment(bytes, this.#headerSize, headerCrc);
    return bytes;
  }

  get #compressed(): boolean {
    return this.#options.compressedTimestamps === true;
  }

  #recordSize(): number {
    const developer = this.#options.developerField === true ? 2 : 0;
    return 1 + (this.#compressed ? 0 : 4) + RECORD_BYTES + developer;
  }

  #fileId(): void {
    const { type = 4, manufacturer = 1, product = 4062, serial, seed = 1 } = this.#options;
    this.#message(LOCAL.fileId, 0, [
      [3, UINT32Z, serial ?? 3_400_000_000 + seed],
      [4, UINT32, this.#start],
      [1, UINT16, manufacturer],
      [2, UINT16, product],
      [0, ENUM, type],
    ]);
  }

  #describeDeveloperField(): void {
    this.#message(LOCAL.other, 207, [
      [1, BYTE, Uint8Array.from({ length: 16 }, (_, i) => i + 1)],
      [3, UINT8, 0],
    ]);
    this.#message(LOCAL.other, 206, [
      [0, UINT8, 0],
      [1, UINT8, 7],
      [2, UINT8, UINT16],
      [3, STRING, Buffer.from('core_temperature\0')],
    ]);
  }

  #defineRecords(): void {
    const developer = this.#options.developerField === true;
    this.#define(LOCAL.record, 20, [[253, UINT32], ...RECORD_FIELDS], developer);
    if (this.#compressed) this.#define(LOCAL.compressed, 20, RECORD_FIELDS, developer);
  }

  #records(count: number, durationSecs: number): number {
    let distance = 0;
    let altitude = 200 + 300 * this.#random();
    let power = 180 + 60 * this.#random();
    let heartRate = 110;
    const hills = 2 + 3 * this.#random();
    const radius = 0.02 + 0.02 * this.#random();
    for (let i = 0; i < count; i++) {
      const share = i / count;
      altitude += Math.sin(share * hills * 2 * Math.PI) * 0.5;
      power = Math.max(0, power + (this.#random() - 0.5) * 30 + (200 - power) * 0.02);
      heartRate += (90 + power * 0.27 - heartRate) * 0.05;
      const speed = 6 + power * 0.012;
      distance += (speed * durationSecs) / count;
      this.#record(i, this.#start + Math.floor(share * durationSecs), {
        angle: share * 2 * Math.PI,
        radius,
        altitude,
        heartRate,
        distance,
        speed,
        power,
      });
    }
    return distance;
  }

  #record(index: number, timestamp: number, now: Moment): void {
    this.#reserve(64);
    if (this.#compressed && index > 0) {
      this.#u8(0x80 | (LOCAL.compressed << 5) | (timestamp & 31));
    } else {
      this.#u8(LOCAL.record);
      this.#u32(timestamp);
    }
    const semicircles = 2 ** 31 / 180;
    this.#u32((47.2 + now.radius * Math.sin(now.angle)) * semicircles);
    this.#u32((8.5 + 1.5 * now.radius * Math.cos(now.angle)) * semicircles);
    this.#u16((now.altitude + 500) * 5);
    this.#u8(now.heartRate);
    this.#u8(80 + 15 * this.#random());
    this.#u32(now.distance * 100);
    this.#u16(now.speed * 1000);
    this.#u16(now.power);
    this.#u8(18);
    if (this.#options.developerField === true) this.#u16(3700 + (index % 100));
  }

  /** Returns the size of {@link RecordingWriter.#end} (bytes). */
  #endSize(durationSecs: number): number {
    const before = this.#at;
    this.#end(durationSecs, 0);
    const size = this.#at - before;
    this.#at = before;
    return size;
  }

  #end(durationSecs: number, distance: number): void {
    const { sport = 2, subSport = 0, furtherSports = [], localOffsetMinutes } = this.#options;
    const end = this.#start + durationSecs;
    const sports = [sport, ...furtherSports];
    const part = Math.floor(durationSecs / sports.length);
    sports.forEach((each, i) => {
      const summary: Field[] = [
        [253, UINT32, end],
        [2, UINT32, this.#start + i * part],
        [7, UINT32, part * 1000],
        [8, UINT32, part * 1000],
        [9, UINT32, (distance * 100) / sports.length],
      ];
      this.#message(LOCAL.other, 19, [...summary, [254, UINT16, i]]);
      this.#message(LOCAL.other, 18, [
        ...summary,
        [254, UINT16, i],
        [5, ENUM, each],
        [6, ENUM, i === 0 ? subSport : 0],
        [16, UINT8, 142],
        [18, UINT8, 87],
        [20, UINT16, 205],
      ]);
    });
    const local: Field[] =
      localOffsetMinutes === undefined ? [] : [[5, UINT32, end + localOffsetMinutes * 60]];
    this.#message(LOCAL.other, 34, [
      [253, UINT32, end],
      [0, UINT32, durationSecs * 1000],
      [1, UINT16, sports.length],
      [2, ENUM, sports.length > 1 ? 1 : 0],
      ...local,
    ]);
  }

  /** Writes an unknown message of exactly `size` bytes with its definition. */
  #fill(size: number): void {
    for (let left = size; left > 0;) {
      const fits = Math.min(left, 6 + 3 + 1 + 200);
      const step = left - fits > 0 && left - fits < SMALLEST_FILLER ? fits - SMALLEST_FILLER : fits;
      this.#message(LOCAL.other, 0xff00, [[0, BYTE, new Uint8Array(step - 10).fill(0x55)]]);
      left -= step;
    }
  }

  #message(local: number, global: number, fields: readonly Field[]): void {
    this.#define(local, global, fields, false);
    this.#reserve(1024);
    this.#u8(local);
    for (const [, type, value] of fields) {
      if (typeof value !== 'number') {
        this.#bytes.set(value, this.#at);
        this.#at += value.length;
      } else if (SIZES[type] === 4) this.#u32(value);
      else if (SIZES[type] === 2) this.#u16(value);
      else this.#u8(value);
    }
  }

  #define(
    local: number,
    global: number,
    fields: readonly (readonly [number: number, baseType: number, value?: number | Uint8Array])[],
    developerField: boolean,
  ): void {
    this.#reserve(1024);
    this.#u8(0x40 | (developerField ? 0x20 : 0) | local);
    this.#u8(0);
    this.#u8(this.#littleEndian ? 0 : 1);
    this.#u16(global);
    this.#u8(fields.length);
    for (const [number, type, value] of fields) {
      this.#u8(number);
      this.#u8(value instanceof Uint8Array ? value.length : (SIZES[type] ?? 0));
      this.#u8(type);
    }
    if (developerField) for (const byte of [1, 7, 2, 0]) this.#u8(byte);
  }

  #u8(value: number): void {
    this.#view.setUint8(this.#at, value);
    this.#at += 1;
  }

  #u16(value: number): void {
    this.#view.setUint16(this.#at, value, this.#littleEndian);
    this.#at += 2;
  }

  #u32(value: number): void {
    this.#view.setUint32(this.#at, value, this.#littleEndian);
    this.#at += 4;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * this.#bytes.length + bytes);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** The values of one record: radians, degrees, m, bpm, m, m/s, W. */
interface Moment {
  readonly angle: number;
  readonly radius: number;
  readonly altitude: number;
  readonly heartRate: number;
  readonly distance: number;
  readonly speed: number;
  readonly power: number;
}

function sealSegment(
  bytes: Uint8Array,
  headerSize: 12 | 14,
  headerCrc: 'right' | 'zero' | 'garbage',
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint8(0, headerSize);
  view.setUint8(1, 0x20);
  view.setUint16(2, 2132, true);
  view.setUint32(4, bytes.length - headerSize - 2, true);
  bytes.set(Buffer.from('.FIT'), 8);
  if (headerSize === 14) {
    const crc = { right: crc16(bytes.subarray(0, 12)), zero: 0, garbage: 0xbeef }[headerCrc];
    view.setUint16(12, crc, true);
  }
  view.setUint16(bytes.length - 2, crc16(bytes.subarray(0, -2)), true);
}

/** Returns a generator of numbers in [0, 1), the same for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
