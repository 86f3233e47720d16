import { JsonFault, scanJson } from '../../base/json.ts';
import { shorten } from '../listed.ts';
import type { JsonValue } from '../types.ts';

/** Parses the JSON of records, and says where and why a text is not JSON. */

/** Largest document that is read (bytes, and UTF-16 code units of its text). */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** Most lists, objects, elements and members of a document, and most members of one object. */
const MAX_JSON_VALUES = 3_000_000;
const MAX_MEMBERS = 200_000;

/** JSON that takes too much memory; the message follows its name. */
export class JsonTooLarge extends JsonFault {}

/**
 * Returns the value of a text.
 *
 * @throws JsonFault if the text is not JSON, is nested too deep, or has a member twice in one object; JsonTooLarge
 */
export function parseText(text: string): JsonValue {
  if (text.length > MAX_JSON_BYTES) throw tooLong();
  const scan = scanJson(text);
  checkCount(scan.values, MAX_JSON_VALUES, 'values');
  checkCount(scan.widest, MAX_MEMBERS, 'members in an object');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw faultOf(text, error as SyntaxError);
  }
  // `JSON.parse` keeps the last of the members with one name.
  if (scan.members !== countMembers(value)) throw repeatedMember(text);
  return value;
}

/** Counts the members of all objects in a value. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  let members = Array.isArray(value) ? 0 : children.length;
  for (const child of children) members += countMembers(child);
  return members;
}

/** Strings of JSON, with the colon that makes one a name, and the ends of objects. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/gs;

/** Finds the first member whose object already has its name. */
function repeatedMember(text: string): JsonFault {
  const open: Set<string>[] = [];
  for (const { 0: token, 1: string = '', 2: colon, index } of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(string) as string;
      if (open.at(-1)?.has(name) === true) {
        return new JsonFault(`"${shorten(name, MAX_SHOWN)}" appears twice in one object`, index);
      }
      open.at(-1)?.add(name);
    }
  }
  return new JsonFault('a name appears twice in one object');
}

/** Longest part of the text that a message shows (UTF-16 code units). */
const MAX_SHOWN = 40;

function checkCount(count: number, limit: number, what: string): void {
  if (count <= limit) return;
  throw new JsonTooLarge(`has more than ${limit.toLocaleString('en-US')} ${what}`);
}

export function tooLong(): JsonTooLarge {
  return new JsonTooLarge(`is larger than ${MAX_JSON_BYTES / 1024 ** 2} MB`);
}

/** Says why a text was refused, and where. */
function faultOf(text: string, { message }: SyntaxError): JsonFault {
  const [, what, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
  if (what !== undefined && position !== undefined) {
    const offset = Number(position);
    return new JsonFault(`${lowerFirst(what)}${habitAt(text, offset)}`, offset);
  }
  if (message.startsWith('Unexpected end')) {
    return new JsonFault('the JSON ends too early', text.length);
  }
  const offset = unexpectedAt(text);
  const found = JSON.stringify(wordAt(text, offset));
  return new JsonFault(`unexpected ${found}${habitAt(text, offset)}`, offset);
}

/**
 * Returns the index of an unexpected token, which Node.js 20 does not state. The text up to it is only
 * incomplete; with it, the text is refused for its sake: a search by halves finds where that begins.
 */
function unexpectedAt(text: string): number {
  let [incomplete, refused] = [0, text.length];
  while (refused - incomplete > 1) {
    const middle = (incomplete + refused) >>> 1;
    if (hasUnexpected(text.slice(0, middle))) refused = middle;
    else incomplete = middle;
  }
  // A word may begin as `null`, `true` or `false` do.
  while (/[a-z]/.test(text.charAt(incomplete - 1))) incomplete--;
  return incomplete;
}

function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error as SyntaxError;
    return message.startsWith('Unexpected token');
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
