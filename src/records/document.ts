import { SyncError } from '../base/errors.ts';
import { elementLines } from './element-lines.ts';
import { JsonFault, type JsonNode, examineJson, joinPointer, parseValue } from './json.ts';
import { dateName, plain } from './names.ts';
import { decodeText, positionOf } from './text.ts';
import type { JsonValue, RawRecord, RecordKind } from './types.ts';
import { isObject } from './values.ts';

/** More records in one input are refused; there are fewer than 50,000 dates to put them on. */
export const MAX_RECORDS = 1_000_000;

/** A JSON document and its text. */
export interface Document {
  readonly name: string;
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * Reads the records of one JSON document in the platform's form: an array, an object, or an object with
 * a list of records in it.
 *
 * @throws SyncError `INPUT_INVALID` before anything is yielded.
 */
export function* readDocument(
  { name, text, value }: Document,
  kind: RecordKind,
): Generator<RawRecord, void, undefined> {
  const { root, ...note } = withFaults(name, text, () => examineJson(text, value));
  const list = findList(name, root, kind);
  if (list === undefined) {
    yield { ...root.record(name), ...note };
    return;
  }
  let lines: number[] | undefined;
  const lineOf = (index: number) =>
    (lines ??= elementLines(text, Array.isArray(value) ? undefined : list.name))[index];
  const hasLines = text.trim().includes('\n');
  for (const [index, node] of list.elements.entries()) {
    const record = node.record(`${name}#/${joinPointer(list.pointer, index)}`);
    const line = hasLines ? { line: () => lineOf(index) } : {};
    yield { ...record, ...(index === 0 ? note : {}), ...line };
  }
}

/** @throws SyncError `INPUT_INVALID` if it is not JSON */
export function parseDocument(name: string, bytes: Buffer): Document {
  const text = decodeText(name, bytes);
  if (text.trim() === '') {
    throw new SyncError('INPUT_INVALID', `${name} is empty.`, {
      hint: 'A file without records holds an empty list: []',
      details: { path: name },
    });
  }
  return { name, text, value: withFaults(name, text, () => parseValue(text)) };
}

function withFaults<T>(name: string, text: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw notJson(name, text, error);
  }
}

interface List {
  readonly name: string;
  readonly elements: readonly JsonNode[];
  /** Its place, as a JSON pointer without the first slash. */
  readonly pointer: string;
}

/** Finds the list that holds the records; undefined if the document is itself a record. */
function findList(name: string, root: JsonNode, kind: RecordKind): List | undefined {
  const { value } = root;
  if (!Array.isArray(value) && !isObject(value)) {
    throw new SyncError('INPUT_INVALID', `${name} holds a single value, not records.`, {
      hint: 'Give a JSON object, an array of objects, or one object a line.',
      details: { path: name },
    });
  }
  const list = Array.isArray(value)
    ? { name: '', elements: root.elements(), pointer: '' }
    : chooseList(name, root, kind);
  if (list !== undefined && list.elements.length > MAX_RECORDS) {
    throw new SyncError('INPUT_INVALID', `${name} has more than ${MAX_RECORDS} records.`, {
      hint: 'Split it, for example by year.',
      details: { path: name },
    });
  }
  return list;
}

/**
 * Chooses the list of an object that holds its records: the one named after the kind. Otherwise the
 * only list of an object that is not itself a record: one without a date, and without the `items` of
 * a nutrition record, in any spelling.
 */
function chooseList(name: string, root: JsonNode, kind: RecordKind): List | undefined {
  const members = root.members();
  const candidates = members.flatMap(([member, node]): List[] => {
    if (!Array.isArray(node.value)) return [];
    if (node.value.length > 0 && !node.value.some(isObject)) return [];
    return [{ name: member, elements: node.elements(), pointer: joinPointer('', member) }];
  });
  const named = candidates.filter((list) => plain(list.name) === kind);
  const names = members.map(([member]) => member);
  const isRecord =
    dateName(names) !== undefined ||
    (kind === 'nutrition' && names.some((member) => plain(member) === 'items'));
  const filled = candidates.filter(({ elements }) => elements.length > 0);
  const unnamed = filled.length > 0 ? filled : candidates;
  const choice = named.length > 0 ? named : isRecord ? [] : unnamed;
  if (choice.length <= 1) return choice[0];
  const listed = choice.map((list) => JSON.stringify(list.name)).join(', ');
  throw new SyncError('INPUT_INVALID', `${name} holds several lists: ${listed}.`, {
    hint: `Name the list of records "${kind}", or give it in a file of its own.`,
    details: { path: name },
  });
}

function notJson(name: string, text: string, fault: JsonFault): SyncError {
  const { offset, message } = fault;
  if (offset === undefined) {
    return new SyncError('INPUT_INVALID', `${name}: ${message}.`, {
      cause: fault,
      details: { path: name },
    });
  }
  const { line, column } = positionOf(text, offset);
  return new SyncError('INPUT_INVALID', `${name}:${line}:${column}: ${message}.`, {
    hint:
      offset >= text.trimEnd().length
        ? 'The file seems to be cut off: export or download it again.'
        : message.includes('after JSON')
          ? 'Several records go into an array, or one on each line.'
          : undefined,
    cause: fault,
    details: { path: name, line, column },
  });
}
