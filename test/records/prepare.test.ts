import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordDigest } from '../../src/records/digest.ts';
import { readRecord } from '../../src/records/read-record.ts';
import { MAX_WARNINGS, mergeDays } from '../../src/records/merge.ts';
import { prepareInputs } from '../../src/records/prepare.ts';
import type {
  DayDraft,
  JsonObject,
  JsonValue,
  PreparedRecord,
  RawRecord,
  Reading,
} from '../../src/records/types.ts';
import { SOURCES } from '../../src/records/sources/all.ts';
import type { Source } from '../../src/records/sources/types.ts';
import {
  BERLIN,
  chunks,
  inputOf,
  prepare,
  prepareFiles,
  prepareRaw,
  rawRecords,
  withBody,
} from './support.ts';

const date = '2026-02-15';
const item = (name: string, extra: JsonObject = {}): JsonObject => ({
  name,
  logged_at: '2026-02-15T08:00:00+01:00',
  ...extra,
});

describe('several wellness records for one date', () => {
  test('merge into one, field by field in order, and the merge is reported', async () => {
    const { records } = await prepare('wellness', [
      { date, hrv: 61, weight: 72, rawJson: { a: 1, b: 1 } },
      { date: '2026-02-14', hrv: 55 },
      { date: '2026-02-15T10:00:00Z', weight: 72.5, steps: 9000, rawJson: { b: 2 } },
      { date, hrv: 61 },
    ]);
    const fields = { hrv: 61, weight: 72.5, rawJson: { a: 1, b: 2 }, steps: 9000 };
    const programs = { hrv: 'json', weight: 'json', rawJson: 'json', steps: 'json' };
    const day = { date, fields, parts: [], programs };
    const other = { date: '2026-02-14', fields: { hrv: 55 }, parts: [], programs: { hrv: 'json' } };
    const ready = { outcome: 'ready', kind: 'wellness', files: ['in.json'], asOf: {} };
    const sources = ['in.json#/0', 'in.json#/2', 'in.json#/3'];
    const replaces = "weight: this record's value replaces an earlier one's";
    expect(records).toEqual([
      {
        ...{ ...ready, ...other, sources: ['in.json#/1'], warnings: [] },
        ...{
          body: { date: '2026-02-14', hrv: 55 },
          digest: recordDigest({ ...other, prefer: [] }),
        },
        zoneUsed: false,
      },
      {
        ...{ ...ready, ...day, sources, zoneUsed: true },
        ...{ body: { date, ...fields }, digest: recordDigest({ ...day, prefer: [] }) },
        warnings: [
          { source: 'in.json#/2', message: replaces },
          { source: 'in.json#/3', message: `2026-02-15 is merged from ${sources.join(', ')}` },
        ],
      },
    ]);
  });

  const evening = { date: '2026-02-15T20:00:00+01:00', weight: 73, steps: 9000 };
  const morning = { date: '2026-02-15T07:00:00+01:00', weight: 72, hrv: 61 };
  const latest = { date, weight: 73, steps: 9000, hrv: 61 };

  test.each([
    ['newest first', [evening, morning], 'not sent, since another record of the day is later'],
    ['oldest first', [morning, evening], "this record's value replaces an earlier one's"],
  ])('send the latest measurement of each field: %s', async (_order, values, note) => {
    const { records } = await prepare('wellness', values);
    expect(records.map(({ body }) => body)).toEqual([latest]);
    expect(records[0]?.warnings).toEqual([
      { source: 'in.json#/1', message: `weight: ${note}` },
      { source: 'in.json#/1', message: '2026-02-15 is merged from in.json#/0, in.json#/1' },
    ]);
  });

  test.each([
    ['newest first', [evening, morning]],
    ['oldest first', [morning, evening]],
  ])('send the latest measurement of several files: %s', async (_order, values) => {
    const [one, other] = values.map((value) => JSON.stringify(value));
    const files = { 'one.json': one ?? '', 'other.json': other ?? '' };
    const { records } = await prepareFiles('wellness', files);
    expect(records.map(({ body }) => body)).toEqual([latest]);
  });

  test('are noted if two tables of the athlete contradict each other', async () => {
    const files = {
      'one.csv': 'date,weight (kg)\n2026-02-15,72.4\n',
      'other.csv': 'date,weight (kg)\n2026-02-15,73.1\n',
    };
    const { records } = await prepareFiles('wellness', files, { sources: { list: SOURCES } });
    const message = "weight: this record's value replaces an earlier one's";
    expect(records).toMatchObject([
      { body: { date, weight: 73.1 }, warnings: [{ source: 'other.csv:2', message }] },
    ]);
  });

  test('send the latest of several rawJson objects on top', async () => {
    const { records } = await prepare('wellness', [
      { ...evening, rawJson: { weight: 73 } },
      { ...morning, rawJson: { weight: 72, hrv: 61 } },
    ]);
    expect(records[0]?.body['rawJson']).toEqual({ weight: 73, hrv: 61 });
  });

  test.each([
    ['replaces what was read before it', [evening, { date, weight: 71 }], 71],
    ['is replaced by what is read after it', [{ date, weight: 71 }, morning], 72],
    ['is not replaced by an earlier measurement', [evening, { date, weight: 71 }, morning], 71],
    ['does not hide the latest measurement', [morning, { date, weight: 71 }, evening], 73],
  ])('order a record without a time by its place: it %s', async (_case, values, weight) => {
    const { records } = await prepare('wellness', values);
    expect(records[0]?.body['weight']).toBe(weight);
  });

  test('keep a list of warnings of limited length', async () => {
    const values = Array.from({ length: 200 }, () => ({ date, hrv: '61' }));
    const { records } = await prepare('wellness', values);
    const warnings = records[0]?.warnings ?? [];
    expect(warnings).toHaveLength(MAX_WARNINGS + 1);
    expect(warnings.at(-1)?.message).toBe('there are 151 more warnings about 2026-02-15');
    expect(records[0]?.sources).toHaveLength(200);
  });
});

