import type { Sample } from '../../fit/decode.ts';
import { drawChart, drawTrack, type Place, type Point } from '../../fit/picture.ts';
import { clockTime, distance, weekday } from '../../terminal/words.ts';
import type { Device, Findings, InspectItem, SessionFindings } from './findings.ts';

/** The terminal that a recording is shown on. */
export interface Screen {
  /** Width. */
  readonly columns: number;
  readonly unicode: boolean;
}

/** Describes a recording in lines of text with a small picture. */
export function inspectLines(item: InspectItem, screen: Screen): string[] {
  const path = printable(item.path);
  if (item.state === 'unreadable') return [path, `  Cannot be read. ${item.detail}`];
  const facts = [
    ...(item.detail === undefined ? [] : [item.detail]),
    ...(item.state === 'not-fit' ? [] : activityLines(item)),
  ];
  const picture = pictureLines(item.samples, { ...screen, columns: screen.columns - 2 });
  const blocks = [facts, picture, fileLines(item)].filter((block) => block.length > 0);
  const body = blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]));
  return [path, ...body.map((line) => (line === '' ? '' : `  ${line}`))];
}

function activityLines(item: Findings): string[] {
  const { averages } = item;
  const title = item.name ?? capitalised(item.holds ?? 'data of an unknown type');
  const course = [
    duration(item.timerSecs),
    distanceText(item.distanceMeters),
    pace(item),
    item.ascentMeters ? `${Math.round(item.ascentMeters)} m up` : undefined,
  ];
  const effort = [
    quantity(averages?.power, 'W'),
    quantity(averages?.heartRate, 'bpm'),
    cadence(item),
    quantity(item.calories, 'kcal'),
  ];
  return present([
    title,
    startLine(item),
    ...[course, effort].map((figures) => present(figures).join('   ')),
    ...(item.sessions.length > 1 ? item.sessions.map(sessionLine) : []),
    countsLine(item),
    developerFieldsLine(item),
  ]);
}

function startLine({ startTime, localStartTime }: Findings): string | undefined {
  if (startTime === undefined) return undefined;
  if (localStartTime === undefined) {
    return `${startTime.slice(0, 16).replace('T', ' ')} UTC; the device does not say the local time`;
  }
  const day = weekday(new Date(localStartTime.slice(0, 10)));
  const time = localStartTime.slice(0, 16).replace('T', ' ');
  return `${day} ${time} local time (UTC${localStartTime.slice(19)})`;
}

function sessionLine(session: SessionFindings, index: number): string {
  const sport = [session.sport ?? 'unknown sport', session.subSport].filter(Boolean).join(', ');
  const figures = present([duration(session.timerSecs), distanceText(session.distanceMeters)]);
  return `${index + 1}. ${sport.padEnd(24)} ${figures.join('   ')}`.trimEnd();
}

function countsLine({ laps, records, segments }: Findings): string | undefined {
  const counts = [
    counted(records, 'record'),
    counted(laps, 'lap'),
    segments !== undefined && segments > 1 ? counted(segments, 'FIT segment') : undefined,
  ];
  return present(counts).join(', ') || undefined;
}

function developerFieldsLine({ developerFields }: Findings): string | undefined {
  if (developerFields.length === 0) return undefined;
  const names = developerFields.map(({ name, units }) =>
    units === undefined ? name : `${name} (${units})`,
  );
  return `Developer fields: ${printable(names.join(', '))}`;
}

function fileLines({ device, size, sha256, state }: Findings & { state: string }): string[] {
  return present([
    device && `Device  ${printable(deviceName(device))} (${printable(device.id)})`,
    `File    ${size.toLocaleString('en-US')} bytes, ${state === 'not-fit' ? 'no recording' : state === 'whole' ? 'whole' : 'not whole'}`,
    `SHA-256 ${sha256}`,
  ]);
}

/** "Garmin Edge 840"; not "Coros COROS DURA". */
function deviceName({ manufacturer = '', product = '' }: Device): string {
  const maker = manufacturer.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  if (product.toLowerCase().startsWith(manufacturer)) return product === '' ? maker : product;
  return `${maker} ${product}`.trim();
}

const MAP = { columns: 24, rows: 8 };
/** The charts over time; `range`: least difference between top and bottom. */
const CHARTS = [
  { name: 'Altitude', field: 'altitude', unit: 'm', range: 30, rows: 3 },
  { name: 'Power', field: 'power', unit: 'W', range: 50, rows: 2 },
  { name: 'Heart rate', field: 'heartRate', unit: 'bpm', range: 20, rows: 2 },
] as const;
const NAME_COLUMNS = 12;
/** Room for a label such as " 1,087 to 8,848 m". */
const RANGE_COLUMNS = 17;
const SMALLEST_CHART = 16;
const LARGEST_CHART = 72;

