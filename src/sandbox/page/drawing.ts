import type { FitRecord } from '../resources/workout.ts';

export type Track = NonNullable<ReturnType<typeof trackOf>>;
export type Series = NonNullable<ReturnType<typeof seriesOf>>;

/** Most points of a drawing. */
const POINTS = 300;
/** Length of a degree of latitude (km). */
const KM_PER_DEGREE = 111.2;

const SERIES = [
  { label: 'Power', unit: 'W', fields: ['power'] },
  { label: 'Heart rate', unit: 'bpm', fields: ['heart_rate'] },
  { label: 'Altitude', unit: 'm', fields: ['enhanced_altitude', 'altitude'] },
] as const;

/** Returns the track of a recording, else its first series; null if its records have neither. */
export function drawingOf(records: readonly FitRecord[]): Track | Series | null {
  const plain = records as readonly Readonly<Record<string, unknown>>[];
  return trackOf(plain) ?? seriesOf(plain);
}

/** Returns a course within a square of 100 by 100, north up, in its true proportions. */
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
  const points = sampled(places).map(
    ({ north, east }) => [(east - west) * narrowing * scale, (top - north) * scale] as const,
  );
  return { points, width, height };
}

/** Returns the values of the first field that at least two records have. */
function seriesOf(records: readonly Readonly<Record<string, unknown>>[]) {
  for (const { label, unit, fields } of SERIES) {
    const values = records.map((record) => fields.map((field) => record[field]).find(isNumber));
    const numbers = values.filter(isNumber);
    if (numbers.length < 2) continue;
    const average = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    const drawn = sampled(values).map((value) => value ?? null);
    return { label, unit, values: drawn, average, ...extent(numbers) };
  }
  return null;
}

function sampled<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(all.length / POINTS));
  return all.filter((_, index) => index % step === 0 || index === all.length - 1);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function extent(values: readonly number[]): { lowest: number; highest: number } {
  return {
    lowest: values.reduce((least, value) => Math.min(least, value), Infinity),
    highest: values.reduce((most, value) => Math.max(most, value), -Infinity),
  };
}
