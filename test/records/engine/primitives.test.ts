import { describe, expect, it } from 'vitest';
import type { Source, WellnessMapping } from '../../../src/records/sources/types.ts';
import { prepareFiles } from '../support.ts';

/** Reads a text with one mapping, for an athlete at home in Berlin. */
async function read(text: string, mapping: Partial<WellnessMapping>) {
  const file: WellnessMapping = {
    kind: 'wellness',
    holds: 'days',
    format: 'json',
    has: [],
    day: { from: 'day' },
    fields: { steps: 'steps' },
    ...mapping,
  };
  const source: Source = { name: 'test', title: 'Test', howTo: '', evidence: [], files: [file] };
  const sources = { list: [source], named: true };
  const { records, invalid, unreadable } = await prepareFiles(
    'wellness',
    { file: text },
    { sources },
  );
  return {
    bodies: records.map(({ body }) => body),
    problems: [...invalid, ...unreadable].flatMap(({ problems }) =>
      problems.map(({ problem }) => problem),
    ),
  };
}

const day = '2026-02-15';

describe('a day', () => {
  it.each([
    [[2026, 2, 15], day],
    [[2026, 2, 15, 7, 5], day],
    [[2026, 2, 15, 23, 59, 59, 999_000_000], day],
  ])('is read from the numbers %j', async (numbers, date) => {
    const { bodies } = await read(JSON.stringify({ day: numbers, steps: 9 }), {});
    expect(bodies).toEqual([{ date, steps: 9 }]);
  });

  it.each([[[2026, 2]], [[2026, 2, 30]], [[2026, 'Feb', 15]]])(
    'is reported if the numbers %j are no date',
    async (numbers) => {
      const { bodies, problems } = await read(JSON.stringify({ day: numbers, steps: 9 }), {});

      expect(bodies).toEqual([]);
      expect(problems).toEqual([expect.stringContaining('day is')]);
    },
  );

  it('is the one at the offset beside a time in UTC', async () => {
    const text = JSON.stringify([
      { end: '2026-02-16T06:30:00.000Z', offset: '-08:00', steps: 1 },
      { end: '2026-02-16T22:30:00Z', offset: '+09:00', steps: 2 },
      { end: '2026-02-18T23:30:00Z', steps: 3 },
    ]);
    const { bodies } = await read(text, { day: { from: 'end', offset: 'offset' } });
    expect(bodies).toEqual([
      { date: '2026-02-15', steps: 1 },
      { date: '2026-02-17', steps: 2 },
      { date: '2026-02-19', steps: 3 },
    ]);
  });
});

describe('JSON in a cell of a table', () => {
  const mapping: Partial<WellnessMapping> = {
    format: 'csv',
    fields: { spO2: 'oxygen.average', steps: 'steps' },
  };

  it.each(['', 'n/a', '{"average"'])('has none if the cell is "%s"', async (cell) => {
    const text = `day;steps;oxygen\n${day};9;"${cell.replaceAll('"', '""')}"\n`;
    expect(await read(text, mapping)).toEqual({ bodies: [{ date: day, steps: 9 }], problems: [] });
  });
});
