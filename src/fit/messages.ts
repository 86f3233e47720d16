import { CRC_BYTES, isUnfinished, readHeader } from './envelope.ts';
/**
 * Reads a FIT file message by message. Everything that this program learns from a recording comes
 * through {@link readMessages}: it decodes only the messages that have a visitor, and keeps none of them.
 */

export const MESSAGE = {
  fileId: 0,
  sport: 12,
  session: 18,
  lap: 19,
  record: 20,
  event: 21,
  deviceInfo: 23,
  weightScale: 30,
  course: 31,
  activity: 34,
  monitoringInfo: 103,
  fieldDescription: 206,
  monitoringHrData: 211,
  maxMetData: 229,
  diveSummary: 268,
  hrvStatusSummary: 370,
} as const;

const TIMESTAMP = 253;

/** The FIT epoch, 1989-12-31T00:00:00Z (ms since 1970). */
export const FIT_EPOCH_MS = 631_065_600_000;
/** Smaller time stamps are seconds since the device was switched on, not dates. */
const FIRST_DATE = 0x1000_0000;

/** Key of the visitor of each data message that has no own one. */
export const OTHERS = -1;
/** Key of the visitor of each definition, which is visited before it counts. */
export const DEFINITION = -2;

/** A message. Valid only during the visit. */
export type Message = Readonly<
  Pick<SegmentReader, 'kind' | 'start' | 'end' | 'timestamp' | 'number' | 'text' | 'date'>
>;

/** Called for each message of a kind. Ends the reading if it returns `false`. */
export type Visitor = (message: Message) => unknown;

/** The visitors by global message number, {@link OTHERS} and {@link DEFINITION}. */
export type Visitors = Readonly<Record<number, Visitor>>;

interface ReadEnd {
  /** Offset behind the last message that was read. */
  readonly at: number;
  /** Whether that is the end of the data: not if a record is invalid, or a visitor ended the reading. */
  readonly complete: boolean;
}

/**
 * Visits messages in file order, in all segments. `bytes` may be the beginning of a file. Never throws:
 * the reading ends at the first invalid record.
 */
export function readMessages(bytes: Uint8Array, visitors: Visitors): ReadEnd {
  for (let start = 0; ;) {
    const header = readHeader(bytes, start);
    if (header === undefined) return { at: start, complete: start > 0 && start === bytes.length };
    const { headerSize, dataSize } = header;
    const dataStart = start + headerSize;
    const stated = dataStart + dataSize;
    const isInside = !isUnfinished(header) && stated <= bytes.length;
    const dataEnd = isInside ? stated : bytes.length;
    const at = readRecords(bytes, dataStart, dataEnd, visitors);
    start = dataEnd + CRC_BYTES;
    if (at < dataEnd || start > bytes.length) return { at, complete: at === dataEnd };
  }
}

/**
 * Returns the offset behind the last whole record between `from` and `to`, the data of one segment.
 *
 * @param visitors as for {@link readMessages}
 */
export function readRecords(
  bytes: Uint8Array,
  from: number,
  to: number,
  visitors: Visitors,
): number {
  return new SegmentReader(bytes, visitors).read(from, to);
}

/** Whether a time stamp counts from the FIT epoch, not from when the device was switched on. */
export function isDated(seconds: number | undefined): seconds is number {
  return seconds !== undefined && seconds >= FIRST_DATE;
}

/** Converts seconds since the FIT epoch; undefined for seconds since the device was switched on. */
export function dateOf(seconds: number | undefined): Date | undefined {
  return isDated(seconds) ? new Date(FIT_EPOCH_MS + seconds * 1000) : undefined;
}

interface Definition {
  readonly kind: number;
  readonly littleEndian: boolean;
  /** Bytes of a data message after its header, including developer fields. */
  readonly size: number;
  readonly visitor: Visitor | undefined;
  /** By number; empty without a visitor. */
  readonly fields: readonly (FieldDefinition | undefined)[];
  /** Offset of the time stamp; undefined if there is none. */
  readonly timestampAt: number | undefined;
}

interface FieldDefinition {
  readonly offset: number;
  readonly size: number;
  readonly baseType: number;
}

/** Bits of a compressed time stamp: the lowest of the time in seconds. */
const COMPRESSED_MASK = 0x1f;

/** Reads the records of one segment. It is the message that a visitor sees. */
class SegmentReader {
  /** Time of the message, also of one with a compressed time stamp (s, as in {@link dateOf}). */
  timestamp: number | undefined;
  /** Global number of the message, or {@link DEFINITION}. */
  kind = DEFINITION;
  /** Offset of its header, and behind it. */
  start = 0;
  end = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #visitors: Visitors;
  /** By local message number. */
  readonly #definitions = new Array<Definition | undefined>(16).fill(undefined);
  /** The time that a compressed time stamp counts from. */
  #clock: number | undefined;
  /** The message in the visit: offset of its first field, fields, and leading bytes that it lacks. */
  #at = 0;
  #definition: Definition | undefined;
  #absent = 0;

