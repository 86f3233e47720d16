import { crc16 } from './crc16.ts';
import { describeForeign, type ForeignKind } from './foreign.ts';

/** One FIT part of a file; most files have one, heart-rate downloads are chained from several. */
export interface Segment extends Header {
  /** Offset of its header in the file, bytes. */
  readonly start: number;
}

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
export type Envelope = { readonly state: 'whole'; readonly segments: readonly Segment[] } | Unwhole;

export type Unwhole =
  | {
      readonly state: 'incomplete';
      /** `recording`: the device has not written the size yet; `missing-bytes`: the file ends early. */
      readonly problem: 'recording' | 'missing-bytes' | 'header-cut';
      readonly detail: string;
    }
  | {
      readonly state: 'corrupt';
      /** `zero-tail`: the CRC does not match because the file ends in zeroes. */
      readonly problem: 'crc' | 'zero-tail' | 'trailing-bytes';
      readonly detail: string;
    }
  | { readonly state: 'not-fit'; readonly problem: ForeignKind; readonly detail: string };

/** First bytes that identify a file that is not FIT. */
export const PEEK_BYTES = 256;
/** Number of zeroes at the end that no recording has, since its records contain time stamps. */
const ZERO_TAIL_BYTES = 256;

/** The remedy in the detail of a damaged file. */
export const COPY_AGAIN = 'Copy it from the device again.';

export function checkEnvelope(bytes: Uint8Array): Envelope {
  const segments: Segment[] = [];
  let start = 0;
  do {
    const header = readHeader(bytes, start);
    if (header === undefined) return withoutHeader(bytes, start);
    if (isUnfinished(header)) return unfinished();
    const end = start + header.headerSize + header.dataSize + CRC_BYTES;
    if (end > bytes.length) return missing(end - bytes.length, end);
    const segment = bytes.subarray(start, end);
    // The CRC over data and CRC together is 0 if they match.
    if (crc16(segment) !== 0) {
      const zeroes = zeroesAtEnd(segment);
      return zeroes >= ZERO_TAIL_BYTES ? zeroTail(zeroes) : crcMismatch();
    }
    segments.push({ start, ...header });
    start = end;
  } while (start < bytes.length);
  return { state: 'whole', segments };
}

/**
 * Returns a recording without its padding: a writer did not cut its buffer of zeroes, or of 0xff, behind
 * the last segment. Other bytes are returned unchanged.
 */
export function withoutPadding(bytes: Buffer): Buffer {
  const filler = bytes.at(-1);
  if (filler !== 0 && filler !== 0xff) return bytes;
  let end = 0;
  for (let header = readHeader(bytes); header !== undefined; header = readHeader(bytes, end)) {
    const next = end + header.headerSize + header.dataSize + CRC_BYTES;
    if (isUnfinished(header) || next > bytes.length) return bytes;
    if (crc16(bytes.subarray(end, next)) !== 0) return bytes;
    end = next;
  }
  const isPadding = end > 0 && bytes.subarray(end).every((byte) => byte === filler);
  return isPadding ? bytes.subarray(0, end) : bytes;
}

/**
 * Returns the problem of bytes that do not start with a whole header.
 *
 * @param start 0, or the end of a segment
 */
function withoutHeader(bytes: Uint8Array, start: number): Unwhole {
  const rest = bytes.subarray(start);
  if (rest.length < HEADER_BYTES && isHeaderStart(rest)) return headerCut(rest.length);
  return start === 0 ? notFit(bytes.subarray(0, PEEK_BYTES)) : trailing(rest.length);
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
  if (head.length < HEADER_BYTES) {
    if (fileSize > head.length) return { state: 'possible' };
    return head.length > 0 && isHeaderStart(head) ? headerCut(fileSize) : notFit(head);
  }
  const header = readHeader(head);
  if (header === undefined) return notFit(head);
  if (isUnfinished(header)) return unfinished();
  const stated = header.headerSize + header.dataSize + CRC_BYTES;
  return stated > fileSize ? missing(stated - fileSize, stated) : { state: 'possible' };
}

