import { describe, expect, it } from 'vitest';
import { renderText } from '../../../src/base/phrase.ts';
import type { FitSample } from '../../../src/fit/wellness.ts';
import { type FitFile, chooseSamples } from '../../../src/records/wellness/fit-choice.ts';
import type { RecordOptions } from '../../../src/records/types.ts';

const HOUR = 3_600;
const BERLIN: Pick<RecordOptions, 'zone'> = { zone: { name: 'Europe/Berlin', from: 'profile' } };

/** Makes a measurement at a time with an offset, or with `Z` if the file does not state local time. */
function sample(
  field: FitSample['field'],
  time: string,
  value: number,
  about: Partial<FitSample> = {},
): FitSample {
  const [, sign, hours] = /([+-])(\d\d):00$/.exec(time) ?? [];
  const offset = hours === undefined ? {} : { offset: Number(`${sign ?? ''}${hours}`) * HOUR };
  return { field, value, at: Date.parse(time) / 1000, ...offset, ...about };
}

const file = (name: string, ...samples: FitSample[]): FitFile => ({
  name,
  origin: `/${name}`,
  samples,
});

/** Returns what is chosen, as `FILE FIELD DAY VALUE`, and the notes and warnings. */
function choose(files: readonly FitFile[], options: Partial<RecordOptions> = {}) {
  const { chosen, notes, warnings } = chooseSamples(files, { ...BERLIN, ...options });
  const shown = chosen.map(
    ({ file, sample, date }) => `${file.name} ${sample.field} ${date} ${sample.value}`,
  );
  const said = (texts: readonly Parameters<typeof renderText>[0][]) =>
    texts.map((text) => renderText(text, undefined));
  return { chosen: shown, notes: said(notes), warnings: said(warnings) };
}

/** All orders of a list. */
function orders<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((one, i) =>
    orders([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [one, ...rest]),
  );
}

describe('chooseSamples', () => {
  it('takes the last measurement of a day, in any order of overlapping files', () => {
    const high = sample('restingHr', '2026-02-15T00:30:00+01:00', 78);
    const low = sample('restingHr', '2026-02-15T06:00:00+01:00', 55);
    const last = sample('restingHr', '2026-02-15T23:59:59+01:00', 54);
    const files = [file('a', high, low), file('b', low, last), file('copy', high)];
    for (const order of orders(files)) {
      expect(choose(order).chosen).toEqual(['b restingHr 2026-02-15 54']);
    }
  });

  it('counts a VO2max by the local time that other files of its card state', () => {
    // Midnight of 2026-02-16 in Japan.
    const vo2max = sample('vo2max', '2026-02-15T15:00:00Z', 50);
    const resting = sample('restingHr', '2026-02-16T02:00:00+09:00', 48);
    const later = sample('restingHr', '2026-02-17T02:00:00+01:00', 49);
    const at = (origin: string, ...samples: FitSample[]): FitFile => ({
      name: origin,
      origin,
      samples,
    });
    const metrics = at('/media/GARMIN/METRICS/a.fit', vo2max);
    const monitor = at('/media/GARMIN/MONITOR/b.fit', later, resting);
    const other = at('/media/OLD/GARMIN/MONITOR/c.fit', resting);
    const dayBy = (...files: FitFile[]) =>
      choose(files).chosen.filter((each) => each.includes('vo2max'));
    expect(dayBy(metrics, monitor)).toEqual([`${metrics.name} vo2max 2026-02-16 50`]);
    expect(dayBy(metrics, other)).toEqual([`${metrics.name} vo2max 2026-02-15 50`]);
    expect(dayBy(metrics)).toEqual([`${metrics.name} vo2max 2026-02-15 50`]);
  });

  it('counts days by the local time of each file', () => {
    const files = [
      file('berlin', sample('restingHr', '2026-02-15T23:59:59+01:00', 50)),
      file('tokyo', sample('restingHr', '2026-02-17T00:10:00+09:00', 51)),
      file('lima', sample('restingHr', '2026-02-18T23:00:00-05:00', 52)),
      file('london', sample('restingHr', '2026-02-19T23:30:00+00:00', 53)),
    ];
    expect(choose(files).chosen).toEqual([
      'berlin restingHr 2026-02-15 50',
      'tokyo restingHr 2026-02-17 51',
      'lima restingHr 2026-02-18 52',
      'london restingHr 2026-02-19 53',
    ]);
  });

  it("counts days in the athlete's zone if a file states no local time", () => {
    const files = [file('a', sample('hrv', '2026-02-15T23:30:00Z', 60))];
    expect(choose(files).chosen).toEqual(['a hrv 2026-02-16 60']);
    const zone = { name: 'America/New_York', from: 'profile' } as const;
    expect(choose(files, { zone }).chosen).toEqual(['a hrv 2026-02-15 60']);
  });

  it('keeps one day with 25 hours and one with 23 whole', () => {
    const files = [
      file(
        'spring',
        sample('restingHr', '2026-03-29T00:10:00+01:00', 70),
        sample('restingHr', '2026-03-29T23:59:59+02:00', 50),
      ),
      file(
        'autumn',
        sample('restingHr', '2026-10-25T00:10:00+02:00', 71),
        sample('restingHr', '2026-10-25T23:59:59+01:00', 51),
      ),
    ];
    expect(choose(files).chosen).toEqual([
      'spring restingHr 2026-03-29 50',
      'autumn restingHr 2026-10-25 51',
    ]);
  });

  it('keeps the local time of a file with --tz', () => {
    const files = [file('a', sample('restingHr', '2026-02-15T23:30:00-05:00', 50))];
    const zone = { name: 'Europe/Berlin', from: 'flag' } as const;
    expect(choose(files, { zone }).chosen).toEqual(['a restingHr 2026-02-15 50']);
  });
});

