import { isUtf8 } from 'node:buffer';
import { type Text, phrase, sync } from '../../base/phrase.ts';
import { refusedInput } from '../refused-input.ts';

/** Decodes the bytes of an input, and recognises files that are not text. */

/** U+FEFF in UTF-8, which some editors and PowerShell put before the text. */
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the number of bytes of a UTF-8 byte order mark at the start: 3 or 0. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, 3).equals(UTF8_MARK) ? 3 : 0;
}

export type Encoding = 'utf-8' | 'windows-1252';

/** Decodes the first bytes of a table: as UTF-8, or else as spreadsheets on Windows write it. */
export function decodeHead(head: Uint8Array): {
  readonly text: string;
  readonly encoding: Encoding;
} {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(head, { stream: true }), encoding: 'utf-8' };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(head), encoding: 'windows-1252' };
  }
}

/** The white space of JSON (RFC 8259 section 2). */
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Returns the index of the first byte that is not JSON white space, or the end. */
export function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && SPACE.has(bytes[at] ?? 0)) at++;
  return at;
}

/**
 * Decodes a file, without its byte order mark.
 *
 * @param name the file, for messages
 * @throws SyncError `INPUT_INVALID` if it is not UTF-8 text.
 */
export function decodeText(name: string, bytes: Buffer): string {
  const body = bytes.subarray(markLength(bytes));
  const text = body.toString();
  if (isUtf8(body)) return text;
  // U+FFFD stands for the bytes that could not be decoded.
  const { line, column } = positionOf(text, text.indexOf('\ufffd'));
  const found = `${name}:${line}:${column}: the text is not UTF-8`;
  throw refusedInput(name, found, 'Save the file as UTF-8.', { line, column });
}

/**
 * Rejects a file that is not UTF-8 text.
 *
 * @param bytes its first 12 bytes at least; a workbook is recognised by more of them
 * @throws SyncError `INPUT_INVALID` with the way to send it
 */
export function rejectOtherFormat(name: string, bytes: Buffer): void {
  const other = otherFormat(name, bytes);
  if (other !== undefined) throw refusedInput(name, `${name} is ${other.what}`, other.hint);
}

const SAVE_AS_UTF8 =
  'Save it as UTF-8 (iconv -f UTF-16 -t UTF-8, or -Encoding utf8 in PowerShell).';

const SPREADSHEET = {
  what: 'a spreadsheet',
  hint: 'Open it, and save the sheet as CSV (UTF-8).',
};

function otherFormat(
  name: string,
  bytes: Buffer,
): { readonly what: string; readonly hint: Text } | undefined {
  const starts = (...magic: number[]): boolean => magic.every((byte, at) => bytes[at] === byte);
  if (bytes.toString('latin1', 8, 12) === '.FIT') {
    return {
      what: 'a recording (FIT), not JSON',
      hint: phrase`Send it with ${sync('upload', name)}.`,
    };
  }
  if (starts(0x1f, 0x8b)) return { what: 'gzip, not JSON', hint: 'Unpack it with gunzip.' };
  if (starts(0x50, 0x4b, 0x03, 0x04)) {
    if (isSpreadsheet(bytes)) return SPREADSHEET;
    const hint = phrase`${sync('import', name)} reads archives.`;
    return { what: 'a ZIP archive, not JSON', hint };
  }
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) return SPREADSHEET;
  // With a byte order mark, `openInput` has decoded it.
  const isUtf16 = bytes.length >= 2 && (bytes[0] === 0) !== (bytes[1] === 0);
  return isUtf16 ? { what: 'UTF-16, not UTF-8', hint: SAVE_AS_UTF8 } : undefined;
}

/** Checks an archive for the parts of Excel (ECMA-376 part 1, 12.2), OpenDocument and Numbers. */
function isSpreadsheet(archive: Buffer): boolean {
  const isExcel = archive.includes('xl/') && archive.includes('[Content_Types].xml');
  return (
    isExcel || /opendocument\.spreadsheet|Index\/Document\.iwa/.test(archive.toString('latin1'))
  );
}

/** Returns line and column of an index, both from 1; columns count characters. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end; (end = text.indexOf('\n', lineStart)) !== -1 && end < offset; line++) {
    lineStart = end + 1;
  }
  const before = text.slice(lineStart, offset);
  return { line, column: Array.from(before).length + 1 };
}
