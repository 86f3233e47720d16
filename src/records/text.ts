import { isUtf8 } from 'node:buffer';

/** What a file's bytes are, before anybody reads them as JSON. */

/** U+FEFF in UTF-8, which some editors and PowerShell put before the text. */
export const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The number of bytes of a UTF-8 byte order mark at the start: 3 or 0. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0;
}

interface Stranger {
  readonly what: string;
  readonly hint: string;
}

const SAVE_AS_UTF8 =
  'Save it as UTF-8 (iconv -f UTF-16 -t UTF-8, or -Encoding utf8 in PowerShell).';

/**
 * What the file is instead of UTF-8 text, told from its first bytes (12 are enough), or
 * `undefined` if nothing speaks against text.
 */
export function strangerOf(bytes: Buffer): Stranger | undefined {
  const starts = (...magic: number[]): boolean => magic.every((byte, at) => bytes[at] === byte);
  if (bytes.toString('latin1', 8, 12) === '.FIT') {
    return { what: 'a recording (FIT), not JSON', hint: 'Send it with: sync upload FILE' };
  }
  if (starts(0x1f, 0x8b)) return { what: 'gzip, not JSON', hint: 'Unpack it with: gunzip FILE' };
  if (starts(0x50, 0x4b, 0x03, 0x04)) {
    return { what: 'a ZIP archive, not JSON', hint: 'Unpack it and name the JSON file in it.' };
  }
  const utf16 =
    starts(0xff, 0xfe) ||
    starts(0xfe, 0xff) ||
    (bytes.length >= 2 && (bytes[0] === 0) !== (bytes[1] === 0));
  if (utf16) return { what: 'UTF-16, not UTF-8', hint: SAVE_AS_UTF8 };
  return undefined;
}

/** The offset of the first byte that is not part of valid UTF-8, or `undefined` if all is. */
export function invalidUtf8At(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  let at = 0;
  while (at < bytes.length) {
    const length = lengthByLead(bytes[at] ?? 0);
    if (length !== 1 && !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
  return undefined;
}

/** The length of the character that begins with this byte, if the bytes after it agree. */
function lengthByLead(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xf0) return 4;
  return byte >= 0xe0 ? 3 : 2;
}

/** The line and column of a byte, both counted from 1; columns count characters. */
export function positionOf(bytes: Buffer, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = markLength(bytes);
  for (;;) {
    const next = bytes.indexOf(0x0a, lineStart);
    if (next === -1 || next >= offset) break;
    line++;
    lineStart = next + 1;
  }
  const before = bytes.toString('utf8', lineStart, Math.max(offset, lineStart));
  return { line, column: countCharacters(before) + 1 };
}

function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // The second half of a surrogate pair belongs to the character before it.
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}
