/**
 * A strict reader of FIT files, written from the FIT specification alone: it judges what `src/fit/`
 * finds in mutated recordings, and shares no code with it.
 *
 * A file is whole if every segment states a size that ends inside the file, its CRC holds, it does not end with 256
 * zeroes (an interrupted copy, whose CRC may hold), and nothing but padding of zeroes or of 0xff follows the last
 * segment. The CRC of a header is advisory.
 */

/** The reading of a file. */
export interface Walk {
  readonly whole: boolean;
  /** Length without padding, if the file is whole (bytes). */
  readonly length: number;
  /** Segments with a header, a size inside the file and a correct CRC. */
  readonly segments: number;
  /**
   * Whether the records of all segments are as the specification says. `unclear`: before the first
   * broken record, some record has a meaning that the specification leaves open.
   */
  readonly records: 'valid' | 'unclear' | 'broken';
  /** Data messages up to the first broken record, by global number. */
  readonly messages: ReadonlyMap<number, number>;
  /** `type` of the first `file_id`, or an activity's behind it; undefined without one, or if it is marked invalid. */
  readonly fileType: number | undefined;
  /** `start_time` of each `session` (s since the FIT epoch), if it is a date. */
  readonly sessionStarts: readonly (number | undefined)[];
  /** Offsets of the headers of definitions and of data messages. */
  readonly definitionsAt: readonly number[];
  readonly dataAt: readonly number[];
}

/** The CRC of a nibble, as the specification tabulates it (FIT SDK, "CRC"). */
const NIBBLES = [
  0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401,
  0x5000, 0x9c01, 0x8801, 0x4400,
];

/** Returns the CRC of the specification over a range of bytes. */
export function specifiedCrc(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    for (const nibble of [byte & 15, byte >> 4]) {
      crc = (crc >> 4) ^ (NIBBLES[crc & 15] ?? 0) ^ (NIBBLES[nibble] ?? 0);
    }
  }
  return crc;
}

/** Returns a copy with the size and the CRC that its first segment needs to be whole. */
export function sealed(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  const header = copy[0] ?? 0;
  if (copy.length < header + 3 || copy.length < 15) return copy;
  copy.writeUInt32LE(copy.length - header - 2, 4);
  copy.writeUInt16LE(specifiedCrc(copy, 0, copy.length - 2), copy.length - 2);
  return copy;
}

interface Field {
  readonly number: number;
  readonly size: number;
  readonly type: number;
  readonly at: number;
}

interface Definition {
  readonly global: number;
  readonly bigEndian: boolean;
  readonly fields: readonly Field[];
  readonly size: number;
}

/** Types of files, and global message numbers. */
const ACTIVITY = 4;
const RECORD = 20;
const COURSE = 31;

/** Returns whether the type says so; without a type, whether there is a session or a record. */
export function holdsActivity({ fileType, messages, records }: Walk): boolean | 'unclear' {
  if (records === 'unclear') return 'unclear';
  if (fileType !== undefined) return fileType === ACTIVITY;
  // It depends on the order of the messages.
  if (messages.has(COURSE)) return 'unclear';
  return messages.has(SESSION) || messages.has(RECORD);
}

/** Seconds below this count from power-on, and are no date. */
const FIRST_DATE = 0x10000000;
const FILE_ID = 0;
const SESSION = 18;

