import {
  BYTE,
  ENUM,
  FIT_EPOCH_MS,
  SINT32,
  SINT8,
  SIZES,
  START,
  STRING,
  UINT16,
  UINT32,
  UINT32Z,
  UINT8,
  wrapRecords,
} from './fit-messages.ts';

export { wrapRecords };

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
  /** Exact size of the first segment without padding, bytes, at least 1,000. Otherwise one record a second. */
  readonly sizeBytes?: number;
  /** Size of unknown messages behind the records, bytes, at least: a large file that is quick to read. */
  readonly paddingBytes?: number;
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
  const first = makeSegment(options);
  const more = Array.from({ length: options.chained ?? 0 }, (_, i) =>
    makeSegment({
      ...options,
      seed: (options.seed ?? 1) + 1000 * (i + 1),
      durationSecs: 20,
      sizeBytes: 1_000 + 10 * i,
    }),
  );
  return more.length === 0 ? first : new Uint8Array(Buffer.concat([first, ...more]));
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

/** Records of a place, then the time, under one definition. The fifth lacks a byte. */
export function withMissingByte(): Uint8Array {
  const definition = [0x40, 0, 0, 20, 0, 2, 0, 4, 0x85, 253, 4, 0x86];
  const records = Array.from({ length: 10 }, (_, i) => {
    const time = START + i;
    const bytes = [0, 8, 16, 24].map((shift) => (time >>> shift) & 0xff);
    return [0, ...[0x7f, 0x7f, 0x7f, 0x10].slice(i === 4 ? 1 : 0), ...bytes];
  });
  return unfinished(wrapRecords(Uint8Array.from([definition, records].flat(2))));
}

type Field = readonly [number: number, baseType: number, value: number | Uint8Array];

/** Local message numbers; compressed headers only have room for 0 to 3. */
const LOCAL = { fileId: 0, record: 1, compressed: 2, other: 3 };

/** The fields of a record behind its time. */
const RECORD_FIELDS = [
  ...[[0, SINT32] as const, [1, SINT32] as const, [2, UINT16] as const, [3, UINT8] as const],
  ...[[4, UINT8] as const, [5, UINT32] as const, [6, UINT16] as const, [7, UINT16] as const],
  [13, SINT8] as const,
];
const RECORD_BYTES = RECORD_FIELDS.reduce((sum, [, type]) => sum + (SIZES[type] ?? 0), 0);

/** The shortest message that fills up a recording, with its definition. */
const SMALLEST_FILLER = 6 + 3 + 1 + 1;

/** Most fields of a message, and most bytes of a field. */
const MOST = 255;

