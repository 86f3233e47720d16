import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

/**
 * Strict readers of zip archives (APPNOTE 6.3) and gzip files (RFC 1952), which judge what `src/archive/`
 * finds in mutated ones. Only zlib itself is shared.
 */

/** A member of an archive as the readers see it. */
export interface ReadMember {
  readonly name: Buffer;
  readonly bytes: Buffer;
  /** The archive and the member hold together in every respect: any reader must find these bytes. */
  readonly isSure: boolean;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const STORED = 0;
const DEFLATED = 8;
const DESCRIPTOR_FLAG = 8;
const UTF8_FLAG = 0x800;

/** Returns whether the end of an archive is missing, so that no reader can open it. */
export function hasNoEnd(zip: Buffer): boolean {
  return zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1')) < 0;
}

/** Returns every member that can be read; the sure ones only of an archive without any fault. */
export function readZip(zip: Buffer): ReadMember[] {
  const end = endOf(zip);
  if (end === undefined) return [];
  const members: ReadMember[] = [];
  let { at } = end;
  let isSound = zip.readUInt32LE(0) === LOCAL;
  let packedSum = 0;
  let upTo = 0;
  for (let i = 0; i < end.count; i++) {
    const entry = centralEntry(zip, at);
    if (entry === undefined) {
      isSound = false;
      break;
    }
    const member = readEntry(zip, entry);
    packedSum += entry.packed;
    // The members follow one another, and none overlaps another.
    if (entry.offset < upTo || packedSum > zip.length) isSound = false;
    upTo = entry.offset + entry.packed;
    if (member !== undefined) members.push(member);
    at = entry.next;
  }
  isSound &&= at === end.position && end.isSound;
  return members.map((member) => ({ ...member, isSure: member.isSure && isSound }));
}

/** Reads the end of the directory: the last one in the file. */
function endOf(
  zip: Buffer,
): { position: number; at: number; count: number; isSound: boolean } | undefined {
  const position = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (position < 0 || position + 22 > zip.length) return undefined;
  const [disk, startDisk] = [zip.readUInt16LE(position + 4), zip.readUInt16LE(position + 6)];
  const [here, count] = [zip.readUInt16LE(position + 8), zip.readUInt16LE(position + 10)];
  const [size, at] = [zip.readUInt32LE(position + 12), zip.readUInt32LE(position + 16)];
  const comment = zip.readUInt16LE(position + 20);
  const isSound =
    zip.readUInt32LE(position) === END &&
    disk === 0 &&
    startDisk === 0 &&
    here === count &&
    count < 0xffff &&
    at + size === position &&
    position + 22 + comment === zip.length;
  return { position, at, count, isSound };
}

interface Entry {
  readonly name: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
  readonly isPlain: boolean;
  readonly next: number;
}

function centralEntry(zip: Buffer, at: number): Entry | undefined {
  if (at + 46 > zip.length || zip.readUInt32LE(at) !== CENTRAL) return undefined;
  const nameLength = zip.readUInt16LE(at + 28);
  const extraLength = zip.readUInt16LE(at + 30);
  const next = at + 46 + nameLength + extraLength + zip.readUInt16LE(at + 32);
  if (next > zip.length) return undefined;
  const extra = zip.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
  return {
    name: zip.subarray(at + 46, at + 46 + nameLength),
    flags: zip.readUInt16LE(at + 8),
    method: zip.readUInt16LE(at + 10),
    crc: zip.readUInt32LE(at + 16),
    packed: zip.readUInt32LE(at + 20),
    size: zip.readUInt32LE(at + 24),
    offset: zip.readUInt32LE(at + 42),
    // Another version may need what no reader here has; an odd extra field may hold other sizes.
    isPlain:
      zip.readUInt16LE(at + 6) <= 20 && zip.readUInt16LE(at + 34) === 0 && isPlainExtra(extra),
    next,
  };
}

/** Whether an extra field has none of the parts that give sizes or names (ZIP64, Unicode path). */
function isPlainExtra(extra: Buffer): boolean {
  for (let at = 0; at < extra.length;) {
    if (at + 4 > extra.length) return false;
    const id = extra.readUInt16LE(at);
    if (id === 1 || id === 0x7075) return false;
    at += 4 + extra.readUInt16LE(at + 2);
    if (at > extra.length) return false;
  }
  return true;
}

function readEntry(zip: Buffer, entry: Entry): ReadMember | undefined {
  const { offset, packed, size, crc, method, name, flags } = entry;
  if (offset + 30 > zip.length || zip.readUInt32LE(offset) !== LOCAL) return undefined;
  const nameLength = zip.readUInt16LE(offset + 26);
  const start = offset + 30 + nameLength + zip.readUInt16LE(offset + 28);
  if (start + packed > zip.length) return undefined;
  const raw = zip.subarray(start, start + packed);
  const unpacked = unpack(raw, method);
  if (unpacked === undefined) return undefined;
  const hasDescriptor = (flags & DESCRIPTOR_FLAG) !== 0;
  const sizes = [crc, packed, size];
  const localSizes = [14, 18, 22].map((at) => zip.readUInt32LE(offset + at));
  const isSame =
    zip.subarray(offset + 30, offset + 30 + nameLength).equals(name) &&
    zip.readUInt16LE(offset + 6) === flags &&
    zip.readUInt16LE(offset + 8) === method &&
    zip.readUInt16LE(offset + 4) <= 20 &&
    (hasDescriptor || sizes.every((each, i) => each === localSizes[i]));
  const isSure =
    isSame &&
    entry.isPlain &&
    (flags & ~(DESCRIPTOR_FLAG | UTF8_FLAG)) === 0 &&
    unpacked.used === packed &&
    unpacked.bytes.length === size &&
    crc32(unpacked.bytes) === crc;
  return { name, bytes: unpacked.bytes, isSure };
}

function unpack(raw: Buffer, method: number): { bytes: Buffer; used: number } | undefined {
  if (method === STORED) return { bytes: raw, used: raw.length };
  return method === DEFLATED ? inflate(raw) : undefined;
}

function inflate(raw: Buffer): { bytes: Buffer; used: number } | undefined {
  try {
    // The types do not know `info`.
    const result = inflateRawSync(raw, { info: true, maxOutputLength: 2 ** 24 }) as unknown;
    const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } };
    return { bytes: buffer, used: engine.bytesWritten };
  } catch {
    return undefined;
  }
}

