/** Parses JSON that another program or a person wrote: answers, files, stdin. */

import { attempt } from './errors.ts';

/** Deeper JSON is refused, since later steps walk and write values recursively. Records have five levels. */
export const MAX_DEPTH = 200;

/** Where and why a text is not JSON. */
export class JsonFault extends SyntaxError {
  /** Index in the text; undefined if it is not known. */
  readonly offset: number | undefined;
  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** JSON that is nested more than {@link MAX_DEPTH} deep. */
export class JsonTooDeep extends JsonFault {}

/**
 * Parses JSON. Use this instead of `JSON.parse` for every text from outside this program.
 *
 * @throws SyntaxError if the text is not JSON; JsonTooDeep
 */
export function parseJson(text: string): unknown {
  // Programs on Windows add a byte order mark.
  const json = text.startsWith('\ufeff') ? text.slice(1) : text;
  scanJson(json);
  return JSON.parse(json) as unknown;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a JSON object. @returns undefined for any other text */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseObjectOrList(text);
  return isObject(value) ? value : undefined;
}

/** Parses a JSON object or list. @returns undefined for any other text */
export function parseObjectOrList(text: string): object | undefined {
  const value = attempt(() => parseJson(text));
  return typeof value === 'object' && value !== null ? value : undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts the parts of a text outside of its strings, in far less time and memory than parsing takes.
 *
 * @throws JsonTooDeep
 */
export function scanJson(text: string) {
  /** Members so far of the objects around the current place. */
  const around: number[] = [];
  let depth = 0;
  let members = 0;
  let values = 0;
  let widest = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = closingQuote(text, at);
        break;
      case COLON:
        members++;
        widest = Math.max(widest, (around[depth] = (around[depth] ?? 0) + 1));
        break;
      case COMMA:
        values++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        if (++depth > MAX_DEPTH) {
          throw new JsonTooDeep(`the JSON is nested more than ${MAX_DEPTH} deep`, at);
        }
        around[depth] = 0;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return {
    members,
    /** Number of its lists, objects, elements and members, or a few less. */
    values,
    /** Number of members of the object with the most. */
    widest,
  };
}

/** Returns the index of the quote that ends a string, or the end of the text. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
