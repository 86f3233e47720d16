import FitParser from 'fit-file-parser';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { readSummary } from '../../src/fit/summary.ts';
import {
  type SynthesizeOptions,
  type SyntheticDay,
  profileOf,
  synthesize,
} from '../../src/seed/synthesize.ts';
import { sha256 } from '../../src/system/this-process.ts';

const MAY: SynthesizeOptions = { days: 14, seed: 1, until: '2026-05-17', zone: 'Europe/Berlin' };

const made = new Map<string, readonly SyntheticDay[]>();

/** Makes days once for each set of options: a month takes a second. */
function daysOf(given: Partial<SynthesizeOptions> = {}): readonly SyntheticDay[] {
  const options = { ...MAY, ...given };
  const key = JSON.stringify(options);
  const days = made.get(key) ?? [...synthesize(options)];
  made.set(key, days);
  return days;
}
const recordingsOf = (days: readonly SyntheticDay[]) =>
  days.flatMap(({ recordings }) => recordings);
const itemsOf = (days: readonly SyntheticDay[]) =>
  days.flatMap(({ nutrition }) => nutrition?.items ?? []);

/** The days with the digest of each recording: comparing its bytes takes long. */
const condensed = (days: readonly SyntheticDay[]) =>
  days.map(({ recordings, ...day }) => ({
    ...day,
    recordings: recordings.map(({ bytes, ...rest }) => ({ ...rest, bytes: sha256(bytes) })),
  }));