describe('the resting heart rate of a day that is not over', () => {
  const morning = file(
    'a',
    sample('restingHr', '2026-02-14T23:59:59+01:00', 50),
    sample('restingHr', '2026-02-15T06:00:00+01:00', 60),
    sample('hrv', '2026-02-15T06:00:00+01:00', 66),
    sample('weight', '2026-02-15T06:00:00+01:00', 72),
  );
  const at = (time: string) => ({ now: Date.parse(time) });

  it('is held back, and nothing else is', () => {
    expect(choose([morning], at('2026-02-15T23:59:59+01:00'))).toEqual({
      chosen: ['a restingHr 2026-02-14 50', 'a hrv 2026-02-15 66', 'a weight 2026-02-15 72'],
      notes: ['The resting heart rate of 2026-02-15 is not sent before the day is over.'],
      warnings: [],
    });
  });

  it('counts when the day is over', () => {
    expect(choose([morning], at('2026-02-16T00:00:00+01:00')).chosen).toContain(
      'a restingHr 2026-02-15 60',
    );
  });

  it('is held back until the day is over on the device, too', () => {
    const west = file('lima', sample('restingHr', '2026-02-15T06:00:00-05:00', 60));
    expect(choose([west], at('2026-02-16T00:30:00+01:00')).chosen).toEqual([]);
    expect(choose([west], at('2026-02-16T06:00:00+01:00')).chosen).toHaveLength(1);
    const east = file('tokyo', sample('restingHr', '2026-02-15T06:00:00+09:00', 60));
    expect(choose([east], at('2026-02-15T23:00:00+01:00')).chosen).toEqual([]);
    expect(choose([east], at('2026-02-16T00:00:00+01:00')).chosen).toHaveLength(1);
  });
});