function zeroesAtEnd(bytes: Uint8Array): number {
  let i = bytes.length;
  while (i > 0 && bytes[i - 1] === 0) i--;
  return bytes.length - i;
}

function notFit(first: Uint8Array): Unwhole {
  return { state: 'not-fit', ...describeForeign(first) };
}

function unfinished(): Unwhole {
  return {
    state: 'incomplete',
    problem: 'recording',
    detail:
      'The device has not finished this recording: the activity is still in progress, or the device lost power before it could save it.',
  };
}

function missing(bytes: number, stated: number): Unwhole {
  return {
    state: 'incomplete',
    problem: 'missing-bytes',
    detail: `The end is missing: ${count(bytes, 'byte')} of ${count(stated)}. The copy was cut off or is still in progress.`,
  };
}

function headerCut(bytes: number): Unwhole {
  return {
    state: 'incomplete',
    problem: 'header-cut',
    detail: `The file ends ${count(bytes, 'byte')} into a header. The copy was cut off or is still in progress.`,
  };
}

function crcMismatch(): Unwhole {
  return {
    state: 'corrupt',
    problem: 'crc',
    detail: `The recording is damaged: its contents do not match its checksum. ${COPY_AGAIN}`,
  };
}

function zeroTail(bytes: number): Unwhole {
  return {
    state: 'corrupt',
    problem: 'zero-tail',
    detail: `The recording is damaged: its last ${count(bytes, 'byte')} are zeroes, as after an interrupted copy. ${COPY_AGAIN}`,
  };
}

function trailing(bytes: number): Unwhole {
  return {
    state: 'corrupt',
    problem: 'trailing-bytes',
    detail: `The recording is complete, but ${count(bytes, 'extra byte')} ${bytes === 1 ? 'follows' : 'follow'} it.`,
  };
}

function count(n: number, noun?: string): string {
  const digits = n.toLocaleString('en-US');
  if (noun === undefined) return digits;
  return `${digits} ${noun}${n === 1 ? '' : 's'}`;
}

export interface Header {
  /** Bytes: 12 or 14. */
  readonly headerSize: number;
  /** Bytes of records between the header and the CRC. */
  readonly dataSize: number;
  /** As in the header: 0x20 is 2.0. */
  readonly protocolVersion: number;
  /** As in the header: 2132 is 21.32. */
  readonly profileVersion: number;
}

/** Bytes of a header; a 14-byte header adds an advisory CRC of the header. */
export const HEADER_BYTES = 12;
/** Bytes of the CRC after the data, and of the one in the header. */
export const CRC_BYTES = 2;
export const DATA_SIZE_AT = 4;
/** ".FIT", and its offset. */
const SIGNATURE = [0x2e, 0x46, 0x49, 0x54];
const SIGNATURE_AT = 8;
/** Sizes that devices state while they record. */
const UNFINISHED_SIZES: readonly number[] = [0, 0xffffffff];

/** Whether the device has not written the size of the data yet. */
export function isUnfinished({ dataSize }: Header): boolean {
  return UNFINISHED_SIZES.includes(dataSize);
}

/** Reads the header at `start`; undefined if there is none, or not all of it. */
export function readHeader(bytes: Uint8Array, start = 0): Header | undefined {
  if (start + HEADER_BYTES > bytes.length || !isHeaderStart(bytes, start)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, HEADER_BYTES);
  return {
    headerSize: view.getUint8(0),
    protocolVersion: view.getUint8(1),
    profileVersion: view.getUint16(2, true),
    dataSize: view.getUint32(DATA_SIZE_AT, true),
  };
}

/** Whether `bytes` from `start` on, which may be fewer than a header, can be the start of a FIT header. */
function isHeaderStart(bytes: Uint8Array, start = 0): boolean {
  if (bytes[start] !== 12 && bytes[start] !== 14) return false;
  const at = start + SIGNATURE_AT;
  return SIGNATURE.every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte);
}
