import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { type Text, phrase, sync } from '../../src/base/phrase.ts';
import { MAX_RECORDS } from '../../src/records/read/document.ts';
import { fileInput } from '../../src/records/read/input.ts';
import { MAX_BAD_LINES } from '../../src/records/read/ndjson.ts';
import { readInput } from '../../src/records/read-input.ts';
import type { RawRecord, Reading, RecordKind } from '../../src/records/types.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

interface Outcome {
  records: (RawRecord | Reading)[];
  error?: { code: string; message: string; hint: Text | undefined; details: unknown };
}

async function read(
  content: string | Uint8Array,
  {
    kind = 'wellness',
    size = 7,
    maxBytes,
  }: { kind?: RecordKind; size?: number; maxBytes?: number } = {},
): Promise<Outcome> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const records: (RawRecord | Reading)[] = [];
  try {
    for await (const record of readInput(
      { name: 'in', chunks: inPieces(bytes, size) },
      kind,
      maxBytes === undefined ? {} : { maxBytes },
    )) {
      records.push(record);
    }
    return { records };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const { code, message, hint, details } = error;
    return { records, error: { code, message, hint, details } };
  }
}

const MONDAY = { date: '2026-02-16', hrv: 61 };
const TUESDAY = { date: '2026-02-17', hrv: 58, comments: 'müde \u{1f634}' };
const BOM = '\ufeff';

