/**
 * Walks over the records of a FIT file and decodes only the wanted messages. A full decode takes about
 * a hundred times as long, and fit-file-parser stops at chained segments. decode.ts uses it for the
 * full contents.
 */

/** The FIT epoch, 1989-12-31T00:00:00Z (ms since 1970). */
const FIT_EPOCH_MS = 631_065_600_000;
/** Smaller time stamps are seconds since the device was switched on, not dates. */
const FIRST_DATE = 0x1000_0000;
const TIMESTAMP_FIELD = 253;
const SIGNATURE = 0x5449_462e;

/** A data message. Valid only during the visit. */
export interface Message {
  readonly globalNumber: number;
  /** Returns an integer or float field of up to 4 bytes; undefined if absent or invalid. */
  number(field: number): number | undefined;
  /** Returns a string field without padding; undefined if absent or empty. */
  text(field: number): string | undefined;
  /** Returns a date field; undefined if absent, invalid or only seconds since power-on. */
  date(field: number): Date | undefined;
}

/**
 * Visits the messages with the wanted global numbers in file order, in all segments. `bytes` may be
 * the beginning of a file. Never throws: the walk ends at the first invalid record.
 *
 * @param visit returns false to end the walk
 */
export function walkMessages(
  bytes: Uint8Array,
  wanted: readonly number[],
  visit: (message: Message) => boolean | undefined,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let start = 0; ;) {
    const segment = segmentAt(view, start);
    if (segment === undefined) return;
    const { dataStart, dataEnd, endsInside } = segment;
    const reached = walkSegment(bytes, view, dataStart, dataEnd, wanted, visit);
    if (reached < dataEnd || !endsInside) return;
    start = dataEnd + 2;
  }
}

/**
 * Returns the offset of the end of the first segment's last whole record. The part of a damaged file
 * before it can be decoded. Undefined without a FIT header.
 */
export function endOfRecords(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const segment = segmentAt(view, 0);
  if (segment === undefined) return undefined;
  const { dataStart, dataEnd } = segment;
  return walkSegment(bytes, view, dataStart, dataEnd, [], () => true);
}

interface SegmentBounds {
  readonly dataStart: number;
  readonly dataEnd: number;
  /** False if the stated size is 0 or exceeds the file. */
  readonly endsInside: boolean;
}

function segmentAt(view: DataView, start: number): SegmentBounds | undefined {
  if (start + 12 > view.byteLength) return undefined;
  const headerSize = view.getUint8(start);
  if (view.getUint32(start + 8, true) !== SIGNATURE || headerSize < 12) return undefined;
  const dataSize = view.getUint32(start + 4, true);
  const dataStart = Math.min(start + headerSize, view.byteLength);
  const endsInside = dataSize > 0 && dataStart + dataSize <= view.byteLength;
  return { dataStart, dataEnd: endsInside ? dataStart + dataSize : view.byteLength, endsInside };
}

interface Definition {
  readonly globalNumber: number;
  readonly littleEndian: boolean;
  /** Bytes of a data message after its header, including developer fields. */
  readonly size: number;
  /** Undefined for messages that are not wanted. */
  readonly fields: readonly FieldDefinition[] | undefined;
  /** Whether a compressed time stamp replaces the first field. */
  readonly timestampFirst: boolean;
}

interface FieldDefinition {
  readonly number: number;
  readonly offset: number;
  readonly size: number;
  readonly baseType: number;
}

/**
 * @returns where the walk ended: at `end`, or at the record that is invalid or at which the visitor
 *   ended it
 */
function walkSegment(
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  wanted: readonly number[],
  visit: (message: Message) => boolean | undefined,
): number {
  const definitions: (Definition | undefined)[] = new Array<undefined>(16).fill(undefined);
  let at = from;
  while (at < end) {
    const header = bytes[at] as number;
    const body = at + 1;
    const compressed = (header & 0x80) !== 0;
    if (!compressed && (header & 0x40) !== 0) {
      const definition = readDefinition(bytes, body, end, (header & 0x20) !== 0, wanted);
      if (definition === undefined) return at;
      definitions[header & 0x0f] = definition;
      at = body + definition.length;
      continue;
    }
    const definition = definitions[compressed ? (header >> 5) & 3 : header & 0x0f];
    if (definition === undefined) return at;
    const absent = compressed && definition.timestampFirst ? 4 : 0;
    const next = body + definition.size - absent;
    if (next > end) return at;
    if (definition.fields !== undefined) {
      const message = new FieldReader(view, body - absent, absent, definition, definition.fields);
      if (visit(message) === false) return at;
    }
    at = next;
  }
  return at;
}

function readDefinition(
  bytes: Uint8Array,
  at: number,
  end: number,
  withDeveloperFields: boolean,
  wanted: readonly number[],
): (Definition & { readonly length: number }) | undefined {
  if (at + 5 > end) return undefined;
  const littleEndian = bytes[at + 1] === 0;
  const [low = 0, high = 0] = littleEndian
    ? [bytes[at + 2], bytes[at + 3]]
    : [bytes[at + 3], bytes[at + 2]];
  const globalNumber = low | (high << 8);
  const count = bytes[at + 4] as number;
  let cursor = at + 5;
  if (cursor + 3 * count > end) return undefined;
  const fields: FieldDefinition[] | undefined = wanted.includes(globalNumber) ? [] : undefined;
  const timestampFirst = count > 0 && bytes[cursor] === TIMESTAMP_FIELD && bytes[cursor + 1] === 4;
  let size = 0;
  for (let i = 0; i < count; i++, cursor += 3) {
    const fieldSize = bytes[cursor + 1] as number;
    fields?.push({
      number: bytes[cursor] as number,
      offset: size,
      size: fieldSize,
      baseType: bytes[cursor + 2] as number,
    });
    size += fieldSize;
  }
  if (withDeveloperFields) {
    if (cursor >= end) return undefined;
    const developerFields = bytes[cursor++] as number;
    if (cursor + 3 * developerFields > end) return undefined;
    for (let i = 0; i < developerFields; i++, cursor += 3) size += bytes[cursor + 1] as number;
  }
  return { globalNumber, littleEndian, size, fields, timestampFirst, length: cursor - at };
}

class FieldReader implements Message {
  readonly globalNumber: number;
  readonly #view: DataView;
  readonly #at: number;
  readonly #absent: number;
  readonly #littleEndian: boolean;
  readonly #fields: readonly FieldDefinition[];

  constructor(
    view: DataView,
    at: number,
    absent: number,
    { globalNumber, littleEndian }: Definition,
    fields: readonly FieldDefinition[],
  ) {
    this.globalNumber = globalNumber;
    this.#view = view;
    this.#at = at;
    this.#absent = absent;
    this.#littleEndian = littleEndian;
    this.#fields = fields;
  }

  number(field: number): number | undefined {
    const found = this.#find(field);
    if (found === undefined) return undefined;
    const { size, baseType } = found;
    const type = baseType & 0x1f;
    const at = this.#at + found.offset;
    const view = this.#view;
    const littleEndian = this.#littleEndian;
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

  date(field: number): Date | undefined {
    const seconds = this.number(field);
    return seconds === undefined || seconds < FIRST_DATE
      ? undefined
      : new Date(FIT_EPOCH_MS + seconds * 1000);
  }

  #find(field: number): FieldDefinition | undefined {
    const found = this.#fields.find(({ number }) => number === field);
    return found === undefined || found.offset < this.#absent ? undefined : found;
  }
}

function valid(value: number, invalid: number): number | undefined {
  return Number.isNaN(value) || value === invalid ? undefined : value;
}
