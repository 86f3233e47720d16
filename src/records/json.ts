import { type ValueNode, evaluate, parse as parseTree } from '@humanwhocodes/momoa';
import type { JsonObject, JsonValue, Problem, RawRecord } from './types.ts';

/**
 * Parses JSON with `JSON.parse`. If its result loses something (a member that appears twice, digits of
 * a number), or if it does not say where the text is wrong, a parser with positions reads the text
 * again. That one takes ten times as long and forty times the text's size in memory.
 */

/** Deeper JSON is refused, since later steps walk values recursively. */
export const MAX_DEPTH = 200;

/** Longer text is not read with positions, in UTF-16 code units. */
export const MAX_EXAMINED_LENGTH = 20 * 1024 * 1024;

/** Text with more commas is not read with positions. */
const MAX_EXAMINED_COMMAS = 2_000_000;

/** Where and why a text is not JSON. */
export class JsonFault extends Error {
  /** Index in the text; undefined if it is not known. */
  readonly offset: number | undefined;
  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** A value in a JSON text. */
export class JsonNode {
  readonly value: JsonValue;
  readonly #text: string;
  /** Only if {@link value} loses something of the text. */
  readonly #tree: ValueNode | undefined;

  constructor(value: JsonValue, text: string, tree?: ValueNode) {
    this.value = value;
    this.#text = text;
    this.#tree = tree;
  }

  /** Returns the members of an object, including duplicates. */
  members(): readonly (readonly [name: string, node: JsonNode])[] {
    if (this.#tree?.type === 'Object') {
      return this.#tree.members.map(({ name, value }) => [nameOf(name), this.#child(value)]);
    }
    return Object.entries(this.value as JsonObject).map(([name, value]) => [
      name,
      new JsonNode(value, this.#text),
    ]);
  }

  /** Returns the elements of an array. */
  elements(): readonly JsonNode[] {
    if (this.#tree?.type === 'Array') {
      return this.#tree.elements.map((element) => this.#child(element.value));
    }
    return (this.value as JsonValue[]).map((value) => new JsonNode(value, this.#text));
  }

  /** Returns the value as a record, with what `JSON.parse` loses of it. */
  record(source: string): RawRecord {
    if (this.#tree === undefined) return { source, value: this.value };
    const { problem, inexact } = examine(this.#tree, this.#text);
    if (problem !== undefined) return { source, ...problem };
    return inexact.length === 0
      ? { source, value: this.value }
      : { source, value: this.value, inexact };
  }

  #child(tree: ValueNode): JsonNode {
    return new JsonNode(evaluate(tree), this.#text, tree);
  }
}

export interface ParsedJson {
  readonly root: JsonNode;
  /** A warning that the text was too long to examine, if its value loses something. */
  readonly note?: string;
}

const UNEXAMINED =
  'a member appears twice in this JSON, or a number has more digits than are kept; above 20 MB ' +
  'sync does not report which: split the file, for example by year';

/** @throws JsonFault if the text is not JSON, or nested too deep. */
export function parseJson(text: string): ParsedJson {
  return examineJson(text, parseValue(text));
}

/** @throws JsonFault if the text is not JSON. */
export function parseValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw faultOf(text, error as SyntaxError);
  }
}

/**
 * Finds what the parsed value of a text lost.
 *
 * @throws JsonFault if it is nested too deep.
 */
export function examineJson(text: string, value: JsonValue): ParsedJson {
  const { members, isInexact } = survey(text);
  if (members === countMembers(value) && !isInexact) return { root: new JsonNode(value, text) };
  if (!canExamine(text)) return { root: new JsonNode(value, text), note: UNEXAMINED };
  return { root: new JsonNode(value, text, parseTree(text).body) };
}

/** Limits the memory of a syntax tree, by the text and by the number of its values. */
function canExamine(text: string): boolean {
  if (text.length > MAX_EXAMINED_LENGTH) return false;
  let commas = 0;
  for (let at = text.indexOf(','); at !== -1; at = text.indexOf(',', at + 1)) commas++;
  return commas <= MAX_EXAMINED_COMMAS;
}

const LONG_INTEGER = /(?<![\d.])\d{16,}(?![\d.eE])/g;
/** A number that may exceed all doubles. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}|\d{300}/;
const COLON = /\s*:/y;

/** Checks if a text holds a number that is not the same as a double. */
function losesDigits(text: string): boolean {
  if (HUGE_NUMBER.test(text)) return true;
  for (const [digits] of text.matchAll(LONG_INTEGER)) if (!isExact(digits)) return true;
  return false;
}

function isExact(digits: string): boolean {
  return BigInt(digits) === BigInt(Number(digits));
}

/** Looks over a text that is known to be JSON, skipping its strings. */
function survey(text: string): { readonly members: number; readonly isInexact: boolean } {
  // Most texts hold no such number, not even in their strings.
  const mayLoseDigits = losesDigits(text);
  let isInexact = false;
  let members = 0;
  let from = 0;
  const look = (to?: number) => {
    if (mayLoseDigits && !isInexact) isInexact = losesDigits(text.slice(from, to));
  };
  for (let open; (open = text.indexOf('"', from)) !== -1;) {
    look(open);
    from = endOfString(text, open);
    COLON.lastIndex = from;
    if (COLON.test(text)) members++;
  }
  look();
  return { members, isInexact };
}

/** Returns the index after the string that begins at `open`. */
export function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); ; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return close + 1;
  }
}

/**
 * Counts the members of all objects in a value, without recursion.
 *
 * @throws JsonFault if the value is nested too deep.
 */
function countMembers(value: JsonValue): number {
  let members = 0;
  let level: (JsonValue[] | JsonObject)[] = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new JsonFault(TOO_DEEP);
    const next: typeof level = [];
    for (const container of level) {
      const children = Object.values(container);
      if (!Array.isArray(container)) members += children.length;
      for (const child of children) if (isContainer(child)) next.push(child);
    }
    level = next;
  }
  return members;
}

