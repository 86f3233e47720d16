import { readdirSync, readFileSync } from 'node:fs';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { SyncError } from '../../src/base/errors.ts';
import { Calendar } from '../../src/seed/calendar.ts';
import { daysOf, type CompleteDay } from '../../src/seed/day.ts';
import { settingOf, synthesize, type SynthesizeOptions } from '../../src/seed/synthesize.ts';
import { checkEnvelope } from '../../src/fit/envelope.ts';
import { SUMMER, condensed, hashesOf, sampleRecording, sha256 } from './support.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('synthesize with the same arguments', () => {
  // The time zone database will not change these past dates and zones. If the hashes change, an account
  // seeded by an earlier version gets all its recordings a second time.
  it.each([
    {
      options: { ...SUMMER, days: 14 },
      hashes: {
        files: '2a43f07b7b156658fb32846ae14318b45e3bc4f1158fa05c1f32cf13407a06be',
        wellness: '0ea426d32007199746b5fe422766be5a0667f1103c0561d7f2e2aa7fcf84a534',
        nutrition: '03c04669e32006998d309ea5d8fd08c95ed3f664744657697153411a7b6b3c4c',
      },
    },
    {
      options: { days: 14, seed: 4_294_967_297, until: '2025-11-09', zone: 'America/New_York' },
      hashes: {
        files: '3f13cf3f8e32febc3f689b531dfc5ff7c12f9c82ea80e229b053457484ddf36b',
        wellness: '4ec797483a3555d9a0153f7907edea32608a2c92b90a3ecba51c89f877de6797',
        nutrition: '7e4d0473b74e3510aa9051001c139c7be95a25c3e84819fd9ce3baac56d2713a',
      },
    },
    {
      options: { days: 7, seed: 0, until: '2024-03-03', zone: 'Asia/Kolkata' },
      hashes: {
        files: '740346ee61cc7c6b971899cc93d8ddd7db77eb622a8b45f2d11f172b109610e4',
        wellness: '5e076cddda596919a8a3599fd59610753628d6211ba5232a6bf2a6e966c43e84',
        nutrition: '62d1468da0f3bce925db5dbccb2528e5c9ac67da249fc04f38e3e87849a51ac6',
      },
    },
  ])(
    'gives the same bytes for $options.days days of seed $options.seed in $options.zone',
    ({ options, hashes }) => {
      expect(hashesOf(synthesize(options))).toEqual(hashes);
    },
  );

  it('gives the same bytes for the sample recording, a short morning ride', () => {
    const sample = sampleRecording({ date: '2025-06-01', zone: 'Europe/Zurich' });
    expect({ ...sample, bytes: sha256(sample.bytes), truth: sample.truth.laps.length }).toEqual({
      fileName: '2025-06-01-07-10-00-ride.fit',
      name: 'Morning ride',
      bytes: '17b14c8b8e399081a647403a0c341f347d64dc5bdf07c743d652d17b550367e7',
      truth: 2,
    });
    expect(checkEnvelope(sample.bytes).state).toBe('whole');
    expect(sample.bytes.length).toBeLessThan(60_000);
    expect(sample.truth.end - sample.truth.start).toBe(1800);
    expect(sample.truth.start).toBe(Date.parse('2025-06-01T07:10:00+02:00') / 1000);
  });

  it('uses nothing that depends on engine, clock or machine', () => {
    const folder = new URL('../../src/seed/', import.meta.url);
    // Results of sin are rounded to whole units.
    const allowed = /^(PI|abs|floor|imul|max|min|round|sin|sqrt)$/;
    for (const file of readdirSync(folder)) {
      const code = readFileSync(new URL(file, folder), 'utf8').replace(
        /\/\*\*?[^]*?\*\/|\/\/.*/g,
        '',
      );
      for (const [, name = ''] of code.matchAll(/\bMath\.(\w+)/g)) {
        expect(name, `Math.${name} in ${file}`).toMatch(allowed);
      }
      expect(code, file).not.toMatch(
        /\*\*|\bDate\b|\bIntl\b|toLocale|localeCompare|process\.|Now\b/,
      );
    }
  });
});

