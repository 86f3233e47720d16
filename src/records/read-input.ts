import { prepend } from '../base/chunks.ts';
import { parseJson } from '../base/json.ts';
import { parseDocument, readDocument } from './read/document.ts';
import { fitSamples, isFit } from './read/fit-input.ts';
import { MAX_INPUT_BYTES, type Input, joinUpTo, openInput } from './read/input.ts';
import { MAX_JSON_BYTES } from './read/json.ts';
import { linesOf, readLines } from './read/ndjson.ts';
import { type ExportReader, isXml, matchText } from './engine/export-reader.ts';
import { matchFit, matchJson, nearMatches, remedyOf } from './engine/recognise.ts';
import type { Match, Source } from './sources/types.ts';
import { afterSpace, markLength, rejectOtherFormat } from './read/text.ts';
import type { JsonValue, RawRecord, Reading, RecordKind } from './types.ts';
import { isObject } from './values.ts';

export interface InputOptions {
  readonly maxBytes?: number;
  /** Reads the input if it is an export of another program. */
  readonly exports?: ExportReader | undefined;
}

/**
 * Reads the records of one input: a JSON object, an array, an object with a list of records in it,
 * or one JSON object a line (NDJSON).
 *
 * A JSON document is held in memory and checked as a whole before its first record is yielded. NDJSON is
 * streamed: a broken line costs only that line, and a later part can still be unreadable. **Send nothing
 * before the iteration has ended**: `prepareInputs` enforces this.
 *
 * @throws SyncError `INPUT_INVALID` if the input as a whole can't be read: no such file, not UTF-8,
 * not JSON (with line and column), no records in it, larger than `maxBytes`.
 */
export async function* readInput(
  input: Input,
  kind: RecordKind,
  { maxBytes = MAX_INPUT_BYTES, exports }: InputOptions = {},
): AsyncGenerator<RawRecord | Reading, void, undefined> {
  const { name } = input;
  const limit = { bytes: maxBytes };
  const chunks = openInput(input, limit);
  try {
    const { bytes, first } = await readHead(chunks);
    if (first !== undefined) {
      const lines = linesOf(name, bytes, chunks);
      yield* (await exports?.readJson(name, first, lines)) ?? readLines(name, lines);
      return;
    }
    const all = prepend(bytes, chunks);
    if (exports !== undefined && isFit(name, bytes)) {
      await exports.readFit(name, await joinUpTo(all));
      return;
    }
    rejectOtherFormat(name, bytes);
    // XML is read in parts, and never held in memory.
    if (isXml(bytes.toString('utf8', 0, 100))) limit.bytes = Infinity;
    const text = await exports?.readText(name, bytes, all);
    if (text !== undefined) {
      yield* text;
      return;
    }
    const remedy = () => remedyOf(name, bytes, exports?.sources.list ?? []);
    const document = parseDocument(name, await joinUpTo(all, MAX_JSON_BYTES), remedy);
    yield* (await exports?.readJson(name, document)) ?? readDocument(name, document, kind);
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
  const chunks = openInput(input, { bytes: MAX_INPUT_BYTES });
  try {
    const { bytes, first } = await readHead(chunks);
    if (first !== undefined) return matchJson(name, first, sources);
    const all = prepend(bytes, chunks);
    if (isFit(name, bytes)) {
      fitSamples(name, await joinUpTo(all), 'wellness');
      return matchFit(name, sources);
    }
    rejectOtherFormat(name, bytes);
    const text = await matchText(name, bytes, sources);
    if (text !== undefined) return text;
    const whole = await joinUpTo(all, MAX_JSON_BYTES);
    // The elements of a list have the same names.
    const isAlike = bytes[textStart(bytes)] === OPEN_BRACKET || whole.length > MAX_JSON_BYTES;
    const sample = isAlike ? bytes : whole;
    if (whole.length > LARGE_BYTES && nearMatches(name, sample, sources).length === 0) {
      return [];
    }
    const remedy = () => remedyOf(name, bytes, sources);
    return matchJson(name, parseDocument(name, whole, remedy), sources);
  } finally {
    await chunks.return();
  }
}

/** JSON is perhaps one object a line until its first line, or this much of it, is known (bytes). */
const LARGE_BYTES = 2 * 1024 * 1024;

/** The part of a table or of XML by which it is recognised (bytes). */
const TEXT_HEAD = 32 * 1024;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const NEW_LINE = 0x0a;

/**
 * Reads the first bytes of an input: of JSON until its form is known, at most {@link LARGE_BYTES}
 * and a chunk, as of blanks; of any other text, {@link TEXT_HEAD}.
 *
 * @returns `first`: the record on the first line, if the input is NDJSON
 */
async function readHead(
  chunks: AsyncGenerator<Buffer, void, undefined>,
): Promise<{ readonly bytes: Buffer; readonly first?: JsonValue }> {
  let bytes: Buffer = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    bytes = Buffer.concat([bytes, next.value]);
    const start = textStart(bytes);
    const isJson = bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET;
    const first = isJson ? firstOfLines(bytes, start) : undefined;
    if (first !== undefined) return { bytes, first };
    if (bytes.length >= (isJson || start === bytes.length ? LARGE_BYTES : TEXT_HEAD)) break;
  }
  return { bytes };
}

function textStart(bytes: Buffer): number {
  return afterSpace(bytes, markLength(bytes));
}

/** Returns the object on the first line, if it is complete there and more than blanks follows. */
function firstOfLines(bytes: Buffer, start: number): JsonValue | undefined {
  const end = bytes.indexOf(NEW_LINE, start);
  if (end === -1 || afterSpace(bytes, end) === bytes.length) return undefined;
  try {
    const value = parseJson(bytes.toString('utf8', start, end)) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
