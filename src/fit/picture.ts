/** Text graphics of an activity: charts of block elements, a map of braille dots. */

/** A value at a time. */
export interface Point {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

export interface Chart {
  /** From top to bottom, all with the same width. */
  readonly lines: readonly string[];
  /** Least and greatest value drawn. Each is the mean of a column. */
  readonly least: number;
  readonly greatest: number;
}

export interface ChartSize {
  readonly columns: number;
  readonly rows: number;
  /** Draw with ASCII characters alone, in less detail. */
  readonly ascii?: boolean;
}

/** Time for which a chart repeats the last value before it shows a gap (s). */
const HOLD_SECS = 30;
const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const ASCII_EIGHTHS = [' ', '.', '.', ':', ':', '|', '|', '#', '#'] as const;

/**
 * Draws a filled chart over time. Each column shows the mean of its time; a pause leaves a gap.
 *
 * @param points in order of time
 * @param span seconds across the width, so that several charts can share a time scale
 * @param range smallest difference of values that fills the height, so that noise stays small
 * @returns undefined if there is nothing to draw
 */
export function drawChart(
  points: readonly Point[],
  span: number,
  range: number,
  { columns, rows, ascii = false }: ChartSize,
): Chart | undefined {
  const means = columnMeans(points, span, columns);
  const drawn = means.filter((mean) => mean !== undefined);
  if (drawn.length === 0) return undefined;
  const least = drawn.reduce((a, b) => Math.min(a, b));
  const greatest = drawn.reduce((a, b) => Math.max(a, b));
  const levels = means.map((mean) =>
    mean === undefined
      ? 0
      : 1 + Math.round(((mean - least) / Math.max(range, greatest - least)) * (rows * 8 - 1)),
  );
  const lines = Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    const eighths = ascii ? ASCII_EIGHTHS : EIGHTHS;
    return levels.map((level) => eighths[Math.max(0, Math.min(8, level - below))]).join('');
  });
  return { lines, least, greatest };
}

function columnMeans(
  points: readonly Point[],
  span: number,
  columns: number,
): (number | undefined)[] {
  const sums = new Array<number>(columns).fill(0);
  const counts = new Array<number>(columns).fill(0);
  for (const { at, value } of points) {
    if (!(at >= 0 && at <= span)) continue;
    const column = span === 0 ? 0 : Math.min(columns - 1, Math.floor((at / span) * columns));
    sums[column] = (sums[column] ?? 0) + value;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  let held: number | undefined;
  let left = 0;
  return sums.map((sum, column) => {
    const count = counts[column] ?? 0;
    left -= span / columns;
    if (count > 0) {
      held = sum / count;
      left = HOLD_SECS;
    }
    return left > 0 ? held : undefined;
  });
}

/** A position at a time. */
export interface Place {
  /** Seconds. */
  readonly at: number;
  /** Degrees. */
  readonly latitude: number;
  /** Degrees. */
  readonly longitude: number;
}

/** Positions further apart in time are not connected (s). */
const SEPARATE_SECS = 600;
/** Smallest extent of a track to draw (m). */
const SMALLEST_EXTENT = 20;
const METRES_PER_DEGREE = 111_320;
/** The bits of a braille character (U+2800) by column and row of its dots. */
const BRAILLE = 0x2800;
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

/**
 * Draws a track as a map, north up and to scale, within the given size. Returns lines of the same
 * width from top to bottom; none if the track stays in one place.
 *
 * @param places in order of time
 */
export function drawTrack(
  places: readonly Place[],
  { columns, rows, ascii = false }: ChartSize,
): string[] {
  const metres = toMetres(places);
  const xs = extent(metres.map(({ x }) => x));
  const ys = extent(metres.map(({ y }) => y));
  const larger = Math.max(xs.size, ys.size);
  if (metres.length < 2 || larger < SMALLEST_EXTENT) return [];
  const dotSize = Math.max(xs.size / (columns * 2 - 1), ys.size / (rows * 4 - 1));
  const canvas = new Canvas(
    Math.floor(Math.round(xs.size / dotSize) / 2) + 1,
    Math.floor(Math.round(ys.size / dotSize) / 4) + 1,
  );
  let before: { x: number; y: number; at: number } | undefined;
  for (const { x, y, at } of metres) {
    const dot = {
      x: Math.round((x - xs.least) / dotSize),
      y: Math.round((ys.greatest - y) / dotSize),
      at,
    };
    const from = before !== undefined && at - before.at <= SEPARATE_SECS ? before : dot;
    canvas.line(from.x, from.y, dot.x, dot.y);
    before = dot;
  }
  return canvas.lines(ascii ? asciiCell : brailleCell);
}

/** Projects positions onto a plane, also across the date line. */
function toMetres(places: readonly Place[]): { x: number; y: number; at: number }[] {
  const [first] = places;
  if (first === undefined) return [];
  const middle = places.reduce((sum, { latitude }) => sum + latitude, 0) / places.length;
  const shrink = Math.cos((middle * Math.PI) / 180);
  return places.map(({ at, latitude, longitude }) => {
    const east = ((longitude - first.longitude + 540) % 360) - 180;
    return { at, x: east * shrink * METRES_PER_DEGREE, y: latitude * METRES_PER_DEGREE };
  });
}

function extent(values: readonly number[]): { least: number; greatest: number; size: number } {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const greatest = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return { least, greatest, size: Math.max(0, greatest - least) };
}

function brailleCell(dots: number): string {
  return String.fromCharCode(BRAILLE + dots);
}

/** Dots in the upper two of the four rows of a cell. */
const UPPER = 0x01 | 0x02 | 0x08 | 0x10;

function asciiCell(dots: number): string {
  const upper = (dots & UPPER) !== 0;
  const lower = (dots & ~UPPER) !== 0;
  return upper ? (lower ? ':' : "'") : lower ? '.' : ' ';
}

class Canvas {
  readonly #columns: number;
  readonly #cells: Uint8Array;

  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.#cells = new Uint8Array(columns * rows);
  }

  /** Draws a straight line of dots, both ends included. */
  line(x0: number, y0: number, x1: number, y1: number): void {
    const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
    for (let i = 0; i <= steps; i++) {
      this.#dot(Math.round(x0 + ((x1 - x0) * i) / steps), Math.round(y0 + ((y1 - y0) * i) / steps));
    }
  }

  #dot(x: number, y: number): void {
    const cell = (y >> 2) * this.#columns + (x >> 1);
    this.#cells[cell] = (this.#cells[cell] ?? 0) | (DOTS[x & 1]?.[y & 3] ?? 0);
  }

  /** @param character that shows the dots of a cell */
  lines(character: (dots: number) => string): string[] {
    const lines: string[] = [];
    for (let at = 0; at < this.#cells.length; at += this.#columns) {
      const row = this.#cells.subarray(at, at + this.#columns);
      lines.push(Array.from(row, character).join(''));
    }
    return lines;
  }
}
