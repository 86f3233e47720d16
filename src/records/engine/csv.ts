import { Readable, pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { SyncError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { plural } from '../../terminal/words.ts';
import { plain } from '../names.ts';
import { refusedInput } from '../refused-input.ts';
import type { JsonValue } from '../types.ts';
import { anyOf, matches } from './recognise.ts';
import type { Encoding } from '../read/text.ts';
import { valueAt } from './path.ts';
import { type NumberForm, POINTS } from './number.ts';
import type { Row } from './row.ts';
import type { Mapping, Match, Path, Source } from '../sources/types.ts';

/**
 * Reads tables: CSV with commas, semicolons or tabs, as `csv-parse` reads it (RFC 4180, quoted line
 * breaks, a byte order mark).
 */

/** The header line of a table lies within this many characters. */
const MAX_HEADER = 16_384;

/** How a table is written. */
export interface TableForm {
  readonly delimiter: Delimiter;
  readonly header: readonly string[];
  /** Numbers of cells that a row may have: as the header, or as all rows. */
  readonly widths: readonly number[];
  /** The first rows. */
  readonly rows: readonly (readonly string[])[];
}

type Delimiter = ',' | ';' | '\t';

/**
 * Finds how a table is written by its header line.
 *
 * @param head the first characters of the file
 * @param skipLines lines before the header
 * @returns undefined if the line has a single cell
 */
export function tableForm(head: string, skipLines = 0): TableForm | undefined {
  const text = head
    .slice(0, MAX_HEADER)
    .split(/(?<=\n)/)
    .slice(skipLines)
    .join('');
  const forms = ([',', ';', '\t'] as const).map((delimiter) => ({
    delimiter,
    header: headOf(text, delimiter)[0] ?? [],
  }));
  const { delimiter, header } = forms.reduce((most, next) =>
    next.header.length > most.header.length ? next : most,
  );
  if (header.length < 2) return undefined;
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const rows = headOf(whole, delimiter, FIRST_ROWS).slice(1);
  const lengths = new Set(rows.filter((row) => filled(row) > 1).map((row) => row.length));
  // One row shows it only where a line before the header shows the program: `72,4` may be two cells.
  const isCommon = rows.length > (skipLines === 0 ? 1 : 0) && lengths.size === 1;
  const common = isCommon ? [...lengths].filter((length) => length > header.length) : [];
  return {
    delimiter,
    header,
    widths: [header.length, filled(header), ...common],
    rows,
  };
}

/** Number of rows that show how a table is written. */
const FIRST_ROWS = 50;

/** The unit after the number of a cell. */
const UNIT = /\s{0,2}[^\d\s.,]\D{0,19}$/;

/**
 * Returns how the numbers of a table are written, as the first rows of the columns that are read show it. If none
 * shows it, a comma is a thousand between commas, and a decimal of a known program.
 *
 * @param isGuess no program is known that writes the table
 */
export function numberFormOf(
  { delimiter, header, rows }: TableForm,
  unread: readonly string[],
  isGuess: boolean,
): NumberForm {
  const isRead = header.map((column) => !unread.includes(column));
  const read = rows.flatMap((row) => row.filter((_, at) => isRead[at] === true));
  const cells = read.map((cell) => cell.replace(UNIT, ''));
  const hasAny = (number: RegExp) => cells.some((cell) => number.test(cell));
  const hasPoints = hasAny(/^-?\d+\.(?!\d{3}$)\d+$/);
  const hasCommas = hasAny(/^-?\d+,(?!\d{3}$)\d+$/);
  if (hasCommas && hasPoints && delimiter === ',') return { comma: 'unclear', point: 'unclear' };
  if (hasCommas) return { comma: 'decimal', point: 'thousand' };
  if (hasPoints) return POINTS;
  if (delimiter === ',') return { comma: 'thousand', point: 'unclear' };
  return { comma: isGuess ? 'unclear' : 'decimal', point: 'unclear' };
}

/**
 * Returns the sources that a table matches by its header.
 *
 * @param head the first characters of the file
 */
export function matchTable(name: string, head: string, sources: readonly Source[]): Match[] {
  const headers = new Map<number, readonly string[]>();
  const headerAt = (skipLines: number) => {
    const known = headers.get(skipLines);
    if (known !== undefined) return known;
    const header = (tableForm(head, skipLines)?.header ?? []).map(columnName);
    headers.set(skipLines, header);
    return header;
  };
  const isMatch = ({ skipLines = 0, has, hasNot = [] }: Mapping) => {
    const hasColumn = (path: Path) => headerAt(skipLines).includes(plain(path));
    return has.every((paths) => anyOf(paths, hasColumn)) && !hasNot.some(hasColumn);
  };
  return matches(name, sources, 'csv', isMatch, ({ skipLines = 0 }) => headerAt(skipLines));
}

/** Some programs write the header as a remark. */
function columnName(cell: string): string {
  return plain(cell.replace(/^#/, ''));
}

/** Limits the lines before a header that are looked at. */
const MAX_BEFORE = 6;

/** Returns the number of lines before the first header that a source matches. */
export function linesBeforeHeader(
  name: string,
  head: string,
  sources: readonly Source[],
): number | undefined {
  const lines = head.split(/(?<=\n)/);
  const skips = Array.from({ length: MAX_BEFORE }, (_, at) => at + 1);
  const isHeader = (at: number) =>
    lines[at]?.trim() !== '' && matchTable(name, lines.slice(at).join(''), sources).length > 0;
  return skips.find(isHeader);
}

/** Returns the first lines of a table. */
function headOf(text: string, delimiter: Delimiter, to = 1): string[][] {
  const parsed = (options: object): string[][] =>
    parseNow(text, { ...LENIENT, delimiter, to, ...options });
  let lines: string[][];
  try {
    lines = parsed({});
  } catch (error) {
    // Reading the table reports the quote without an end.
    if (!isTableFault(error)) throw error;
    lines = parsed({ quote: false });
  }
  return lines.map((line) => line.map((cell) => cell.trim()));
}

/** Some programs write a last comma, or a quote within a cell. Rows that another program appended may end otherwise. */
const LENIENT = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
};

/**
 * Reads the lines of a table as rows. A column that appears twice counts once, at its first place.
 *
 * @throws SyncError `INPUT_INVALID` if the text is not UTF-8, or its quotes do not match.
 */
export async function* readTable(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  { delimiter, header, widths }: TableForm,
  skipLines = 0,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<Row[], void, undefined> {
  const columns = header.map(columnName);
  const isColumn = (name: string) => columns.includes(name);
  const parser = parse({ ...LENIENT, delimiter, info: true, raw: true, from_line: skipLines + 1 });
  pipeline(Readable.from(textOf(name, chunks, encoding)), parser, () => undefined);
  let isHeader = true;
  let above: string | undefined;
  let doubled = 0;
  try {
    for await (const { record, raw, info } of parser as AsyncIterable<TableLine>) {
      // The parser counts lines up to the end of the record, and a `\r\n` in a cell twice.
      const line = info.lines - countOf(/[\r\n]/g, record) - doubled;
      doubled += countOf(/\r\n/g, record);
      const names = record.map(columnName);
      if (isHeader || names.join() === columns.join()) {
        isHeader = false;
        continue;
      }
      if (filled(names) > 1 && (names[0] === columns[0] || names.every(isColumn))) {
        const message = `${name}:${line} is a second header, with other columns than the first.`;
        throw new SyncError('INPUT_INVALID', message, { hint: 'Divide the file at that line.' });
      }
      if (filled(names) === 1) above = record[0]?.trim();
      const cells = new Map<string, string>([['^', above ?? '']]);
      for (const [index, cell] of record.entries()) {
        const column = columns[index];
        if (column !== undefined && !cells.has(column)) cells.set(column, cell.trim());
      }
      const isOpen = !/[\r\n]$/.test(raw);
      const row: Row = {
        source: `${name}:${line}`,
        get: (path) => cells.get(plain(path)) ?? memberOfCell(cells, path),
        problem: misfit(record, widths, delimiter),
        doubt: isOpen ? 'the last line has no line break: was the file cut off?' : undefined,
      };
      yield [row];
    }
  } catch (error) {
    throw isTableFault(error) ? tableFault(name, error) : error;
  }
}

function countOf(breaks: RegExp, cells: readonly string[]): number {
  return cells.join().match(breaks)?.length ?? 0;
}

/** Some tables have JSON in a cell: `spo2.average` is a member of the JSON in the cell `spo2`. */
function memberOfCell(cells: ReadonlyMap<string, string>, path: Path): JsonValue | undefined {
  const [, column, rest] = /^(.+?)\.(.+)$/.exec(path) ?? [];
  const cell = column === undefined ? undefined : cells.get(plain(column));
  if (rest === undefined || cell?.startsWith('{') !== true) return undefined;
  try {
    return valueAt({ value: parseJson(cell) as JsonValue, around: [], pointer: '' }, rest);
  } catch {
    return undefined;
  }
}

/** Returns the number of cells without the empty ones at the end. */
function filled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== '') + 1;
}

/** Returns why a row does not fit the header. @param widths as in {@link TableForm} */
function misfit(
  cells: readonly string[],
  widths: readonly number[],
  separator: string,
): string | undefined {
  const [, width = 0] = widths;
  const count = cells.length;
  // A line with one cell is a remark, unless it begins like a row.
  const isRemark = filled(cells) < 2 && !/^\d/.test(cells[0] ?? '');
  if (isRemark || (widths.includes(count) && filled(cells) <= width)) return undefined;
  const found = `${plural(count, 'cell')}, the header has ${width}`;
  if (count < width) return `${found}: is a separator missing, or was the line cut off?`;
  const [pair] = /(?<![^,])\d+,\d+(?![^,])/.exec(cells.join(separator)) ?? [];
  return pair === undefined ? found : `${found}: is ${pair} a decimal comma?`;
}

interface TableLine {
  readonly raw: string;
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

async function* textOf(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const hint = 'Save it as UTF-8: spreadsheets call that "CSV UTF-8".';
    throw refusedInput(name, `${name} is not UTF-8 text`, hint, { cause: error });
  }
}

interface TableFault extends Error {
  readonly code: `CSV_${string}`;
  readonly lines: number;
}

function isTableFault(error: unknown): error is TableFault {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_');
}

function tableFault(name: string, fault: TableFault): SyncError {
  const { code, lines: line } = fault;
  const message =
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'a quoted cell has no end'
      : fault.message.split(/[:,] (?:got|at line)/)[0];
  const hint = 'The file may be cut off: export or download it again.';
  return refusedInput(name, `${name}:${line}: ${message}`, hint, { cause: fault, line });
}
