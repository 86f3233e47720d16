import { SyncError } from '../../base/errors.ts';
import { JsonFault, parseValue } from './json.ts';
import { SPACE, invalidUtf8At, markLength, positionOf } from './text.ts';
import type { JsonValue } from '../types.ts';

/** Reads a large JSON list element by element, so that the memory is bounded by one element. */

/** The text of an element, or of several with their commas. */
interface ElementText {
  readonly bytes: Buffer;
  /** Line of its first byte, from 1. */
  readonly line: number;
  /** Number of members of all its objects. */
  readonly members: number;
  /** Most lists and objects around a place in it, with the list itself. */
  readonly depth: number;
}

/** A parsed element. */
export interface ListElement {
  readonly index: number;
  readonly value: JsonValue;
}

const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Splits the text of a list at its commas. Does not check the elements. */
export class ListSplitter {
  /** Lists and objects around the next byte. */
  #depth = 0;
  #inText = false;
  /** The next byte is the one after a backslash. */
  #isEscaped = false;
  #line: number;
  #startLine: number;
  #parts: Buffer[] = [];
  /** Bytes in `#parts`. */
  #size = 0;
  #count = 0;
  #members = 0;
  #deepest = 0;
  readonly #least: number;
  /** The list has ended. */
  isOver = false;
  /** Something follows the list, or it ends with the bracket of an object. */
  hasMore = false;

  /**
   * @param line of the list's first byte, from 1
   * @param least elements stay together until their text has this size (bytes)
   */
  constructor(line: number, least = 0) {
    this.#line = line;
    this.#startLine = line;
    this.#least = least;
  }

  *push(chunk: Buffer): Generator<ElementText, void, undefined> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inText) {
        at = this.#endOfText(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (byte === NEW_LINE) this.#line++;
      if (this.isOver) {
        this.hasMore ||= !SPACE.has(byte);
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#inText = true;
          break;
        case COLON:
          this.#members++;
          break;
        case OPEN_LIST:
        case OPEN_OBJECT:
          if (this.#depth++ === 0) from = this.#begin(at);
          if (this.#depth > this.#deepest) this.#deepest = this.#depth;
          break;
        case CLOSE_LIST:
        case CLOSE_OBJECT:
          if (--this.#depth === 0) {
            this.isOver = true;
            this.hasMore = byte !== CLOSE_LIST;
            const isOnly = this.#count === 0;
            const last = this.#end(chunk.subarray(from, at));
            // After a comma, an element is missing: reading it fails.
            if (!isOnly || !isBlank(last.bytes)) yield last;
          }
          break;
        case COMMA:
          if (this.#depth === 1 && this.#size + at - from >= this.#least) {
            yield this.#end(chunk.subarray(from, at));
            from = this.#begin(at);
          }
          break;
      }
    }
    if (this.#depth === 0) return;
    this.#parts.push(chunk.subarray(from));
    this.#size += chunk.length - from;
  }

  /** Returns the index of the quote that ends a text, or the end of the chunk. */
  #endOfText(chunk: Buffer, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) at++;
    }
    this.#inText = at >= chunk.length;
    this.#isEscaped = at > chunk.length;
    return at;
  }

  #begin(at: number): number {
    this.#startLine = this.#line;
    return at + 1;
  }

  #end(last: Buffer): ElementText {
    const bytes = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#size = 0;
    this.#count++;
    const element = { bytes, line: this.#startLine, members: this.#members, depth: this.#deepest };
    this.#members = 0;
    this.#deepest = 0;
    return element;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => SPACE.has(byte));
}

/** A list that is a JSON document, or the first list among the members of an object. */
export interface ListPlace {
  /** Name of the member; absent if the document is the list. */
  readonly member?: string;
  /** Index of its first byte in the text. */
  readonly offset: number;
  /** Line of its first byte, from 1. */
  readonly line: number;
}

/**
 * Finds the list of a JSON document.
 *
 * @param start the first bytes of the file
 * @returns undefined if none begins within `start`
 */
export function findList(start: Buffer): ListPlace | undefined {
  let depth = 0;
  let line = 1;
  let text: { from: number; to: number } | undefined;
  for (let at = markLength(start); at < start.length; at++) {
    const byte = start[at] ?? 0;
    if (byte === NEW_LINE) line++;
    else if (byte === QUOTE) {
      const from = at;
      for (at++; at < start.length && start[at] !== QUOTE; at++) if (start[at] === BACKSLASH) at++;
      text = { from, to: at + 1 };
    } else if (byte === OPEN_LIST && depth === 0) return { offset: at, line };
    else if (byte === OPEN_LIST && depth === 1 && text !== undefined) {
      // The last text before the value of a member is its name.
      const member = String(JSON.parse(start.toString('utf8', text.from, text.to)));
      return { member, offset: at, line };
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return undefined;
}

/** Returns the first elements of a list that end within `start`, the first bytes of the file. */
export function firstElements(
  name: string,
  start: Buffer,
  { offset, line }: ListPlace,
  count: number,
): JsonValue[] {
  const found: JsonValue[] = [];
  for (const element of new ListSplitter(line).push(start.subarray(offset))) {
    found.push(parsed(name, element));
    if (found.length === count) break;
  }
  return found;
}

/**
 * Yields the elements of a list in a JSON document.
 *
 * @throws SyncError `INPUT_INVALID` with the line if it is not JSON
 */
export async function* readList(
  name: string,
  chunks: AsyncIterable<Buffer>,
  { member, offset, line }: ListPlace,
): AsyncGenerator<ListElement, void, undefined> {
  const splitter = new ListSplitter(line);
  let index = 0;
  let before = offset;
  let last = 0;
  for await (const chunk of chunks) {
    last = chunk.findLast((byte) => !SPACE.has(byte)) ?? last;
    for (const element of splitter.push(chunk.subarray(before))) {
      yield { index: index++, value: parsed(name, element) };
    }
    before = Math.max(0, before - chunk.length);
  }
  // What follows the list is the rest of its object.
  const hasEnd = splitter.isOver && (member === undefined || last === CLOSE_OBJECT);
  const hasMore = splitter.hasMore && member === undefined;
  if (hasEnd && !hasMore) return;
  const [problem, hint] = hasMore
    ? ['more follows after the end of the list', 'Several lists go into files of their own.']
    : ['the end is missing', 'The file seems to be cut off: export or download it again.'];
  throw new SyncError('INPUT_INVALID', `${name}: ${problem}.`, { hint, details: { path: name } });
}

function parsed(name: string, { bytes, line: firstLine }: ElementText): JsonValue {
  const invalid = invalidUtf8At(bytes);
  if (invalid !== undefined) {
    throw new SyncError('INPUT_INVALID', `${name}:${firstLine} is not UTF-8.`, {
      details: { path: name, line: firstLine },
    });
  }
  const text = bytes.toString();
  try {
    return parseValue(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const at = positionOf(text, error.offset ?? 0);
    const line = firstLine + at.line - 1;
    throw new SyncError('INPUT_INVALID', `${name}:${line}: ${error.message}.`, {
      cause: error,
      details: { path: name, line },
    });
  }
}
