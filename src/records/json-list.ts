import { SyncError } from '../base/errors.ts';
import { JsonFault, parseValue } from './json.ts';
import { invalidUtf8At, markLength, positionOf } from './text.ts';
import type { JsonValue } from './types.ts';

/** Reads a large JSON list element by element, so that the memory is bounded by one element. */

/** The text of an element. */
interface ElementText {
  readonly bytes: Buffer;
  /** Line of its first byte, from 1. */
  readonly line: number;
}

/** A parsed element. */
export interface ListElement {
  readonly index: number;
  readonly value: JsonValue;
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const NEW_LINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Splits the text of a list at its commas. Does not check the elements. */
class ListSplitter {
  /** Lists and objects around the next byte. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  #line = 1;
  #startLine = 1;
  #parts: Buffer[] = [];
  /** The list has ended. */
  isOver = false;
  /** Something follows the list. */
  hasMore = false;

  *push(chunk: Buffer): Generator<ElementText, void, undefined> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === NEW_LINE) this.#line++;
      if (this.isOver) this.hasMore ||= !SPACE.has(byte);
      else if (this.#inText) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (byte === QUOTE) this.#inText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (this.#depth++ === 0) from = this.#begin(at);
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (--this.#depth === 0) {
          this.isOver = true;
          const last = this.#end(chunk.subarray(from, at));
          if (!isBlank(last.bytes)) yield last;
        }
      } else if (byte === COMMA && this.#depth === 1) {
        yield this.#end(chunk.subarray(from, at));
        from = this.#begin(at);
      }
    }
    if (this.#depth > 0) this.#parts.push(chunk.subarray(from));
  }

  #begin(at: number): number {
    this.#startLine = this.#line;
    return at + 1;
  }

  #end(last: Buffer): ElementText {
    const bytes = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    return { bytes, line: this.#startLine };
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => SPACE.has(byte));
}

/** Returns whether a text can be a JSON list. @param start its first bytes */
export function startsList(start: Buffer): boolean {
  return start.subarray(markLength(start)).find((byte) => !SPACE.has(byte)) === OPEN_LIST;
}

/**
 * Returns the first elements of a list, of those that end within `start`; none if the text is no list.
 *
 * @param start the first bytes of the file
 */
export function firstElements(name: string, start: Buffer, count: number): JsonValue[] {
  const found: JsonValue[] = [];
  if (!startsList(start)) return found;
  for (const element of new ListSplitter().push(start.subarray(markLength(start)))) {
    found.push(parsed(name, element));
    if (found.length === count) break;
  }
  return found;
}

/**
 * Yields the elements of a JSON list.
 *
 * @throws SyncError `INPUT_INVALID` with the line if it is not JSON
 */
export async function* readList(
  name: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<ListElement, void, undefined> {
  const splitter = new ListSplitter();
  let index = 0;
  let isFirst = true;
  for await (const chunk of chunks) {
    const text = isFirst ? chunk.subarray(markLength(chunk)) : chunk;
    isFirst = false;
    for (const element of splitter.push(text)) {
      yield { index: index++, value: parsed(name, element) };
    }
  }
  if (splitter.isOver && !splitter.hasMore) return;
  const [problem, hint] = splitter.isOver
    ? ['more follows after the end of the list', 'Several lists go into files of their own.']
    : ['the list has no end', 'The file seems to be cut off: export or download it again.'];
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
