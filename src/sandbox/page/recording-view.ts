import type { FitRecord } from '../resources/workout.ts';

export interface RecordingView {
  /** ms since 1970-01-01T00:00:00Z */
  readonly startedAt: number;
  /** From the first to the last record (s). */
  readonly seconds: number;
  readonly series: readonly RecordedSeries[];
  readonly track: RecordedTrack | null;
}

export interface RecordedSeries {
  readonly kind: SeriesKind;
  readonly label: string;
  readonly unit: string;
  /** Averages of equal spans of time; null without a value. */
  readonly values: readonly (number | null)[];
  readonly average: number;
  readonly lowest: number;
  readonly highest: number;
}

/** A course within a square of 100 by 100, north up, in its true proportions. */
export interface RecordedTrack {
  readonly points: readonly (readonly [number, number])[];
  /** Extent from west to east (km). */
  readonly width: number;
  /** Extent from south to north (km). */
  readonly height: number;
}

type SeriesKind = 'power' | 'heart-rate' | 'altitude';

/** Spans into which a series is divided. */
const SPANS = 720;
/** Longest gap that is no pause: devices may record only changes (ms). */
const BRIDGED_MS = 30_000;
const TRACK_POINTS = 600;
/** Length of a degree of latitude (km). */
const KM_PER_DEGREE = 111.2;

const SERIES: readonly (Pick<RecordedSeries, 'kind' | 'label' | 'unit'> & {
  readonly fields: readonly string[];
})[] = [
  { kind: 'power', label: 'Power', unit: 'W', fields: ['power'] },
  { kind: 'heart-rate', label: 'Heart rate', unit: 'bpm', fields: ['heart_rate'] },
  { kind: 'altitude', label: 'Altitude', unit: 'm', fields: ['enhanced_altitude', 'altitude'] },
];

interface RecordedSample {
  /** ms */
  readonly at: number;
  readonly record: Readonly<Record<string, unknown>>;
}

/** Sums up the records of a recording; null if it has none. */
export function viewOf(records: readonly FitRecord[]): RecordingView | null {
  const samples = records
    .map((record) => ({
      at: new Date(record.timestamp ?? NaN).getTime(),
      record: record as Readonly<Record<string, unknown>>,
    }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const span = { from: first.at, until: last.at };
  return {
    startedAt: first.at,
    seconds: (last.at - first.at) / 1000,
    series: SERIES.flatMap(({ fields, ...series }) => {
      const found = samples.flatMap(({ at, record }) => {
        const value = fields.map((field) => record[field]).find(isFinite);
        return value === undefined ? [] : [{ at, value }];
      });
      return found.length < 2 ? [] : [{ ...series, ...summarize(found, span) }];
    }),
    track: trackOf(samples),
  };
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function summarize(
  found: readonly { at: number; value: number }[],
  span: { from: number; until: number },
): Pick<RecordedSeries, 'values' | 'average' | 'lowest' | 'highest'> {
  const sums = Array.from({ length: SPANS }, () => ({ sum: 0, count: 0 }));
  const length = Math.max(1, span.until - span.from) / SPANS;
  let lowest = Infinity;
  let highest = -Infinity;
  let total = 0;
  for (const { at, value } of found) {
    const slot = sums[Math.min(SPANS - 1, Math.floor((at - span.from) / length))];
    if (slot === undefined) continue;
    slot.sum += value;
    slot.count += 1;
    total += value;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return {
    values: bridged(
      sums.map(({ sum, count }) => (count === 0 ? null : sum / count)),
      Math.ceil(BRIDGED_MS / length),
    ),
    average: total / found.length,
    lowest,
    highest,
  };
}

/** Repeats the value before each gap of at most this many spans. */
function bridged(values: readonly (number | null)[], most: number): (number | null)[] {
  const result = [...values];
  let last = -1;
  values.forEach((value, index) => {
    if (value === null) return;
    const before = values[last];
    if (before !== undefined && index - last - 1 <= most) result.fill(before, last + 1, index);
    last = index;
  });
  return result;
}

function trackOf(samples: readonly RecordedSample[]): RecordedTrack | null {
  const places = samples.flatMap(({ record }) => {
    const { position_lat: north, position_long: east } = record;
    return isFinite(north) && isFinite(east) ? [{ north, east }] : [];
  });
  if (places.length < 2) return null;
  const south = places.reduce((least, { north }) => Math.min(least, north), Infinity);
  const top = places.reduce((most, { north }) => Math.max(most, north), -Infinity);
  const west = places.reduce((least, { east }) => Math.min(least, east), Infinity);
  const right = places.reduce((most, { east }) => Math.max(most, east), -Infinity);
  const narrowing = Math.cos(((south + top) / 2) * (Math.PI / 180));
  const width = (right - west) * narrowing * KM_PER_DEGREE;
  const height = (top - south) * KM_PER_DEGREE;
  const scale = 100 / Math.max(width, height, 0.001);
  const step = Math.max(1, Math.ceil(places.length / TRACK_POINTS));
  const points = places
    .filter((_, index) => index % step === 0 || index === places.length - 1)
    .map(({ north, east }) => {
      const x = (east - west) * narrowing * KM_PER_DEGREE;
      const y = (top - north) * KM_PER_DEGREE;
      return [
        x * scale + (100 - width * scale) / 2,
        y * scale + (100 - height * scale) / 2,
      ] as const;
    });
  return { points, width, height };
}