it.each(['2038-02-15', '2000-01-01'])('a measurement of %s is left out with a warning', (day) => {
  const files = [
    file('scale.fit', sample('weight', '2026-02-15T07:00:00Z', 72)),
    file('wrong.fit', sample('weight', `${day}T07:00:00Z`, 71)),
  ];
  expect(choose(files, { now: Date.parse('2026-02-15T12:00:00Z') })).toEqual({
    chosen: ['scale.fit weight 2026-02-15 72'],
    notes: [],
    warnings: [`wrong.fit: a measurement of ${day} is not sent: the device's clock was wrong.`],
  });
});

it('an implausible measurement is left out with a warning, and hides no other', () => {
  const files = [
    file('a.fit', sample('weight', '2026-02-15T07:00:00Z', 72)),
    file('b.fit', sample('weight', '2026-02-15T08:00:00Z', 1.5)),
    file('c.fit', sample('restingHr', '2026-02-15T08:00:00Z', 240)),
  ];
  expect(choose(files)).toEqual({
    chosen: ['a.fit weight 2026-02-15 72'],
    notes: [],
    warnings: [
      'b.fit: weight of 2026-02-15 is 1.5 kg and not sent: the range is 20 to 400. Another value is out of range.',
    ],
  });
});

describe('the weights of a scale', () => {
  const weight = (day: string, kg: number, user?: number) =>
    sample('weight', `${day}T07:00:00Z`, kg, user === undefined ? {} : { user });

  it.each<[string, second: number | undefined, names: string]>([
    ['two users', 1, 'user 0, user 1'],
    ['a user and a guest', undefined, 'user 0, an unknown user'],
  ])('are all left out if they are of %s in any files', (_, second, names) => {
    const files = [
      file('a', weight('2026-02-15', 72, 0), sample('hrv', '2026-02-15T07:00:00Z', 60)),
      file('b', weight('2026-02-16', 50, second)),
    ];
    expect(choose(files)).toEqual({
      chosen: ['a hrv 2026-02-15 60'],
      notes: [],
      warnings: [
        `No weight is sent: the files have those of ${names}. \`sync push wellness --user 0\` with these files sends those of one.`,
      ],
    });
  });

  it('count for the user that --user names', () => {
    const files = [file('a', weight('2026-02-15', 72, 0), weight('2026-02-15', 50, 1))];
    expect(choose(files, { user: 0 })).toEqual({
      chosen: ['a weight 2026-02-15 72'],
      notes: [],
      warnings: [],
    });
    expect(choose(files, { user: 3 })).toEqual({
      chosen: [],
      notes: [],
      warnings: ['No weight is of user 3: the files have those of user 0, user 1.'],
    });
  });
});

describe('the VO2max of two sports', () => {
  const run = sample('vo2max', '2026-02-15T08:00:00Z', 52, { sport: 'running' });
  const ride = sample('vo2max', '2026-02-15T17:00:00Z', 48, { sport: 'cycling' });

  it('is that of the later one, with the other beside it', () => {
    for (const files of orders([file('run.fit', run), file('ride.fit', ride)])) {
      const [chosen] = chooseSamples(files, BERLIN).chosen;
      expect(chosen).toEqual({
        file: file('ride.fit', ride),
        sample: ride,
        date: '2026-02-15',
        zoneUsed: true,
        other: run,
      });
    }
  });

  it('has no other beside it if both are the same', () => {
    const same = { ...run, value: 48 };
    const [chosen] = chooseSamples([file('a', same, ride)], BERLIN).chosen;
    expect(chosen).toEqual({
      file: file('a', same, ride),
      sample: ride,
      date: '2026-02-15',
      zoneUsed: true,
    });
  });

  it('is noted if the days mix the sports', () => {
    const later = sample('vo2max', '2026-02-16T08:00:00Z', 53, { sport: 'running' });
    expect(choose([file('a', run, ride, later)]).notes).toEqual([
      'The VO2max is from cycling (1 day) and running (1 day), which a device measures separately.',
    ]);
    expect(choose([file('a', run, later)]).notes).toEqual([]);
  });
});
