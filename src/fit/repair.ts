import { crc16 } from './crc16.ts';
import { CRC_BYTES, DATA_SIZE_AT, HEADER_BYTES, isUnfinished, readHeader } from './envelope.ts';
import { dateOf, isMisread, MESSAGE, type Message, readMessages, readRecords } from './messages.ts';
import { readSummary } from './summary.ts';

/** A complete copy of a recording that is not whole. */
export interface Repair {
  readonly bytes: Uint8Array;
  readonly kept: Kept;
  /** Bytes at the end of the original that are not in the copy. */
  readonly cutBytes: number;
  /** Time after the last record that the device's summary covers (s); 0 without a summary. */
  readonly lostSecs: number;
}

/** What a recording holds. */
export interface Kept {
  readonly records: number;
  /** Times of the first and of the last record. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** Whether it has a `session` message, which the device writes when the activity is saved. */
  readonly hasSession: boolean;
}

/**
 * Returns a copy with correct lengths and checksums, which ends after the last whole record before the
 * damage; undefined if no record of an activity can be read.
 */
export function repairRecording(bytes: Uint8Array): Repair | undefined {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let isDamaged = false; !isDamaged;) {
    const segment = repairSegment(bytes, at);
    if (segment === undefined) break;
    parts.push(segment.bytes);
    at = segment.next;
    isDamaged = segment.isCut;
  }
  const copy = new Uint8Array(Buffer.concat(parts));
  const kept = contentsOf(copy);
  if (kept.records === 0) return undefined;
  const cutBytes = bytes.length - at;
  return { bytes: copy, kept, cutBytes, lostSecs: lostSecs(copy, kept) };
}

interface Segment {
  readonly bytes: Uint8Array;
  /** Offset in the original behind the bytes of this segment. */
  readonly next: number;
  /** Whether the original's segment has more. */
  readonly isCut: boolean;
}

/** Returns the segment at `start`, repaired if it is not whole; undefined if there is nothing to keep. */
function repairSegment(bytes: Uint8Array, start: number): Segment | undefined {
  const header = readHeader(bytes, start);
  if (header === undefined) return undefined;
  const dataStart = start + header.headerSize;
  const dataEnd = dataStart + header.dataSize;
  const next = dataEnd + CRC_BYTES;
  const isInside = !isUnfinished(header) && next <= bytes.length;
  if (isInside && crc16(bytes.subarray(start, next)) === 0) {
    return { bytes: bytes.subarray(start, next), next, isCut: false };
  }
  const limit = isUnfinished(header) ? bytes.length : Math.min(dataEnd, bytes.length);
  const end = endOfRecords(bytes, dataStart, limit);
  if (end <= dataStart) return undefined;
  const repaired = sealed(bytes.subarray(start, end), header.headerSize);
  return isInside && end === dataEnd
    ? { bytes: repaired, next, isCut: false }
    : { bytes: repaired, next: end, isCut: true };
}

/** Returns the offset behind the last credible record. */
function endOfRecords(bytes: Uint8Array, from: number, to: number): number {
  const filler = startOfFiller(bytes, from, to);
  const strict = scan(bytes, from, filler);
  // A summary may end in bytes that look like the filler.
  const lenient = scan(bytes, from, to, filler);
  const { end, records, isMisread } = lenient.records > strict.records ? strict : lenient;
  if (!isMisread) return end;
  let left = records;
  return readRecords(bytes, from, to, { [MESSAGE.record]: () => --left > 0 });
}

interface Scan {
  readonly end: number;
  readonly records: number;
  /** Whether the last record belongs to the damage after it. */
  readonly isMisread: boolean;
}

function scan(bytes: Uint8Array, from: number, to: number, lastStart = to): Scan {
  let records = 0;
  let last: number | undefined;
  let before: number | undefined;
  const visitors = {
    [MESSAGE.record]: ({ timestamp }: Message) => {
      records++;
      before = last;
      last = timestamp;
    },
  };
  const end = readRecords(bytes, from, to, visitors, lastStart);
  return { end, records, isMisread: isMisread(before, last) };
}

/** Bytes that fill memory which was never written. */
const FILLER_BYTES: readonly number[] = [0, 0xff];
/** Fewest equal bytes at the end that are taken for a filler. */
const FILLER_LENGTH = 16;

function startOfFiller(bytes: Uint8Array, from: number, to: number): number {
  const last = bytes[to - 1] ?? 1;
  if (!FILLER_BYTES.includes(last)) return to;
  let end = to;
  while (end > from && bytes[end - 1] === last) end--;
  return to - end < FILLER_LENGTH ? to : end;
}

/** Returns header and data with the size and the checksums that belong to them. */
function sealed(headerAndData: Uint8Array, headerSize: number): Uint8Array {
  const copy = new Uint8Array(headerAndData.length + CRC_BYTES);
  copy.set(headerAndData);
  const view = new DataView(copy.buffer);
  view.setUint32(DATA_SIZE_AT, headerAndData.length - headerSize, true);
  if (headerSize >= HEADER_BYTES + CRC_BYTES) {
    view.setUint16(HEADER_BYTES, crc16(copy.subarray(0, HEADER_BYTES)), true);
  }
  view.setUint16(headerAndData.length, crc16(copy.subarray(0, -CRC_BYTES)), true);
  return copy;
}

function contentsOf(bytes: Uint8Array): Kept {
  let records = 0;
  let first: number | undefined;
  let last: number | undefined;
  let hasSession = false;
  readMessages(bytes, {
    [MESSAGE.record]: ({ timestamp }) => {
      records++;
      first ??= timestamp;
      last = timestamp ?? last;
    },
    [MESSAGE.session]: () => {
      hasSession = true;
    },
  });
  return { records, from: dateOf(first), to: dateOf(last), hasSession };
}

function lostSecs(bytes: Uint8Array, { to }: Kept): number {
  if (to === undefined) return 0;
  const ends = readSummary(bytes).sessions.flatMap(({ startTime, elapsedSecs }) =>
    startTime === undefined || elapsedSecs === undefined
      ? []
      : startTime.getTime() / 1000 + elapsedSecs,
  );
  return Math.round(Math.max(0, ...ends.map((end) => end - to.getTime() / 1000)));
}
