import { crc16 } from './crc16.ts';
import { describeForeign, type ForeignKind } from './foreign.ts';

/**
 * Whether a file is a whole recording; if not, the problem and a sentence for the athlete.
 *
 * - `whole`: every segment's stated size is greater than 0 and ends inside the file, its CRC is
 *   correct, and no bytes follow the last segment. The CRC of the *header* is ignored: 0 is legal
 *   there, and some devices write garbage.
 * - `incomplete`: the file may still become whole.
 * - `corrupt`: a recording that differs from what the device wrote.
 * - `not-fit`: not a FIT file.
 */
export type Envelope =
  | {
      readonly state: 'whole';
      /** FIT parts of the file; heart-rate downloads are chained from several. */
      readonly segments: number;
    }
  | Unwhole;

export interface Unwhole {
  readonly state: 'incomplete' | 'corrupt' | 'not-fit';
  /**
   * `recording`: the device has not written the size yet; `missing-bytes`: the file ends early;
   * `zero-tail`: the file ends in zeroes, even if its CRC is correct.
   */
  readonly problem:
    | 'recording'
    | 'missing-bytes'
    | 'header-cut'
    | 'crc'
    | 'zero-tail'
    | 'trailing-bytes'
    | ForeignKind;
  readonly detail: string;
}

/** First bytes that identify a file that is not FIT. */
export const PEEK_BYTES = 256;
/** Number of zeroes at the end that no recording has, since its records contain time stamps. */
const ZERO_TAIL_BYTES = 256;

/** The remedy in the detail of a damaged file. */
export const COPY_AGAIN = 'Copy it from the device again.';

export function checkEnvelope(bytes: Uint8Array): Envelope {
  const { segments, fault } = readSegments(bytes);
  return fault ?? { state: 'whole', segments };
}

/**
 * Returns a recording without its padding: a writer did not cut its buffer of zeroes, or of 0xff, behind
 * the last segment. Other bytes are returned unchanged.
 */
export function withoutPadding(bytes: Buffer): Buffer {
  const filler = bytes.at(-1);
  if (filler !== 0 && filler !== 0xff) return bytes;
  const { end, fault } = readSegments(bytes);
  if (fault?.problem !== 'trailing-bytes') return bytes;
  const isPadding = bytes.subarray(end).every((byte) => byte === filler);
  return isPadding ? bytes.subarray(0, end) : bytes;
}

/** Reads the whole segments at the start of a file: their number, their end, and what follows them. */
function readSegments(bytes: Uint8Array) {
  let end = 0;
  let segments = 0;
  do {
    const found = segmentEnd(bytes, end, bytes.length);
    if (typeof found !== 'number') return { segments, end, fault: found };
    const segment = bytes.subarray(end, found);
    // The CRC over data and CRC together is 0 if they match. Zeroes behind a header with its own CRC leave it 0.
    if (crc16(segment) !== 0 || zeroesAtEnd(segment) >= ZERO_TAIL_BYTES) {
      return { segments, end, fault: damaged(segment) };
    }
    segments++;
    end = found;
  } while (end < bytes.length);
  return { segments, end, fault: undefined };
}

/**
 * Checks the first bytes and the size of a file. `possible` means that the rest must be read. Never
 * returns a problem for a whole file.
 *
 * @param first the first {@link PEEK_BYTES} bytes, or fewer if the file has fewer
 * @param fileSize bytes
 */
export function peekHeader(first: Uint8Array, fileSize: number): { state: 'possible' } | Unwhole {
  const head = first.subarray(0, Math.min(PEEK_BYTES, fileSize));
  if (head.length < Math.min(HEADER_BYTES, fileSize)) return { state: 'possible' };
  const end = segmentEnd(head, 0, fileSize);
  return typeof end === 'number' ? { state: 'possible' } : end;
}

/**
 * Returns the end that a segment's header states, or why there is no such segment.
 *
 * @param bytes that hold the header, if there is one
 * @param start 0, or the end of the segment before
 * @param fileSize bytes
 */