describe('synthesized days', () => {
  // If the hash changes, an account that an earlier version filled gets all its recordings a second time.
  it.each([
    ['1', MAY, '3727d797a769d3300fb5bea3269481162edc197b7fe33b4868fb16f183e45929'],
    [
      'a large one',
      { days: 7, seed: 4_294_967_297, until: '2025-11-09', zone: 'America/New_York' },
      'bceab2c7365fc8832f894dcc2ed60923d1ac806c163058f408498eea3e8d7de6',
    ],
  ])('have the same bytes on every machine, with seed %s', (_, options, hash) => {
    expect(sha256(Buffer.from(JSON.stringify(condensed(daysOf(options)))))).toBe(hash);
  });

  it('depend on their date alone: not on the number of days, nor on the last one', () => {
    const fortnight = daysOf();
    expect(condensed(daysOf({ days: 5 }))).toEqual(condensed(fortnight.slice(-5)));
    expect(condensed(daysOf({ days: 5, until: '2026-05-10' }))).toEqual(
      condensed(fortnight.slice(2, 7)),
    );
  });

  it('keep their workouts by the clock of another zone, at a place there', () => {
    const [here, there] = [MAY.zone, 'Asia/Tokyo'].map((zone) =>
      recordingsOf(daysOf({ days: 5, zone })),
    );
    expect(there?.map(({ fileName }) => fileName)).toEqual(here?.map(({ fileName }) => fileName));
    here?.forEach(({ bytes }, index) => {
      const [berlin, tokyo] = [bytes, there?.[index]?.bytes ?? Buffer.of()].map(readSummary);
      const earlier = Number(berlin?.startTime) - Number(tokyo?.startTime);
      expect([earlier / 3_600_000, tokyo?.localOffsetMinutes]).toEqual([7, 540]);
    });
  });

  it('are whole recordings, each with another name, start and content', () => {
    const recordings = [1, 2].flatMap((seed) => recordingsOf(daysOf({ seed })));
    const summaries = recordings.map(({ bytes }) => readSummary(bytes));
    expect(recordings.length).toBeGreaterThan(15);
    expect(new Set(recordings.map(({ bytes }) => sha256(bytes))).size).toBe(recordings.length);
    const ids = summaries.map(
      ({ fileId, startTime }) => `${fileId?.serial} ${startTime?.getTime()}`,
    );
    expect(new Set(ids).size).toBe(recordings.length);
    for (const [index, { fileName, bytes }] of recordings.entries()) {
      expect(checkEnvelope(bytes)).toEqual({ state: 'whole', segments: 1 });
      const { startTime, localOffsetMinutes = NaN } = summaries[index] ?? {};
      const local = new Date(Number(startTime) + localOffsetMinutes * 60_000).toISOString();
      expect(fileName.slice(0, 19)).toBe(local.slice(0, 19).replace(/[T:]/g, '-'));
    }
  });

  it('have rides, trainer rides and runs for fit-file-parser, each with its channels', async () => {
    const kinds = new Set<string>();
    for (const { bytes, fileName } of recordingsOf(daysOf())) {
      const parser = new FitParser({ mode: 'list' });
      const { records = [], sessions = [] } = await parser.parseAsync(Buffer.from(bytes));
      const [session] = sessions;
      kinds.add(`${session?.sport} ${session?.sub_sport}`);
      const usual = ['speed', 'distance', 'power', 'heart_rate', 'cadence'];
      const outside = session?.sub_sport === 'indoor_cycling' ? [] : ['position_lat', 'altitude'];
      const lacking = [...usual, ...outside].filter(
        (name) => !records.every((each) => name in each),
      );
      expect(lacking, fileName).toEqual([]);
    }
    expect([...kinds].sort()).toEqual([
      'cycling indoor_cycling',
      'cycling road',
      'running generic',
    ]);
  });

  it.each([1, 2, 3])('are plausible, with seed %i', (seed) => {
    for (const { name, bytes } of recordingsOf(daysOf({ seed, days: 14 }))) {
      const { sessions, distanceMetres = 0, timerSecs = 0, elapsedSecs = 0 } = readSummary(bytes);
      const [session] = sessions;
      const { averages, maxima, sport, calories = 0 } = session ?? {};
      const isRide = sport === 2;
      const between = (value: number | undefined, least: number, most: number, what: string) => {
        expect(value, `${what} of ${name}`).toBeGreaterThanOrEqual(least);
        expect(value, `${what} of ${name}`).toBeLessThanOrEqual(most);
      };
      between(timerSecs / 60, 20, 260, 'minutes');
      expect(elapsedSecs, name).toBe(timerSecs);
      between((distanceMetres / timerSecs) * 3.6, isRide ? 20 : 8, isRide ? 38 : 16, 'km/h');
      between(averages?.heartRate, 100, 175, 'bpm');
      between(maxima?.heartRate, averages?.heartRate ?? 0, 194, 'highest bpm');
      between(averages?.power, 90, 340, 'W');
      between(maxima?.power, averages?.power ?? 0, 500, 'highest W');
      between(averages?.cadence, 70, 100, 'cadence');
      between(calories / (timerSecs / 3600), 350, 1300, 'kcal/h');
    }
    for (const day of daysOf({ seed, days: 14 })) {
      const { date } = day;
      const total = (of: 'calories' | 'carbs') =>
        itemsOf([day]).reduce((sum, item) => sum + item[of], 0);
      expect(total('calories'), date).toBeGreaterThan(1200);
      expect(total('calories'), date).toBeLessThan(5500);
      expect(total('carbs'), date).toBeGreaterThan(120);
    }
  });

  it('have wellness in the units and scales of the platform, worse after a hard day', () => {
    const days = [1, 2, 3, 4].flatMap((seed) => daysOf({ seed }));
    for (const { wellness } of days) {
      const { date, hrv, restingHr, sleepSecs, weight, vo2max, rawJson, ...others } = wellness;
      const { sleepScore, readiness, ...scores } = others;
      expect([hrv > 40 && hrv < 110, restingHr > 40 && restingHr < 70], date).toEqual([true, true]);
      expect(sleepSecs > 4 * 3600 && sleepSecs < 11 * 3600 && sleepSecs % 60 === 0).toBe(true);
      expect(weight > 54 && weight < 85 && vo2max > 40 && vo2max < 65).toBe(true);
      expect(rawJson.synthetic).toBe(true);
      for (const points of [sleepScore, readiness]) {
        expect(Number.isInteger(points) && points > 10 && points <= 100).toBe(true);
      }
      expect(Object.keys(scores)).toEqual(['mood', 'motivation', 'fatigue', 'soreness']);
      for (const score of Object.values(scores)) {
        expect(Number.isInteger(score) && score >= 1 && score <= 10).toBe(true);
      }
    }
    const fatigueAfter = (isLong: boolean) => {
      const mornings = days.filter((_, index) => {
        const before = days[index - 1]?.recordings[0]?.name;
        return isLong ? before?.startsWith('Long') : before === undefined;
      });
      return mornings.reduce((sum, { wellness }) => sum + wellness.fatigue, 0) / mornings.length;
    };
    expect(fatigueAfter(true)).toBeGreaterThan(fatigueAfter(false) + 1);
  });

  it('have meals on their day, with the offset of their zone, also as clocks change', () => {
    for (const [until, zone] of [
      ['2026-03-30', 'Europe/Berlin'],
      ['2025-11-03', 'America/New_York'],
      ['2018-11-05', 'America/Sao_Paulo'],
    ] as const) {
      const days = daysOf({ until, zone, days: 3 });
      expect(new Set(itemsOf(days).map((item) => item.logged_at.slice(19))).size).toBe(2);
      for (const { date, nutrition } of days) {
        for (const { logged_at: at } of nutrition?.items ?? []) {
          expect([at.slice(0, 10), at.slice(19)]).toEqual([date, offsetIn(zone, at)]);
        }
      }
    }
  });
});

