import { JsonTooDeep, parseJson } from '../../base/json.ts';
import type { JsonValue } from '../types.ts';

/** Parses the JSON of records, and says where and why a text is not JSON. */

/** A fault in longer text has no position if `JSON.parse` names none, in UTF-16 code units. */
export const MAX_LOCATED_LENGTH = 20 * 1024 * 1024;

/** Where and why a text is not JSON. */
export class JsonFault extends Error {
  /** Index in the text; undefined if it is not known. */
  readonly offset: number | undefined;
  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** @throws JsonFault if the text is not JSON, or nested too deep. */
export function parseValue(text: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch (error) {
    throw faultOf(text, error as SyntaxError);
  }
}

/** Returns the index after the string that begins at `open`, in a text that is JSON. */
export function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/** Says why a text was refused, and where. */
function faultOf(text: string, error: SyntaxError): JsonFault {
  if (error instanceof JsonTooDeep) return new JsonFault(error.message, error.offset);
  const { message } = error;
  const [, what, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
  if (what !== undefined && position !== undefined) {
    const offset = Number(position);
    return new JsonFault(`${lowerFirst(what)}${habitAt(text, offset)}`, offset);
  }
  if (message.startsWith('Unexpected end')) {
    return new JsonFault('the JSON ends too early', text.length);
  }
  if (text.length > MAX_LOCATED_LENGTH) return new JsonFault(lowerFirst(message));
  const offset = unexpectedAt(text);
  const found = JSON.stringify(wordAt(text, offset));
  return new JsonFault(`unexpected ${found}${habitAt(text, offset)}`, offset);
}

/**
 * Returns the index of the unexpected token in a text whose fault has no position: it ends the shortest
 * part of the text with that fault (binary search).
 */
function unexpectedAt(text: string): number {
  let low = 1;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hasUnexpected(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  let at = low - 1;
  // The start of a misspelt word, such as `nonsense`: it begins like `null`.
  while (/[a-z]/.test(text[at - 1] ?? '')) at--;
  return at;
}

/** Checks for the one fault of `JSON.parse` that shows the text around it, but not its position. */
function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return (error as SyntaxError).message.endsWith('is not valid JSON');
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function wordAt(text: string, offset: number): string {
  return /^(?:[\w$+.-]+|.)/su.exec(text.slice(offset, offset + 40))?.[0] ?? '';
}

/** Names the habit of another language behind a wrong character. */
function habitAt(text: string, offset: number): string {
  const word = wordAt(text, offset);
  if (word === "'") return ' (JSON has double quotes only)';
  if (word === '/' || word === '#') return ' (JSON has no comments)';
  const before = text.slice(0, offset).trimEnd();
  const closes = word === '}' || word === ']';
  if (closes && before.endsWith(',')) return ' (remove the comma before it)';
  if (word === ',' && /[,[{]$/.test(before)) return ' (a comma too many)';
  if ((closes || word === ',') && before.endsWith(':')) return ' (a value is missing before it)';
  if (/^[-+]?(?:NaN|Infinity|nan|inf)$/.test(word)) return ' (write null for a missing number)';
  if (/^(?:undefined|None|nil|NULL|Null)$/.test(word)) return ' (write null)';
  if (/^(?:True|False|TRUE|FALSE)$/.test(word)) return ' (write true or false in lower case)';
  return '';
}
