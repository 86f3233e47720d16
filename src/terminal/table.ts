import { type Text, joinTexts } from '../base/phrase.ts';
import { printable } from '../base/printable.ts';
import { glyphsFor } from './features.ts';
import type { Io } from './io.ts';
import { cutToWidth, widthOf } from './wrap.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const GAP = 2;
/** Width below which a cell is not cut. */
const LEAST_CUT = 12;

/**
 * Formats columns two spaces apart, each as wide as its widest cell. Omits empty columns. In a
 * terminal, the cells of the widest columns are cut to make each row one line; figures stay whole.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { stdoutColumns, unicode }: Pick<Io, 'stdoutColumns' | 'unicode'>,
): Text {
  const shown = columns
    .map((column, index) => ({ column, cells: rows.map((row) => printable(row[index] ?? '')) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map(({ column, cells }) => ({
      column,
      cells: [column.title, ...cells],
      width: Math.max(widthOf(column.title), ...cells.map(widthOf)),
    }));
  if (stdoutColumns > 0) fit(shown, stdoutColumns);
  const { ellipsis } = glyphsFor(unicode);
  const lines = [-1, ...rows.keys()].map((row) => line(shown, row + 1, ellipsis));
  return joinTexts(lines);
}

interface Shown {
  readonly column: Column;
  readonly cells: readonly string[];
  width: number;
}

/** Narrows the widest columns of text until a row fits into `available` columns. */
function fit(shown: readonly Shown[], available: number): void {
  const texts = shown.filter(({ column }) => column.align !== 'right');
  const total = () => shown.reduce((sum, { width }) => sum + width + GAP, -GAP);
  for (let excess = total() - available; excess > 0; excess--) {
    const [widest] = texts.toSorted((a, b) => b.width - a.width);
    if (widest === undefined || widest.width <= LEAST_CUT) return;
    widest.width--;
  }
}

function line(shown: readonly Shown[], row: number, ellipsis: string): string {
  return shown
    .map(({ column, cells, width }) => {
      const cell = cutToWidth(cells[row] ?? '', width, ellipsis);
      const gap = ' '.repeat(width - widthOf(cell));
      return column.align === 'right' ? gap + cell : cell + gap;
    })
    .join(' '.repeat(GAP))
    .trimEnd();
}
