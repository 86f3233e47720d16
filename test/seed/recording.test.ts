import { type FitRawField, readFitMessages } from 'fit-file-parser/raw';
import { describe, expect, it } from 'vitest';

import { checkEnvelope } from '../../src/fit/envelope.ts';
import { encodeActivity } from '../../src/seed/fit-activity.ts';
import type { Lap, RecordingTruth } from '../../src/seed/recording.ts';
import type { Records } from '../../src/seed/records.ts';
import type { SessionTotals } from '../../src/seed/totals.ts';
import { synthesize, type SyntheticRecording } from '../../src/seed/synthesize.ts';
import { SEASON, SUMMER, firstOfEachKind, sampleRecording } from './support.ts';

const FIT_EPOCH = Date.UTC(1989, 11, 31) / 1000;
const SPORTS = { 1: 'running', 2: 'cycling' };
const SUB_SPORTS = { 0: 'generic', 6: 'indoor_cycling', 7: 'road' };

const kinds = firstOfEachKind(SEASON);

it('the season contains a recording of each kind', () => {
  expect([...kinds.keys()].sort()).toEqual([
    'cycling/indoor_cycling',
    'cycling/road',
    'running/generic',
  ]);
});

describe.each([...kinds])('%s', (_, recording) => {
  it('passes the check before uploads as whole', () => {
    expect(checkEnvelope(recording.bytes)).toEqual({ state: 'whole', segments: 1 });
  });

  it('contains the values of every record', () => {
    const records = messagesOf(recording, 20);
    const expected = rowsOf(recording.truth.records);
    expect(records.map(({ fields }) => recordRow(fields))).toEqual(expected);
  });

  it('contains the encoded laps, session and totals', () => {
    const { truth } = recording;
    expect(messagesOf(recording, 18).map(sessionRow)).toEqual([sessionTruthRow(truth)]);
    expect(messagesOf(recording, 19).map(lapRow)).toEqual(
      truth.laps.map((lap) => lapTruthRow(lap, truth)),
    );
  });
});

it('a seeded recording is marked as synthetic in several places', () => {
  const sample = sampleRecording({ date: '2025-06-01', zone: 'Europe/Zurich' });
  const [fileId] = messagesOf(sample, 0);
  const { serial, start } = sample.truth;
  expect(Object.fromEntries(fileId?.fields ?? [])).toEqual({
    0: 4, // an activity
    1: 1, // Garmin
    2: 4062,
    3: serial,
    4: start - FIT_EPOCH,
    8: 'Edge 840 (synthetic)',
  });
  expect(messagesOf(sample, 23)[0]?.fields.get(27)).toBe('Edge 840 (synthetic)');
  expect(messagesOf(sample, 3)[0]?.fields.get(0)).toBe('Synthetic athlete');
});

it('encoding throws for a value that its field cannot hold', () => {
  const sample = sampleRecording({ date: '2025-06-01', zone: 'Europe/Zurich' });
  const owner = { age: 256, weight: 70, restingHr: 48, maxHr: 190, ftp: 250 };
  expect(() => encodeActivity(sample.truth, owner)).toThrow(RangeError);
});

it('the activity message contains the local time at its end', () => {
  const sample = sampleRecording({ date: '2025-06-01', zone: 'Asia/Kolkata' });
  const [activity] = messagesOf(sample, 34);
  const end = Date.parse('2025-06-01T07:40:00+05:30') / 1000;
  expect(activity?.fields.get(253)).toBe(end - FIT_EPOCH);
  expect(activity?.fields.get(5)).toBe(end - FIT_EPOCH + 5.5 * 3600);
  expect(sample.fileName).toBe('2025-06-01-07-10-00-ride.fit');
});

it('the timer events mark start, breaks and end', () => {
  const paused = [...synthesize({ ...SUMMER, seed: 1, days: 30 })]
    .flatMap(({ recordings }) => recordings)
    .filter(({ truth }) => truth.pauses.length > 0);
  expect(paused.length).toBeGreaterThan(0);
  for (const recording of paused) {
    const timer = messagesOf(recording, 21).map(({ fields }) => [
      Number(fields.get(253)) + FIT_EPOCH,
      fields.get(1),
    ]);
    const { start, end, pauses, records } = recording.truth;
    expect(timer).toEqual([
      [start, 0],
      ...pauses.flatMap(({ from, to }) => [
        [from, 4],
        [to, 0],
      ]),
      [end, 4],
    ]);
    const during = (timestamp: number) =>
      pauses.some(({ from, to }) => timestamp > from && timestamp <= to);
    expect(records.timestamp.some(during)).toBe(false);
  }
});

/** A message of a file. Messages and fields are numbers; a field that is marked invalid is absent. */
interface RawMessage {
  readonly global: number;
  readonly fields: ReadonlyMap<number, number | string>;
}

const decoded = new WeakMap<SyntheticRecording, RawMessage[]>();

function messagesOf(recording: SyntheticRecording, global: number): RawMessage[] {
  const messages =
    decoded.get(recording) ??
    readFitMessages(recording.bytes).messages.map(({ globalMessageNumber, fields }) => ({
      global: globalMessageNumber,
      fields: new Map(fields.flatMap((field) => valuesOf(field))),
    }));
  decoded.set(recording, messages);
  return messages.filter((message) => message.global === global);
}

