import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, SyncError, systemCode } from '../base/errors.ts';
import { MAX_RECORDS, parseDocument, readDocument } from './document.ts';
import { JsonFault, parseJson } from './json.ts';
import { invalidUtf8At, markLength, rejectOtherFormat, UTF8_MARK } from './text.ts';
import { LOOKED_AT, type Match, matchJson, mayMatchJson } from './sources/recognise.ts';
import { type ListPlace, findList, firstElements, readList } from './json-list.ts';
import { type ExportReader, isXml, matchText, sampleOf } from './sources/export-reader.ts';
import type { Source } from './sources/types.ts';
import type { JsonValue, RawRecord, RecordKind } from './types.ts';
import { isObject } from './values.ts';

/** Limits an input; records of many years stay far below it. */
const MAX_INPUT_BYTES = 100 * 1024 * 1024;

/** A file with more broken lines than this is not NDJSON. */
export const MAX_BAD_LINES = 1_000;

/** A source of records. */
export interface Input {
  /** Its name in messages: the path as the user gave it, or `stdin`. */
  readonly name: string;
  /** Its identity over all runs: an absolute path, or its name. */
  readonly origin?: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Makes an input of a file, which is opened when it is read. */
export function fileInput(path: string): Input {
  return { name: path, origin: resolve(path), chunks: chunksOf(path) };
}

async function* chunksOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
}

/**
 * Reads the records of one input: a JSON object, an array, an object with a list of records in it,
 * or one JSON object a line (NDJSON).
 *
 * A JSON document is held in memory and checked as a whole before its first record is yielded. NDJSON,
 * and a large JSON list from a known source, are streamed. A broken line of NDJSON costs only that line.
 * A later part of a streamed input can still be unreadable. **Send nothing before the iteration has
 * ended**: `prepareInputs` enforces this.
 *
 * @throws SyncError `INPUT_INVALID` if the input as a whole can't be read: no such file, not UTF-8,
 * not JSON (with line and column), no records in it, larger than `maxBytes`.
 */
export async function* readInput(
  input: Input,
  kind: RecordKind,
  { maxBytes = MAX_INPUT_BYTES, exports }: InputOptions = {},
): AsyncGenerator<RawRecord, void, undefined> {
  const { name } = input;
  const limit = { bytes: maxBytes };
  const chunks = limited(input, limit);
  try {
    const start = exports === undefined ? NO_START : await readStart(name, chunks);
    const rest = prepend(start.bytes, chunks);
    if (start.list !== undefined) {
      const { list, first } = start;
      const records = await exports?.readList(name, list, first, () => readList(name, rest, list));
      if (records !== undefined) {
        yield* records;
        return;
      }
    }
    const head = await readHead(rest);
    if (isLineOfRecords(head)) {
      const lines = linesOf(name, head.bytes, rest);
      yield* (await exports?.readLines(name, head.line, lines)) ?? readLines(name, lines);
      return;
    }
    rejectOtherFormat(name, head.bytes);
    // XML is read in parts, and never held in memory.
    if (isXml(head.bytes.toString('latin1', 0, 100))) limit.bytes = Infinity;
    const all = prepend(head.bytes, rest);
    const text = await exports?.readText(name, head.bytes, all);
    if (text !== undefined) {
      yield* text;
      return;
    }
    const document = parseDocument(name, await joinAll(all));
    yield* (await exports?.readDocument(document)) ?? readDocument(document, kind);
  } finally {
    await chunks.return();
  }
}

/**
 * Returns the sources that an input matches, at most one for each kind of record and source. There is
 * none for records in the platform's form, or for a file of an unknown program.
 *
 * @throws SyncError `INPUT_INVALID` as `readInput`
 */
