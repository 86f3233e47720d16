import type { SyncError } from '../../base/errors.ts';
import { JsonFault } from '../../base/json.ts';
import { JsonTooLarge, MAX_JSON_BYTES, parseText, tooLong } from './json.ts';
import { dateName, plain } from '../names.ts';
import { joinPointer, listNames } from '../listed.ts';
import { decodeText, positionOf } from './text.ts';
import { refusedInput } from '../refused-input.ts';
import type { JsonObject, JsonValue, RawRecord, RecordKind } from '../types.ts';
import { isObject } from '../values.ts';

/** More records in one input are refused; there are fewer than 50,000 dates to put them on. */
export const MAX_RECORDS = 1_000_000;

/**
 * Reads the records of one JSON document in the platform's form: an array, an object, or an object with
 * a list of records in it.
 *
 * @throws SyncError `INPUT_INVALID` before anything is yielded.
 */
export function* readDocument(
  name: string,
  value: JsonValue,
  kind: RecordKind,
): Generator<RawRecord, void, undefined> {
  const list = findList(name, value, kind);
  if (list === undefined) {
    yield { source: name, value };
    return;
  }
  const pointer = list.member === undefined ? '' : joinPointer('', list.member);
  for (const [index, element] of list.elements.entries()) {
    yield { source: `${name}#/${joinPointer(pointer, index)}`, value: element };
  }
}

/** Says how to make a smaller document of its source. */
type Remedy = () => string | undefined;

const OWN_REMEDY = 'Write one record on each line, or split it, for example by year.';

/**
 * Parses a document.
 *
 * @param bytes a document above the limit may be cut off
 * @throws SyncError `INPUT_INVALID` if it is too large, empty, not UTF-8 or not JSON
 */
export function parseDocument(name: string, bytes: Buffer, remedy: Remedy): JsonValue {
  if (bytes.length > MAX_JSON_BYTES) throw notJson(name, '', tooLong(), remedy);
  const text = decodeText(name, bytes);
  if (text.trim() === '') {
    const hint =
      'Export it again if it should have records. A pipe without any passes an empty list: []';
    throw refusedInput(name, `${name} is empty`, hint);
  }
  try {
    return parseText(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw notJson(name, text, error, remedy);
  }
}

export function tooManyRecords(name: string): SyncError {
  const found = `${name} has more than ${MAX_RECORDS} records`;
  return refusedInput(name, found, 'Split it, for example by year.');
}

/** A list of records; without `member`, the document is the list. */
interface List {
  readonly member?: string;
  readonly elements: readonly JsonValue[];
}

/** Finds the list that holds the records; undefined if the document is itself a record. */
function findList(name: string, value: JsonValue, kind: RecordKind): List | undefined {
  if (!Array.isArray(value) && !isObject(value)) {
    const hint = 'Give a JSON object, an array of objects, or one object a line.';
    throw refusedInput(name, `${name} holds a single value, not records`, hint);
  }
  const list = Array.isArray(value) ? { elements: value } : chooseList(name, value, kind);
  if (list !== undefined && list.elements.length > MAX_RECORDS) throw tooManyRecords(name);
  return list;
}

/**
 * Returns the lists that may hold the records of an object: the one named after the kind, else those with objects. An
 * object that is itself a record has none: one with a date, or with the `items` of a nutrition record, in any spelling.
 */
function listsOf(document: JsonObject, kind: RecordKind): Required<List>[] {
  const candidates = Object.entries(document).flatMap(([member, elements]) => {
    if (!Array.isArray(elements)) return [];
    if (elements.length > 0 && !elements.some(isObject)) return [];
    return [{ member, elements }];
  });
  const named = candidates.filter(({ member }) => plain(member) === kind);
  if (named.length > 0) return named;
  const names = Object.keys(document);
  const isRecord =
    dateName(names) !== undefined ||
    (kind === 'nutrition' && names.some((member) => plain(member) === 'items'));
  if (isRecord) return [];
  const filled = candidates.filter(({ elements }) => elements.length > 0);
  // An empty list beside objects holds something else.
  return filled.length > 0 || Object.values(document).some(isObject) ? filled : candidates;
}

/** Returns the member of an object that states the units of its records. */
function unitMember(document: JsonObject): string | undefined {
  const isUnit = (member: string) => /^(?:units?|unitsystem)$/.test(plain(member));
  return dateName(Object.keys(document)) === undefined
    ? Object.keys(document).find(isUnit)
    : undefined;
}

/** Returns the name of the only list of records in a document that states no units of its own. */
export function onlyList(document: JsonValue): string | undefined {
  if (!isObject(document) || unitMember(document) !== undefined) return undefined;
  const [only, ...others] = listsOf(document, 'nutrition');
  return others.length === 0 ? only?.member : undefined;
}

/** Chooses the list of an object that holds its records: see {@link listsOf}. */
function chooseList(name: string, document: JsonObject, kind: RecordKind): List | undefined {
  const choice = listsOf(document, kind);
  const unit = unitMember(document);
  if (unit !== undefined && choice.length === 1) {
    const stated = `${name} states units of its own: "${unit}"`;
    const hint =
      "JSON records have the platform's units: convert the values, and remove this member.";
    throw refusedInput(name, stated, hint);
  }
  if (choice.length <= 1) return choice[0];
  const listed = listNames(choice.map(({ member }) => member));
  const hint = `Name the list of records "${kind}", or give it in a file of its own.`;
  throw refusedInput(name, `${name} holds several lists: ${listed}`, hint);
}

function notJson(name: string, text: string, fault: JsonFault, remedy: Remedy): SyncError {
  const { offset, message } = fault;
  if (fault instanceof JsonTooLarge)
    return refusedInput(name, `${name} ${message}`, remedy() ?? OWN_REMEDY, { cause: fault });
  if (offset === undefined)
    return refusedInput(name, `${name}: ${message}`, undefined, { cause: fault });
  const { line, column } = positionOf(text, offset);
  const hint =
    offset >= text.trimEnd().length
      ? 'The file seems to be cut off: export or download it again.'
      : message.includes('after JSON')
        ? 'Several records go into an array, or one on each line.'
        : undefined;
  const found = `${name}:${line}:${column}: ${message}`;
  return refusedInput(name, found, hint, { cause: fault, line, column });
}
