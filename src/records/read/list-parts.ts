import { isUtf8 } from 'node:buffer';
import { MAX_RECORDS, parseDocument, rawRecord, readDocument } from './document.ts';
import { elementLines } from './element-lines.ts';
import { MAX_DEPTH } from '../../base/json.ts';
import { JsonFault } from './json.ts';
import { type ListPlace, ListSplitter } from './json-list.ts';
import { lossesOf } from './json-losses.ts';
import { SPACE } from './text.ts';
import type { JsonValue, RawRecord, RecordKind } from '../types.ts';

/**
 * Reads a large JSON document that is a list of records in parts: as objects, all its elements would take
 * several times the memory of its bytes.
 */

/** A part ends with the first element beyond this (bytes). */
const PART_BYTES = 256 * 1024;

const NEW_LINE = 0x0a;

/** Consecutive elements of a list. */
interface ListPart {
  /** A JSON list of its own, if the document is JSON. */
  readonly text: string;
  /** Line of its first character, from 1. */
  readonly line: number;
  /** Number of members of all its objects. */
  readonly members: number;
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
      const elements = JSON.parse(part.text) as JsonValue;
      if (!Array.isArray(elements) || (elements.length === 0 && count > 0)) {
        throw new JsonFault('an element is missing');
      }
      const losses = lossesOf(part.text, elements, {}, part.members);
      let lines: number[] | undefined;
      const lineOf = (index: number) =>
        part.line - 1 + ((lines ??= elementLines(part.text))[index] ?? 1);
      for (const [index, element] of elements.entries()) {
        if (count === MAX_RECORDS) throw new JsonFault('there are too many elements');
        const line = hasLines ? { line: () => lineOf(index) } : {};
        const source = `${name}#/${count++}`;
        yield { ...rawRecord(source, element, losses.get(index)), ...line };
      }
    }
  } catch (error) {
    if (!(error instanceof JsonFault || error instanceof SyntaxError)) throw error;
    // The whole document has this fault, too: reading it finds the place, and yields nothing.
    readDocument(parseDocument(name, Buffer.concat(chunks)), kind).next();
    throw error;
  }
}

/**
 * Splits a list at some of its commas, into lists.
 *
 * @throws JsonFault if the document is not UTF-8, nested too deep, or does not end with the list
 */
function* partsOf(
  chunks: readonly Buffer[],
  { offset, line: firstLine }: ListPlace,
): Generator<ListPart, void, undefined> {
  const splitter = new ListSplitter(firstLine, PART_BYTES);
  let before = offset;
  for (const chunk of chunks) {
    for (const { bytes, line, members, depth } of splitter.push(chunk.subarray(before))) {
      if (!isUtf8(bytes)) throw new JsonFault('the text is not UTF-8');
      if (depth > MAX_DEPTH) throw new JsonFault('the JSON is nested too deep');
      yield { text: `[${bytes.toString()}]`, line, members };
    }
    before = Math.max(0, before - chunk.length);
  }
  if (splitter.hasMore) throw new JsonFault('more follows after the list');
  if (!splitter.isOver) throw new JsonFault('the JSON ends too early');
}

/** Checks if a document has several lines. */
function hasLineBreak(chunks: readonly Buffer[]): boolean {
  const last = chunks.findLastIndex((chunk) => chunk.some((byte) => !SPACE.has(byte)));
  const end = (chunks[last]?.findLastIndex((byte) => !SPACE.has(byte)) ?? -1) + 1;
  return chunks
    .slice(0, last + 1)
    .some((chunk, index) => chunk.subarray(0, index === last ? end : undefined).includes(NEW_LINE));
}
