import { JsonFault, endOfString } from './json.ts';
import { joinPointer, shorten } from '../listed.ts';
import type { JsonValue, Problem } from '../types.ts';

/**
 * Finds what `JSON.parse` loses of a text: all but the last of the members with one name, and digits of
 * numbers. Most texts lose nothing, which a first look shows.
 */

/** The losses of one record. Fields are JSON pointers without the first slash. */
export interface Losses {
  /** A member that appears twice with different values, or a number beyond all doubles. */
  readonly problem?: Problem;
  /** Integers that lost digits. */
  readonly inexact?: readonly Problem[];
}

/** The list of records in a text; without `member`, the text is the list. */
export interface RecordList {
  readonly member?: string;
}

/**
 * Returns the losses of each record in a text that is known to be JSON: by the index in their list, or
 * under 0 if the text is one record.
 *
 * @param value the parsed text
 * @param members number of members of all objects in the text, if it is known
 * @throws JsonFault if the list itself appears twice
 */
export function lossesOf(
  text: string,
  value: JsonValue,
  list?: RecordList,
  members = writtenMembers(text),
): ReadonlyMap<number, Losses> {
  // Most texts hold no such number, not even in their strings.
  const isInexact = losesDigits(text) && losesDigits(outsideStrings(text));
  if (members === countMembers(value) && !isInexact) return new Map();
  return new LossFinder(text, list).find();
}

/** What every number that is not the same as a double has in it. */
const LONG_NUMBER = /\d(?:[eE]|\d{15})/;
const LONG_INTEGER = /(?<![\d.])\d{16,}(?![\d.eE])/g;
/** A number that may exceed all doubles. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}|(?<!\d)\d{300}/;
const COLON = /\s*:/y;

/** Checks if a text holds a number that is not the same as a double. */
function losesDigits(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false;
  if (HUGE_NUMBER.test(text)) return true;
  for (const [digits] of text.matchAll(LONG_INTEGER)) if (!isExact(digits)) return true;
  return false;
}

function isExact(digits: string): boolean {
  return BigInt(digits) === BigInt(Number(digits));
}

/** Counts the members of all objects in a text that is known to be JSON. */
function writtenMembers(text: string): number {
  let members = 0;
  let from = 0;
  for (let open; (open = text.indexOf('"', from)) !== -1;) {
    from = endOfString(text, open);
    COLON.lastIndex = from;
    if (COLON.test(text)) members++;
  }
  return members;
}

/** Returns what is between the strings of a text that is known to be JSON. */
function outsideStrings(text: string): string {
  let outside = '';
  let from = 0;
  for (let open; (open = text.indexOf('"', from)) !== -1;) {
    outside += `${text.slice(from, open)} `;
    from = endOfString(text, open);
  }
  return outside + text.slice(from);
}

/** Counts the members of all objects in a value. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  let members = Array.isArray(value) ? 0 : children.length;
  for (const child of children) members += countMembers(child);
  return members;
}

/** Limits the integers that are named of one record; one more gives the number of the others. */
export const MAX_INEXACT = 50;

/** Longest part of the text that a message shows (UTF-16 code units). */
const MAX_SHOWN = 40;

/** A number in JSON, in a text that is known to be JSON. */
const NUMBER = /-?\d[\d.eE+-]*/y;

/** A list or an object around the current place of a text. */
interface Container {
  /** Index of its first character. */
  readonly start: number;
  /** The text of each member of an object so far, as the indexes of its start and end. */
  readonly members: Map<string, readonly [from: number, to: number]> | undefined;
  /** Of the current element or member. */
  token: string | number;
  /** The next string is the name of a member. */
  isBeforeName: boolean;
}

interface Found {
  problem?: Problem;
  readonly inexact: Problem[];
  more: number;
}

/** Reads a text that is known to be JSON, and keeps nothing of it but its losses. */
class LossFinder {
  readonly #text: string;
  readonly #list: RecordList | undefined;
  /** The number of containers around a record. */
  readonly #recordDepth: number;
  readonly #around: Container[] = [];
  readonly #found = new Map<number, Found>();

  constructor(text: string, list: RecordList | undefined) {
    this.#text = text;
    this.#list = list;
    this.#recordDepth = list === undefined ? 0 : list.member === undefined ? 1 : 2;
  }

