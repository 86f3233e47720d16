import { parse as parseTree } from '@humanwhocodes/momoa';
import { JsonFault, type JsonScan, scanJson } from '../../base/json.ts';
import type { JsonValue } from '../types.ts';

/** Parses the JSON of records, and says where and why a text is not JSON. */

/** Largest document that is read (bytes, and UTF-16 code units of its text). */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** Most lists, objects, elements and members of a document, and most members of one object. */
const MAX_JSON_VALUES = 3_000_000;
const MAX_MEMBERS = 200_000;

/** Longest document whose places are found (UTF-16 code units), and its most values. */
export const MAX_TREE_LENGTH = 8 * 1024 * 1024;
const MAX_TREE_VALUES = 750_000;

/** JSON that takes too much memory; the message follows its name. */
export class JsonTooLarge extends JsonFault {}

/** A text that is JSON, and what it holds. */
export interface ParsedJson extends JsonScan {
  readonly text: string;
  readonly value: JsonValue;
}

/** @throws JsonFault if the text is not JSON, or nested too deep; JsonTooLarge */
export function parseText(text: string): ParsedJson {
  if (text.length > MAX_JSON_BYTES) throw tooLong();
  const scan = scanJson(text);
  checkCount(scan.values, MAX_JSON_VALUES, 'values');
  checkCount(scan.widest, MAX_MEMBERS, 'members in an object');
  try {
    return { text, value: JSON.parse(text) as JsonValue, ...scan };
  } catch (error) {
    throw faultOf(text, scan, error as SyntaxError);
  }
}

function checkCount(count: number, limit: number, what: string): void {
  if (count <= limit) return;
  throw new JsonTooLarge(`has more than ${limit.toLocaleString('en-US')} ${what}`);
}

export function tooLong(): JsonTooLarge {
  return new JsonTooLarge(`is larger than ${MAX_JSON_BYTES / 1024 ** 2} MB`);
}

/** Returns the nodes of a text that is JSON, with their places; undefined if they take too much memory. */
export function treeOf({ text, values }: Pick<ParsedJson, 'text' | 'values'>) {
  const isLarge = text.length > MAX_TREE_LENGTH || values > MAX_TREE_VALUES;
  return isLarge ? undefined : parseTree(text);
}

/** Says why a text was refused, and where. */
function faultOf(text: string, { values }: JsonScan, { message }: SyntaxError): JsonFault {
  const [, what, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
  if (what !== undefined && position !== undefined) {
    const offset = Number(position);
    return new JsonFault(`${lowerFirst(what)}${habitAt(text, offset)}`, offset);
  }
  if (message.startsWith('Unexpected end')) {
    return new JsonFault('the JSON ends too early', text.length);
  }
  const offset = unexpectedAt(text, values);
  if (offset === undefined) return new JsonFault(lowerFirst(message));
  const found = JSON.stringify(wordAt(text, offset));
  return new JsonFault(`unexpected ${found}${habitAt(text, offset)}`, offset);
}

/** Returns the index of an unexpected token; undefined if it takes too much memory to find it. */
function unexpectedAt(text: string, values: number): number | undefined {
  try {
    treeOf({ text, values });
    return undefined;
  } catch (error) {
    return (error as { offset?: number }).offset;
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
