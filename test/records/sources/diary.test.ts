import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/base/phrase.ts';
import { prepareInputs } from '../../../src/records/prepare.ts';
import { SOURCES } from '../../../src/records/sources/all.ts';
import type { RecordOptions } from '../../../src/records/types.ts';
import { BERLIN, chunks } from '../support.ts';

async function read(text: string, options: Partial<RecordOptions> = {}, source?: string) {
  const list = SOURCES.filter(({ name }) => source === undefined || name === source);
  const choose = () => Promise.reject(new Error('several sources'));
  const sources = { list, named: source !== undefined, choose };
  const inputs = [{ name: 'f.csv', chunks: chunks(text) }];
  const signal = new AbortController().signal;
  const result = await prepareInputs(
    'wellness',
    inputs,
    { ...BERLIN, sources, ...options },
    signal,
  );
  const said = result.records.flatMap(({ warnings }) => warnings);
  return {
    bodies: result.records.map(({ body }) => body),
    notes: said.map(({ source: place, message }) => `${place}: ${renderText(message, undefined)}`),
    invalid: result.invalid.map(({ source: place, problem }) => `${place}: ${problem}`),
    refused: result.unreadable.map(
      ({ problems, hint }) => `${problems[0].problem} ${renderText(hint, undefined)}`,
    ),
  };
}

const NONE = { bodies: [], notes: [], invalid: [] };

