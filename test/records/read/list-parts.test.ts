import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import { parseDocument, readDocument } from '../../../src/records/read/document.ts';
import { findList } from '../../../src/records/read/json-list.ts';
import { readListParts } from '../../../src/records/read/list-parts.ts';
import type { RawRecord } from '../../../src/records/types.ts';

function inPieces(bytes: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}

/** Reads records to their end, with their lines, or to an error. */
function outcomeOf(records: Iterable<RawRecord>): unknown {
  try {
    return [...records].map(({ line, ...record }) => ({ ...record, line: line?.() }));
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const { code, message, hint, details } = error;
    return { code, message, hint, details };
  }
}

function whole(bytes: Buffer): unknown {
  return outcomeOf(
    (function* () {
      yield* readDocument(parseDocument('in.json', bytes), 'wellness');
    })(),
  );
}

function inParts(bytes: Buffer, size: number): unknown {
  const list = findList(bytes);
  if (list === undefined) throw new Error('no list');
  return outcomeOf(readListParts('in.json', inPieces(bytes, size), list, 'wellness'));
}

/** Longer than a part. */
const LONG = `{"comments":"${'ü\\"[,'.repeat(60_000)}"}`;
const DAY = '{"date":"2026-02-15","mood":3}';

describe('a list that is read in parts', () => {
  const lists: [name: string, text: string][] = [
    ['on one line', `[${DAY},${LONG},${DAY},${LONG}]`],
    ['on several lines', `\n[\n${DAY},\n\n ${LONG}\n,${LONG},\n  ${DAY}\n]\n`],
    ['with a byte order mark', `\ufeff[${DAY},\r\n${LONG},${DAY}]`],
    ['with escapes at the end of a text', `[{"a":"\\\\"},${LONG},{"a":"\\\\\\""},${DAY}]`],
    ['with lost digits and repeated members', `[${LONG},{"a":12345678901234567890},{"a":1,"a":2}]`],
    ['with other values than objects', `[1,"]",null,${LONG},[[]],true]`],
    ['without elements', '[ ]'],
  ];
  test.each(lists)('%s has the records of the whole document', (_, text) => {
    const bytes = Buffer.from(text);
    const expected = whole(bytes);
    expect(Array.isArray(expected)).toBe(true);
    const sizes = [1, 1_000, 300_000, bytes.length];
    const different = sizes.filter((size) => !isDeepStrictEqual(inParts(bytes, size), expected));
    expect(different).toEqual([]);
  });

  const broken: [name: string, text: string | Buffer][] = [
    ['a comma before its end', `[${LONG},${DAY},${LONG},]`],
    ['an empty place between elements', `[${LONG},,${DAY}]`],
    ['another bracket at its end', `[${LONG},${DAY}}`],
    ['no end', `[${LONG},\n${DAY}`],
    ['a text without an end', `[${LONG},{"a":"${DAY}]`],
    ['a backslash as its last byte', `[${LONG},"\\`],
    ['a second list after it', `[${LONG},${DAY}]\n[]`],
    ['a wrong bracket in an element', `[${LONG},{"a":[}]]`],
    ['a bare word', `[${LONG},\n{"a":NaN}]`],
    ['elements nested too deep', `[${LONG},${'['.repeat(200)}${']'.repeat(200)}]`],
    [
      'a byte that is not UTF-8',
      Buffer.concat([Buffer.from(`[${LONG},"`), Buffer.from([0xff, 0x22, 0x5d])]),
    ],
  ];
  test.each(broken)('with %s is refused as in the whole document', (_, text) => {
    const bytes = Buffer.from(text);
    const expected = whole(bytes);
    expect(expected).toMatchObject({ code: 'INPUT_INVALID' });
    for (const size of [1_000, bytes.length]) expect(inParts(bytes, size)).toEqual(expected);
  });
});
