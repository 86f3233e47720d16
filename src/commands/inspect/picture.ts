import type { Samples } from '../../fit/contents.ts';
import { drawChart, drawTrack, extremes } from '../../fit/picture.ts';

/** Where the picture is shown. */
export interface Screen {
  readonly columns: number;
  readonly unicode: boolean;
}

const MAP = { columns: 24, rows: 8 };

interface ChartKind {
  readonly name: string;
  readonly field: 'altitude' | 'depth' | 'power' | 'heartRate';
  readonly unit: string;
  /** Least difference between top and bottom. */
  readonly range: number;
  readonly rows: number;
  /** -1: small values are at the top. */
  readonly direction: 1 | -1;
}

const CHARTS: readonly ChartKind[] = [
  { name: 'Altitude', field: 'altitude', unit: 'm', range: 30, rows: 3, direction: 1 },
  { name: 'Depth', field: 'depth', unit: 'm', range: 5, rows: 3, direction: -1 },
  { name: 'Power', field: 'power', unit: 'W', range: 50, rows: 2, direction: 1 },
  { name: 'Heart rate', field: 'heartRate', unit: 'bpm', range: 20, rows: 2, direction: 1 },
];
const NAME_COLUMNS = 12;
const SMALLEST_CHART = 16;
const LARGEST_CHART = 72;

/**
 * Draws the map on the left, the charts beside it, or below it on a narrow terminal.
 *
 * @param span seconds that the charts cover
 */
export function pictureLines(
  samples: Samples,
  span: number,
  { columns, unicode }: Screen,
): string[] {
  const map = drawTrack(samples, { ...MAP, ascii: !unicode });
  const mapColumns = map[0] === undefined ? 0 : map[0].length + 2;
  const room = columns - NAME_COLUMNS - boundsColumns(samples);
  const isBeside = room - mapColumns >= SMALLEST_CHART;
  const width = Math.min(LARGEST_CHART, isBeside ? room - mapColumns : room);
  const size = { columns: width, unicode };
  const charts = width < SMALLEST_CHART ? [] : chartLines(samples, span, size);
  if (map.length === 0) return charts;
  if (!isBeside) return charts.length === 0 ? map : [...map, '', ...charts];
  const blank = ' '.repeat(mapColumns);
  return Array.from({ length: Math.max(map.length, charts.length) }, (_, i) =>
    `${map[i]?.padEnd(mapColumns) ?? blank}${charts[i] ?? ''}`.trimEnd(),
  );
}

function chartLines(samples: Samples, span: number, { columns, unicode }: Screen): string[] {
  return CHARTS.flatMap(({ name, field, unit, range, rows, direction }) => {
    const series = { at: samples.at, values: samples[field].map((value) => value * direction) };
    const lines = drawChart(series, span, range, { columns, rows, ascii: !unicode });
    const { least, greatest } = extremes(samples[field]);
    const bounds = boundsText([least, greatest], unit);
    return lines.map((line, row) => {
      const label = (row === 0 ? name : '').padEnd(NAME_COLUMNS);
      return `${label}${line}${row === rows - 1 ? ` ${bounds}` : ''}`;
    });
  });
}

/** Returns "1,087 to 8,848 m". */
function boundsText(ends: readonly number[], unit: string): string {
  return `${rounded(Math.min(...ends))} to ${rounded(Math.max(...ends))} ${unit}`;
}

/** Returns the columns that the longest bounds may take, with the space before them. */
function boundsColumns(samples: Samples): number {
  const lengths = CHARTS.map(({ field, unit }) => {
    const { least, greatest } = extremes(samples[field]);
    const longer = Math.abs(least) > greatest ? least : greatest;
    return boundsText([longer, longer], unit).length;
  });
  return 1 + Math.max(...lengths);
}

/** Rounds to a whole number for people, without producing "-0". */
export function rounded(value: number): string {
  return (Math.round(value) + 0).toLocaleString('en-US');
}