const TOO_DEEP = `the JSON is nested more than ${MAX_DEPTH} deep`;

function isContainer(value: JsonValue): value is JsonValue[] | JsonObject {
  return typeof value === 'object' && value !== null;
}

/** Says why `JSON.parse` refused a text, and where. */
function faultOf(text: string, { message }: SyntaxError): JsonFault {
  const [, what, position] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
  if (what !== undefined && position !== undefined) {
    const offset = Number(position);
    return new JsonFault(`${lowerFirst(what)}${habitAt(text, offset)}`, offset);
  }
  if (message.startsWith('Unexpected end')) {
    return new JsonFault('the JSON ends too early', text.length);
  }
  // The message shows the text around an unexpected token, but not its position.
  let offset: number | undefined;
  try {
    if (canExamine(text)) parseTree(text);
  } catch (error) {
    if (error instanceof RangeError) return new JsonFault(TOO_DEEP);
    ({ offset } = error as { offset?: number });
  }
  if (offset === undefined) return new JsonFault(lowerFirst(message));
  const found = JSON.stringify(wordAt(text, offset));
  return new JsonFault(`unexpected ${found}${habitAt(text, offset)}`, offset);
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

/** What a value loses in `JSON.parse`. Fields are JSON pointers without the first slash. */
interface Losses {
  /** A member that appears twice with different values, or a number beyond all doubles. */
  readonly problem: Problem | undefined;
  /** Integers that lost digits. */
  readonly inexact: readonly Problem[];
}

function examine(root: ValueNode, text: string): Losses {
  const inexact: Problem[] = [];
  let problem: Problem | undefined;
  const textOf = ({ loc }: ValueNode) => text.slice(loc.start.offset, loc.end.offset);

  const walk = (node: ValueNode, path: string): void => {
    if (node.type === 'Object') {
      const seen = new Map<string, string>();
      for (const member of node.members) {
        const name = nameOf(member.name);
        const field = joinPointer(path, name);
        walk(member.value, field);
        const [other, own] = [seen.get(name), textOf(member.value)];
        if (other !== undefined && other !== own) {
          const both = `${shorten(other)} and ${shorten(own)}`;
          problem ??= { field, problem: `appears twice, as ${both}` };
        }
        seen.set(name, own);
      }
    } else if (node.type === 'Array') {
      node.elements.forEach(({ value }, index) => walk(value, joinPointer(path, index)));
    } else if (node.type === 'Number') {
      const { value } = node;
      const digits = textOf(node);
      if (!Number.isFinite(value)) {
        problem ??= { field: path, problem: `the number ${digits} is too large` };
      } else if (/^-?\d+$/.test(digits) && !isExact(digits)) {
        const found = `${digits} has more digits than a number keeps, it is read as ${value}`;
        inexact.push({ field: path, problem: `${found}: write it as text, "${digits}"` });
      }
    }
  };
  walk(root, '');
  return { problem, inexact };
}

/** JSON has string names only; the parser's type also covers JSON5. */
function nameOf(name: { type: 'String'; value: string } | { type: 'Identifier'; name: string }) {
  return name.type === 'String' ? name.value : name.name;
}

/** Appends a token to a JSON pointer (RFC 6901) that is written without its first slash. */
export function joinPointer(path: string, token: string | number): string {
  const text = String(token);
  const escaped = /[~/]/.test(text) ? text.replaceAll('~', '~0').replaceAll('/', '~1') : text;
  return path === '' ? escaped : `${path}/${escaped}`;
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}
