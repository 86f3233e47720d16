import FitParser from 'fit-file-parser';
import type { Envelope } from './envelope.ts';
import { endOfRecords } from './records.ts';

/** One record of an activity. */
export interface Sample {
  /** Seconds since the first sample, including pauses. */
  readonly at: number;
  /** Degrees; both coordinates or neither. */
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** Metres. */
  readonly altitude: number | undefined;
  /** Watts. */
  readonly power: number | undefined;
  /** Beats per minute. */
  readonly heartRate: number | undefined;
  /** Revolutions, or pairs of steps, per minute. */
  readonly cadence: number | undefined;
}

/** A developer field, as described by an app on the device. */
export interface DeveloperField {
  readonly name: string;
  readonly units: string | undefined;
}

/** The contents of a recording that `sync inspect` shows. */
export interface Contents {
  readonly samples: readonly Sample[];
  readonly laps: number;
  /** The device's averages if credible, otherwise the samples' means; cadence without coasting. */
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
 * Decodes all records of all segments of a whole file. Of any other file, decodes the records before
 * the damage. Undefined if nothing can be decoded.
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
    // The parser's message is for programmers, and the envelope's problem is already reported.
    return undefined;
  }
}

/**
 * Returns the whole records of a damaged or unfinished file under a corrected header. The stated size
 * is 0 in an unfinished recording, and too large in a copy that was cut off.
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

/** Whether this is a real position: some devices write 0, 0 without a GPS fix. */
function isPlace(latitude: number | undefined, longitude: number | undefined): boolean {
  if (latitude === undefined || longitude === undefined) return false;
  if (latitude === 0 && longitude === 0) return false;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/**
 * Fields by name. A developer field can have the name of a FIT field, so every value is checked
 * before use.
 */
type Fields = Readonly<Record<string, unknown>> & { readonly timestamp?: unknown };

function numberIn(fields: object, name: string): number | undefined {
  const value = (fields as Fields)[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Largest credible deviation of a device's average from the samples' mean, as a share. */
const CREDIBLE_DEVIATION = 0.3;

function average(own: number | undefined, mean: number | undefined): number | undefined {
  if (own === undefined || mean === undefined) return own ?? mean;
  return Math.abs(own - mean) > CREDIBLE_DEVIATION * Math.max(own, mean) ? mean : own;
}

/** Averages the sessions by time, without 0: devices write 0 if they have no sensor. */
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

/** Returns text from a file without control characters, which could control a terminal. */
function text(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const clean = value.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return clean === '' ? undefined : clean;
}
