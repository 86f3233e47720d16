import { SyncError } from '../base/errors.ts';
import { JsonFault, JsonScanner } from './json-scan.ts';
import { joinPointer, MAX_RECORDS, readValue } from './json-value.ts';
import { dateName, plain } from './names.ts';
import { invalidUtf8At, markLength, positionOf, strangerOf } from './text.ts';
import type { RawRecord, RecordKind } from './types.ts';

/**
 * The records of one JSON document: an array, an object, or an object with a list of records in
 * it. The document is checked from end to end first; its records are parsed one by one after that,
 * so that only the text and one record are held.
 *
 * @throws SyncError `INPUT_INVALID` before anything is yielded.
 */
export function* readDocument(
  name: string,
  bytes: Buffer,
  kind: RecordKind,
): Generator<RawRecord, void, undefined> {
  const start = markLength(bytes);
  checkText(name, bytes);
  const list = findList(name, outline(name, bytes, start), kind);
  if (list === undefined) {
    yield readValue(name, bytes, start, bytes.length);
    return;
  }
  const scanner = new JsonScanner(bytes, list.at);
  for (const index of scanner.elements()) {
    scanner.skipSpace();
    const from = scanner.position;
    scanner.value(1);
    const pointer = joinPointer(list.pointer, index);
    yield readValue(`${name}#/${pointer}`, bytes, from, scanner.position);
  }
}

function checkText(name: string, bytes: Buffer): void {
  const stranger = strangerOf(bytes);
  if (stranger !== undefined) {
    throw new SyncError('INPUT_INVALID', `${name} is ${stranger.what}.`, {
      hint: stranger.hint,
      details: { path: name },
    });
  }
  const offset = invalidUtf8At(bytes);
  if (offset !== undefined) {
    const { line, column } = positionOf(bytes, offset);
    throw new SyncError(
      'INPUT_INVALID',
      `${name}:${line}:${column}: the text is not UTF-8 at byte ${offset}.`,
      { hint: 'Save the file as UTF-8.', details: { path: name, line, column, offset } },
    );
  }
}

interface List {
  readonly name: string;
  /** Where its `[` is. */
  readonly at: number;
  readonly length: number;
  /** Is it empty, or is one of its elements an object? */
  readonly holdsRecords: boolean;
}

type Outline =
  | { readonly form: 'array'; readonly list: List }
  | { readonly form: 'object'; readonly names: readonly string[]; readonly lists: readonly List[] };

/** Goes over the whole document. */
function outline(name: string, bytes: Buffer, start: number): Outline {
  const scanner = new JsonScanner(bytes, start);
  try {
    const found = outlineOf(name, bytes, scanner);
    scanner.finish();
    return found;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw notJson(name, bytes, error);
  }
}

function outlineOf(name: string, bytes: Buffer, scanner: JsonScanner): Outline {
  switch (scanner.peek()) {
    case undefined:
      throw new SyncError('INPUT_INVALID', `${name} is empty.`, {
        hint: 'A file without records holds an empty list: []',
        details: { path: name },
      });
    case 0x5b:
      return { form: 'array', list: outlineList('', scanner) };
    case 0x7b: {
      const names: string[] = [];
      const lists: List[] = [];
      for (const [from, to] of scanner.members()) {
        const member = JSON.parse(bytes.toString('utf8', from, to)) as string;
        names.push(member);
        if (scanner.peek() === 0x5b) lists.push(outlineList(member, scanner));
        else scanner.value(1);
      }
      return { form: 'object', names, lists };
    }
    default:
      scanner.value();
      scanner.finish();
      throw new SyncError('INPUT_INVALID', `${name} holds a single value, not records.`, {
        hint: 'Give a JSON object, an array of objects, or one object a line.',
        details: { path: name },
      });
  }
}

function outlineList(name: string, scanner: JsonScanner): List {
  const at = scanner.position;
  let length = 0;
  let objects = 0;
  for (const index of scanner.elements(name === '' ? 0 : 1)) {
    length = index + 1;
    if (scanner.peek() === 0x7b) objects++;
    scanner.value(2);
  }
  return { name, at, length, holdsRecords: length === 0 || objects > 0 };
}

/** The list that holds the records, or `undefined` if the document is itself a record. */
function findList(
  name: string,
  found: Outline,
  kind: RecordKind,
): { pointer: string; at: number } | undefined {
  const list = found.form === 'array' ? found.list : chooseList(name, found, kind);
  if (list === undefined) return undefined;
  if (list.length > MAX_RECORDS) {
    throw new SyncError('INPUT_INVALID', `${name} has more than ${MAX_RECORDS} records.`, {
      hint: 'Split it, for example by year.',
      details: { path: name },
    });
  }
  const pointer = found.form === 'array' ? '' : joinPointer('', list.name);
  return { pointer, at: list.at };
}

/**
 * Which list of an object holds its records: one that is named after the kind; else, in an object
 * that is not itself a record (it has no date, and no `items` of a nutrition record, in whatever
 * spelling), the only one.
 */
function chooseList(
  name: string,
  { names, lists }: Outline & { form: 'object' },
  kind: RecordKind,
): List | undefined {
  const candidates = lists.filter((list) => list.holdsRecords);
  const named = candidates.filter((list) => plain(list.name) === kind);
  const isRecord =
    dateName(names) !== undefined ||
    (kind === 'nutrition' && names.some((name) => plain(name) === 'items'));
  const choice = named.length > 0 ? named : isRecord ? [] : candidates;
  if (choice.length <= 1) return choice[0];
  const listed = choice.map((list) => JSON.stringify(list.name)).join(', ');
  throw new SyncError('INPUT_INVALID', `${name} holds several lists: ${listed}.`, {
    hint: `Name the list of records "${kind}", or give it in a file of its own.`,
    details: { path: name },
  });
}

/** Is the first line that is not blank one of several cells, and no JSON? */
function isCsv(bytes: Buffer): boolean {
  const text = bytes.toString('utf8', markLength(bytes), CSV_HEAD).trimStart();
  const [line = ''] = text.split(/[\r\n]/, 1);
  return /^[^[{]/.test(line) && /[,;\t]/.test(line);
}

/** The line of titles of a table is within so many bytes. */
const CSV_HEAD = 4_096;

function notJson(name: string, bytes: Buffer, fault: JsonFault): SyncError {
  if (isCsv(bytes)) {
    const message = `${name}: this looks like CSV; sync takes JSON (see docs/records.md).`;
    return new SyncError('INPUT_INVALID', message, { cause: fault, details: { path: name } });
  }
  const { line, column } = positionOf(bytes, fault.offset);
  const cutOff = fault.offset >= bytes.length || fault.message.startsWith('the text ends');
  const several = fault.message.startsWith('there is more text');
  return new SyncError('INPUT_INVALID', `${name}:${line}:${column}: ${fault.message}.`, {
    hint: cutOff
      ? 'The file seems to be cut off: export or download it again.'
      : several
        ? 'Several records go into an array, or one on each line.'
        : undefined,
    cause: fault,
    details: { path: name, line, column },
  });
}