export async function matchInput(
  input: Input,
  sources: readonly Source[],
): Promise<readonly Match[]> {
  const { name } = input;
  const chunks = limited(input, { bytes: MAX_INPUT_BYTES });
  try {
    const start = await readStart(name, chunks);
    const rest = prepend(start.bytes, chunks);
    if (start.list !== undefined) {
      const { member } = start.list;
      const found = matchJson(name, sampleOf(member, start.first), sources);
      if (found.length > 0 || member === undefined) return found;
    }
    const head = await readHead(rest);
    if (isLineOfRecords(head)) {
      return matchJson(name, JSON.parse(head.line.toString()) as JsonValue, sources);
    }
    rejectOtherFormat(name, head.bytes);
    const text = await matchText(name, head.bytes.subarray(0, LARGE_BYTES), sources);
    if (text !== undefined) return text;
    const all = await joinAll(prepend(head.bytes, rest));
    if (all.length > LARGE_BYTES && !mayMatchJson(name, all, sources)) return [];
    return matchJson(name, parseDocument(name, all).value, sources);
  } finally {
    await chunks.return();
  }
}

/** A JSON document above this size is read in parts, if it has a list (bytes). */
const LARGE_BYTES = 2 * 1024 * 1024;

/** The first bytes of an input, and the list of a large JSON document. */
interface Start {
  readonly bytes: Buffer;
  readonly list?: ListPlace;
  /** Its first elements; at least one if there is a list. */
  readonly first: JsonValue[];
}

const NO_START: Start = { bytes: Buffer.alloc(0), first: [] };

/** Reads the first bytes of an input: more than one chunk only of JSON. */
async function readStart(
  name: string,
  chunks: AsyncGenerator<Buffer, void, undefined>,
): Promise<Start> {
  const read: Buffer[] = [];
  let size = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    read.push(next.value);
    size += next.value.length;
    if (size >= LARGE_BYTES || !/^\ufeff?\s*[{[]/.test(read[0]?.toString() ?? '')) break;
  }
  const bytes = Buffer.concat(read);
  const end = bytes.indexOf(0x0a);
  const isLines = end !== -1 && isLineOfRecords({ bytes, line: bytes.subarray(0, end) });
  const list = size < LARGE_BYTES || isLines ? undefined : findList(bytes);
  const first = list === undefined ? [] : firstElements(name, bytes, list, LOOKED_AT);
  return { bytes, first, ...(list === undefined || first.length === 0 ? {} : { list }) };
}

export interface InputOptions {
  readonly maxBytes?: number;
  /** Reads the input if it is an export of another program. */
  readonly exports?: ExportReader | undefined;
}

async function* prepend(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield head;
  yield* rest;
}

async function* limited(
  { name, chunks }: Input,
  limit: { readonly bytes: number },
): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > limit.bytes) {
        throw new SyncError('INPUT_INVALID', `${name} is larger than ${sizeOf(limit.bytes)}.`, {
          hint: 'Split it, for example by year.',
          details: { path: name },
        });
      }
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  } catch (error) {
    if (systemCode(error) === undefined || error instanceof SyncError) throw error;
    throw new SyncError('INPUT_INVALID', `${name} can't be read: ${reasonOf(error)}.`, {
      cause: error,
      details: { path: name },
    });
  }
}

