import { describe, expect, it } from 'vitest';
import { table } from '../../src/terminal/table.ts';

describe('a table', () => {
  const columns = [
    { title: 'Date' },
    { title: 'Power', align: 'right' },
    { title: 'Empty' },
  ] as const;

  it('is as wide as its cells, without empty columns and trailing spaces', () => {
    expect(
      table(columns, [
        ['2026-02-15', '5 W', ''],
        ['b', '1000 W', ''],
      ]),
    ).toBe(['Date         Power', '2026-02-15     5 W', 'b           1000 W'].join('\n'));
  });

  it('keeps each row on one line', () => {
    expect(table([{ title: 'Title' }], [['one\ntwo']])).toBe('Title\none two');
  });

  it('prints its heading without rows and accepts missing cells', () => {
    expect(table(columns, [[], ['x']])).toBe('Date\n\nx');
  });
});