function segmentEnd(bytes: Uint8Array, start: number, fileSize: number): number | Unwhole {
  const header = readHeader(bytes, start);
  const left = fileSize - start;
  if (header === undefined) {
    if (left < HEADER_BYTES && isHeaderStart(bytes, start)) {
      return incomplete(
        'header-cut',
        `The file ends ${count(left, 'byte')} into a header. ${CUT_OFF}`,
      );
    }
    if (start === 0) return { state: 'not-fit', ...describeForeign(bytes.subarray(0, PEEK_BYTES)) };
    const follow = `${count(left, 'extra byte')} ${left === 1 ? 'follows' : 'follow'} it`;
    return corrupt('trailing-bytes', `The recording is complete, but ${follow}.`);
  }
  if (isUnfinished(header)) return incomplete('recording', UNFINISHED);
  const stated = header.headerSize + header.dataSize + CRC_BYTES;
  if (stated <= left) return start + stated;
  const missing = `${count(stated - left, 'byte')} of ${count(start + stated)}`;
  return incomplete('missing-bytes', `The end is missing: ${missing}. ${CUT_OFF}`);
}

const CUT_OFF = 'The copy was cut off or is still in progress.';
const UNFINISHED =
  'The device has not finished this recording: the activity is still in progress, or the device lost power before it could save it.';

function zeroesAtEnd(segment: Uint8Array): number {
  return segment.length - 1 - segment.findLastIndex((byte) => byte !== 0);
}

function damaged(segment: Uint8Array): Unwhole {
  const zeroes = zeroesAtEnd(segment);
  return zeroes < ZERO_TAIL_BYTES
    ? corrupt(
        'crc',
        `The recording is damaged: its contents do not match its checksum. ${COPY_AGAIN}`,
      )
    : corrupt(
        'zero-tail',
        `The recording is damaged: its last ${count(zeroes, 'byte')} are zeroes, as after an interrupted copy. ${COPY_AGAIN}`,
      );
}

function incomplete(problem: Unwhole['problem'], detail: string): Unwhole {
  return { state: 'incomplete', problem, detail };
}

function corrupt(problem: Unwhole['problem'], detail: string): Unwhole {
  return { state: 'corrupt', problem, detail };
}

/** Returns `1,234 bytes`. The tables of `toLocaleString` would cost a watcher 5 MB for its first cut-off file. */
function count(n: number, noun?: string): string {
  const digits = String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
  if (noun === undefined) return digits;
  return `${digits} ${noun}${n === 1 ? '' : 's'}`;
}

/** Bytes of a header; a 14-byte header adds an advisory CRC of the header. */
export const HEADER_BYTES = 12;
/** Bytes of the CRC after the data, and of the one in the header. */
export const CRC_BYTES = 2;
const DATA_SIZE_AT = 4;
/** ".FIT", and its offset. */
const SIGNATURE = [0x2e, 0x46, 0x49, 0x54];
const SIGNATURE_AT = 8;
/** Sizes that devices state while they record. */
const UNFINISHED_SIZES: readonly number[] = [0, 0xffffffff];

/** Whether the device has not written the size of the data yet. */
export function isUnfinished({ dataSize }: { readonly dataSize: number }): boolean {
  return UNFINISHED_SIZES.includes(dataSize);
}

/** Reads the header at `start`; undefined if there is none, or not all of it. */
export function readHeader(bytes: Uint8Array, start = 0) {
  if (start + HEADER_BYTES > bytes.length || !isHeaderStart(bytes, start)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, HEADER_BYTES);
  return {
    /** Bytes: 12 or 14. */
    headerSize: view.getUint8(0),
    /** Bytes of records between the header and the CRC. */
    dataSize: view.getUint32(DATA_SIZE_AT, true),
  };
}

/** Returns a segment of a header and data: with the size and the checksums that belong to them. */
export function sealed(headerAndData: Uint8Array, headerSize: number): Uint8Array {
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

/** Whether `bytes` from `start` on, which may be fewer than a header, can be the start of a FIT header. */
function isHeaderStart(bytes: Uint8Array, start = 0): boolean {
  if (bytes[start] !== 12 && bytes[start] !== 14) return false;
  const at = start + SIGNATURE_AT;
  return SIGNATURE.every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte);
}