/** Draws the map on the left, the charts beside it, or below it on a narrow terminal. */
function pictureLines(samples: readonly Sample[], { columns, unicode }: Screen): string[] {
  const map = drawTrack(places(samples), { ...MAP, ascii: !unicode });
  const mapColumns = map[0] === undefined ? 0 : map[0].length + 2;
  const room = columns - NAME_COLUMNS - RANGE_COLUMNS;
  const beside = room - mapColumns >= SMALLEST_CHART;
  const width = Math.min(LARGEST_CHART, beside ? room - mapColumns : room);
  const charts = width < SMALLEST_CHART ? [] : chartLines(samples, { columns: width, unicode });
  if (map.length === 0) return charts;
  if (!beside) return charts.length === 0 ? map : [...map, '', ...charts];
  const blank = ' '.repeat(mapColumns);
  return Array.from({ length: Math.max(map.length, charts.length) }, (_, i) =>
    `${map[i]?.padEnd(mapColumns) ?? blank}${charts[i] ?? ''}`.trimEnd(),
  );
}

function chartLines(samples: readonly Sample[], { columns, unicode }: Screen): string[] {
  const span = samples.reduce((longest, { at }) => Math.max(longest, at), 0);
  return CHARTS.flatMap(({ name, field, unit, range, rows }) => {
    const points: Point[] = samples.flatMap((sample) => {
      const value = sample[field];
      return value === undefined ? [] : [{ at: sample.at, value }];
    });
    const chart = drawChart(points, span, range, { columns, rows, ascii: !unicode });
    // Devices without a sensor write zeroes.
    if (chart === undefined || (chart.least === 0 && chart.greatest === 0)) return [];
    const bounds = `${rounded(chart.least)} to ${rounded(chart.greatest)} ${unit}`;
    return chart.lines.map((line, row) => {
      const label = (row === 0 ? name : '').padEnd(NAME_COLUMNS);
      return `${label}${line}${row === rows - 1 ? ` ${bounds}` : ''}`;
    });
  });
}

function places(samples: readonly Sample[]): Place[] {
  return samples.flatMap(({ at, latitude, longitude }) =>
    latitude === undefined || longitude === undefined ? [] : [{ at, latitude, longitude }],
  );
}

/** Returns steps a minute on foot (FIT counts pairs of steps), else revolutions a minute. */
function cadence({ averages, sessions }: Findings): string | undefined {
  if (averages?.cadence === undefined || sessions.length !== 1) return undefined;
  return onFoot(sessions[0])
    ? quantity(2 * averages.cadence, 'spm')
    : quantity(averages.cadence, 'rpm');
}

function onFoot(session: SessionFindings | undefined): boolean {
  return ['running', 'walking', 'hiking'].includes(session?.sport ?? '');
}

/** Returns minutes a kilometre on foot, minutes a hundred metres in water, else km/h. */
function pace({ sessions, timerSecs, distanceMeters }: Findings): string | undefined {
  if (!timerSecs || !distanceMeters || sessions.length !== 1) return undefined;
  const secsPerKm = timerSecs / (distanceMeters / 1000);
  if (onFoot(sessions[0])) return `${clockTime(secsPerKm)} /km`;
  if (sessions[0]?.sport === 'swimming') return `${clockTime(secsPerKm / 10)} /100 m`;
  return `${(3600 / secsPerKm).toFixed(1)} km/h`;
}

function duration(secs: number | undefined): string | undefined {
  return secs === undefined ? undefined : clockTime(secs);
}

function distanceText(meters: number | undefined): string | undefined {
  return meters ? distance(meters, 2) : undefined;
}

function quantity(value: number | undefined, unit: string): string | undefined {
  return value === undefined || value === 0 ? undefined : `${rounded(value)} ${unit}`;
}

/** Rounds without producing "-0". */
function rounded(value: number): string {
  return (Math.round(value) + 0).toLocaleString('en-US');
}

function counted(n: number, noun: string): string | undefined {
  return n === 0 ? undefined : `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function present(parts: readonly (string | undefined)[]): string[] {
  return parts.filter((part) => part !== undefined && part !== '') as string[];
}

/** Replaces control characters, which a terminal would obey. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
