import { loadZlib } from '../system/this-process.ts';

/** Records of a zip archive (APPNOTE 4.3): their first bytes and their fixed sizes. */
const END_OF_DIRECTORY = Buffer.from('PK\u0005\u0006');
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Methods (APPNOTE 4.4.5). */
const STORED = 0;
const DEFLATED = 8;
/** Not the companions of macOS. */
const RECORDING = /(?:^|\/)[^./][^/]*\.fit$/i;

/**
 * Returns the recording in a zip archive that has exactly one: sites offer one under the name of the
 * recording. Undefined for an archive that has several or none, or that is damaged or encrypted.
 *
 * @param limit on the size of the recording (bytes)
 */
export function onlyRecording(bytes: Buffer, limit: number): Buffer | undefined {
  try {
    const found = entries(bytes).filter((at) => RECORDING.test(nameAt(bytes, at)));
    const [at] = found;
    return at === undefined || found.length > 1 ? undefined : unpack(bytes, at, limit);
  } catch (error) {
    // An offset points outside of the archive, or zlib refuses the data.
    if (error instanceof RangeError || (error as { errno?: number }).errno !== undefined)
      return undefined;
    throw error;
  }
}

function entries(bytes: Buffer): number[] {
  const end = bytes.lastIndexOf(END_OF_DIRECTORY);
  const found: number[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== ENTRY) return [];
    found.push(at);
    at += ENTRY_BYTES;
    for (const size of [28, 30, 32]) at += bytes.readUInt16LE((found.at(-1) ?? 0) + size);
  }
  return found;
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + ENTRY_BYTES, at + ENTRY_BYTES + bytes.readUInt16LE(at + 28));
}

function unpack(bytes: Buffer, at: number, limit: number): Buffer | undefined {
  const { crc32, inflateRawSync } = loadZlib();
  const local = bytes.readUInt32LE(at + 42);
  const from =
    local + LOCAL_BYTES + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const packed = bytes.subarray(from, from + bytes.readUInt32LE(at + 20));
  const method = bytes.readUInt16LE(at + 10);
  if (method !== STORED && method !== DEFLATED) return undefined;
  const plain = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: limit });
  return crc32(plain) === bytes.readUInt32LE(at + 16) ? plain : undefined;
}