describe('seeded days', () => {
  it('are the same at the end of a longer history', () => {
    const long = [...synthesize({ ...SUMMER, days: 16 })].slice(-6);
    expect(condensed([...synthesize({ ...SUMMER, days: 6 })])).toEqual(condensed(long));
  });

  it('move to other dates with another last day', () => {
    const days = 10;
    const here = completeDays({ ...SUMMER, days });
    // Another year, another season, another day of the week, and clocks that change on the way.
    const there = completeDays({ ...SUMMER, days, until: '2026-04-15' });
    expect(there.map(({ date }) => date).at(-1)).toBe('2026-04-15');
    expect(there.map(({ date }) => date).at(0)).toBe('2026-04-06');
    expect(condensed(there.map(shapeOf))).toEqual(condensed(here.map(shapeOf)));
    expect(hashesOf(there).files).not.toBe(hashesOf(here).files);
  });

  it('keep their workouts in another zone, by its clock', () => {
    const recordingsIn = (zone: string) =>
      [...synthesize({ ...SUMMER, days: 10, zone })].flatMap((day) => day.recordings);
    const [here, there] = [recordingsIn(SUMMER.zone), recordingsIn('Asia/Tokyo')];
    expect(there.map(({ fileName }) => fileName)).toEqual(here.map(({ fileName }) => fileName));
    here.forEach(({ truth }, index) => {
      expect(truth.start - Number(there[index]?.truth.start)).toBe(7 * 3600);
      // Power is the same, but home and positions differ.
      const { records, totals } = there[index]?.truth ?? {};
      expect(condensed(records?.power)).toEqual(condensed(truth.records.power));
      expect(condensed(records?.distance)).toEqual(condensed(truth.records.distance));
      if (totals?.startPosition) {
        expect((totals.startPosition.longitude / 2 ** 31) * 180).toBeCloseTo(139.75, 1);
      }
    });
  });
});

describe('seeded times', () => {
  it('leave out what is still to come, and add it later', () => {
    const made = (now?: number) =>
      [...synthesize({ ...SUMMER, days: 3, ...(now === undefined ? {} : { now }) })].flatMap(
        ({ recordings }) => recordings.map(({ fileName, truth }) => ({ fileName, ...truth })),
      );
    const namesAt = (now: number) => made(now).map(({ fileName }) => fileName);
    const all = made();
    const names = all.map(({ fileName }) => fileName);
    const last = all.at(-1);
    if (last === undefined) throw new Error('there is no recording');
    expect(namesAt(last.end * 1000)).toEqual(names);
    expect(namesAt(last.end * 1000 - 1)).toEqual(names.slice(0, -1));
    expect(namesAt(last.start * 1000)).toEqual(names.slice(0, -1));
    expect(namesAt(Date.parse('2025-01-01'))).toEqual([]);
  });

  it("have the day's offset, before and after daylight saving changes", () => {
    const offsets = (until: string) =>
      completeDays({ days: 14, seed: 5, until, zone: 'America/New_York' }).map(
        ({ date, recordings, nutrition }) => ({
          summer: date >= '2025-03-09' && date < '2025-11-02',
          hours: new Set([
            ...recordings.map(({ truth }) => truth.offset / 3600),
            ...nutrition.items.map(({ logged_at: at }) => Number(at.slice(-6, -3))),
          ]),
        }),
      );
    for (const until of ['2025-03-15', '2025-11-08']) {
      const days = offsets(until);
      expect(days.map(({ summer }) => summer)).toContain(true);
      expect(days.map(({ summer }) => summer)).toContain(false);
      for (const { summer, hours } of days) expect([...hours]).toEqual([summer ? -4 : -5]);
    }
  });

  it('start every recording on its day, at the time in its name', () => {
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'UTC']) {
      for (const { date, recordings } of synthesize({ ...SUMMER, days: 14, zone })) {
        for (const { fileName, truth } of recordings) {
          const local = new Date((truth.start + truth.offset) * 1000).toISOString().slice(0, 19);
          expect(fileName.slice(0, 19)).toBe(local.replace(/[T:]/g, '-'));
          expect(local.slice(0, 10)).toBe(date);
        }
      }
    }
  });

  it('move out of a daylight saving gap, and use the first of two', () => {
    const spring = new Calendar('2025-03-30', 'Europe/Zurich');
    expect(spring.moment(0, 2.5 * 3600).text).toBe('2025-03-30T03:30:00+02:00');
    const autumn = new Calendar('2025-10-26', 'Europe/Zurich');
    expect(autumn.moment(0, 2.5 * 3600).text).toBe('2025-10-26T02:30:00+02:00');
    expect(autumn.moment(1, 86_399)).toEqual({
      instant: Date.parse('2025-10-25T23:59:59+02:00') / 1000,
      offset: 7200,
      text: '2025-10-25T23:59:59+02:00',
      label: '2025-10-25-23-59-59',
    });
  });
});