  constructor(bytes: Uint8Array, visitors: Visitors) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#visitors = visitors;
  }

  /** @returns the offset behind the last record, or of the record at which a visitor ended the reading */
  read(from: number, end: number): number {
    let at = from;
    while (at < end) {
      const next = this.#readRecord(this.#bytes[at] as number, at + 1, end);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  /** Returns an integer or float field of up to 4 bytes; undefined if absent or invalid. */
  number(field: number): number | undefined {
    const found = this.#find(field);
    if (found === undefined) return undefined;
    const { size, baseType } = found;
    const type = baseType & 0x1f;
    const at = this.#at + found.offset;
    const view = this.#view;
    const littleEndian = this.#definition?.littleEndian === true;
    // Base types by number: 0 enum, 1 sint8, 2 uint8, 3 sint16, 4 uint16, 5 sint32, 6 uint32,
    // 8 float32, 10 to 12 uint8z to uint32z (invalid: 0), 13 byte.
    if (size === 1 && (type === 0 || type === 2 || type === 10 || type === 13)) {
      return valid(view.getUint8(at), type === 10 ? 0 : 0xff);
    }
    if (size === 1 && type === 1) return valid(view.getInt8(at), 0x7f);
    if (size === 2 && type === 3) return valid(view.getInt16(at, littleEndian), 0x7fff);
    if (size === 2 && (type === 4 || type === 11)) {
      return valid(view.getUint16(at, littleEndian), type === 11 ? 0 : 0xffff);
    }
    if (size === 4 && type === 5) return valid(view.getInt32(at, littleEndian), 0x7fff_ffff);
    if (size === 4 && (type === 6 || type === 12)) {
      return valid(view.getUint32(at, littleEndian), type === 12 ? 0 : 0xffff_ffff);
    }
    if (size === 4 && type === 8) return valid(view.getFloat32(at, littleEndian), NaN);
    return undefined;
  }

  /** Returns a string field without padding; undefined if absent or empty. */
  text(field: number): string | undefined {
    const found = this.#find(field);
    if (found === undefined || (found.baseType & 0x1f) !== 7) return undefined;
    const { buffer, byteOffset } = this.#view;
    const text = Buffer.from(buffer, byteOffset + this.#at + found.offset, found.size)
      .toString('utf8')
      .replace(/\0.*$/s, '')
      .trim();
    return text === '' ? undefined : text;
  }

  /** Returns a date field; undefined if absent, invalid or only seconds since power-on. */
  date(field: number): Date | undefined {
    return dateOf(this.number(field));
  }

  #find(field: number): FieldDefinition | undefined {
    const found = this.#definition?.fields[field];
    return found === undefined || found.offset < this.#absent ? undefined : found;
  }

  /** @returns the offset of the next record; undefined if this one is invalid or a visitor ends here */
  #readRecord(header: number, body: number, end: number): number | undefined {
    const isCompressed = (header & 0x80) !== 0;
    if (!isCompressed && (header & 0x40) !== 0) return this.#define(header, body, end);
    const definition = this.#definitions[isCompressed ? (header >> 5) & 3 : header & 0x0f];
    if (definition === undefined) return undefined;
    // A compressed header replaces a time stamp that is the first field.
    const absent = isCompressed && definition.timestampAt === 0 ? 4 : 0;
    const next = body + definition.size - absent;
    if (next > end) return undefined;
    const { visitor } = definition;
    const stated = isCompressed ? undefined : this.#statedTime(definition, body);
    this.#clock = stated ?? this.#clock;
    this.timestamp = isCompressed ? this.#advance(header & COMPRESSED_MASK) : stated;
    if (visitor === undefined) return next;
    this.#at = body - absent;
    this.#absent = absent;
    this.#definition = definition;
    this.kind = definition.kind;
    this.start = body - 1;
    this.end = next;
    return visitor(this) === false ? undefined : next;
  }

  #statedTime({ timestampAt, littleEndian }: Definition, body: number): number | undefined {
    if (timestampAt === undefined) return undefined;
    return valid(this.#view.getUint32(body + timestampAt, littleEndian), 0xffff_ffff);
  }

  #advance(seconds: number): number | undefined {
    const from = this.#clock;
    if (from === undefined) return undefined;
    this.#clock = from + ((seconds - from) & COMPRESSED_MASK);
    return this.#clock;
  }

  /** @returns the offset of the next record; undefined if the definition is cut */
  #define(header: number, at: number, end: number): number | undefined {
    if (at + 5 > end) return undefined;
    const bytes = this.#bytes;
    const littleEndian = bytes[at + 1] === 0;
    const kind = this.#view.getUint16(at + 2, littleEndian);
    const visitor = this.#visitors[kind] ?? this.#visitors[OTHERS];
    const fields: FieldDefinition[] = [];
    const count = bytes[at + 4] as number;
    let cursor = at + 5;
    if (cursor + 3 * count > end) return undefined;
    let size = 0;
    let timestampAt: number | undefined;
    for (let i = 0; i < count; i++, cursor += 3) {
      const number = bytes[cursor] as number;
      const fieldSize = bytes[cursor + 1] as number;
      if (number === TIMESTAMP && fieldSize === 4) timestampAt ??= size;
      if (visitor !== undefined) {
        fields[number] ??= { offset: size, size: fieldSize, baseType: bytes[cursor + 2] as number };
      }
      size += fieldSize;
    }
    if ((header & 0x20) !== 0) {
      if (cursor >= end) return undefined;
      const developerFields = bytes[cursor++] as number;
      if (cursor + 3 * developerFields > end) return undefined;
      for (let i = 0; i < developerFields; i++, cursor += 3) size += bytes[cursor + 1] as number;
    }
    this.kind = DEFINITION;
    this.start = at - 1;
    this.end = cursor;
    if (this.#visitors[DEFINITION]?.(this) === false) return undefined;
    this.#definitions[header & 0x0f] = { kind, littleEndian, size, visitor, fields, timestampAt };
    return cursor;
  }
}

function valid(value: number, invalid: number): number | undefined {
  return Number.isNaN(value) || value === invalid ? undefined : value;
}

/** Returns a number of things, or a serial number; undefined for a fraction or less than 0, as a damaged file may have. */
export function countOf(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