/** Returns the number of a field with its value, or nothing. */
function valuesOf({
  fieldNumber,
  baseType,
  bytes,
  size,
}: FitRawField): [number, number | string][] {
  const buffer = Buffer.from(bytes);
  if (baseType === 0x07) return [[fieldNumber, buffer.toString('utf8', 0, buffer.indexOf(0))]];
  const isSigned = baseType === 0x01 || baseType === 0x85;
  const value = isSigned ? buffer.readIntLE(0, size) : buffer.readUIntLE(0, size);
  // The type of serial numbers marks 0 as invalid.
  const invalid = baseType === 0x8c ? 0 : 2 ** (8 * size - (isSigned ? 1 : 0)) - 1;
  return value === invalid ? [] : [[fieldNumber, value]];
}

function rowsOf(records: Records) {
  return Array.from(records.timestamp, (timestamp, index) => ({
    timestamp,
    latitude: records.path?.latitude[index] ?? null,
    longitude: records.path?.longitude[index] ?? null,
    altitude: records.path?.altitude[index] ?? null,
    heartRate: records.heartRate[index],
    cadence: records.cadence[index],
    distance: records.distance[index],
    speed: records.speed[index],
    power: records.power[index],
    temperature: records.temperature[index],
  }));
}

type Fields = RawMessage['fields'];

function recordRow(fields: Fields) {
  const altitude = fields.get(78);
  return {
    timestamp: Number(fields.get(253)) + FIT_EPOCH,
    latitude: fields.get(0) ?? null,
    longitude: fields.get(1) ?? null,
    altitude: altitude === undefined ? null : Number(altitude) - 2500,
    heartRate: fields.get(3),
    cadence: fields.get(4),
    distance: fields.get(5),
    speed: fields.get(73),
    power: fields.get(7),
    temperature: fields.get(13),
  };
}

/** Field numbers of the totals, which differ between laps and sessions. */
const LAP_TOTALS = {
  hr: [15, 16],
  cadence: [17, 18],
  power: [19, 20],
  climb: [21, 22],
  np: 33,
  work: 41,
  speed: [110, 111],
} as const;
const SESSION_TOTALS = {
  hr: [16, 17],
  cadence: [18, 19],
  power: [20, 21],
  climb: [22, 23],
  np: 34,
  work: 48,
  speed: [124, 125],
} as const;

function totalsRow(fields: Fields, number: typeof LAP_TOTALS | typeof SESSION_TOTALS) {
  const get = (field: number) => fields.get(field) ?? null;
  return {
    start: Number(get(2)) + FIT_EPOCH,
    end: Number(get(253)) + FIT_EPOCH,
    elapsed: Number(get(7)) / 1000,
    timer: Number(get(8)) / 1000,
    distance: get(9),
    cycles: get(10),
    calories: get(11),
    hr: number.hr.map(get),
    cadence: number.cadence.map(get),
    power: number.power.map(get),
    climb: number.climb.map(get),
    np: get(number.np),
    work: get(number.work),
    speed: number.speed.map(get),
    from: [get(3), get(4)],
  };
}

function totalsTruthRow(totals: SessionTotals) {
  return {
    start: totals.start,
    end: totals.end,
    elapsed: totals.elapsed,
    timer: totals.timer,
    distance: totals.distance,
    cycles: totals.cycles,
    calories: totals.calories,
    hr: [totals.avgHr, totals.maxHr],
    cadence: [totals.avgCadence, totals.maxCadence],
    power: [totals.avgPower, totals.maxPower],
    climb: [totals.ascent, totals.descent],
    np: totals.normalizedPower,
    work: totals.work,
    speed: [totals.avgSpeed, totals.maxSpeed],
    from: [totals.startPosition?.latitude ?? null, totals.startPosition?.longitude ?? null],
  };
}

function sessionRow({ fields }: RawMessage) {
  const get = (field: number) => fields.get(field) ?? null;
  return {
    ...totalsRow(fields, SESSION_TOTALS),
    sport: SPORTS[get(5) as keyof typeof SPORTS],
    subSport: SUB_SPORTS[get(6) as keyof typeof SUB_SPORTS],
    laps: get(26),
    stress: [get(35), get(36), get(45)],
    temperature: [get(57), get(58)],
  };
}

function sessionTruthRow(session: RecordingTruth) {
  const { totals, sport, subSport, laps } = session;
  return {
    ...totalsTruthRow(totals),
    sport,
    subSport,
    laps: laps.length,
    stress: [session.trainingStress, session.intensityFactor, session.thresholdPower],
    temperature: [totals.avgTemperature, totals.maxTemperature],
  };
}

const INTENSITIES = { active: 0, rest: 1, warmup: 2, cooldown: 3, interval: 5 };
const TRIGGERS = { manual: 0, distance: 2, session_end: 7 };

function lapRow({ fields }: RawMessage) {
  const get = (field: number) => fields.get(field) ?? null;
  return {
    ...totalsRow(fields, LAP_TOTALS),
    intensity: get(23),
    trigger: get(24),
    sport: SPORTS[get(25) as keyof typeof SPORTS],
    to: [get(5), get(6)],
  };
}

function lapTruthRow(lap: Lap, session: RecordingTruth) {
  const { totals } = lap;
  return {
    ...totalsTruthRow(totals),
    intensity: INTENSITIES[lap.intensity],
    trigger: TRIGGERS[lap.trigger],
    sport: session.sport,
    to: [totals.endPosition?.latitude ?? null, totals.endPosition?.longitude ?? null],
  };
}
