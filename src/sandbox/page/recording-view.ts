import type { FitRecord } from '../resources/workout.ts';

export type RecordedSeries = NonNullable<ReturnType<typeof viewOf>>['series'][number];
export type RecordedTrack = NonNullable<ReturnType<typeof trackOf>>;

/** Spans into which a series is divided. */
const SPANS = 360;
/** Time for which a value counts until a gap: devices may record only changes (s). */
const HOLD_SECS = 30;
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
      at: new Date(record.timestamp ?? NaN).getTime() / 1000,
      record: record as Readonly<Record<string, unknown>>,
    }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at);
  const start = samples[0]?.at;
  const end = samples.at(-1)?.at;
  if (start === undefined || end === undefined) return null;
  return {
    /** From the first to the last record. */
    seconds: end - start,
    series: SERIES.flatMap(({ fields, ...series }) => {
      const found = samples.flatMap(({ at, record }) => {
        const value = fields.map((field) => record[field]).find(isNumber);
        return value === undefined ? [] : [{ at: at - start, value }];
      });
      if (found.length < 2) return [];
      const numbers = found.map(({ value }) => value);
      const average = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
      return [{ ...series, values: spansOf(found, end - start), average, ...extent(numbers) }];
    }),
    track: trackOf(samples.map(({ record }) => record)),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Returns the last value of each of equal spans. A span without one has that before it; null in a pause. */
function spansOf(found: readonly { readonly at: number; readonly value: number }[], secs: number) {
  let next = 0;
  return Array.from({ length: SPANS }, (_, index) => {
    const until = ((index + 1) / SPANS) * secs;
    while ((found[next]?.at ?? Infinity) <= until) next++;
    const last = found[next - 1];
    return last !== undefined && until - last.at <= HOLD_SECS + secs / SPANS ? last.value : null;
  });
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
    isNumber(north) && isNumber(east) ? [{ north, east }] : [],
  );
  if (places.length < 2) return null;
  const { lowest: south, highest: top } = extent(places.map(({ north }) => north));
  const { lowest: west, highest: right } = extent(places.map(({ east }) => east));
  const narrowing = Math.cos(((south + top) / 2) * (Math.PI / 180));
  /** From west to east, and from south to north (km). */
  const width = (right - west) * narrowing * KM_PER_DEGREE;
  const height = (top - south) * KM_PER_DEGREE;
  const scale = (100 * KM_PER_DEGREE) / Math.max(width, height, 0.001);
  const step = Math.max(1, Math.ceil(places.length / TRACK_POINTS));
  const points = places
    .filter((_, index) => index % step === 0 || index === places.length - 1)
    .map(({ north, east }) => [(east - west) * narrowing * scale, (top - north) * scale] as const);
  return { points, width, height };
}
