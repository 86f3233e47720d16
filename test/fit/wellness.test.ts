import { describe, expect, it } from 'vitest';
import { readFitWellness } from '../../src/fit/wellness.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { START, fitFile, fitMessage } from '../support/fit-messages.ts';
import { realRecordings } from '../support/real-recordings.ts';

/** {@link START}, as seconds since 1970. */
const AT = Date.parse('2026-02-15T07:30:00Z') / 1000;
const HOUR = 3_600;
const MONITORING = fitMessage('fileId', { type: 32, manufacturer: 1 });

/** The message that states local time. */
function localTime(hours: number, at = START): number[] {
  return fitMessage('monitoringInfo', { timestamp: at, local: at + hours * HOUR });
}

const restingHr = (today: number, at = START) =>
  fitMessage('monitoringHr', { timestamp: at, sevenDays: 50, today });

describe('readFitWellness', () => {
  it('reads each field from its message, in the unit of the platform', () => {
    const bytes = fitFile(
      MONITORING,
      localTime(1),
      restingHr(48, START + 1),
      fitMessage('maxMet', { time: START + 2, tenths: 523, sport: 1 }),
      fitMessage('hrvStatus', { timestamp: START + 3, week: 7_000, lastNight: 8_512 }),
      fitMessage('weightScale', { timestamp: START + 4, hundredthKg: 7_245, user: 2 }),
    );
    const offset = HOUR;
    expect(readFitWellness(bytes)).toEqual([
      { field: 'restingHr', value: 48, at: AT, offset },
      { field: 'vo2max', value: 52.3, at: AT + 2, offset, sport: 'running' },
      { field: 'hrv', value: 66.5, at: AT + 3, offset },
      { field: 'weight', value: 72.45, at: AT + 4, offset, user: 2 },
    ]);
  });

  it.each([
    ['an activity', 4],
    ['settings', 2],
    ['a file of an unknown type', 250],
  ])('reads the messages in %s', (_, type) => {
    const bytes = fitFile(
      fitMessage('fileId', { type, manufacturer: 1 }),
      fitMessage('maxMet', { time: START, tenths: 481, sport: 2 }),
    );
    expect(readFitWellness(bytes)).toEqual([
      { field: 'vo2max', value: 48.1, at: AT, sport: 'cycling' },
    ]);
  });

  it('takes the time of a resting heart rate one second before its stamp', () => {
    const midnight = Date.parse('2026-02-16T00:00:00Z') / 1000 - AT + START;
    const [sample] = readFitWellness(fitFile(MONITORING, localTime(0), restingHr(51, midnight)));
    expect(sample).toEqual({
      field: 'restingHr',
      value: 51,
      at: Date.parse('2026-02-15T23:59:59Z') / 1000,
      offset: 0,
    });
  });

  it('takes the time stamp of a VO2max that states no time of its update', () => {
    const stamped = fitMessage('maxMet', { timestamp: START + 5, tenths: 500, sport: 1 });
    const stated = fitMessage('maxMet', { timestamp: START + 5, time: START, tenths: 510 });
    const samples = readFitWellness(fitFile(MONITORING, stamped, stated));
    expect(samples.map(({ at, value }) => [at, value])).toEqual([
      [AT + 5, 50],
      [AT, 51],
    ]);
  });

  it('counts local time from each message that states it, for the messages after it', () => {
    const bytes = fitFile(
      MONITORING,
      restingHr(50),
      localTime(1),
      restingHr(51),
      localTime(-7),
      restingHr(52),
    );
    expect(readFitWellness(bytes).map(({ offset }) => offset)).toEqual([
      undefined,
      HOUR,
      -7 * HOUR,
    ]);
  });

  it.each([
    ['a day apart', 24 * HOUR, undefined],
    ['20 minutes off any zone', HOUR + 20 * 60, undefined],
    ['of a clock that is 4 minutes off', HOUR + 240, HOUR],
    ['in Nepal', 5.75 * HOUR, 5.75 * HOUR],
    ['in Kiribati', 14 * HOUR, 14 * HOUR],
  ])('reads a local time %s', (_, difference, offset) => {
    const info = fitMessage('monitoringInfo', { timestamp: START, local: START + difference });
    const [sample] = readFitWellness(fitFile(MONITORING, info, restingHr(50)));
    expect(sample?.offset).toBe(offset);
  });

  it('keeps the last credible local time', () => {
    const absent = fitMessage('monitoringInfo', { timestamp: START, local: 0xffff_ffff });
    const bytes = fitFile(MONITORING, localTime(2), absent, localTime(100), restingHr(50));
    expect(readFitWellness(bytes)[0]?.offset).toBe(2 * HOUR);
  });

  it('forgets the local time at the next segment of a chained file', () => {
    const first = fitFile(MONITORING, localTime(2), restingHr(50));
    const second = fitFile(MONITORING, restingHr(51));
    const samples = readFitWellness(Buffer.concat([first, second]));
    expect(samples.map(({ value, offset }) => [value, offset])).toEqual([
      [50, 2 * HOUR],
      [51, undefined],
    ]);
  });

  it.each([
    ['a resting heart rate of 0', restingHr(0)],
    ['an invalid resting heart rate', restingHr(0xff)],
    ['a 7-day resting heart rate', fitMessage('monitoringHr', { timestamp: START, sevenDays: 50 })],
    ['an invalid VO2max', fitMessage('maxMet', { time: START, tenths: 0xffff, sport: 1 })],
    ['a VO2max without a time', fitMessage('maxMet', { tenths: 500, sport: 1 })],
    ['a mean HRV of a week', fitMessage('hrvStatus', { timestamp: START, week: 8_000 })],
    ['an HRV of 0', fitMessage('hrvStatus', { timestamp: START, lastNight: 0 })],
    ['an unfinished weight', fitMessage('weightScale', { timestamp: START, hundredthKg: 0xfffe })],
    ['a time since power-on', fitMessage('weightScale', { timestamp: 3_600, hundredthKg: 7_200 })],
    ['a weight without a time', fitMessage('weightScale', { hundredthKg: 7_200 })],
  ])('ignores %s', (_, message) => {
    expect(readFitWellness(fitFile(MONITORING, localTime(1), message))).toEqual([]);
  });

  it('names no sport for a VO2max of rowing, and no user for a scale without users', () => {
    const bytes = fitFile(
      fitMessage('fileId', { type: 9 }),
      fitMessage('maxMet', { time: START, tenths: 500, sport: 15 }),
      fitMessage('weightScale', { timestamp: START, hundredthKg: 7_200, user: 0xffff }),
    );
    expect(readFitWellness(bytes)).toEqual([
      { field: 'vo2max', value: 50, at: AT },
      { field: 'weight', value: 72, at: AT },
    ]);
  });

  it('ignores the flags in the number of a user', () => {
    const user = 0x8003;
    const weight = fitMessage('weightScale', { timestamp: START, hundredthKg: 7_200, user });
    expect(readFitWellness(fitFile(weight))[0]?.user).toBe(3);
  });

  it('reads big-endian messages and compressed time stamps', () => {
    // Definitions: monitoring_info, monitoring_hr_data with a time stamp, and one with only the value.
    const info = [0x40, 0, 1, 0, 103, 2, 253, 4, 0x86, 0, 4, 0x86];
    const rate = [0x41, 0, 1, 0, 211, 2, 253, 4, 0x86, 1, 1, 0x02];
    const short = [0x42, 0, 1, 0, 211, 1, 1, 1, 0x02];
    const big = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
    const bytes = fitFile(
      [...info, 0, ...big(START), ...big(START + HOUR)],
      [...rate, 1, ...big(START), 61],
      [...short, 0x80 | (2 << 5) | ((START + 20) & 31), 55],
    );
    expect(readFitWellness(bytes)).toEqual([
      { field: 'restingHr', value: 61, at: AT - 1, offset: HOUR },
      { field: 'restingHr', value: 55, at: AT + 19, offset: HOUR },
    ]);
  });

  it('finds none in a recording without such messages', () => {
    expect(readFitWellness(makeRecording({ localOffsetMinutes: 60 }))).toEqual([]);
    expect(readFitWellness(new Uint8Array())).toEqual([]);
  });
});

describe.skipIf(!realRecordings.present)(
  `readFitWellness of real recordings${realRecordings.note}`,
  () => {
    it('finds wellness in the monitoring and the HRV file, and in no other', () => {
      const found = realRecordings.names().flatMap((name) => {
        const samples = readFitWellness(realRecordings.read(name));
        return samples.length === 0 ? [] : [[name, samples]];
      });
      expect(Object.fromEntries(found)).toEqual({
        'garmin-monitoring-stress-day.fit': [
          { field: 'restingHr', value: 57, at: 1_735_686_659, offset: HOUR },
          { field: 'restingHr', value: 58, at: 1_735_701_059, offset: HOUR },
        ],
        'hrv-overnight.fit': [{ field: 'hrv', value: 48, at: 1_779_433_200 }],
      });
    });
  },
);
