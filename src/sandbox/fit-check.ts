const MIN_HEADER = 12;
const CRC_BYTES = 2;

/**
 * A platform's first glance at a recording: does every segment begin with a FIT header, and do the
 * stated lengths fill the file? CRCs are left to the processing that comes later.
 * @returns why it is not one, or null
 */
export function whyNotFit(bytes: Buffer): string | null {
  let at = 0;
  do {
    if (bytes.length - at < MIN_HEADER)
      return at === 0 ? 'not a FIT file: too short' : 'unexpected bytes after its end';
    const headerSize = bytes.readUInt8(at);
    if (headerSize < MIN_HEADER || bytes.toString('latin1', at + 8, at + 12) !== '.FIT') {
      return at === 0 ? 'not a FIT file: no FIT header' : 'unexpected bytes after its end';
    }
    const dataSize = bytes.readUInt32LE(at + 4);
    if (dataSize === 0) return 'incomplete: its header states no data';
    at += headerSize + dataSize + CRC_BYTES;
    if (at > bytes.length) return `incomplete: ${at - bytes.length} bytes are missing`;
  } while (at < bytes.length);
  return null;
}
