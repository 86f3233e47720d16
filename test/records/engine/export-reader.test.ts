import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/base/phrase.ts';
import type { Match, Source } from '../../../src/records/sources/types.ts';
import type { RecordKind, SourceOptions } from '../../../src/records/types.ts';
import { prepareFiles } from '../support.ts';

const scale: Source = {
  name: 'scale',
  title: 'Scale',
  howTo: '',
  evidence: [],
  files: [
    {
      kind: 'wellness',
      holds: 'weights',
      format: 'csv',
      has: ['When', 'Mass'],
      day: { from: 'When' },
      fields: { weight: { from: 'Mass', none: [-1] } },
    },
    {
      kind: 'nutrition',
      holds: 'meals',
      format: 'json',
      records: 'meals',
      has: ['eaten'],
      time: { from: 'eaten' },
      item: { name: 'dish', carbs: 'carbs', meal: 'meal' },
    },
  ],
};
const otherScale: Source = { ...scale, name: 'other-scale', title: 'Other scale' };
const general: Source = { ...scale, name: 'general', general: true };

async function read(
  text: string,
  options: Partial<SourceOptions> = {},
  kind: RecordKind = 'wellness',
) {
  const sources = { list: [scale], ...options };
  const result = await prepareFiles(kind, { file: text }, { sources });
  const { records, invalid, unreadable, exports } = result;
  return {
    bodies: records.map(({ body }) => body),
    notes: records.flatMap(({ warnings }) => warnings),
    invalid: invalid.map(({ source, problems }) => ({ source, problems })),
    refused: unreadable.map(
      ({ problems, hint }) => `${problems[0].problem} ${renderText(hint, undefined)}`,
    ),
    exports,
  };
}

const WEIGHTS = 'When,Mass\n2026-02-15T07:00:00+01:00,72.4\n2026-02-14T07:00:00+01:00,-1\n';

describe('an input that a source matches', () => {
  it('yields one record a day, and is named with its days', async () => {
    const { bodies, exports } = await read(WEIGHTS);
    expect(bodies).toEqual([{ date: '2026-02-15', weight: 72.4 }]);
    expect(exports).toEqual([
      {
        input: 'file',
        source: scale,
        mapping: scale.files[0],
        days: 1,
        first: '2026-02-15',
        last: '2026-02-15',
        unread: [],
      },
    ]);
  });

  it('names the columns that a general source does not read', async () => {
    const { exports } = await read('When,Mass,Mood\n2026-02-15,72,9\n', { list: [general] });
    expect(exports.map(({ unread }) => unread)).toEqual([['Mood']]);
  });

  it('yields the latest measurement of a day, whatever the order of the file', async () => {
    const rows = ['2026-02-15T20:00:00+01:00,73', '2026-02-15T07:00:00+01:00,72'];
    for (const order of [rows, rows.toReversed()]) {
      const { bodies, notes } = await read(`When,Mass\n${order.join('\n')}\n`);
      expect(bodies).toEqual([{ date: '2026-02-15', weight: 73 }]);
      expect(notes).toEqual([]);
    }
  });

  it('reports a value that cannot be read with its line, and sends the rest', async () => {
    const { bodies, invalid } = await read(`${WEIGHTS}2026-02-13,heavy\nyesterday,71\n`);
    expect(bodies).toEqual([{ date: '2026-02-15', weight: 72.4 }]);
    expect(invalid).toEqual([
      {
        source: 'file:5',
        problems: [{ field: 'date', problem: expect.stringContaining('yesterday') as string }],
      },
      { source: 'file:4', problems: [expect.objectContaining({ field: 'weight' })] },
    ]);
  });

  it('is chosen by the user if several sources match', async () => {
    const asked: (readonly Match[])[] = [];
    const choose = (_: string, matches: readonly Match[]) => {
      asked.push(matches);
      return Promise.resolve(matches[1] ?? never());
    };
    const { exports } = await read(WEIGHTS, { list: [scale, otherScale], choose });
    expect(asked).toHaveLength(1);
    expect(exports.map(({ source }) => source.name)).toEqual(['other-scale']);
  });

  it('is read by a general source only if no other matches', async () => {
    const both = await read(WEIGHTS, { list: [general, scale] });
    expect(both.exports.map(({ source }) => source.name)).toEqual(['scale']);
    const alone = await read(WEIGHTS, { list: [general] });
    expect(alone.exports.map(({ source }) => source.name)).toEqual(['general']);
  });

  it('gives food without a time the time of its meal', async () => {
    const meals = [
      { eaten: '2026-02-15', dish: 'Oats', carbs: 60, meal: 'BREAKFAST' },
      { eaten: '2026-02-15', dish: 'Nuts', carbs: 5 },
      { eaten: '2026-02-15', dish: 'Apple', carbs: 20, meal: 'Morning snack' },
      { eaten: '2026-02-15T21:15:00', dish: 'Tea', carbs: 1 },
      { eaten: '2026-02-15', dish: 'Nothing' },
    ];
    const { bodies } = await read(JSON.stringify({ meals }), {}, 'nutrition');
    expect(bodies).toEqual([
      {
        date: '2026-02-15',
        items: [
          { name: 'Oats', carbs: 60, meal: 'BREAKFAST', logged_at: '2026-02-15T08:00:00+01:00' },
          { name: 'Nuts', carbs: 5, logged_at: '2026-02-15T12:00:00+01:00' },
          { name: 'Apple', carbs: 20, meal: 'SNACK', logged_at: '2026-02-15T16:00:00+01:00' },
          { name: 'Tea', carbs: 1, logged_at: '2026-02-15T21:15:00+01:00' },
        ],
      },
    ]);
  });
});

it.each([
  [
    'a table of an unknown program',
    'a,b\n1,2\n',
    {},
    'file is a table from an unknown program, with the columns "a", "b". `sync sources` lists',
  ],
  [
    'records of the other kind',
    '{"meals": [{"eaten": "2026-02-15", "carbs": 1}]}',
    {},
    'file is nutrition (Scale: meals). Send it with `sync push nutrition file`.',
  ],
  [
    'a file of another program than the named one',
    '{"meal": 1}',
    { named: true },
    'file is no file of this source: Scale. `sync sources file` says',
  ],
  ['XML', '<?xml version="1.0"?><a/>', {}, 'file is XML from an unknown program.'],
  ['a web page', '<!DOCTYPE html><html>', {}, 'file is a web page (HTML).'],
  ['a table with an open quote', 'When,Mass\n2026-02-15,"72\n', {}, 'a quoted cell has no end'],
])('an input that no source reads is refused: %s', async (_, text, options, said) => {
  const { refused, bodies } = await read(text, options);
  expect(refused).toEqual([expect.stringContaining(said)]);
  expect(bodies).toEqual([]);
});

function never(): never {
  throw new Error('There is no second match');
}