describe('the forms of an input', () => {
  const one = JSON.stringify(MONDAY);
  const two = JSON.stringify(TUESDAY);
  const pretty = JSON.stringify([MONDAY, TUESDAY], null, 2);
  const both = (...sources: string[]): RawRecord[] => [
    { source: sources[0] ?? '', value: MONDAY },
    { source: sources[1] ?? '', value: TUESDAY },
  ];
  const forms: [name: string, text: string, records: RawRecord[]][] = [
    ['an object', one, [{ source: 'in', value: MONDAY }]],
    ['an object on lines', JSON.stringify(MONDAY, null, 2), [{ source: 'in', value: MONDAY }]],
    ['an object and a line break', `${one}\n`, [{ source: 'in', value: MONDAY }]],
    ['an array', `[${one},${two}]`, both('in#/0', 'in#/1')],
    ['an array over several lines', pretty, both('in#/0', 'in#/1')],
    ['an array with CRLF', pretty.replaceAll('\n', '\r\n'), both('in#/0', 'in#/1')],
    ['an empty array', ' [ ] ', []],
    ['a list in an object', `{"data": [${one}, ${two}]}`, both('in#/data/0', 'in#/data/1')],
    [
      'a list beside an empty one',
      `{"data": [${one}, ${two}], "errors": []}`,
      both('in#/data/0', 'in#/data/1'),
    ],
    [
      'a list among other members',
      `{"athlete": {"tags": [1]}, "count": 2, "a/b": [${one}, ${two}], "tags": ["x"]}\n`,
      both('in#/a~1b/0', 'in#/a~1b/1'),
    ],
    [
      'the list named after the kind',
      `{"date": "2026-03-01", "nutrition": [{}], "Wellness": [${one}, ${two}]}`,
      both('in#/Wellness/0', 'in#/Wellness/1'),
    ],
    ['an empty list in an object', '{"data": []}', []],
    [
      'a record with a list of its own',
      '{"date": "2026-02-16", "laps": [{"a": 1}]}',
      [{ source: 'in', value: { date: '2026-02-16', laps: [{ a: 1 }] } }],
    ],
    ['a record without a date or a list', '{"hrv": 5}', [{ source: 'in', value: { hrv: 5 } }]],
    ['NDJSON', `${one}\n${two}\n`, both('in:1', 'in:2')],
    ['NDJSON without a last line break', `${one}\n${two}`, both('in:1', 'in:2')],
    [
      'NDJSON with CRLF and blank lines',
      `\r\n${one}\r\n\r\n \t${two}\r\n\r\n`,
      both('in:2', 'in:4'),
    ],
    [
      'values that are no records',
      '[1, null, {}]',
      [
        { source: 'in#/0', value: 1 },
        { source: 'in#/1', value: null },
        { source: 'in#/2', value: {} },
      ],
    ],
  ];

  test.each(forms)('include %s', async (_, text, records) => {
    for (const size of [1, 2, 5, 100_000]) {
      expect(await read(text, { size })).toEqual({ records });
      expect(await read(BOM + text, { size })).toEqual({ records });
    }
  });

  test('include a nutrition record without a date, which is a record and not a list', async () => {
    const other = { Items: [{ logged_at: '2026-02-16T08:00:00Z' }] };
    expect(await read(JSON.stringify(other), { kind: 'nutrition' })).toEqual({
      records: [{ source: 'in', value: other }],
    });
    const record = { items: [{ logged_at: '2026-02-16T08:00:00Z' }] };
    const text = JSON.stringify(record);
    expect(await read(text, { kind: 'nutrition' })).toEqual({
      records: [{ source: 'in', value: record }],
    });
    expect((await read(text)).records).toEqual([{ source: 'in#/items/0', value: record.items[0] }]);
  });

  test('give the same records in every form, for chunks of any size', async () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue({ depthSize: 'small' }), { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 2, maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        async (values, size) => {
          const plain = JSON.parse(JSON.stringify(values)) as unknown[];
          const lines = plain.map((value) => JSON.stringify(value));
          const texts = [
            `[${lines.join(',')}]`,
            JSON.stringify(plain, null, '\t'),
            `{"wellness":${JSON.stringify(plain)}}`,
            lines.join('\n'),
            lines.join('\r\n') + '\r\n',
          ];
          for (const text of texts) {
            const { records } = await read(text, { size });
            expect(records.map((each) => ('value' in each ? each.value : each))).toEqual(plain);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('an input that can’t be read as a whole', () => {
  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  type Row = [
    what: string,
    content: string | Uint8Array,
    message: string,
    hint?: Text,
    details?: object,
  ];
  test.each<Row>([
    [
      'empty',
      '',
      'in is empty.',
      'Export it again if it should have records. A pipe without any passes an empty list: []',
    ],
    ['blank', ' \r\n\t', 'in is empty.'],
    ['only a byte order mark', BOM, 'in is empty.'],
    [
      'cut off',
      '[{"date": "2026-02-16"},\n {"date": "20',
      'in:2:14: unterminated string.',
      'The file seems to be cut off: export or download it again.',
      { path: 'in', line: 2, column: 14 },
    ],
    [
      'broken in its last record',
      `[${'{"hrv": 50},\n'.repeat(500)}{"hrv": 5,}]`,
      'in:501:11: expected double-quoted property name (remove the comma before it).',
    ],
    [
      'an array followed by more',
      '[{"hrv": 1}]\n{"hrv": 2}\n',
      'in:2:1: unexpected non-whitespace character after JSON.',
      'Several records go into an array, or one on each line.',
    ],
    [
      'two objects on a line',
      '{"hrv": 1}{"hrv": 2}',
      'in:1:11: unexpected non-whitespace character after JSON.',
    ],
    [
      'NDJSON whose first line is broken',
      '{"hrv": 1\n{"hrv": 2}\n',
      "in:2:1: expected ',' or '}' after property value.",
    ],
    ['a single value', '42', 'in holds a single value, not records.'],
    [
      'two lists',
      '{"a": [{}], "b": [{}]}',
      'in holds several lists: "a", "b".',
      'Name the list of records "wellness", or give it in a file of its own.',
    ],
    ['UTF-16 without a mark', utf16('{\n"hrv": 1\n}'), 'in is UTF-16, not UTF-8.'],
    [
      'Latin-1',
      Buffer.from('[\n{"comments": "m\u00fcde"}]', 'latin1'),
      'in:2:16: the text is not UTF-8.',
      'Save the file as UTF-8.',
      { path: 'in', line: 2, column: 16 },
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'in is gzip, not JSON.', 'Unpack it with gunzip.'],
    [
      'a ZIP archive',
      Buffer.from('PK\u0003\u0004xyz'),
      'in is a ZIP archive, not JSON.',
      phrase`${sync('import', 'in')} reads archives.`,
    ],
    [
      'an Excel workbook',
      Buffer.from('PK\u0003\u0004xyz[Content_Types].xml<Types/>PK\u0003\u0004xl/workbook.xml'),
      'in is a spreadsheet.',
      'Open it, and save the sheet as CSV (UTF-8).',
    ],
    [
      'an old Excel workbook',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      'in is a spreadsheet.',
    ],
    [
      'an OpenDocument spreadsheet',
      Buffer.from('PK\u0003\u0004mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK'),
      'in is a spreadsheet.',
      'Open it, and save the sheet as CSV (UTF-8).',
    ],
    ['a Numbers sheet', Buffer.from('PK\u0003\u0004Index/Document.iwa'), 'in is a spreadsheet.'],
    [
      'a recording',
      Buffer.from('\u000e\u0010abcdef.FIT123', 'latin1'),
      'in is a recording (FIT), not JSON.',
      phrase`Send it with ${sync('upload', 'in')}.`,
    ],
  ])('yields no records: %s', async (_, content, message, hint, details) => {
    for (const size of [1, 5, 100_000]) {
      const { records, error } = await read(content, { size });
      expect(error).toMatchObject({ code: 'INPUT_INVALID', message });
      if (hint !== undefined) expect(error?.hint).toEqual(hint);
      if (details !== undefined) expect(error?.details).toMatchObject(details);
      expect(records).toEqual([]);
    }
  });

  test('is rejected if it is a document above the size limit, and reading stops there', async () => {
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await Promise.resolve();
        given += 1000;
        yield Buffer.alloc(1000, '[');
      }
    }
    const reading = readInput({ name: 'in', chunks: endless() }, 'wellness', {
      maxBytes: 10_000,
    }).next();
    await expect(reading).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'in is larger than 10000 bytes.',
    });
    expect(given).toBe(11_000);
  });

  test.each(['', BOM])('may be larger if it is XML: %j', async (mark) => {
    const text = `${mark}<HealthData>${' '.repeat(50_000)}</HealthData>`;
    const { error } = await read(text, { size: 1_000, maxBytes: 40_000 });
    expect(error?.message).toMatch(/^in:1:1: unexpected "</);
  });

  test('is rejected if its list has too many records', async () => {
    const text = `[${'0,'.repeat(MAX_RECORDS)}0]`;
    expect(await read(text, { size: 1e6 })).toMatchObject({
      records: [],
      error: { message: `in has more than ${MAX_RECORDS} records.` },
    });
  });
});

describe('NDJSON', () => {
  test('loses only its broken lines', async () => {
    const text = '{"hrv": 1}\n{"hrv": 2\nnonsense\n{"hrv": 3, "hrv": 4}\n[1]\n{"hrv": 5}\n';
    expect(await read(text)).toEqual({
      records: [
        { source: 'in:1', value: { hrv: 1 } },
        {
          source: 'in:2',
          problems: [
            { problem: "is not JSON: expected ',' or '}' after property value (column 10)" },
          ],
        },
        {
          source: 'in:3',
          problems: [{ problem: 'is not JSON: unexpected "nonsense" (column 1)' }],
        },
        {
          source: 'in:4',
          problems: [{ problem: 'is not JSON: "hrv" appears twice in one object (column 12)' }],
        },
        { source: 'in:5', value: [1] },
        { source: 'in:6', value: { hrv: 5 } },
      ],
    });
  });

  test('reports a line that is not UTF-8', async () => {
    const bytes = Buffer.from(`${BOM}{"hrv": 1}\n{"comments": "m\u00fcde"}\n{"hrv": 2}\n`);
    bytes[bytes.indexOf(0xc3)] = 0xff;
    expect((await read(bytes)).records).toEqual([
      { source: 'in:1', value: { hrv: 1 } },
      { source: 'in:2', problems: [{ problem: 'is not UTF-8' }] },
      { source: 'in:3', value: { hrv: 2 } },
    ]);
  });

  test('is rejected if it has too many broken lines', async () => {
    const few = `{"hrv": 1}\n${'x\n'.repeat(MAX_BAD_LINES)}`;
    expect((await read(few, { size: 1000 })).error).toBeUndefined();
    expect((await read(`${few}x`, { size: 1000 })).error).toMatchObject({
      code: 'INPUT_INVALID',
      message:
        `in is not one JSON object a line: more than ${MAX_BAD_LINES} lines can't be read, the last of ` +
        `them is line ${MAX_BAD_LINES + 2}: is not JSON: unexpected "x" (column 1).`,
    });
  });

  test('yields records during reading', async () => {
    let given = 0;
    async function* slowly(): AsyncGenerator<Uint8Array> {
      for (; given < 100; given++) {
        await Promise.resolve();
        yield Buffer.from(`{"hrv": ${given}}\n`);
      }
    }
    const records = readInput({ name: 'in', chunks: slowly() }, 'wellness');
    await records.next();
    expect(given).toBeLessThan(3);
    await records.return();
  });

  test('closes its source when the reader stops', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          await Promise.resolve();
          yield Buffer.from('{"hrv": 1}\n');
        }
      } finally {
        closed = true;
      }
    }
    for await (const record of readInput({ name: 'in', chunks: source() }, 'wellness')) {
      expect(record).toEqual({ source: 'in:1', value: { hrv: 1 } });
      break;
    }
    expect(closed).toBe(true);
  });
});

describe('an input file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sync-records-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function readFile(path: string): Promise<(RawRecord | Reading)[]> {
    const records: (RawRecord | Reading)[] = [];
    for await (const record of readInput(fileInput(path), 'wellness')) records.push(record);
    return records;
  }

  test('is named in its records by the given path', async () => {
    const path = join(folder, 'week.json');
    await writeFile(path, JSON.stringify([MONDAY]));
    expect(await readFile(path)).toEqual([{ source: `${path}#/0`, value: MONDAY }]);
  });

  test('reports a missing file or a folder, and reports nothing if it is not read', async () => {
    const missing = join(folder, 'missing.json');
    fileInput(missing);
    await expect(readFile(missing)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: `${missing}: There is no such file or folder.`,
    });
    await expect(readFile(folder)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: `${folder}: It is a folder.`,
    });
  });
});