/** Writes messages in the byte order of a recording. */
class MessageWriter {
  /** Bytes written so far. */
  size = 0;
  #bytes = new Uint8Array(16_384);
  #view = new DataView(this.#bytes.buffer);
  readonly #bigEndian: boolean;

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  /** Writes an integer of `size` bytes, without its fraction. */
  int(value: number, size: number): void {
    if (this.size + size > this.#bytes.length) this.#grow();
    if (size === 1) this.#view.setUint8(this.size, value);
    else if (size === 2) this.#view.setUint16(this.size, value, !this.#bigEndian);
    else this.#view.setUint32(this.size, value, !this.#bigEndian);
    this.size += size;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  /** Writes bytes as they are. */
  raw(bytes: ArrayLike<number>): void {
    while (this.size + bytes.length > this.#bytes.length) this.#grow();
    this.#bytes.set(bytes, this.size);
    this.size += bytes.length;
  }

  define(
    local: number,
    global: number,
    fields: readonly (readonly [number: number, baseType: number, value?: number | Uint8Array])[],
    developerField = false,
  ): void {
    this.raw([0x40 | (developerField ? 0x20 : 0) | local, 0, this.#bigEndian ? 1 : 0]);
    this.int(global, 2);
    this.int(fields.length, 1);
    for (const [number, type, value] of fields) {
      const size = value instanceof Uint8Array ? value.length : (SIZES[type] ?? 0);
      this.raw([number, size, type]);
    }
    if (developerField) this.raw([1, 7, 2, 0]);
  }

  /** Writes a message behind its definition. */
  message(local: number, global: number, fields: readonly Field[]): void {
    this.define(local, global, fields);
    this.int(local, 1);
    for (const [, type, value] of fields) {
      if (typeof value === 'number') this.int(value, SIZES[type] ?? 0);
      else this.raw(value);
    }
  }
}

function makeSegment(options: RecordingOptions): Uint8Array {
  const { seed = 1, durationSecs = 600, sizeBytes, headerSize = 14 } = options;
  const { compressedTimestamps: compressed = false, developerField = false } = options;
  const { startTime = new Date('2026-02-15T07:30:00Z') } = options;
  const start = Math.round((startTime.getTime() - FIT_EPOCH_MS) / 1000);
  const writer = new MessageWriter(options.bigEndian === true);
  const { type = 4, manufacturer = 1, product = 4062, serial = 3_400_000_000 + seed } = options;
  writer.message(LOCAL.fileId, 0, [
    [3, UINT32Z, serial],
    [4, UINT32, start],
    [1, UINT16, manufacturer],
    [2, UINT16, product],
    [0, ENUM, type],
  ]);
  if (developerField) describeDeveloperField(writer);
  writer.define(LOCAL.record, 20, [[253, UINT32], ...RECORD_FIELDS], developerField);
  if (compressed) writer.define(LOCAL.compressed, 20, RECORD_FIELDS, developerField);

  let records = durationSecs;
  let filler = 0;
  if (sizeBytes !== undefined) {
    // The messages after the records are written twice: first to learn their size.
    const before = writer.size;
    writeEnd(writer, options, start, 0);
    const fixed = headerSize + writer.size + 2;
    writer.size = before;
    const each = 1 + (compressed ? 0 : 4) + RECORD_BYTES + (developerField ? 2 : 0);
    const room = sizeBytes - fixed - (compressed ? 4 : 0);
    records = Math.floor(room / each);
    filler = room - records * each;
    if (filler > 0 && filler < SMALLEST_FILLER) {
      records--;
      filler += each;
    }
    if (records < 1) throw new Error(`makeRecording: sizeBytes ${sizeBytes} is too small`);
  }
  const distance = writeRecords(writer, options, start, records);
  if (filler > 0) fillUp(writer, filler);
  if (options.paddingBytes !== undefined) pad(writer, options.paddingBytes, seed);
  writeEnd(writer, options, start, distance);
  return wrapRecords(writer.bytes, options);
}

function describeDeveloperField(writer: MessageWriter): void {
  writer.message(LOCAL.other, 207, [
    [1, BYTE, Uint8Array.from({ length: 16 }, (_, i) => i + 1)],
    [3, UINT8, 0],
  ]);
  writer.message(LOCAL.other, 206, [
    [0, UINT8, 0],
    [1, UINT8, 7],
    [2, UINT8, UINT16],
    [3, STRING, Buffer.from('core_temperature\0')],
  ]);
}

/** Writes a loop over hills. @returns its distance (m) */
function writeRecords(
  writer: MessageWriter,
  { seed = 1, durationSecs = 600, ...options }: RecordingOptions,
  start: number,
  count: number,
): number {
  const random = mulberry32(seed);
  const semicircles = 2 ** 31 / 180;
  let distance = 0;
  let altitude = 200 + 300 * random();
  let power = 180 + 60 * random();
  let heartRate = 110;
  const hills = 2 + 3 * random();
  const radius = 0.02 + 0.02 * random();
  for (let i = 0; i < count; i++) {
    const share = i / count;
    const angle = share * 2 * Math.PI;
    altitude += Math.sin(share * hills * 2 * Math.PI) * 0.5;
    power = Math.max(0, power + (random() - 0.5) * 30 + (200 - power) * 0.02);
    heartRate += (90 + power * 0.27 - heartRate) * 0.05;
    const speed = 6 + power * 0.012;
    distance += (speed * durationSecs) / count;
    const timestamp = start + Math.floor(share * durationSecs);
    if (options.compressedTimestamps === true && i > 0) {
      writer.int(0x80 | (LOCAL.compressed << 5) | (timestamp & 31), 1);
    } else {
      writer.int(LOCAL.record, 1);
      writer.int(timestamp, 4);
    }
    writer.int((47.2 + radius * Math.sin(angle)) * semicircles, 4);
    writer.int((8.5 + 1.5 * radius * Math.cos(angle)) * semicircles, 4);
    writer.int((altitude + 500) * 5, 2);
    writer.int(heartRate, 1);
    writer.int(80 + 15 * random(), 1);
    writer.int(distance * 100, 4);
    writer.int(speed * 1000, 2);
    writer.int(power, 2);
    writer.int(18, 1);
    if (options.developerField === true) writer.int(3700 + (i % 100), 2);
  }
  return distance;
}

/** Writes laps, sessions and the activity. */
function writeEnd(
  writer: MessageWriter,
  options: RecordingOptions,
  start: number,
  distance: number,
): void {
  const { sport = 2, subSport = 0, furtherSports = [], localOffsetMinutes } = options;
  const { durationSecs = 600 } = options;
  const end = start + durationSecs;
  const sports = [sport, ...furtherSports];
  const part = Math.floor(durationSecs / sports.length);
  sports.forEach((each, i) => {
    const summary: Field[] = [
      [253, UINT32, end],
      [2, UINT32, start + i * part],
      [7, UINT32, part * 1000],
      [8, UINT32, part * 1000],
      [9, UINT32, (distance * 100) / sports.length],
      [254, UINT16, i],
    ];
    writer.message(LOCAL.other, 19, summary);
    writer.message(LOCAL.other, 18, [
      ...summary,
      [5, ENUM, each],
      [6, ENUM, i === 0 ? subSport : 0],
      [16, UINT8, 142],
      [18, UINT8, 87],
      [20, UINT16, 205],
    ]);
  });
  const local: Field[] =
    localOffsetMinutes === undefined ? [] : [[5, UINT32, end + localOffsetMinutes * 60]];
  writer.message(LOCAL.other, 34, [
    [253, UINT32, end],
    [0, UINT32, durationSecs * 1000],
    [1, UINT16, sports.length],
    [2, ENUM, sports.length > 1 ? 1 : 0],
    ...local,
  ]);
}

/** Writes unknown messages of `size` bytes together, with their definitions. */
function fillUp(writer: MessageWriter, size: number): void {
  for (let left = size; left > 0;) {
    const fits = Math.min(left, SMALLEST_FILLER - 1 + 200);
    const step = left - fits > 0 && left - fits < SMALLEST_FILLER ? fits - SMALLEST_FILLER : fits;
    writer.message(LOCAL.other, 0xff00, [[0, BYTE, new Uint8Array(step - 10).fill(0x55)]]);
    left -= step;
  }
}

/** Writes unknown messages of at least `size` bytes together, which do not compress. */
function pad(writer: MessageWriter, size: number, seed: number): void {
  const random = mulberry32(seed);
  const data = Uint8Array.from({ length: MOST * MOST }, () => random() * 256);
  const field = data.subarray(0, MOST);
  const fields = Array.from({ length: MOST }, (_, number) => [number, BYTE, field] as const);
  writer.define(LOCAL.other, 0xff01, fields);
  for (let left = size; left > 0; left -= data.length) {
    writer.int(LOCAL.other, 1);
    writer.raw(data);
  }
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
