import { oneLine } from './words.ts';

import stringWidth from 'string-width';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Formats columns two spaces apart, each as wide as its widest cell. Omits empty columns. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const shown = columns
    .map((column, index) => ({ column, cells: rows.map((row) => oneLine(row[index] ?? '')) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map(({ column, cells }) => ({
      column,
      cells: [column.title, ...cells],
      width: Math.max(stringWidth(column.title), ...cells.map((cell) => stringWidth(cell))),
    }));
  return [-1, ...rows.keys()].map((row) => line(shown, row + 1)).join('\n');
}

type Shown = readonly { column: Column; cells: readonly string[]; width: number }[];

function line(shown: Shown, row: number): string {
  return shown
    .map(({ column, cells, width }) => {
      const cell = cells[row] ?? '';
      const gap = ' '.repeat(width - stringWidth(cell));
      return column.align === 'right' ? gap + cell : cell + gap;
    })
    .join('  ')
    .trimEnd();
}
