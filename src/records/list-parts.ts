import { isUtf8 } from 'node:buffer';
import { MAX_RECORDS, parseDocument, rawRecord, readDocument } from './document.ts';
import { elementLines } from './element-lines.ts';
import { JsonFault, joinPointer, parseValue } from './json.ts';
import type { ListPlace } from './json-list.ts';
import { lossesOf } from './json-losses.ts';
import { SPACE } from './text.ts';
import type { RawRecord, RecordKind } from './types.ts';

/**
 * Reads a large JSON document that is a list of records in parts: as objects, all its elements would take
 * several times the memory of its bytes.
 */

/** A part ends with the first element beyond this (bytes). */
const PART_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEW_LINE = 0x0a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Consecutive elements of a list. */
interface ListPart {
  /** A JSON list of its own, if the document is JSON. */
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly line: number;
}

/**
 * Yields the records of a list in the platform's form.
 *
 * @param chunks the whole document
 * @throws SyncError `INPUT_INVALID` as `parseDocument` and `readDocument`, perhaps after some records
 */
export function* readListParts(
  name: string,
  chunks: readonly Buffer[],
  list: ListPlace,
  kind: RecordKind,
): Generator<RawRecord, void, undefined> {
  let count = 0;
  try {
    const hasLines = hasLineBreak(chunks);
    for (const part of partsOf(chunks, list)) {
      const elements = parseValue(part.text);
      if (!Array.isArray(elements) || (elements.length === 0 && count > 0)) {
        throw new JsonFault('an element is missing');
      }
      const losses = lossesOf(part.text, elements, {});
      let lines: number[] | undefined;
      const lineOf = (index: number) =>
        part.line - 1 + ((lines ??= elementLines(part.text))[index] ?? 1);
      for (const [index, element] of elements.entries()) {
        if (count === MAX_RECORDS) throw new JsonFault('there are too many elements');
        const line = hasLines ? { line: () => lineOf(index) } : {};
        const source = `${name}#/${joinPointer('', count++)}`;
        yield { ...rawRecord(source, element, losses.get(index)), ...line };
      }
    }
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    // The whole document has this fault, too: reading it finds the place, and yields nothing.
    readDocument(parseDocument(name, Buffer.concat(chunks)), kind).next();
    throw error;
  }
}

/**
 * Splits a list at some of its commas, into lists.
 *
 * @throws JsonFault if the document is not UTF-8, or does not end with the list
 */
function* partsOf(
  chunks: readonly Buffer[],
  { offset, line: firstLine }: ListPlace,
): Generator<ListPart, void, undefined> {
  let line = firstLine;
  let part = { line, size: 0, pieces: [] as Buffer[] };
  const end = (last: Buffer): ListPart => {
    const bytes = Buffer.concat([...part.pieces, last]);
    if (!isUtf8(bytes)) throw new JsonFault('the text is not UTF-8');
    return { text: `[${bytes.toString()}]`, line: part.line };
  };
  let depth = 0;
  let inText = false;
  let isEscaped = false;
  let isOver = false;
  let skipped = offset + 1;
  for (const chunk of chunks) {
    let from = Math.min(skipped, chunk.length);
    skipped -= from;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isOver) {
        if (!SPACE.has(byte)) throw new JsonFault('more follows after the list');
      } else if (inText) {
        if (isEscaped) isEscaped = false;
        else if (byte === QUOTE) inText = false;
        else if (byte === BACKSLASH) isEscaped = true;
      } else if (byte === QUOTE) inText = true;
      else if (byte === NEW_LINE) line++;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth-- > 0) continue;
        if (byte !== CLOSE_LIST) throw new JsonFault('the list is not closed');
        isOver = true;
        yield end(chunk.subarray(from, at));
      } else if (byte === COMMA && depth === 0 && part.size + at - from >= PART_BYTES) {
        yield end(chunk.subarray(from, at));
        from = at + 1;
        part = { line, size: 0, pieces: [] };
      }
    }
    part.pieces.push(chunk.subarray(from));
    part.size += chunk.length - from;
  }
  if (!isOver) throw new JsonFault('the JSON ends too early');
}

/** Checks if a document has several lines. */
function hasLineBreak(chunks: readonly Buffer[]): boolean {
  const last = chunks.findLastIndex((chunk) => chunk.some((byte) => !SPACE.has(byte)));
  const end = (chunks[last]?.findLastIndex((byte) => !SPACE.has(byte)) ?? -1) + 1;
  return chunks
    .slice(0, last + 1)
    .some((chunk, index) => chunk.subarray(0, index === last ? end : undefined).includes(NEW_LINE));
}
