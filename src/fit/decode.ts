import FitParser from 'fit-file-parser';
import type { Envelope } from './envelope.ts';
import { endOfRecords } from './records.ts';

/** One moment of an activity. */
export interface Sample {
  /** Seconds since the first sample; pauses count. */
  readonly at: number;
  /** Degrees; only together. */
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** Metres. */
  readonly altitude: number | undefined;
  /** Watts. */
  readonly power: number | undefined;
  /** Beats a minute. */
  readonly heartRate: number | undefined;
  /** Revolutions, or pairs of steps, a minute. */
  readonly cadence: number | undefined;
}

/** A field that is not FIT's own, as an app on the device described it. */
export interface DeveloperField {
  readonly name: string;
  readonly units: string | undefined;
}

/** The contents of a recording, as far as a person wants to see them. */
export interface Contents {
  readonly samples: readonly Sample[];
  readonly laps: number;
  /** The device's own where they are credible, else the samples' mean; cadence without coasting. */
  readonly averages: Averages;
  /** Metres. */
  readonly ascent: number | undefined;
  /** Kilocalories. */
  readonly calories: number | undefined;
  readonly developerFields: readonly DeveloperField[];
}

export type Averages = Readonly<Record<'power' | 'heartRate' | 'cadence', number | undefined>>;

/** Offset of the size of the data in a header. */
const SIZE_AT = 4;

/**
 * Decodes all records, of all segments of a whole file; of any other file what can still be read,
 * or undefined if that is nothing.
 */
export async function decodeContents(
  bytes: Uint8Array,
  envelope: Envelope,
): Promise<Contents | undefined> {
  const parts =
    envelope.state === 'whole'
      ? envelope.segments.map(({ start, headerSize, dataSize }) =>
          bytes.subarray(start, start + headerSize + dataSize + 2),
        )
      : wholeRecordsOf(bytes);
  const decoded: Decoded[] = [];
  for (const part of parts) {
    const one = await decode(part);
    if (one !== undefined) decoded.push(one);
  }
  return decoded.length === 0 ? undefined : contentsOf(decoded);
}

type Decoded = Awaited<ReturnType<FitParser['parseAsync']>>;

async function decode(bytes: Uint8Array): Promise<Decoded | undefined> {
  try {
    return await new FitParser({ force: true, mode: 'list' }).parseAsync(Buffer.from(bytes));
  } catch {
    // What it says is for programmers; that the file is not whole has been said already.
    return undefined;
  }
}

/**
 * What can be read of a file that is not whole, with a header that says so: the stated size is 0
 * while a recording goes on, and too large for a copy that was cut off.
 */
function wholeRecordsOf(bytes: Uint8Array): Uint8Array[] {
  const end = endOfRecords(bytes);
  if (end === undefined) return [];
  const copy = new Uint8Array(end + 2);
  copy.set(bytes.subarray(0, end));
  new DataView(copy.buffer).setUint32(SIZE_AT, end - (bytes[0] as number), true);
  return [copy];
}

function contentsOf(parts: readonly Decoded[]): Contents {
  const samples = samplesOf(parts);
  const sessions = parts.flatMap(({ sessions }) => sessions ?? []);
  const pedalling = ({ cadence }: Sample) => (cadence === 0 ? undefined : cadence);
  return {
    samples,
    laps: parts.reduce((sum, { laps }) => sum + (laps?.length ?? 0), 0),
    averages: {
      power: average(
        ownAverage(sessions, 'avg_power'),
        meanOf(samples, ({ power }) => power),
      ),
      heartRate: average(
        ownAverage(sessions, 'avg_heart_rate'),
        meanOf(samples, ({ heartRate }) => heartRate),
      ),
      cadence: average(ownAverage(sessions, 'avg_cadence'), meanOf(samples, pedalling)),
    },
    ascent: total(sessions, 'total_ascent'),
    calories: total(sessions, 'total_calories'),
    developerFields: developerFieldsOf(parts),
  };
}

function samplesOf(parts: readonly Decoded[]): Sample[] {
  const samples: Sample[] = [];
  let first: number | undefined;
  for (const record of parts.flatMap(({ records }) => records ?? [])) {
    const fields: object = record;
    const { timestamp } = fields as Fields;
    if (!(timestamp instanceof Date)) continue;
    first ??= timestamp.getTime();
    const latitude = numberIn(fields, 'position_lat');
    const longitude = numberIn(fields, 'position_long');
    const placed = isPlace(latitude, longitude);
    samples.push({
      at: (timestamp.getTime() - first) / 1000,
      latitude: placed ? latitude : undefined,
      longitude: placed ? longitude : undefined,
      altitude: numberIn(fields, 'enhanced_altitude') ?? numberIn(fields, 'altitude'),
      power: numberIn(fields, 'power'),
      heartRate: numberIn(fields, 'heart_rate'),
      cadence: numberIn(fields, 'cadence'),
    });
  }
  return samples;
}

/** Without a fix some devices write 0, 0, which is at sea. */
function isPlace(latitude: number | undefined, longitude: number | undefined): boolean {
  if (latitude === undefined || longitude === undefined) return false;
  if (latitude === 0 && longitude === 0) return false;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/**
 * Fields by name. Developer fields come under the name their app chose, which may be one of FIT's:
 * so every value is looked at before it is used.
 */
type Fields = Readonly<Record<string, unknown>> & { readonly timestamp?: unknown };

function numberIn(fields: object, name: string): number | undefined {
  const value = (fields as Fields)[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Some devices write averages that their own samples contradict. */
const CREDIBLE_DEVIATION = 0.3;

function average(own: number | undefined, mean: number | undefined): number | undefined {
  if (own === undefined || mean === undefined) return own ?? mean;
  return Math.abs(own - mean) > CREDIBLE_DEVIATION * Math.max(own, mean) ? mean : own;
}

/** The sessions' averages, weighted by their time; 0 is what devices write without a sensor. */
function ownAverage(sessions: readonly object[], name: string): number | undefined {
  let sum = 0;
  let secs = 0;
  for (const session of sessions) {
    const value = numberIn(session, name) ?? 0;
    const weight = numberIn(session, 'total_timer_time') ?? 0;
    if (value === 0) continue;
    sum += value * weight;
    secs += weight;
  }
  return secs === 0 ? undefined : sum / secs;
}

function meanOf(
  samples: readonly Sample[],
  valueOf: (sample: Sample) => number | undefined,
): number | undefined {
  let sum = 0;
  let count = 0;
  for (const sample of samples) {
    const value = valueOf(sample);
    if (value === undefined) continue;
    sum += value;
    count++;
  }
  return sum === 0 ? undefined : sum / count;
}

function total(sessions: readonly object[], name: string): number | undefined {
  const values = sessions.flatMap((session) => numberIn(session, name) ?? []);
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b);
}

function developerFieldsOf(parts: readonly Decoded[]): DeveloperField[] {
  const fields = new Map<string, DeveloperField>();
  for (const { field_name, units } of parts.flatMap((part) => part.field_descriptions ?? [])) {
    const name = text(field_name);
    if (name !== undefined) fields.set(name, { name, units: text(units) });
  }
  return [...fields.values()];
}

/** Text out of a file, without the control characters that a terminal would obey. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const clean = value.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return clean === '' ? undefined : clean;
}