/** The content of a gzip file: sure if it is one member without a fault, and nothing else. */
export function readGzip(file: Buffer): { bytes: Buffer; isSure: boolean } | undefined {
  const strict = readStrictGzip(file);
  if (strict !== undefined) return { bytes: strict, isSure: true };
  try {
    return { bytes: gunzipSync(file, { maxOutputLength: 2 ** 24 }), isSure: false };
  } catch {
    return undefined;
  }
}

const HAS_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;

function readStrictGzip(file: Buffer): Buffer | undefined {
  if (file.length < 18 || file.readUInt16BE(0) !== 0x1f8b || file[2] !== 8) return undefined;
  const flags = file.readUInt8(3);
  // Few writers use the CRC of the header, and the upper bits are reserved.
  if ((flags & 0xe0) !== 0 || (flags & HAS_CRC) !== 0) return undefined;
  let at = 10;
  if ((flags & HAS_EXTRA) !== 0) at += 2 + file.readUInt16LE(at);
  for (const text of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & text) === 0) continue;
    const end = file.indexOf(0, at);
    if (end < 0) return undefined;
    at = end + 1;
  }
  if (at + 8 > file.length) return undefined;
  const inflated = inflate(file.subarray(at, -8));
  if (inflated === undefined || inflated.used !== file.length - 8 - at) return undefined;
  const { bytes } = inflated;
  const isRight =
    crc32(bytes) === file.readUInt32LE(file.length - 8) &&
    bytes.length === file.readUInt32LE(file.length - 4);
  return isRight ? bytes : undefined;
}
