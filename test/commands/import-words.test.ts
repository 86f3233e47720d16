import { expect, it } from 'vitest';
import { renderText } from '../../src/base/phrase.ts';
import { tableText } from '../../src/commands/import/words.ts';
import type { ImportRow } from '../../src/import/import-table.ts';
import { widthOf } from '../../src/terminal/wrap.ts';

const ROWS: readonly ImportRow[] = [
  {
    kind: 'wellness',
    title: 'Garmin Connect export: sleep',
    files: 12,
    bytes: 0,
    days: ['2026-01-01', '2026-05-18'],
    sends: true,
  },
  {
    kind: 'no-activity',
    title: 'Recordings of no activity',
    files: 1_203,
    bytes: 0,
    days: ['2026-01-01', '2026-05-18'],
    sends: false,
    reason: 'courses, settings and monitoring are no activities',
  },
];

it.each([
  [200, / no: courses, settings and monitoring are no activities$/],
  [
    80,
    /\nNot sent:\n {2}Recordings of no activity: courses, settings and monitoring are no activities$/,
  ],
  [
    60,
    /\nNot sent:\n {2}Recordings of no activity: courses, settings and monitoring are no activities$/,
  ],
  [60, /\nNot sent:\n {2}Recordings of no activity: /],
])('shows each reason whole in a terminal of %i columns', (stdoutColumns, reasons) => {
  const text = renderText(tableText(ROWS, { stdoutColumns, unicode: true }, undefined), undefined);
  expect(text).toMatch(/^Recordings of no activity +1203 +2 /m);
  expect(text).toMatch(reasons);
  for (const line of text.split('\nNot sent:')[0]?.split('\n') ?? []) {
    expect(widthOf(line)).toBeLessThanOrEqual(stdoutColumns);
  }
});

it('leaves out the dates rather than the end of a title, which names the part of an export', () => {
  const [sleep] = ROWS;
  const title = 'Garmin Connect account export: health status';
  const io = { stdoutColumns: 80, unicode: true };
  const shown = renderText(tableText([{ ...sleep, title } as ImportRow], io, undefined), undefined);
  expect(shown).toContain(title);
  expect(shown).not.toContain('2026-01-01');
});
