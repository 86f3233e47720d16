import type { MemberNode, ValueNode } from '@humanwhocodes/momoa';
import { JsonFault, closingQuote } from '../../base/json.ts';
import { JsonTooLarge, type ParsedJson, treeOf } from './json.ts';
import { joinPointer, shorten } from '../listed.ts';
import type { JsonValue, Problem } from '../types.ts';

/**
 * Finds what `JSON.parse` loses of a text: all but the last of the members with one name, and digits of
 * numbers. Most texts lose nothing, which a first look shows.
 */

/** The losses of one record. Fields are JSON pointers without the first slash. */
export interface Losses {
  /** Members that appear twice with different values, and numbers beyond all doubles. */
  readonly faults?: readonly Problem[];
  /** Integers that lost digits. */
  readonly inexact?: readonly Problem[];
}

/** The list of records in a text; without `member`, the text is the list. */
export interface RecordList {
  readonly member?: string;
}

/**
 * Returns the losses of each record in a text: by the index in their list, or under 0 if the text is one
 * record.
 *
 * @throws JsonFault if the list itself appears twice; JsonTooLarge if a large text has losses
 */
export function lossesOf(json: ParsedJson, list?: RecordList): ReadonlyMap<number, Losses> {
  const { text, value, members } = json;
  if (members === countMembers(value) && !losesDigits(text)) return new Map();
  const tree = treeOf(json);
  if (tree === undefined) {
    const losses = 'has a member twice, or a number with too many digits';
    throw new JsonTooLarge(`${losses}, and is too large to show where`);
  }
  return new Map(
    recordNodes(text, tree.body, list).flatMap((node, index) => {
      const losses = lossesIn(text, node);
      return losses === undefined ? [] : [[index, losses] as const];
    }),
  );
}

/** Counts the members of all objects in a value. */
function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value);
  let members = Array.isArray(value) ? 0 : children.length;
  for (const child of children) members += countMembers(child);
  return members;
}

/** What every number that is not the same as a double has in it. */
const LONG_NUMBER = /\d(?:[eE]|\d{15})/;
const LONG_INTEGER = /(?<![\d.])\d{16,}(?![\d.eE])/g;
/** A number that may exceed all doubles. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}|(?<!\d)\d{300}/;

/** Checks if a text that is JSON holds a number that is not the same as a double. */
function losesDigits(text: string): boolean {
  // Most texts hold no such number, not even in their strings.
  if (!hasInexact(text)) return false;
  let from = 0;
  for (let open; (open = text.indexOf('"', from)) !== -1; from = closingQuote(text, open) + 1) {
    if (hasInexact(text.slice(from, open))) return true;
  }
  return hasInexact(text.slice(from));
}

function hasInexact(text: string): boolean {
  if (!LONG_NUMBER.test(text)) return false;
  if (HUGE_NUMBER.test(text)) return true;
  for (const [digits] of text.matchAll(LONG_INTEGER)) if (!isExact(digits)) return true;
  return false;
}

function isExact(digits: string): boolean {
  return BigInt(digits) === BigInt(Number(digits));
}

/**
 * Returns the nodes of the records.
 *
 * @throws JsonFault if the list appears twice
 */
export function recordNodes(
  text: string,
  root: ValueNode,
  list?: RecordList,
): readonly ValueNode[] {
  if (list === undefined) return [root];
  const node = list.member === undefined ? root : memberNode(text, root, list.member);
  return node?.type === 'Array' ? node.elements.map(({ value }) => value) : [];
}

function memberNode(text: string, root: ValueNode, member: string): ValueNode | undefined {
  const named =
    root.type === 'Object' ? root.members.filter((each) => nameOf(each) === member) : [];
  const [first, ...others] = named.map(({ value }) => value);
  const other = others.find(
    (each) => first !== undefined && textOf(text, each) !== textOf(text, first),
  );
  if (other === undefined) return first;
  throw new JsonFault(`"${shorten(member, MAX_SHOWN)}" appears twice`, other.loc.start.offset);
}

function nameOf({ name }: MemberNode): string {
  return name.type === 'String' ? name.value : name.name;
}

function textOf(text: string, { loc: { start, end } }: ValueNode): string {
  return text.slice(start.offset, end.offset);
}

/** Longest part of the text that a message shows (UTF-16 code units). */
const MAX_SHOWN = 40;

function lossesIn(text: string, record: ValueNode): Losses | undefined {
  const faults: Problem[] = [];
  const inexact: Problem[] = [];
  for (const { digits, ...loss } of lossesUnder(text, record, '')) {
    if (digits === undefined) faults.push(loss);
    else inexact.push(loss);
  }
  if (faults.length > 0) return { faults };
  return inexact.length === 0 ? undefined : { inexact };
}

interface Loss extends Problem {
  /** The digits of an integer that lost some of them. */
  readonly digits?: string;
}

function* lossesUnder(text: string, node: ValueNode, field: string): Generator<Loss> {
  if (node.type === 'Number') yield* lossOf(textOf(text, node), field);
  else if (node.type === 'Array') {
    for (const [index, { value }] of node.elements.entries()) {
      yield* lossesUnder(text, value, joinPointer(field, index));
    }
  } else if (node.type === 'Object') {
    const texts = new Map<string, string>();
    for (const member of node.members) {
      const name = nameOf(member);
      const place = joinPointer(field, name);
      yield* lossesUnder(text, member.value, place);
      const own = textOf(text, member.value);
      const other = texts.get(name) ?? own;
      texts.set(name, own);
      if (other === own) continue;
      const shown = `${shorten(other, MAX_SHOWN)} and ${shorten(own, MAX_SHOWN)}`;
      yield { field: place, problem: `appears twice, as ${shown}` };
    }
  }
}

function* lossOf(digits: string, field: string): Generator<Loss> {
  const value = Number(digits);
  if (!Number.isFinite(value)) {
    yield { field, problem: `the number ${shorten(digits, MAX_SHOWN)} is too large` };
  } else if (/^-?\d{16,}$/.test(digits) && !isExact(digits)) {
    const problem =
      `${digits} has more digits than a number keeps, it is read as ${value}: ` +
      `write it as text, "${digits}"`;
    yield { digits, field, problem };
  }
}