test.each([
  ['a ZIP archive, not JSON', 'PK\u0003\u0004, a.csv, b.csv\n1, 2, 3\n'],
  ['a spreadsheet', 'PK\u0003\u0004, [Content_Types].xml, xl/\n1, 2, 3\n'],
  ['gzip, not JSON', '\u001f\u008b, a, b\n1, 2, 3\n'],
])('an input that is not text is not taken for a table: %s', async (what, text) => {
  const files = { in: Buffer.from(text, 'latin1') };
  const { unreadable } = await prepareFiles('wellness', files, { sources: { list: SOURCES } });
  expect(unreadable.map(({ problems }) => problems)).toEqual([[{ problem: `in is ${what}.` }]]);
});

describe('several nutrition records for one date', () => {
  test('join their items', async () => {
    const [a, b, c] = [item('a'), item('b'), item('c')];
    const { records } = await prepare('nutrition', [{ date, items: [a, b] }, { items: [c] }]);
    const message = '2026-02-15 is merged from in.json#/0, in.json#/1';
    expect(records).toEqual([
      {
        ...{ outcome: 'ready', kind: 'nutrition', date, body: { date, items: [a, b, c] } },
        ...{ sources: ['in.json#/0', 'in.json#/1'], files: ['in.json'] },
        ...{
          warnings: [{ source: 'in.json#/1', message }],
          programs: {},
          zoneUsed: false,
          asOf: {},
        },
        ...{ parts: [{ input: { kind: 'file', name: 'in.json' }, items: [a, b, c] }], fields: {} },
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
  });

  test('keep a total only if all of them state the same value', async () => {
    const total = { calories: 900, carbs: 100, waterMl: 500 };
    const { records } = await prepare('nutrition', [
      { date, items: [item('a')], ...total, protein: 20 },
      { date, items: [item('b')], ...total, carbs: 120 },
    ]);
    const items = [item('a'), item('b')];
    expect(records[0]?.body).toEqual({ date, items, calories: 900, waterMl: 500 });
    const message = 'is a total that not all merged records agree on: not sent, the items count';
    expect(records[0]?.warnings.slice(1)).toEqual(
      ['carbs', 'protein'].map((field) => ({ source: 'in.json#/1', field, message })),
    );
  });

  test('from one input send each item as often as the input contains it, and report that', async () => {
    const { records } = await prepare('nutrition', [
      { date, items: [item('a'), item('a')] },
      { date, items: [item('a'), item('b')] },
    ]);
    expect(records[0]?.body['items']).toEqual([item('a'), item('a'), item('a'), item('b')]);
    const message = 'one item is the same in several records of one input: all are sent';
    const warning = { source: 'in.json#/1', field: 'items', message };
    expect(records[0]?.warnings.at(-1)).toEqual(warning);
  });
});

describe('several inputs with the same nutrition date', () => {
  const files = async (...inputs: (readonly [name: string, ...items: JsonObject[]])[]) => {
    const read = inputs.map(([name, ...items]) => {
      return { name, origin: `/food/${name}`, chunks: chunks(JSON.stringify({ date, items })) };
    });
    const { signal } = new AbortController();
    return (await prepareInputs('nutrition', read, BERLIN, signal)).records.map(withBody);
  };

  test('count an item as often as the input that contains it most often, and report that', async () => {
    const [record] = await files(
      ['export.json', item('a'), item('a'), item('b')],
      ['export (1).json', item('c'), item('a')],
    );
    expect(record?.body['items']).toEqual([item('a'), item('b'), item('c'), item('a')]);
    const message = 'one item is the same in several inputs: sent once';
    const warning = { source: 'export (1).json', field: 'items', message };
    expect(record?.warnings.at(-1)).toEqual(warning);
  });

  test('have different digests for the same items, because their paths differ', async () => {
    const [one, same, other] = await Promise.all(
      ['a.json', 'a.json', 'b.json'].map((name) => files([name, item('a')])),
    );
    expect(one?.[0]?.digest).toBe(same?.[0]?.digest);
    expect(other?.[0]?.digest).not.toBe(one?.[0]?.digest);
    expect(one?.[0]).toMatchObject({
      parts: [{ input: { kind: 'file', name: '/food/a.json' }, items: [item('a')] }],
    });
  });
});

describe('merging input by input', () => {
  const field = fc.constantFrom('hrv', 'weight', 'steps', 'waterMl', 'calories', 'rawJson');
  const value = fc.oneof(fc.constant('7'), fc.integer({ min: 50, max: 52 }));
  const WARNING = { source: 'a', message: 'm' };
  const entryOf = (values: JsonObject) => ({
    ...{ source: 'a', date: '2026-02-15', path: 'items/0', values, isUnmeasured: false },
    ...{ spellings: new Map<string, string>(), exact: new Map<string, number>() },
  });
  const draft = (kind: 'wellness' | 'nutrition'): fc.Arbitrary<DayDraft> =>
    fc.record({
      date: fc.constantFrom('2026-02-15', '2026-02-16'),
      source: fc.constantFrom('a', 'b', 'c'),
      values: fc.dictionary(field, value),
      path: fc.constant(''),
      spellings: fc.constant(new Map<string, string>()),
      exact: fc.constant(new Map<string, number>()),
      isUnmeasured: fc.constant(false),
      items:
        kind === 'wellness'
          ? fc.constant([])
          : fc.array(fc.constantFrom('x', 'y', 'z').map((name) => entryOf(item(name)))),
      warnings: fc.array(fc.constant(WARNING), { maxLength: MAX_WARNINGS + 2 }),
      problems: fc.constant([]),
      zoneUsed: fc.boolean(),
      at: fc.constant(undefined),
    });

  const inputs = (kind: 'wellness' | 'nutrition') =>
    fc.array(fc.array(draft(kind), { maxLength: 4 }), { maxLength: 4 });
  const atOnce = (kind: 'wellness' | 'nutrition', drafts: readonly DayDraft[]) =>
    mergeDays(kind, [inputOf('in', drafts)]).records.map(withBody);
  const inputByInput = (kind: 'wellness' | 'nutrition', read: readonly (readonly DayDraft[])[]) =>
    mergeDays(
      kind,
      read.map((drafts, index) => inputOf(`in${index}`, drafts)),
    ).records.map(withBody);

  test('sends the same wellness as merging all records at once', () => {
    const sent = (records: readonly ReturnType<typeof withBody>[]) =>
      records.map(({ date: day, body, sources, zoneUsed, digest }) => ({
        ...{ day, body, sources, zoneUsed, digest },
      }));
    fc.assert(
      fc.property(inputs('wellness'), (read) => {
        expect(sent(inputByInput('wellness', read))).toEqual(sent(atOnce('wellness', read.flat())));
      }),
      { numRuns: 200 },
    );
  });

  test('sends the same nutrition fields as merging all at once, and each item as often as one input has it', () => {
    const told = (records: readonly PreparedRecord[]) =>
      records.map((record) => {
        const { date: day, sources, zoneUsed } = record;
        return { day, sources, zoneUsed, fields: record.fields };
      });
    const names = (drafts: readonly DayDraft[], day: string) =>
      drafts
        .filter((one) => one.date === day)
        .flatMap(({ items = [] }) => items.map(({ values }) => values['name']));
    fc.assert(
      fc.property(inputs('nutrition'), (read) => {
        const records = inputByInput('nutrition', read);
        expect(told(records)).toEqual(told(atOnce('nutrition', read.flat())));
        for (const { date: day, body } of records) {
          const expected = ['x', 'y', 'z'].flatMap((name) => {
            const counts = read.map(
              (drafts) => names(drafts, day).filter((one) => one === name).length,
            );
            return Array<string>(Math.max(...counts)).fill(name);
          });
          const sent = (body['items'] as JsonObject[]).map(({ name }) => name);
          expect(sent.sort()).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('names the value that is sent where a program does not count, not one that was replaced', () => {
    const read = (source: string, weight: number) =>
      readRecord('wellness', { source, value: { date, weight } }, BERLIN) as DayDraft[];
    const fitbit = { ...inputOf('fitbit.json', read('c', 72.4)), program: 'fitbit' };
    const own = [inputOf('a.json', read('a', 72)), inputOf('b.json', read('b', 70))];
    const records = mergeDays('wellness', [fitbit, ...own]).records.map(withBody);
    expect(records.map(({ body }) => body)).toEqual([{ date, weight: 70 }]);
    expect(records[0]?.warnings.map(({ message }) => String(message))).toContain(
      '70 of json counts, and not 72.4 of fitbit. `sync config set prefer weight=fitbit` chooses fitbit',
    );
  });
});

describe('a later input with the same day', () => {
  const source: Source = {
    ...{ name: 'meals', title: 'Meals', howTo: '', evidence: [] },
    files: [
      {
        ...{ kind: 'nutrition', holds: 'meals', format: 'json', records: 'meals', has: ['eaten'] },
        ...{ time: { from: 'eaten' }, item: { name: 'dish', carbs: 'carbs' } },
      },
    ],
  };
  const meal = (dish: string) =>
    chunks(JSON.stringify({ meals: [{ eaten: `${date}T12:00:00+01:00`, dish, carbs: 10 }] }));

  test.each([
    ['replaces an earlier file of its program', {}, undefined, ['rice']],
    ['adds to that if it is a stream', { isStream: true }, undefined, ['soup', 'rice']],
    ['adds to that if both have one origin', {}, 'diary', ['soup', 'rice']],
  ])('%s', async (_does, about, origin, expected) => {
    const inputs = [
      { name: 'a.json', chunks: meal('soup') },
      { name: 'b.json', chunks: meal('rice'), ...about },
    ];
    const choose = () => Promise.reject(new Error('several sources match'));
    const options = { ...BERLIN, origin, sources: { list: [source], named: true, choose } };
    const { signal } = new AbortController();
    const { records } = await prepareInputs('nutrition', inputs, options, signal);
    const items = records.flatMap(({ parts }) => parts.flatMap((part) => part.items ?? []));
    expect(items.map(({ name }) => name)).toEqual(expected);
  });
});

describe('a digest', () => {
  const json = fc.jsonValue({ depthSize: 'small' }).map((value) => {
    return JSON.parse(JSON.stringify(value)) as JsonValue;
  });
  /** The same JSON with its names in another order. */
  const reversed = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, child]) => [name, reversed(child)] as const);
    return Object.fromEntries(members.reverse());
  };

  test('does not depend on the order of names', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (value) => {
        expect(recordDigest(reversed(value) as JsonObject)).toBe(recordDigest(value));
      }),
      { numRuns: 200 },
    );
  });

  test('depends on the order of lists, and on the value and type of each field', () => {
    const bodies: JsonObject[] = [
      { date, items: [1, 2] },
      { date, items: [2, 1] },
      { date, items: [12] },
      { date, items: ['1', 2] },
      { date, items: [[1], 2] },
      { date, items: [1, 2], x: null },
      { date, 'items:[1,2]': 1 },
    ];
    expect(new Set(bodies.map(recordDigest)).size).toBe(bodies.length);
  });

  test('is the SHA-256 of the sorted JSON, as other programs compute it', () => {
    // printf '{"date":"2026-02-15","hrv":61.5}' | sha256sum
    expect(recordDigest({ hrv: 61.5, date })).toBe(
      '1f57239c083087c03b6e434df7568fd341d15579a96fd565def031a37480904b',
    );
  });
});

describe('preparing inputs', () => {
  test('rejects integers that lost digits if strict, and warns otherwise', async () => {
    const text = '{"date":"2026-02-15","hrv":61,"rawJson":{"ids":[9007199254740993],"n":1e400}}';
    const said = [
      'has more digits than a number keeps, and is read as 9007199254740992: write it as text',
      'the number is too large',
    ];
    const { records } = await prepareFiles('wellness', { 'in.json': text });
    expect(records[0]?.warnings).toEqual([
      { source: 'in.json', field: 'rawJson/ids/0', message: said[0] },
      { source: 'in.json', field: 'rawJson/n', message: said[1] },
    ]);
    const strict = await prepareFiles('wellness', { 'in.json': text }, { strict: true });
    expect(strict).toMatchObject({
      records: [],
      invalid: [
        { source: 'in.json', date, problems: [{ problem: said[0] }, { problem: said[1] }] },
      ],
    });
  });

  test('leaves out only the input that can’t be read as a whole', async () => {
    const { records, invalid, unreadable } = await prepareFiles('wellness', {
      'a.json': '[{"date": "2026-02-15", "hrv": 61}]',
      'b.ndjson': '{"date": "2026-02-16", "hrv": 61}\nx\n',
      'c.json': '[{"date": "2026-02-17", "hrv": 61}',
      'd.json': '{"date": "2026-02-18", "hrv": 61}',
    });
    expect(records.map(({ date: day }) => day)).toEqual(['2026-02-15', '2026-02-16', '2026-02-18']);
    expect(invalid.map(({ source }) => source)).toEqual(['b.ndjson:2']);
    const problems = [{ problem: "c.json:1:35: expected ',' or ']' after array element." }];
    const hint =
      'The file seems to be cut off: export or download it again. Nothing of it is sent. It holds up no other input.';
    const about = { outcome: 'invalid', kind: 'wellness', source: 'c.json' };
    expect(unreadable).toEqual([{ ...about, problems, hint }]);
  });

  test('reports for a single input that none of it is sent', async () => {
    const text = '[{"date": "2026-02-15", "hrv": 61},]';
    const { records, unreadable } = await prepareFiles('wellness', { 'in.json': text });
    expect(records).toEqual([]);
    const problem = expect.stringMatching(/^in\.json:1:36: /) as string;
    const hint = 'Nothing of it is sent.';
    expect(unreadable).toMatchObject([{ problems: [{ problem }], hint }]);
  });

  test.each([
    ['2026-02-15T12:00:00Z', 'Pacific/Kiritimati', '2026-02-18', 0],
    ['2026-02-15T12:00:00Z', 'Pacific/Kiritimati', '2026-02-19', 1],
    ['2026-02-15T12:00:00Z', 'Europe/Berlin', '2026-02-18', 1],
  ])('counts days ahead from %s in %s: %s', async (now, zone, day, refused) => {
    const text = `[{"date": "${day}", "hrv": 61}]`;
    const options = { zone: { name: zone, from: 'flag' }, now: Date.parse(now) } as const;
    const { invalid } = await prepareFiles('wellness', { 'a.json': text }, options);
    expect(invalid).toHaveLength(refused);
  });

  test('reports an unknown field once per input', async () => {
    const text =
      '[{"date": "2026-02-15", "hrv": 61, "restHr": 50}, {"date": "2026-02-16", "hrv": 62, "restHr": 50}]';
    const { records } = await prepareFiles('wellness', { 'a.json': text, 'b.json': text });
    const all = records.flatMap(({ warnings }) => warnings);
    const message = expect.stringMatching(/ \(2 times in this input\)$/) as string;
    expect(all.filter(({ field }) => field === 'restHr')).toMatchObject([
      { source: 'a.json#/0', message },
      { source: 'b.json#/0', message },
    ]);
  });

  test('keeps broken lines as invalid records', async () => {
    async function* lines(): AsyncGenerator<RawRecord | Reading> {
      yield { source: 'in:1', problems: [{ problem: 'is not JSON' }] };
      yield* rawRecords([{ date, hrv: 61 }]);
    }
    const { records, invalid } = await prepareRaw('wellness', lines(), BERLIN);
    expect(records).toHaveLength(1);
    const problem = 'is not JSON';
    const about = { outcome: 'invalid', kind: 'wellness', source: 'in:1' };
    expect(invalid).toEqual([{ ...about, problem, problems: [{ problem }] }]);
  });

  test('stops when its signal is aborted', async () => {
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (let count = 0; ; count++) {
        await Promise.resolve();
        if (count === 3) stop.abort();
        yield Buffer.from('{"date": "2026-02-15", "hrv": 61}\n');
      }
    }
    const files = { 'endless.ndjson': endless() };
    const preparing = prepareFiles('wellness', files, { signal: stop.signal });
    await expect(preparing).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('prefers a zone from a flag to the offset of a timestamp', async () => {
    const values = [{ date: '2026-02-15T23:30:00-05:00', hrv: 61 }];
    for (const from of ['flag', 'environment', 'profile', 'machine'] as const) {
      const zone = { name: 'Europe/Berlin', from };
      const { records } = await prepare('wellness', values, { zone });
      const isFlag = from === 'flag';
      const day = isFlag ? '2026-02-16' : '2026-02-15';
      expect(records, from).toMatchObject([{ date: day, zoneUsed: isFlag }]);
    }
  });
});