  find(): ReadonlyMap<number, Losses> {
    for (let at = 0; at < this.#text.length;) at = this.#read(at);
    return new Map(
      [...this.#found].map(([index, { problem, inexact, more }]) => [
        index,
        {
          ...(problem === undefined ? {} : { problem }),
          ...(inexact.length === 0 ? {} : { inexact: [...inexact, ...moreNumbers(more)] }),
        },
      ]),
    );
  }

  /** Reads what is at an index. @returns the index after it */
  #read(at: number): number {
    const inner = this.#around.at(-1);
    switch (this.#text[at]) {
      case '"': {
        const end = endOfString(this.#text, at);
        if (inner?.isBeforeName === true) {
          inner.token = JSON.parse(this.#text.slice(at, end)) as string;
          inner.isBeforeName = false;
        } else this.#endValue(at, end);
        return end;
      }
      case '{':
        this.#around.push({ start: at, members: new Map(), token: '', isBeforeName: true });
        return at + 1;
      case '[':
        this.#around.push({ start: at, members: undefined, token: 0, isBeforeName: false });
        return at + 1;
      case '}':
      case ']':
        this.#around.pop();
        this.#endValue(inner?.start ?? at, at + 1);
        return at + 1;
      case ',':
        if (typeof inner?.token === 'number') inner.token++;
        else if (inner !== undefined) inner.isBeforeName = true;
        return at + 1;
      case 't':
      case 'n':
        this.#endValue(at, at + 4);
        return at + 4;
      case 'f':
        this.#endValue(at, at + 5);
        return at + 5;
      default:
        return this.#readNumber(at) ?? at + 1;
    }
  }

  /** @returns the index after the number; undefined if there is none */
  #readNumber(at: number): number | undefined {
    NUMBER.lastIndex = at;
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) return undefined;
    const value = Number(digits);
    if (!Number.isFinite(value)) {
      this.#addProblem(`the number ${shorten(digits, MAX_SHOWN)} is too large`);
    } else if (digits.length >= 16 && /^-?\d+$/.test(digits) && !isExact(digits)) {
      this.#addInexact(digits, value);
    }
    this.#endValue(at, at + digits.length);
    return at + digits.length;
  }

  /** Compares the value of a member with an earlier one of the same name. */
  #endValue(from: number, to: number): void {
    const object = this.#around.at(-1);
    if (object?.members === undefined) return;
    const name = String(object.token);
    const before = object.members.get(name);
    object.members.set(name, [from, to]);
    if (before === undefined) return;
    const [other, own] = [this.#text.slice(...before), this.#text.slice(from, to)];
    if (other === own) return;
    if (this.#around.length === 1 && name === this.#list?.member) {
      throw new JsonFault(`"${shorten(name, MAX_SHOWN)}" appears twice`, from);
    }
    this.#addProblem(
      `appears twice, as ${shorten(other, MAX_SHOWN)} and ${shorten(own, MAX_SHOWN)}`,
    );
  }

  #addProblem(problem: string): void {
    const record = this.#record();
    if (record !== undefined) record.problem ??= { field: this.#path(), problem };
  }

  #addInexact(digits: string, value: number): void {
    const record = this.#record();
    if (record === undefined) return;
    if (record.inexact.length === MAX_INEXACT) {
      record.more++;
      return;
    }
    const problem =
      `${digits} has more digits than a number keeps, it is read as ${value}: ` +
      `write it as text, "${digits}"`;
    record.inexact.push({ field: this.#path(), problem });
  }

  /** Returns what was found about the record at the current place; undefined outside of the records. */
  #record(): Found | undefined {
    const [root, list] = this.#around;
    let index = 0;
    if (this.#list !== undefined) {
      if (this.#around.length < this.#recordDepth) return undefined;
      if (this.#list.member !== undefined && root?.token !== this.#list.member) return undefined;
      const token = this.#list.member === undefined ? root?.token : list?.token;
      if (typeof token !== 'number') return undefined;
      index = token;
    }
    const known = this.#found.get(index) ?? { inexact: [], more: 0 };
    this.#found.set(index, known);
    return known;
  }

  /** Returns the current place in its record. */
  #path(): string {
    const tokens = this.#around.slice(this.#recordDepth).map(({ token }) => token);
    return tokens.reduce<string>(joinPointer, '');
  }
}

function moreNumbers(more: number): Problem[] {
  if (more === 0) return [];
  return [{ problem: `${more.toLocaleString('en-US')} more numbers have too many digits, too` }];
}
