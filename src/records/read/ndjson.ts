import { isUtf8 } from 'node:buffer';
import { JsonFault } from '../../base/json.ts';
import { MAX_RECORDS, tooManyRecords } from './document.ts';
import { JsonTooLarge, parseText } from './json.ts';
import { afterSpace, markLength } from './text.ts';
import { refusedInput } from '../refused-input.ts';
import type { RawRecord, RefusedRecord } from '../types.ts';

/** Reads records of one JSON object a line. */

/** A file with more broken lines than this is not NDJSON. */
export const MAX_BAD_LINES = 1_000;

/** A line of NDJSON that is not blank. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

/**
 * Yields the lines of an input that are not blank.
 *
 * @param head its first bytes, with the byte order mark if there is one
 * @throws SyncError `INPUT_INVALID` if there are too many
 */
export async function* linesOf(
  name: string,
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Line, void, undefined> {
  let number = 0;
  let records = 0;
  for await (const bytes of splitLines(head.subarray(markLength(head)), rest)) {
    number++;
    if (afterSpace(bytes, 0) === bytes.length) continue;
    if (++records > MAX_RECORDS) throw tooManyRecords(name);
    yield { number, bytes };
  }
}

/**
 * Yields a record for each line.
 *
 * @throws SyncError `INPUT_INVALID` if too many lines cannot be read
 */
export async function* readLines(
  name: string,
  lines: AsyncIterable<Line>,
): AsyncGenerator<RawRecord | RefusedRecord, void, undefined> {
  let bad = 0;
  for await (const { number, bytes } of lines) {
    const record = readLine(`${name}:${number}`, bytes);
    if ('problems' in record && ++bad > MAX_BAD_LINES) {
      const last = `line ${number}: ${record.problems[0]?.problem ?? ''}`;
      const found = `${name} is not one JSON object a line: more than ${MAX_BAD_LINES} lines can't be read, the last of them is ${last}`;
      throw refusedInput(name, found, undefined, { line: number });
    }
    yield record;
  }
}

/** Yields the lines, without their line feeds. */
async function* splitLines(
  head: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  const cut = function* (chunk: Buffer): Generator<Buffer, void, undefined> {
    let from = 0;
    for (let end; (end = chunk.indexOf(0x0a, from)) !== -1; from = end + 1) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
  yield* cut(head);
  for await (const chunk of rest) yield* cut(chunk);
  if (parts.length > 0) yield Buffer.concat(parts);
}

function readLine(source: string, line: Buffer): RawRecord | RefusedRecord {
  const refused = (problem: string) => ({ source, problems: [{ problem }] });
  if (!isUtf8(line)) return refused('is not UTF-8');
  const text = line.toString();
  try {
    return { source, value: parseText(text) };
  } catch (error) {
    if (error instanceof JsonTooLarge) return refused(error.message);
    if (!(error instanceof JsonFault)) throw error;
    const column = error.offset === undefined ? '' : ` (column ${error.offset + 1})`;
    return refused(`is not JSON: ${error.message}${column}`);
  }
}