function sizeOf(bytes: number): string {
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MB` : `${bytes} bytes`;
}

function reasonOf(error: unknown): string {
  switch (systemCode(error)) {
    case 'ENOENT':
      return 'there is no such file';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    default:
      return messageOf(error);
  }
}

interface Head {
  readonly bytes: Buffer;
  /** The first line that is not blank, if more than blanks follows it. */
  readonly line: Buffer | undefined;
}

/** What is read of a table or of XML to recognise it (bytes). */
const TEXT_HEAD = 32 * 1024;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Reads until more than blanks follows the first line that is not blank, or to the end. */
async function readHead(chunks: AsyncGenerator<Buffer, void, undefined>): Promise<Head> {
  const read: Buffer[] = [];
  let size = 0;
  let lineStart: number | undefined;
  let lineEnd: number | undefined;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    const chunk = next.value;
    let at = 0;
    read.push(chunk);
    if (lineStart === undefined) {
      at = afterSpace(chunk, afterMark(chunk, size));
      if (at < chunk.length) lineStart = size + at;
    }
    if (lineStart !== undefined && lineEnd === undefined) {
      const end = chunk.indexOf(0x0a, at);
      if (end !== -1) lineEnd = size + end;
      at = end === -1 ? chunk.length : end;
    }
    size += chunk.length;
    if (lineEnd !== undefined && afterSpace(chunk, at) < chunk.length) {
      const bytes = Buffer.concat(read);
      const line = bytes.subarray(lineStart, lineEnd);
      // The header of a table, or the root of XML, may come some lines later.
      if (size >= TEXT_HEAD || line[0] === OPEN_BRACE || line[0] === OPEN_BRACKET) {
        return { bytes, line };
      }
    }
  }
  return { bytes: Buffer.concat(read), line: undefined };
}

/** Returns the index after a chunk's part of a byte order mark; `size` bytes came before it. */
function afterMark(chunk: Buffer, size: number): number {
  let at = 0;
  while (at < chunk.length && size + at < 3 && chunk[at] === UTF8_MARK[size + at]) at++;
  return at;
}

/** Returns the index of the first byte that is not JSON white space, or the end. */
function afterSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && ' \t\r\n'.includes(String.fromCharCode(bytes[at] ?? 0))) at++;
  return at;
}

/** Checks that the first line is a complete JSON object, with more lines after it. */
function isLineOfRecords(head: Head): head is Head & { line: Buffer } {
  const { line } = head;
  if (line === undefined) return false;
  try {
    return isObject(JSON.parse(line.toString()));
  } catch {
    return false;
  }
}

async function joinAll(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** A line of NDJSON that is not blank. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
  /** Index of its first byte in the file. */
  readonly start: number;
}

async function* linesOf(
  name: string,
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Line, void, undefined> {
  let number = 0;
  let records = 0;
  let start = markLength(head);
  for await (const bytes of splitLines(head.subarray(start), rest)) {
    number++;
    if (afterSpace(bytes, 0) < bytes.length) {
      if (++records > MAX_RECORDS) {
        throw new SyncError('INPUT_INVALID', `${name} has more than ${MAX_RECORDS} records.`, {
          hint: 'Split it, for example by year.',
          details: { path: name },
        });
      }
      yield { number, bytes, start };
    }
    start += bytes.length + 1;
  }
}

async function* readLines(
  name: string,
  lines: AsyncIterable<Line>,
): AsyncGenerator<RawRecord, void, undefined> {
  let bad = 0;
  for await (const { number, bytes, start } of lines) {
    const record = readLine(`${name}:${number}`, bytes, start);
    if ('problem' in record && record.field === undefined && ++bad > MAX_BAD_LINES) {
      throw new SyncError(
        'INPUT_INVALID',
        `${name} is not one JSON object a line: more than ${MAX_BAD_LINES} lines can't be read, ` +
          `the last of them is line ${number}: ${record.problem}.`,
        { details: { path: name, line: number } },
      );
    }
    yield record;
  }
}

/** Yields the lines, without their line feeds. */
async function* splitLines(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  const cut = function* (chunk: Buffer): Generator<Buffer, void, undefined> {
    let from = 0;
    for (let end; (end = chunk.indexOf(0x0a, from)) !== -1; from = end + 1) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
  yield* cut(head);
  for await (const chunk of rest) yield* cut(chunk);
  if (parts.length > 0) yield Buffer.concat(parts);
}

function readLine(source: string, line: Buffer, offset: number): RawRecord {
  const invalid = invalidUtf8At(line);
  if (invalid !== undefined) {
    return { source, problem: `is not UTF-8 at byte ${offset + invalid} of the file` };
  }
  const text = line.toString();
  try {
    const { root, ...note } = parseJson(text);
    return { ...root.record(source), ...note };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const column = error.offset === undefined ? '' : ` (column ${error.offset + 1})`;
    return { source, problem: `is not JSON: ${error.message}${column}` };
  }
}
