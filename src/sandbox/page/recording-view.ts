import type { FitRecord } from '../resources/workout.ts';

export type RecordedSeries = NonNullable<ReturnType<typeof viewOf>>['series'][number];
export type RecordedTrack = NonNullable<ReturnType<typeof trackOf>>;

/** Spans into which a series is divided. */
const SPANS = 720;
/** Time for which a value counts until a gap: devices may record only changes (ms). */
const HOLD_MS = 30_000;
const TRACK_POINTS = 600;
/** Length of a degree of latitude (km). */
const KM_PER_DEGREE = 111.2;

const SERIES = [
  { kind: 'power', label: 'Power', unit: 'W', fields: ['power'] },
  { kind: 'heart-rate', label: 'Heart rate', unit: 'bpm', fields: ['heart_rate'] },
  { kind: 'altitude', label: 'Altitude', unit: 'm', fields: ['enhanced_altitude', 'altitude'] },
] as const;

/** Sums up the records of a recording; null if it has none. */
export function viewOf(records: readonly FitRecord[]) {
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
    /** From the first to the last record (s). */
    seconds: (last.at - first.at) / 1000,
    series: SERIES.flatMap(({ fields, ...series }) => {
      const found = samples.flatMap(({ at, record }) => {
        const value = fields.map((field) => record[field]).find(isFinite);
        return value === undefined ? [] : [{ at, value }];
      });
      return found.length < 2 ? [] : [{ ...series, ...summarize(found, span) }];
    }),
    track: trackOf(samples.map(({ record }) => record)),
  };
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Averages values over equal spans of time. A span without one has that of the span before; null in a pause. */
function summarize(
  found: readonly { at: number; value: number }[],
  span: { from: number; until: number },
) {
  const sums = Array.from({ length: SPANS }, () => ({ sum: 0, count: 0 }));
  const length = Math.max(1, span.until - span.from) / SPANS;
  let total = 0;
  for (const { at, value } of found) {
    const slot = sums[Math.min(SPANS - 1, Math.floor((at - span.from) / length))];
    if (slot === undefined) continue;
    slot.sum += value;
    slot.count += 1;
    total += value;
  }
  let held: number | null = null;
  let left = 0;
  const values = sums.map(({ sum, count }) => {
    left -= length;
    if (count > 0) [held, left] = [sum / count, HOLD_MS + length];
    return left > 0 ? held : null;
  });
  return {
    values,
    average: total / found.length,
    ...extent(found.map(({ value }) => value)),
  };
}

function extent(values: readonly number[]): { lowest: number; highest: number } {
  return {
    lowest: values.reduce((least, value) => Math.min(least, value), Infinity),
    highest: values.reduce((most, value) => Math.max(most, value), -Infinity),
  };
}

/** Returns a course within a square of 100 by 100, north up, in its true proportions; null if it has none. */
function trackOf(records: readonly Readonly<Record<string, unknown>>[]) {
  const places = records.flatMap(({ position_lat: north, position_long: east }) =>
    isFinite(north) && isFinite(east) ? [{ north, east }] : [],
  );
  if (places.length < 2) return null;
  const { lowest: south, highest: top } = extent(places.map(({ north }) => north));
  const { lowest: west, highest: right } = extent(places.map(({ east }) => east));
  const narrowing = Math.cos(((south + top) / 2) * (Math.PI / 180));
  /** From west to east, and from south to north (km). */
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
