import { describe, expect, it } from 'vitest';
import { plainIo } from '../support/io.ts';
import { table as tableText } from '../../src/terminal/table.ts';

const table = (...given: Parameters<typeof tableText>) => String(tableText(...given));

describe('a table', () => {
  const columns = [
    { title: 'Date' },
    { title: 'Power', align: 'right' },
    { title: 'Empty' },
  ] as const;

  it('is as wide as its cells, without empty columns and trailing spaces', () => {
    expect(
      table(
        columns,
        [
          ['2026-02-15', '5 W', ''],
          ['b', '1000 W', ''],
        ],
        plainIo(),
      ),
    ).toBe(['Date         Power', '2026-02-15     5 W', 'b           1000 W'].join('\n'));
  });

  it('keeps each row on one line', () => {
    expect(table([{ title: 'Title' }], [['one\ntwo']], plainIo())).toBe('Title\none two');
  });

  it('prints its heading without rows and accepts missing cells', () => {
    expect(table(columns, [[], ['x']], plainIo())).toBe('Date\n\nx');
  });

  it('cuts its widest texts in a terminal, and no figures', () => {
    const rows = [
      ['2026-02-15', 'Morning ride along the river', '2:36:36'],
      ['2026-02-14', '日本の朝のライド日本の朝のライド', '1:00:00'],
    ];
    const heads = [
      { title: 'Date' },
      { title: 'Title' },
      { title: 'Time', align: 'right' },
    ] as const;
    expect(table(heads, rows, plainIo({ stdoutColumns: 40 })).split('\n')).toEqual([
      'Date        Title                   Time',
      '2026-02-15  Morning ride along…  2:36:36',
      '2026-02-14  日本の朝のライド日…  1:00:00',
    ]);
    const ascii = plainIo({ stdoutColumns: 40, unicode: false });
    expect(table(heads, rows, ascii)).toContain('2026-02-15  Morning ride alo...  2:36:36');
  });

  it('keeps figures whole that are wider than its texts', () => {
    const heads = [{ title: 'Title' }, { title: 'Energy', align: 'right' }] as const;
    const rows = [['Morning ride', '1,234,567,890 kilojoules']];
    expect(table(heads, rows, plainIo({ stdoutColumns: 30 }))).toContain(
      'Morning ride  1,234,567,890 kilojoules',
    );
  });
});
