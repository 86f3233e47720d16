/** Text graphics of an activity: charts of block elements, a map of braille dots. */

/** Values over time. A value is NaN if there is none at its time. */
export interface Series {
  /** Seconds, in ascending order. */
  readonly at: readonly number[];
  readonly values: readonly number[];
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
 * @param span seconds across the width, so that several charts can share a time scale
 * @param range smallest difference of values that fills the height, so that noise stays small
 * @returns the lines from top to bottom, all with the same width; none if the chart would be empty or flat
 */
export function drawChart(
  series: Series,
  span: number,
  range: number,
  { columns, rows, ascii = false }: ChartSize,
): string[] {
  const means = columnMeans(series, span, columns);
  const { least, greatest } = extremes(means);
  const scale = (rows * 8 - 1) / Math.max(range, greatest - least);
  const levels = means.map((mean) =>
    Number.isNaN(mean) ? 0 : 1 + Math.round((mean - least) * scale),
  );
  if (levels.every((level) => level <= 1)) return [];
  return Array.from({ length: rows }, (_, row) => {
    const below = (rows - 1 - row) * 8;
    const eighths = ascii ? ASCII_EIGHTHS : EIGHTHS;
    return levels.map((level) => eighths[Math.max(0, Math.min(8, level - below))]).join('');
  });
}

/** Returns the mean of each column; NaN in a gap. */
function columnMeans({ at, values }: Series, span: number, columns: number): number[] {
  const sums = new Array<number>(columns).fill(0);
  const counts = new Array<number>(columns).fill(0);
  for (const [i, value] of values.entries()) {
    const time = at[i] as number;
    if (!(time >= 0 && time <= span) || Number.isNaN(value)) continue;
    const column = span === 0 ? 0 : Math.min(columns - 1, Math.floor((time / span) * columns));
    sums[column] = (sums[column] ?? 0) + value;
    counts[column] = (counts[column] ?? 0) + 1;
  }
  let held = NaN;
  let left = 0;
  return sums.map((sum, column) => {
    const count = counts[column] ?? 0;
    left -= span / columns;
    if (count > 0) {
      held = sum / count;
      left = HOLD_SECS;
    }
    return left > 0 ? held : NaN;
  });
}

/** Returns the least and the greatest value; 0 and 0 without values. */
export function extremes(values: Series['values']): { least: number; greatest: number } {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  return least > greatest ? { least: 0, greatest: 0 } : { least, greatest };
}

/** Positions over time. Both coordinates are NaN if there is no position at their time. */
export interface Track {
  /** Seconds, in ascending order. */
  readonly at: readonly number[];
  readonly latitude: readonly number[];
  readonly longitude: readonly number[];
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
 */
export function drawTrack(track: Track, { columns, rows, ascii = false }: ChartSize): string[] {
  const places = placesOf(track);
  const xs = extremes(places.map(({ x }) => x));
  const ys = extremes(places.map(({ y }) => y));
  const width = xs.greatest - xs.least;
  const height = ys.greatest - ys.least;
  if (Math.max(width, height) < SMALLEST_EXTENT) return [];
  const dotSize = Math.max(width / (columns * 2 - 1), height / (rows * 4 - 1));
  const canvas = new Canvas(
    Math.floor(Math.round(width / dotSize) / 2) + 1,
    Math.floor(Math.round(height / dotSize) / 4) + 1,
  );
  let before: (typeof places)[number] | undefined;
  for (const place of places) {
    const dot = {
      x: Math.round((place.x - xs.least) / dotSize),
      y: Math.round((ys.greatest - place.y) / dotSize),
      at: place.at,
    };
    const from = before !== undefined && dot.at - before.at <= SEPARATE_SECS ? before : dot;
    canvas.line(from.x, from.y, dot.x, dot.y);
    before = dot;
  }
  return canvas.lines(ascii ? asciiCell : brailleCell);
}

/** Projects a track onto a plane (m), also across the date line. */
function placesOf({ at, latitude, longitude }: Track) {
  const { least, greatest } = extremes(latitude);
  const shrink = Math.cos((((least + greatest) / 2) * Math.PI) / 180);
  const places: { readonly x: number; readonly y: number; readonly at: number }[] = [];
  let origin: number | undefined;
  for (const [i, north] of latitude.entries()) {
    if (Number.isNaN(north)) continue;
    const east = longitude[i] as number;
    origin ??= east;
    const x = (((east - origin + 540) % 360) - 180) * shrink * METRES_PER_DEGREE;
    places.push({ x, y: north * METRES_PER_DEGREE, at: at[i] as number });
  }
  return places;
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