describe('synthesized days until today', () => {
  it('leave out the future, and add it later', () => {
    const all = daysOf({ days: 2 });
    const [ride] = recordingsOf(all).slice(-1);
    const { startTime, elapsedSecs = 0 } = readSummary(ride?.bytes ?? Buffer.of());
    const end = Number(startTime) + elapsedSecs * 1000;
    const namesAt = (now: number) =>
      recordingsOf(daysOf({ days: 2, now })).map(({ fileName }) => fileName);
    const names = recordingsOf(all).map(({ fileName }) => fileName);
    expect(namesAt(end)).toEqual(names);
    expect(namesAt(end - 1)).toEqual(names.slice(0, -1));
    const eaten = daysOf({ days: 2, now: end });
    expect(itemsOf(eaten)).toEqual(
      itemsOf(all).filter((item) => Date.parse(item.logged_at) <= end),
    );
    expect(itemsOf(eaten).length).toBeLessThan(itemsOf(all).length);
    const [, lastDay] = all;
    // Before breakfast there is the night.
    const [, early] = daysOf({ days: 2, now: Date.parse('2026-05-17T05:00:00+02:00') });
    expect(early).toEqual({ ...lastDay, recordings: [], nutrition: null });
  });

  it('do not begin with a day that has not begun in their zone', () => {
    const now = Date.parse('2026-05-16T20:00:00Z');
    expect(daysOf({ now, zone: 'Asia/Tokyo', days: 2 })).toHaveLength(2);
    expect(() => daysOf({ now })).toThrow('The last day, 2026-05-17, is in the future.');
  });
});

it('athletes of consecutive seeds train at other times, and of other seeds in another sport', () => {
  const usual = [1, 2, 3, 4].map((seed) => {
    const recordings = recordingsOf(daysOf({ seed }));
    const rides = recordings.filter(({ fileName }) => fileName.endsWith('ride.fit')).length;
    const starts = recordings.map(({ fileName }) => fileName.slice(11, 13)).sort();
    return [rides > recordings.length / 2 ? 'rides' : 'runs', starts[starts.length >> 1]];
  });
  expect(usual).toEqual([
    ['rides', '17'],
    ['runs', '06'],
    ['rides', '11'],
    ['runs', '17'],
  ]);
});

it('the profile has the weight of the last morning', () => {
  const { weight, ftp } = profileOf(MAY);
  expect(weight).toBe(daysOf().at(-1)?.wellness.weight);
  expect(ftp / weight).toBeGreaterThan(3);
});

it('days are made on demand, and can be iterated again', () => {
  const days = synthesize({ ...MAY, days: 3660 });
  for (const pass of [1, 2]) {
    const { value } = days[Symbol.iterator]().next() as { value: SyntheticDay };
    expect([pass, value.date]).toEqual([pass, '2016-05-10']);
  }
});

it.each([
  [{ days: 0 }, 'USAGE', 'The number of days must be 1 to 3660, not 0.'],
  [{ days: 3661 }, 'USAGE', 'The number of days must be 1 to 3660, not 3661.'],
  [{ seed: -1 }, 'USAGE', 'The seed must be a whole number from 0, not -1.'],
  [{ until: '2025-02-30' }, 'USAGE', /must be a date from 2001 to 2099, not 2025-02-30\./],
  [{ until: '1999-01-01' }, 'USAGE', /must be a date from 2001 to 2099, not 1999-01-01\./],
  [{ zone: 'Middle/Earth' }, 'CONFIG', "There is no time zone 'Middle/Earth'."],
])('synthesize refuses %j at once', (wrong, code, message) => {
  const refused = (() => {
    try {
      return synthesize({ ...MAY, ...wrong });
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(SyncError);
  expect(refused).toMatchObject({ code, message: expect.stringMatching(message) as string });
});

/** The offset that the runtime gives for a local time, `+02:00`. */
function offsetIn(zone: string, local: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const name = format.formatToParts(new Date(local)).find(({ type }) => type === 'timeZoneName');
  return name?.value.slice(3) ?? '';
}
