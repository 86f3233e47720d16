import FitParser from 'fit-file-parser';
import { readFitMessages } from 'fit-file-parser/raw';
import { describe, expect, it } from 'vitest';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { CYCLING } from '../../src/fit/sports.ts';
import { readSummary } from '../../src/fit/summary.ts';
import { type FitActivity, encodeActivity } from '../../src/fit/write-activity.ts';
import type { FitRecord } from '../../src/fit/write-totals.ts';

const START = Date.parse('2026-05-17T06:00:00Z') / 1000;

/** A record this many seconds after the start, at 8 m/s, 2 W more each time. */
const recordAt = (second: number, index: number): FitRecord => ({
  time: START + second,
  latitude: 47.35 + index * 0.0001,
  longitude: -8.55,
  altitude: [410.2, 412.2, 411, 415.4, 415.4, 409][index],
  distance: index * 8,
  speed: 8,
  heartRate: 120 + index,
  cadence: index === 2 ? 0 : 90,
  power: 200 + 2 * index,
  temperature: -3,
});

/** Six records, with a pause of a minute in the middle, in two laps. */
const RIDE: FitActivity = {
  fileId: { manufacturer: 255, product: 7, productName: 'A test', serial: 123 },
  sport: CYCLING,
  subSport: 7,
  records: [0, 1, 2, 62, 63, 64].map(recordAt),
  laps: [
    { from: START, to: START + 2, intensity: 'warmup' },
    { from: START + 2, to: START + 64, intensity: 'interval', calories: 12 },
  ],
  pauses: [{ from: START + 2, to: START + 61 }],
  calories: 20,
  utcOffset: 7200,
};

const near = (value = NaN) => expect.closeTo(value, 6) as number;
const isoAt = (second: number) => new Date((START + second) * 1000).toISOString();

async function parse(activity: FitActivity) {
  const bytes = encodeActivity(activity);
  const options = { mode: 'list', speedUnit: 'm/s', lengthUnit: 'm' } as const;
  const parsed = await new FitParser(options).parseAsync(Buffer.from(bytes));
  return JSON.parse(JSON.stringify(parsed)) as Record<string, Record<string, unknown>[]>;
}

/** The fields of each message of a kind: number and bytes. */
const rawFields = (activity: FitActivity, message: number) =>
  readFitMessages(encodeActivity(activity))
    .messages.filter(({ globalMessageNumber }) => globalMessageNumber === message)
    .map(({ fields }) => new Map(fields.map((field) => [field.fieldNumber, field.bytes])));

describe('an encoded activity', () => {
  it('has every value of its records for fit-file-parser', async () => {
    const { records } = await parse(RIDE);
    expect(records).toEqual(
      RIDE.records.map(({ time, latitude, longitude, altitude, ...record }) => ({
        ...{ distance: record.distance, cadence: record.cadence, power: record.power },
        ...{ heart_rate: record.heartRate, temperature: record.temperature },
        ...{ speed: 8, enhanced_speed: 8 },
        altitude: near(altitude),
        enhanced_altitude: near(altitude),
        timestamp: isoAt(time - START),
        position_lat: near(latitude),
        position_long: near(longitude),
      })),
    );
  });

  it('has laps and a session that sum up their records, without the pause', async () => {
    const { sessions, laps, activity } = await parse(RIDE);
    const whole = {
      start_time: isoAt(0),
      timestamp: isoAt(64),
      total_elapsed_time: 64,
      total_timer_time: 5,
      total_distance: 40,
      total_ascent: 6,
      total_descent: 8,
      total_calories: 20,
      avg_speed: 8,
      enhanced_avg_speed: 8,
      max_speed: 8,
      avg_heart_rate: 123,
      max_heart_rate: 125,
      // Coasting does not count.
      avg_cadence: 90,
      max_cadence: 90,
      avg_power: 205,
      max_power: 210,
      avg_temperature: -3,
      sport: 'cycling',
      sub_sport: 'road',
      num_laps: 2,
    };
    expect(sessions).toEqual([expect.objectContaining(whole)]);
    expect(laps).toEqual([
      expect.objectContaining({
        start_time: isoAt(0),
        timestamp: isoAt(2),
        total_timer_time: 2,
        total_distance: 16,
        avg_power: 202,
        intensity: 'warmup',
      }),
      expect.objectContaining({
        start_time: isoAt(2),
        total_elapsed_time: 62,
        total_timer_time: 3,
        total_distance: 24,
        max_power: 210,
        total_calories: 12,
        intensity: 'interval',
      }),
    ]);
    expect(activity).toMatchObject({ total_timer_time: 5, num_sessions: 1 });
  });

  it('has a file id, and events where the timer stopped and started', async () => {
    const { file_ids: ids, events } = await parse(RIDE);
    expect(ids).toEqual([
      expect.objectContaining({
        type: 'activity',
        manufacturer: 'development',
        product: 7,
        product_name: 'A test',
        serial_number: 123,
        time_created: isoAt(0),
      }),
    ]);
    expect(events?.map((event) => [event['timestamp'], event['event_type']])).toEqual([
      [isoAt(0), 'start'],
      [isoAt(2), 'stop_all'],
      [isoAt(61), 'start'],
      [isoAt(64), 'stop_all'],
    ]);
  });

  it('is a whole recording with its local time for our own reader', () => {
    const bytes = encodeActivity(RIDE);
    expect(checkEnvelope(bytes)).toEqual({ state: 'whole', segments: 1 });
    expect(readSummary(bytes)).toMatchObject({
      startTime: new Date(START * 1000),
      elapsedSecs: 64,
      timerSecs: 5,
      distanceMetres: 40,
      localOffsetMinutes: 120,
    });
  });

  it('has no field for a channel that its records lack', () => {
    const bare = { ...RIDE, records: RIDE.records.map(({ time }) => ({ time })) };
    expect(rawFields(bare, 20).map((fields) => [...fields.keys()])).toEqual(
      RIDE.records.map(() => [253]),
    );
    const [session] = rawFields(bare, 18);
    expect([...(session?.keys() ?? [])].sort((one, other) => one - other)).toEqual([
      ...[0, 1, 2, 5, 6, 7, 8, 11, 25, 26, 28, 253, 254],
    ]);
  });

  it('is one lap if none is named, and states no local time without an offset', async () => {
    const { laps: named, utcOffset, ...rest } = RIDE;
    expect([named?.length, utcOffset]).toEqual([2, 7200]);
    const { laps } = await parse(rest);
    expect(laps).toEqual([expect.objectContaining({ total_elapsed_time: 64, total_distance: 40 })]);
    expect(readSummary(encodeActivity(rest)).localOffsetMinutes).toBeUndefined();
  });

  it('has the enhanced field alone for a value beyond the old one', () => {
    const [first] = RIDE.records;
    if (first === undefined) throw new Error('no record');
    const fast = { ...RIDE, records: [{ ...first, speed: 70, altitude: 13_000 }] };
    const [record] = rawFields(fast, 20);
    const held = [2, 6, 73, 78].map((field) => record?.has(field));
    expect(held).toEqual([false, false, true, true]);
  });

  it('cannot hold a value beyond its field, or no record', () => {
    const records = [{ time: START, heartRate: 300 }];
    expect(() => encodeActivity({ ...RIDE, records })).toThrow(RangeError);
    expect(() => encodeActivity({ ...RIDE, records: [] })).toThrow('An activity has records.');
  });
});
