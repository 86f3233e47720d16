/** The header of a FIT segment. */
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
/** Offset of the size of the data. */
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
export function isHeaderStart(bytes: Uint8Array, start = 0): boolean {
  if (bytes[start] !== 12 && bytes[start] !== 14) return false;
  const at = start + SIGNATURE_AT;
  return SIGNATURE.every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte);
}