describe('a table with field names of the platform', () => {
  it.each([
    [
      'Strong',
      'Date,Workout Name,Exercise Name,Set Order,Weight,Reps\n2026-11-20,Legs,Squat,1,120,5\n',
      '"Workout Name", "Exercise Name", "Set Order", "Reps"',
    ],
    [
      'FitNotes',
      'Date,Exercise,Category,Weight,Weight Unit,Reps\n2026-11-20,Squat,Legs,120,kg,5\n',
      '"Exercise", "Reps"',
    ],
    ['prices', 'day,weight,price\n2026-11-20,25,9\n', '"price"'],
    ['a stock', 'date,close,steps\n2026-11-20,9,3\n', '"close"'],
    ['an inventory', 'date,sku,weight,quantity\n2026-11-20,X1,25,9\n', '"sku", "quantity"'],
    ['parcels', 'date,carrier,tracking,weight\n2026-11-20,DHL,77,25\n', '"carrier", "tracking"'],
    ['a column as good as the field', 'date,label,weight\n2026-11-20,x,25\n', '"label"'],
  ])('is refused with its columns if they contradict a diary: %s', async (_, text, columns) => {
    const { refused, ...others } = await read(text);
    expect(others).toEqual(NONE);
    expect(refused).toEqual([expect.stringContaining(`diary: it has the columns ${columns}.`)]);
    expect(refused[0]).toContain('--source table');
    expect(refused[0]).toContain('--map');
  });

  it('is refused with the place if a day has two rows', async () => {
    const { refused, ...others } = await read('date,weightKg\n2026-11-20,25\n2026-11-20,26\n');
    expect(others).toEqual(NONE);
    expect(refused).toEqual([
      expect.stringContaining('f.csv:3 is a second row for 2026-11-20; a diary has one a day.'),
    ]);
    expect(refused[0]).toContain('--source table');
  });

  it('is sent if it is an athlete’s diary, or if the source is named', async () => {
    const diary = await read('date,weight,steps,notes\n2026-11-20,72.4,8123,good\n');
    expect(diary.bodies).toEqual([{ date: '2026-11-20', weight: 72.4, steps: 8_123 }]);
    const named = await read('date,price,weight\n2026-11-20,9,72\n2026-11-20,9,73\n', {}, 'table');
    expect(named.bodies).toEqual([{ date: '2026-11-20', weight: 73 }]);
  });

  it.each([
    ['Weight Unit', 139.6, 'lb', 63.3215],
    ['Unit', 139.6, 'LBS', 63.3215],
    ['units', 10, 'st', 63.5029],
    ['Units', 72.4, 'kg', 72.4],
  ])('has its weight in the unit of the column %s: %d %s', async (column, weight, unit, kg) => {
    const text = `Date,Weight,${column}\n2026-11-20,${weight},${unit}\n`;
    const found = await read(text, { strict: true });
    expect(found).toMatchObject({ bodies: [{ weight: kg }], invalid: [], notes: [] });
  });

  it('with an unknown unit of the weight loses the weight', async () => {
    const { bodies, invalid } = await read('Date,Weight,Unit\n2026-11-20,139.6,oz\n');
    expect(bodies).toEqual([]);
    expect(invalid).toEqual([expect.stringContaining('is in "oz"; the known units are kg')]);
  });

  it('without a unit of the weight is noted if it is far from the last one', async () => {
    const text = 'Date,Weight\n2026-11-20,139.6\n2026-11-21,139.2\n';
    const far = await read(text, { lastWeight: 63.3 });
    expect(far.bodies).toHaveLength(2);
    expect(far.notes).toEqual([
      expect.stringMatching(
        /^f\.csv:2: is 139\.6 of no stated unit, and the weight before was 63\.3 kg\. .* \(2 times/,
      ),
    ]);
    expect((await read(text, { lastWeight: 120 })).notes).toEqual([]);
    expect((await read(text)).notes).toEqual([]);
  });

  it('without a unit of the weight is refused if strict', async () => {
    const strict = { strict: true };
    const { bodies, invalid } = await read('Date,Weight\n2026-11-20,72.4\n', strict);
    expect(bodies).toEqual([]);
    expect(invalid).toEqual([expect.stringContaining('A column "unit" with kg or lb states it')]);
    const stated = await read('Date,Weight (kg)\n2026-11-20,72.4\n', strict);
    expect(stated).toMatchObject({ bodies: [{ weight: 72.4 }], invalid: [], notes: [] });
  });
});

describe('a row that does not fit its header', () => {
  it('is refused alone if it has more cells, with the decimal comma', async () => {
    const rows = '2026-11-19,72.1,8000,,\n2026-11-20,72,4,8123\n2026-11-21,72.3,9000\n';
    const { bodies, invalid, refused } = await read(`date,weight,steps\n${rows}`);
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19', '2026-11-21']);
    expect(refused).toEqual([]);
    expect(invalid).toEqual(['f.csv:3: 4 cells, the header has 3: is 72,4 a decimal comma?']);
  });

  it('is refused alone if it lacks a separator', async () => {
    const rows = '2026-11-19,72.1,50,8000\n2026-11-20,72.3,8123\n';
    const { bodies, invalid } = await read(`date,weight,restingHr,steps\n${rows}`);
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(invalid).toEqual([
      'f.csv:3: 3 cells, the header has 4: is a separator missing, or was the line cut off?',
    ]);
  });

  it('is refused each time, also if several rows lack cells', async () => {
    const rows = '2026-11-19,72.1\n2026-11-20,72.3,8123\n2026-11-21,8200\n2026-11-22,72,\n';
    const { bodies, invalid } = await read(`date,weight,steps\n${rows}`);
    expect(bodies).toEqual([
      { date: '2026-11-20', weight: 72.3, steps: 8_123 },
      { date: '2026-11-22', weight: 72 },
    ]);
    expect(invalid).toHaveLength(2);
  });

  it('is ignored if it is a remark', async () => {
    const text = 'date,weight,steps\n2026-11-19,72.1,8000\nwritten by hand\n';
    expect(await read(text)).toMatchObject({ invalid: [], notes: [], bodies: [{ steps: 8_000 }] });
  });
});

describe('the last line of a table without a line break', () => {
  const cut = 'date,weightKg,steps\n2026-11-19,72.1,8000\n2026-11-20,72.4,81';

  it('gets one note, and is refused if strict', async () => {
    const { bodies, notes } = await read(cut);
    expect(bodies).toHaveLength(2);
    expect(notes).toEqual(['f.csv:3: the last line has no line break: was the file cut off?']);
    const strict = await read(cut, { strict: true });
    expect(strict.bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(strict.invalid).toEqual([expect.stringContaining('f.csv:3: the last line has no line')]);
  });

  it('is refused if it has fewer cells than the header', async () => {
    const { bodies, invalid } = await read(cut.slice(0, -3));
    expect(bodies.map(({ date }) => date)).toEqual(['2026-11-19']);
    expect(invalid).toEqual([
      'f.csv:3: 2 cells, the header has 3: is a separator missing, or was the line cut off?',
    ]);
  });
});