it('every date occurs once, also where clocks skip midnight', () => {
  const made = completeDays({ days: 5, seed: 7, until: '2018-11-05', zone: 'America/Sao_Paulo' });
  for (const { date, nutrition, recordings } of made) {
    const eaten = nutrition.items.map(({ logged_at }) => logged_at.slice(0, 10));
    expect(new Set(eaten)).toEqual(new Set([date]));
    for (const { fileName } of recordings) expect(fileName.slice(0, 10)).toBe(date);
  }
  const dates = made.map(({ date }) => date.slice(5));
  expect(dates).toEqual(['11-01', '11-02', '11-03', '11-04', '11-05']);
});

it('no two recordings share a name or bytes', () => {
  const recordingsOf = (seed: number) =>
    [...synthesize({ ...SUMMER, days: 40, seed })].flatMap((day) => day.recordings);
  const summer = recordingsOf(2);
  const other = recordingsOf(3);
  for (const each of [summer, other])
    expect(new Set(each.map((one) => one.fileName)).size).toBe(each.length);
  // Each differs from its neighbours of the same kind.
  const last = [...summer.slice(-14), ...other.slice(-14)];
  expect(new Set(last.map(({ bytes }) => sha256(bytes))).size).toBe(28);
});

it('days are made on demand, and can be iterated again', () => {
  const dates = vi.spyOn(Calendar.prototype, 'date');
  const days = synthesize({ ...SUMMER, days: 3660 });
  expect(dates).not.toHaveBeenCalled();
  const iterator = days[Symbol.iterator]();
  expect(iterator.next().value).toMatchObject({ date: '2015-09-01' });
  expect(iterator.next().value).toMatchObject({ date: '2015-09-02' });
  expect(dates).toHaveBeenCalledTimes(2);
  expect(days[Symbol.iterator]().next().value).toMatchObject({ date: '2015-09-01' });
});

it.each([
  [{ days: 0 }, 'The number of days must be 1 to 3660, not 0.'],
  [{ days: 3661 }, 'The number of days must be 1 to 3660, not 3661.'],
  [{ seed: -1 }, 'The seed must be a whole number from 0, not -1.'],
  [{ until: '2025-02-30' }, 'Invalid date "2025-02-30".'],
  [{ until: '2025-09-07T00:00:00Z' }, 'Invalid date "2025-09-07T00:00:00Z".'],
  [{ until: '1999-01-01' }, 'The last day must be from 2001 to 2099, not 1999-01-01.'],
  [{ zone: 'Middle/Earth' }, 'Unknown time zone "Middle/Earth".'],
])('synthesize refuses invalid arguments at once, and names the error in %j', (wrong, message) => {
  const attempt = () => synthesize({ ...SUMMER, ...wrong });
  expect(attempt).toThrow(SyncError);
  expect(attempt).toThrow(expect.objectContaining({ code: 'USAGE', message }) as Error);
});

function completeDays(options: SynthesizeOptions): CompleteDay[] {
  return [...daysOf(settingOf(options), options.days)];
}

/** What a day holds without its dates, which must not depend on the last day. */
function shapeOf({ recordings, wellness, nutrition, plan }: CompleteDay) {
  return {
    recordings: recordings.map(({ fileName, name, truth, bytes }) => ({
      name,
      at: fileName.slice(11),
      size: bytes.length,
      seconds: truth.end - truth.start,
      records: { ...truth.records, timestamp: null },
    })),
    wellness: { ...wellness, date: '' },
    items: nutrition.items.map((item) => ({ ...item, logged_at: item.logged_at.slice(11, 19) })),
    plan,
  };
}