/** Walks a file from its first to its last byte. */
export function walkFit(bytes: Uint8Array): Walk {
  const walker = new Walker(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  walker.walk();
  return walker;
}

class Walker implements Walk {
  whole = false;
  length = 0;
  segments = 0;
  readonly messages = new Map<number, number>();
  fileType: number | undefined;
  readonly sessionStarts: (number | undefined)[] = [];
  readonly definitionsAt: number[] = [];
  readonly dataAt: number[] = [];
  readonly #bytes: Buffer;
  #isBroken = false;
  #isUnclear = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get records(): Walk['records'] {
    if (this.#isUnclear) return 'unclear';
    return this.#isBroken ? 'broken' : 'valid';
  }

  walk(): void {
    const bytes = this.#bytes;
    let at = 0;
    while (at < bytes.length) {
      const [filler] = bytes.subarray(at);
      const isPadding = filler === 0 || filler === 0xff;
      if (at > 0 && isPadding && bytes.subarray(at).every((byte) => byte === filler)) break;
      if (bytes.length - at < 14) return;
      const header = bytes.readUInt8(at);
      const size = bytes.readUInt32LE(at + 4);
      const signature = bytes.toString('latin1', at + 8, at + 12);
      if ((header !== 12 && header !== 14) || signature !== '.FIT') return;
      const end = at + header + size;
      if (size === 0 || end + 2 > bytes.length) return;
      this.#walkRecords(at + header, end);
      if (specifiedCrc(bytes, at, end) !== bytes.readUInt16LE(end)) return;
      const tail = bytes.subarray(Math.max(at, end + 2 - 256), end + 2);
      if (tail.length === 256 && tail.every((byte) => byte === 0)) return;
      this.segments++;
      at = end + 2;
    }
    this.whole = at > 0;
    this.length = at;
  }

  #walkRecords(from: number, end: number): void {
    const definitions = new Map<number, Definition>();
    for (let at = from; at < end && !this.#isBroken;) {
      const header = this.#bytes.readUInt8(at);
      const isCompressed = header >= 0x80;
      const local = isCompressed ? (header >> 5) & 3 : header & 15;
      if (!isCompressed && (header & 0x10) !== 0) this.#doubt();
      const next =
        !isCompressed && (header & 0x40) !== 0
          ? this.#define(at, end, local, definitions)
          : this.#readData(at, end, definitions.get(local), isCompressed);
      if (next === undefined) this.#isBroken = true;
      else at = next;
    }
  }

  /** @returns the offset of the next record; undefined if the definition does not fit */
  #define(
    at: number,
    end: number,
    local: number,
    definitions: Map<number, Definition>,
  ): number | undefined {
    const bytes = this.#bytes;
    if (at + 6 > end) return undefined;
    const order = bytes.readUInt8(at + 2);
    if (order > 1) this.#doubt();
    const bigEndian = order !== 0;
    const global = bigEndian ? bytes.readUInt16BE(at + 3) : bytes.readUInt16LE(at + 3);
    const count = bytes.readUInt8(at + 5);
    let next = at + 6 + 3 * count;
    if (next > end) return undefined;
    const fields: Field[] = [];
    let size = 0;
    for (let i = 0; i < count; i++) {
      const [number = 0, length = 0, type = 0] = bytes.subarray(at + 6 + 3 * i, at + 9 + 3 * i);
      if (fields.some((field) => field.number === number)) this.#doubt();
      fields.push({ number, size: length, type: type & 31, at: size });
      size += length;
    }
    if ((bytes.readUInt8(at) & 0x20) !== 0) {
      if (next >= end) return undefined;
      const developer = bytes.readUInt8(next);
      if (next + 1 + 3 * developer > end) return undefined;
      for (let i = 0; i < developer; i++) size += bytes.readUInt8(next + 2 + 3 * i);
      next += 1 + 3 * developer;
    }
    definitions.set(local, { global, bigEndian, fields, size });
    this.definitionsAt.push(at);
    return next;
  }

  #readData(
    at: number,
    end: number,
    definition: Definition | undefined,
    isCompressed: boolean,
  ): number | undefined {
    if (definition === undefined) return undefined;
    const { global, fields, size } = definition;
    // A time stamp in the header and one in the message: devices disagree on whether the latter is there.
    if (isCompressed && fields[0]?.number === 253) this.#doubt();
    // Only definitions may announce developer fields.
    if (!isCompressed && (this.#bytes.readUInt8(at) & 0x20) !== 0) this.#doubt();
    const next = at + 1 + size;
    if (next > end) return undefined;
    this.dataAt.push(at);
    this.messages.set(global, (this.messages.get(global) ?? 0) + 1);
    if (global === FILE_ID) {
      const type = this.#integer(at + 1, definition, 0);
      if (this.messages.get(FILE_ID) === 1 || type === ACTIVITY) this.fileType = type;
    }
    if (global === SESSION) {
      const start = this.#integer(at + 1, definition, 2);
      this.sessionStarts.push(start === undefined || start < FIRST_DATE ? undefined : start);
    }
    return next;
  }

  /** Reads a number of one, two or four bytes (base types 0 to 6 and 10 to 13). */
  #integer(at: number, { fields, bigEndian }: Definition, number: number): number | undefined {
    const field = fields.find((each) => each.number === number);
    if (field === undefined) return undefined;
    const start = at + field.at;
    const bytes = this.#bytes;
    const base = BASE_TYPES[field.type];
    if (base === undefined) {
      // A float or a type of 64 bits where the profile has an integer.
      if (field.type === 8) this.#doubt();
      return undefined;
    }
    const [size, isSigned, invalid] = base;
    if (field.size !== size) return undefined;
    const value = isSigned
      ? bigEndian
        ? bytes.readIntBE(start, size)
        : bytes.readIntLE(start, size)
      : bigEndian
        ? bytes.readUIntBE(start, size)
        : bytes.readUIntLE(start, size);
    return value === invalid ? undefined : value;
  }

  #doubt(): void {
    this.#isUnclear = true;
  }
}

/** Integer base types by number: size (bytes), sign, and the value that means "invalid". */
const BASE_TYPES: Readonly<Record<number, readonly [number, boolean, number]>> = {
  0: [1, false, 0xff],
  1: [1, true, 0x7f],
  2: [1, false, 0xff],
  3: [2, true, 0x7fff],
  4: [2, false, 0xffff],
  5: [4, true, 0x7fffffff],
  6: [4, false, 0xffffffff],
  10: [1, false, 0],
  11: [2, false, 0],
  12: [4, false, 0],
  13: [1, false, 0xff],
};
