/** What a file that is not FIT despite its name may be: one or two sentences for the athlete, with the remedy. */
const DETAILS = {
  empty: 'The file is empty.',
  'zero-filled':
    'The file begins with zeroes instead of a recording: the copy from the device failed. Copy it again.',
  'apple-double': 'This is a macOS companion file ("._" before the name), not a recording.',
  gzip: 'This is a gzip archive: unpack it with gunzip.',
  zip: 'This is a zip archive, not a recording. Uploads open it if its name ends in ".zip".',
  'web-page':
    'This is a web page, not a recording: the download probably returned a login or error page. Download it again.',
  tcx: 'This is a TCX file. Uploads convert it if its name ends in ".tcx" or ".tcx.gz".',
  gpx: 'This is a GPX file. Uploads convert it if its name ends in ".gpx" or ".gpx.gz".',
  xml: 'This is an XML file, not a FIT recording.',
  json: 'This is a JSON file, not a FIT recording.',
  text: 'This is a text file, not a FIT recording.',
  unknown: 'This is not a FIT recording.',
};
export type ForeignKind = keyof typeof DETAILS;

/**
 * Identifies a file that does not start with a FIT header.
 *
 * @param first its first bytes; 256 are enough
 */
export function describeForeign(first: Uint8Array) {
  const problem = foreignKind(first);
  return { problem, detail: DETAILS[problem] };
}

function foreignKind(first: Uint8Array): ForeignKind {
  if (first.length === 0) return 'empty';
  if (first.every((byte) => byte === 0)) return 'zero-filled';
  if (startsWith(first, [0x00, 0x05, 0x16, 0x07])) return 'apple-double';
  if (startsWith(first, [0x1f, 0x8b])) return 'gzip';
  if (startsWith(first, [0x50, 0x4b, 0x03, 0x04])) return 'zip';
  if (startsWith(first, [0x50, 0x4b, 0x05, 0x06])) return 'zip';
  return first.every(isTextByte) ? textKind(first) : 'unknown';
}

function textKind(first: Uint8Array): ForeignKind {
  const text = Buffer.from(first).toString('latin1').replace(/^ï»¿/, '').trimStart().toLowerCase();
  if (/^<!doctype html|^<html|^<head|^<body/.test(text)) return 'web-page';
  if (text.includes('<trainingcenterdatabase')) return 'tcx';
  if (text.includes('<gpx')) return 'gpx';
  if (text.startsWith('<?xml')) return 'xml';
  if (/^[[{]/.test(text)) return 'json';
  return 'text';
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

/** Whether the byte is printable, white space or part of a UTF-8 sequence. Lost memory is 0xff. */
function isTextByte(byte: number): boolean {
  return byte >= 0x20
    ? byte !== 0x7f && byte !== 0xff
    : byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
