import { readDuration } from '../clock.ts';
import { unitNameOf, unitsOf } from '../fields.ts';

/** Reads the numbers in the cells of tables, as programs and people write them. */

/** `unclear`: no cell shows it, or cells contradict each other, so that `12.345` may be either. */
type Mark = 'decimal' | 'thousand' | 'unclear';

/** What a comma and a point in the numbers of a file are. */
export interface NumberForm {
  readonly comma: Mark;
  readonly point: Mark;
}

/** As programs write numbers for programs. */
export const POINTS: NumberForm = { comma: 'thousand', point: 'decimal' };

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads the number of a cell. `72,5` is a decimal comma, `1,234` in a table with commas between its
 * cells is a thousand, `1.234,5` and `1,234.5` are both, `1'234` is Swiss, and `95 %` is 95. `1.234` is a decimal
 * unless the form says thousand.
 *
 * @returns undefined if the text is no number
 */
export function parseNumber(text: string, { comma, point }: NumberForm): number | undefined {
  const isThousands = point === 'thousand' && /^[+-]?\d{1,3}(\.\d{3})+$/.test(text);
  if (isThousands) return Number(text.replaceAll('.', ''));
  if (comma === 'unclear' && /^[+-]?\d{1,3}(,\d{3})+$/.test(text)) return undefined;
  if (PLAIN_NUMBER.test(text)) return Number(text);
  const bare = text.replace(/[\s\u00a0\u202f]|(?<=\d)['’](?=\d{3}(?!\d))/g, '').replace(/%$/, '');
  const plain = withPoint(bare, comma);
  return PLAIN_NUMBER.test(plain) ? Number(plain) : undefined;
}

/** Writes a number with a decimal point, and without separators of thousands. */
function withPoint(text: string, mark: Mark): string {
  if (!text.includes(',')) return text;
  const comma = text.lastIndexOf(',');
  const point = text.lastIndexOf('.');
  if (point > comma) return /^[+-]?\d{1,3}(,\d{3})+\./.test(text) ? text.replaceAll(',', '') : text;
  if (point !== -1)
    return /^[+-]?\d{1,3}(\.\d{3})+,/.test(text)
      ? text.replaceAll('.', '').replace(',', '.')
      : text;
  const thousands = /^[+-]?\d{1,3}(,\d{3})+$/.test(text);
  return thousands && mark === 'thousand' ? text.replaceAll(',', '') : text.replace(',', '.');
}

const WITH_UNIT = /^([+-]?\d[\d.,\s]*?)\s*([^\d\s.,+-][^\d]*?)\.?$/;

/** Parts of an hour, by the unit of fields that are times. */
const TIME_UNITS: Readonly<Record<string, number>> = { h: 1, s: 3_600 };

/**
 * Divides a cell such as `72.4 kg` into the number and the factor of its unit, if it is one of the field. A
 * duration such as `7:32` states its units, too.
 *
 * @param ofMinutes the header says minutes, so that `12:30` may be minutes and seconds
 */
export function dividedCell(
  cell: string,
  field: string,
  ofMinutes = false,
): { readonly text: string; readonly factor: number } | undefined {
  if (PLAIN_NUMBER.test(cell)) return undefined;
  const perHour = ofMinutes && cell.includes(':') ? undefined : TIME_UNITS[unitNameOf(field)];
  const secs = perHour === undefined ? undefined : readDuration(cell);
  if (perHour !== undefined && secs !== undefined)
    return { text: String(secs), factor: perHour / 3_600 };
  const [, text, unit] = WITH_UNIT.exec(cell.trim()) ?? [];
  if (text === undefined || unit === undefined) return undefined;
  const factor = factorOf(unit, { [unitNameOf(field)]: 1, ...unitsOf(field) });
  return factor === undefined ? undefined : { text, factor };
}

export function statesUnit(cell: string, field: string): boolean {
  return dividedCell(cell, field) !== undefined;
}

/** Returns the factor of a unit. Apple's `Cal` are kilocalories, `cal` are not. */
export function factorOf(
  unit: string,
  factors: Readonly<Record<string, number>>,
): number | undefined {
  if (Object.hasOwn(factors, unit)) return factors[unit];
  return Object.entries(factors).find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
}
