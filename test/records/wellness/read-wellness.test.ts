import { describe, expect, test } from 'vitest';
import { WELLNESS_FIELDS, type NumberRule } from '../../../src/records/fields.ts';
import { bodyOf, prepare, saidOf, UNSENT } from '../support.ts';

const date = '2026-02-15';
const NUTRITION =
  ': there is nothing in it that the platform takes as wellness; is this a nutrition file?';

const NUMBERS = Object.entries(WELLNESS_FIELDS).filter(
  (entry): entry is [string, NumberRule] =>
    entry[1].type === 'number' || entry[1].type === 'integer',
);

describe('the fields of a wellness record', () => {
  /** The interface's section 2.2 and the services' lists, copied by hand. */
  const INTEGERS =
    'restingHr sleepSecs avgSleepingHr sleepScore sleepQuality sleepDeepSecs sleepRemSecs ' +
    'sleepLightSecs sleepAwakeSecs readiness recoveryScore steps exerciseMinutes floors systolic ' +
    'diastolic stress mood motivation fatigue soreness';
  const DECIMALS =
    'hrv weight vo2max hrvSdnn sleepHours bodyFat abdomen bloodGlucose skinTemp respiration spO2 ' +
    'restingCaloriesBurned activeCaloriesBurned totalCaloriesBurned distanceMeters lactate ' +
    'hydrationVolume ctl atl';

  test('are those of the interface, with their types', () => {
    const typesOf = (type: string, names: string) =>
      Object.fromEntries(names.split(' ').map((name) => [name, type]));
    const types = Object.entries(WELLNESS_FIELDS).map(([name, { type }]) => [name, type]);
    expect(Object.fromEntries(types)).toEqual({
      ...typesOf('integer', INTEGERS),
      ...typesOf('number', DECIMALS),
      ...typesOf('text', 'comments injury menstrualPhase'),
      ...typesOf('object', 'rawJson'),
    });
  });

  test('are sent unchanged if all of them are valid', async () => {
    // The platform shows it in place of the sleepScore, so a day has one of the two.
    const numbers = NUMBERS.filter(([name]) => name !== 'sleepQuality').map(
      ([name, { min, max }]) => [name, Math.ceil((min + max) / 3)],
    );
    const record = {
      ...(Object.fromEntries(numbers) as object),
      sleepHours: 8,
      sleepSecs: 28_800,
      sleepDeepSecs: 7_200,
      sleepRemSecs: 7_200,
      sleepLightSecs: 14_400,
      totalCaloriesBurned: 4_000,
      activeCaloriesBurned: 2_000,
      lactate: 2,
      steps: 30_000,
      skinTemp: -0.2,
      injury: 'left knee',
      menstrualPhase: 'luteal',
      comments: 'slept well',
      rawJson: { device: 'x', list: [null] },
    };
    expect(await bodyOf('wellness', { date, ...record })).toEqual({ date, ...record });
  });

  test.each(NUMBERS)('limit %s to a range with both ends', async (name, { min, max, type }) => {
    const step = type === 'integer' ? 1 : 0.001;
    const isRating = max === 10 && type === 'integer';
    const other = { comments: 'x' };
    for (const value of [min, max]) {
      const { said } = await saidOf('wellness', { date, ...other, [name]: value });
      // At the end of a range, a value may be doubtful.
      expect(said.join()).not.toContain('range');
    }
    const under = min === 0 || min === 1 ? -3 : min - step;
    // Higher ratings are left out: see the sources' tests of values.
    for (const value of isRating ? [under] : [under, max + step]) {
      const said = [expect.stringMatching(`^${name}: is ${value}; the range is ${min} to ${max} `)];
      const read = await saidOf('wellness', { date, ...other, [name]: value });
      expect(read).toEqual({ body: { date, ...other }, said });
    }
  });

  const KILOGRAMS = 'a number is expected, 20 to 400 kg';
  test.each([
    ['sleepSecs', 86_401, 'is 86401; the range is 1 to 86400 s (24 h)'],
    ['restingHr', 19, 'is 19; the range is 20 to 220 bpm'],
    ['restingHr', 221, 'is 221; the range is 20 to 220 bpm'],
    ['weight', 19.9, 'is 19.9; the range is 20 to 400 kg'],
    ['weight', 400.1, 'is 400.1; the range is 20 to 400 kg'],
    ['hrv', 501, 'is 501; the range is 1 to 500 ms'],
    ['vo2max', 101, 'is 101; the range is 5 to 100 ml/kg/min'],
    ['steps', -3, 'is -3; the range is 0 to 350000 steps'],
    ['weight', '72,5', `is "72,5"; ${KILOGRAMS}: write 72.5`],
    ['steps', '9,000', 'is "9,000"; a whole number is expected, 0 to 350000 steps: write 9000'],
    ['weight', '9,000', `is "9,000"; ${KILOGRAMS}: write 9000 or 9.000`],
    ['weight', '72.5 kg', `is "72.5 kg"; ${KILOGRAMS}: write 72.5, without the unit`],
    ['weight', '160 lb', `is "160 lb"; ${KILOGRAMS}: write the number of kg, without a unit`],
    [
      'sleepSecs',
      '7:30',
      'is "7:30"; a whole number is expected, 1 to 86400 s (24 h): write 27000',
    ],
    ['weight', 'heavy', `is "heavy"; ${KILOGRAMS}`],
    ['steps', true, 'is true; a whole number is expected, 0 to 350000 steps'],
    ['hrv', [61], 'is a list; a number is expected, 1 to 500 ms'],
    ['comments', { a: 1 }, 'is an object; a text is expected'],
    ['rawJson', 'text', 'is "text"; an object is expected'],
  ])('reject %s of %j with a message that states the allowed values', async (name, value, said) => {
    const read = await saidOf('wellness', { date, [name]: value });
    expect(read).toEqual({ said: [`${name}: ${said}`] });
  });
});

test.each([
  ['restingHr', 52.4, 52, 'is 52.4; whole numbers only', 'rounded to 52'],
  ['restingHr', 52.5, 53, 'is 52.5; whole numbers only', 'rounded to 53'],
  ['restingHr', 220.4, 220, 'is 220.4; whole numbers only', 'rounded to 220'],
  ['weight', '72.5', 72.5, 'is the text "72.5", not a number', 'read as 72.5'],
  ['steps', ' 1e4 ', 10_000, 'is the text " 1e4 ", not a number', 'read as 10000'],
  ['comments', 7, '7', 'is the number 7, not a text', 'sent as "7"'],
])(
  'a value is adapted with a warning, or rejected if strict: %s of %j',
  async (name, value, ...rest) => {
    const [sent, found, done] = rest;
    const record = { date, [name]: value };
    const adapted = { body: { date, [name]: sent }, said: [`${name}: ${found}: ${done}`] };
    expect(await saidOf('wellness', record)).toEqual(adapted);
    const strict = await saidOf('wellness', record, { strict: true });
    expect(strict).toEqual({ said: [`${name}: ${found}`] });
  },
);

describe('the spelling of a field', () => {
  test.each([
    ['resting_hr', 'restingHr', 52],
    ['restingHR', 'restingHr', 52],
    ['RestingHeartRate', 'restingHr', 52],
    ['resting_heart_rate', 'restingHr', 52],
    ['vo2Max', 'vo2max', 55.5],
    ['vo2_max', 'vo2max', 55.5],
    ['VO2MAX', 'vo2max', 55.5],
    ['sleep_secs', 'sleepSecs', 27_000],
    ['sleep_seconds', 'sleepSecs', 27_000],
    ['HRV', 'hrv', 61],
    ['hrv_rmssd', 'hrv', 61],
    ['hrv_sdnn', 'hrvSdnn', 61],
    ['spo2', 'spO2', 97],
    ['weight_kg', 'weight', 72.5],
    ['body_fat', 'bodyFat', 12.5],
    ['raw_json', 'rawJson', { a: 1 }],
  ])('may be %s for %s', async (spelling, name, value) => {
    const day = { date, steps: 8_000 };
    expect(await bodyOf('wellness', { ...day, [spelling]: value })).toEqual({
      ...day,
      [name]: value,
    });
  });

  const AMBIGUOUS =
    'bodyWeight weightLbs weight_lb sleepTime sleep sleepDuration sleepMinutes lnRmssd hrvScore ' +
    'hrvBaseline maxHr heartRate hr calories glucose vo2 timeInBed temperature stressHrv id locked';
  test.each(AMBIGUOUS.split(' '))(
    'does not include the ambiguous %s, which is unknown',
    async (name) => {
      const { body, said } = await saidOf('wellness', { date, hrv: 61, [name]: 61.5 });
      expect(body).toEqual({ date, hrv: 61 });
      expect(said).toEqual([expect.stringMatching(`${name}.*[Nn]ot sent|${UNSENT}: "${name}"`)]);
    },
  );

  test('may appear in two forms with the same value', async () => {
    const record = { date, resting_hr: 52, restingHr: 52, hrv: null, HRV: 60 };
    expect(await bodyOf('wellness', record)).toEqual({ date, restingHr: 52, hrv: 60 });
  });

  test('may not appear in two forms with different values', async () => {
    const found =
      'resting_hr: says 54, but restingHr, the same field, says 52: keep one of the two';
    const read = await saidOf('wellness', { date, restingHr: 52, resting_hr: 54 });
    expect(read).toEqual({ said: [found] });
  });

  test('never maps two fields to one', () => {
    const plain = Object.entries(WELLNESS_FIELDS).flatMap(([name, { aliases = [] }]) =>
      [name, ...aliases].map((spelling) => spelling.toLowerCase()),
    );
    expect(new Set(plain).size).toBe(plain.length);
  });
});

describe('unknown fields', () => {
  const MEANT_RESTING_HR =
    'not a field of the platform; did you mean restingHr? It is in bpm. Not sent';

  test('cannot reach the prototype of objects', async () => {
    const record = JSON.parse(
      '{"date": "2026-02-15", "hrv": 61, "__proto__": {"polluted": true}, "constructor": 1, "toString": 2, "x": {"__proto__": {"y": 1}}}',
    ) as object;
    const { body, said } = await saidOf('wellness', record);
    expect(JSON.stringify(body)).toBe('{"date":"2026-02-15","hrv":61}');
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(said).toEqual([`: ${UNSENT}: "__proto__", "constructor", "toString", "x"`]);
  });

  test.each([
    ['restHr', 'restingHr? It is in bpm'],
    ['resting_rate', 'restingHr? It is in bpm'],
    ['hvr', 'hrv? It is in ms'],
    ['wieght', 'weight? It is in kg'],
    ['weightLbs', 'weight? It is in kg'],
    ['sleepSec', 'sleepSecs? It is in s'],
    ['stpes', 'steps?'],
    ['sleepScroe', 'sleepScore?'],
    ['comment', 'comments?'],
    ['hr', undefined],
    ['hrvScore', undefined],
    ['sleepTime', 'sleepSecs? It is in s'],
    ['score', undefined],
    ['coldShowerSecs', undefined],
    ['x'.repeat(90), undefined],
  ])('produce a suggestion (%s for %s) and are rejected if strict', async (name, meant) => {
    const unknown = `${name}: not a field of the platform`;
    const found = meant === undefined ? unknown : `${unknown}; did you mean ${meant}`;
    const record = { date, mood: 3, [name]: 50 };
    const note: unknown =
      meant === undefined
        ? expect.stringContaining(`: ${UNSENT}: "${name.slice(0, 20)}`)
        : `${found}${found.endsWith('?') ? '' : '.'} Not sent`;
    expect(await saidOf('wellness', record)).toEqual({ body: { date, mood: 3 }, said: [note] });
    expect(await saidOf('wellness', record, { strict: true })).toEqual({ said: [found] });
  });

  test('are reported once per input, with the first record and the number of records', async () => {
    const values = Array.from({ length: 1_200 }, (_, index) => ({
      date: new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10),
      hrv: 60,
      ...(index === 0 ? {} : { restHr: 48 }),
      ...(index === 5 ? { mod: 3 } : {}),
    }));
    const { records, invalid } = await prepare('wellness', values);
    expect(invalid).toEqual([]);
    const said = `${MEANT_RESTING_HR} (1,199 times in this input)`;
    const other = 'not a field of the platform; did you mean mood? Not sent';
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([
      { source: 'in.json#/1', field: 'restHr', message: said },
      { source: 'in.json#/5', field: 'mod', message: other },
    ]);
    const strict = await prepare('wellness', values, { strict: true });
    expect([strict.records.length, strict.invalid.length]).toEqual([1, 1_199]);
  });

  test('are left out, with one note that names some of them and one for each slip', async () => {
    const names = ['userId', 'deviceId', 'samples', 'zone', 'app', 'os', 'locale'];
    const extra = Object.fromEntries(names.map((name) => [name, 1])) as object;
    const days = [
      { date, hrv: 60 },
      { date: '2026-02-16', hrv: 61 },
    ];
    const values = days.map((day, at) => ({ ...day, ...(at === 0 && { restHr: 48 }), ...extra }));
    const { records } = await prepare('wellness', values);
    expect(records.map(({ body }) => body)).toEqual(days);
    const left = '"userId", "deviceId", "samples", "zone", "app" and 2 more';
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([
      { source: 'in.json#/0', field: 'restHr', message: MEANT_RESTING_HR },
      {
        source: 'in.json#/0',
        message: `not sent, since the platform does not know it: ${left}`,
      },
    ]);
  });

  test('are not reported as sent if their record is not sent', async () => {
    const { records, invalid } = await prepare('wellness', [
      { date, hrv: 600, restHr: 48 },
      { date, hrv: 60 },
    ]);
    expect([records[0]?.warnings, invalid.length]).toEqual([[], 1]);
  });

  test('keep the list of warnings limited in great numbers', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`restHr${index}`, 1]);
    const record = { date, hrv: 60, ...(Object.fromEntries(names) as object) };
    const { records } = await prepare('wellness', [record]);
    expect(records[0]?.warnings.length).toBeLessThan(60);
  });

  const EMPTY = ': there is nothing in it that the platform takes';
  const FOO = 'foo: not a field of the platform';
  const MEANT = `restHr: ${MEANT_RESTING_HR.replace('. Not sent', '')}`;
  test.each([
    [{ restHr: 48, foo: 1 }, [EMPTY, MEANT, FOO]],
    [{ foo: 1, rawJson: { a: 1 }, hrv: null }, [EMPTY, FOO]],
    [{ items: [{ name: 'Rice', carbs: 80 }] }, [NUTRITION]],
    [{ carbs: 300 }, [NUTRITION]],
  ])('reject a record without known fields: %j', async (record, said) => {
    for (const options of [{}, { strict: true }]) {
      expect(await saidOf('wellness', { date, ...record }, options)).toEqual({ said });
    }
  });
});

test.each([{}, { hrv: null }, { other: null }, { rawJson: { a: 1 } }])(
  'a record without content is invalid: %j',
  async (rest) => {
    const problem = 'holds nothing to send besides its date';
    const about = { outcome: 'invalid', kind: 'wellness', source: 'in.json#/0', date };
    const { invalid } = await prepare('wellness', [{ date, ...rest }]);
    expect(invalid).toEqual([{ ...about, problem, problems: [{ problem }] }]);
  },
);

describe('a value that was not measured', () => {
  test.each([
    ['restingHr', 0],
    ['restingHr', -1],
    ['stress', -2],
    ['weight', '0'],
    ['weight', ''],
    ['weight', '--'],
    ['hrvSdnn', '-'],
    ['hrvSdnn', 'n/a'],
    ['hrvSdnn', 'N/A'],
    ['hrvSdnn', 'NaN'],
    ['respiration', { avgWakingRespirationValue: 14 }],
  ])('is left out of the day, and rejects the record if strict: %s %j', async (name, value) => {
    const record = { date, hrv: 61, comments: '', [name]: value };
    const { body, said } = await saidOf('wellness', record);
    expect(body).toEqual({ date, hrv: 61, comments: '' });
    expect(said.at(-1)).toMatch(
      new RegExp(`^${name}: is .*(?:, so it was not measured|a number is expected.*)[.] Left out`),
    );
    const { records, invalid } = await prepare('wellness', [record], { strict: true });
    expect([records.length, invalid.length]).toEqual([0, 1]);
  });

  test('is reported once per input', async () => {
    const { records } = await prepare('wellness', [
      { date, hrv: 61, restingHr: 0 },
      { date: '2026-02-16', hrv: 62, restingHr: 0 },
    ]);
    expect(records.flatMap(({ warnings }) => warnings.map(({ message }) => message))).toEqual([
      'is 0, so it was not measured. Left out; write null, or leave it out (2 times in this input)',
    ]);
  });

  test('is a measurement if the range includes it', async () => {
    const record = { date, steps: 0, lactate: 0 };
    expect(await bodyOf('wellness', record)).toEqual(record);
  });
});

describe('hours of sleep', () => {
  test.each([
    [7.5, 27_000],
    [7.33, 26_388],
    [24, 86_400],
  ])('convert from %d to %d seconds', async (sleepHours, sleepSecs) => {
    expect(await bodyOf('wellness', { date, sleepHours })).toEqual({ date, sleepSecs });
    expect(await bodyOf('wellness', { date, sleep_hours: sleepHours }, { strict: true })).toEqual({
      date,
      sleepSecs,
    });
  });

  test('are sent beside seconds, with a warning if the two differ', async () => {
    expect(await bodyOf('wellness', { date, sleepHours: 7.5, sleepSecs: 27_100 })).toEqual({
      date,
      sleepHours: 7.5,
      sleepSecs: 27_100,
    });
    expect(
      await saidOf('wellness', { date, sleepHours: 7.5, sleepSecs: 20_000, weight: 70 }),
    ).toEqual({
      body: { date, weight: 70 },
      said: ['sleepHours: 7.5 h is 27000 s, and sleepSecs says 20000 s: neither is sent'],
    });
    expect(await saidOf('wellness', { date, sleepHours: 7.5, sleepSecs: 20_000 })).toEqual({
      said: ['sleepHours: 7.5 h is 27000 s, and sleepSecs says 20000 s'],
    });
  });

  test('are invalid above one day', async () => {
    expect(await saidOf('wellness', { date, sleepHours: 24.1 })).toEqual({
      said: ['sleepHours: is 24.1; the range is 0.01 to 24 h'],
    });
  });
});

describe('the date of a wellness record', () => {
  test.each([
    [{ date: '2026-02-15T23:30:00Z' }, '2026-02-16', true],
    [{ date: '2026-02-15T23:30:00-05:00' }, '2026-02-15', false],
    [{ Date: '2026-02-15' }, '2026-02-15', false],
    [{ calendarDate: '2026-02-15' }, '2026-02-15', false],
    [{ date: null, day: '2026-02-15' }, '2026-02-15', false],
  ])('is read from %j as %s (by the zone: %s)', async (given, expected, zoneUsed) => {
    const { records } = await prepare('wellness', [{ ...given, hrv: 61 }]);
    expect(records).toMatchObject([
      { date: expected, body: { date: expected, hrv: 61 }, zoneUsed },
    ]);
    expect(Object.keys(records[0]?.body ?? {})).toEqual(['date', 'hrv']);
  });

  test('may be a number of seconds or milliseconds', async () => {
    const zone = { name: 'America/New_York', from: 'profile' } as const;
    for (const given of [1771131599, 1771131599.5, 1771131599000]) {
      const record = { date: given, hrv: 61 };
      expect(await bodyOf('wellness', record, { zone })).toEqual({ date: '2026-02-14', hrv: 61 });
    }
  });

  test('is reported once per input if it is written as midnight, and rejected if strict', async () => {
    const zone = { name: 'America/New_York', from: 'profile' } as const;
    const days = ['2026-02-15', '2026-02-16', '2026-02-17'];
    const values = days.map((day) => ({ date: `${day}T00:00:00.000Z`, hrv: 61 }));
    const found =
      '"2026-02-15T00:00:00.000Z": midnight is read as a date, 2026-02-15; ' +
      'as an instant it is on 2026-02-14 in America/New_York';
    const { records } = await prepare('wellness', values, { zone });
    expect(records.map((record) => record.date)).toEqual(days);
    expect(records.flatMap(({ warnings }) => warnings.map(({ message }) => message))).toEqual([
      `${found} (3 times in this input)`,
    ]);
    const strict = await prepare('wellness', values, { zone, strict: true });
    expect(strict.invalid.map(({ problem }) => problem)).toHaveLength(3);
    expect(strict.invalid[0]?.problem).toBe(found);
  });

  test('ignores a field named day if there is a date', async () => {
    const read = await saidOf('wellness', { date, day: 'Sunday', hrv: 61 });
    expect(read).toEqual({ body: { date, hrv: 61 }, said: [`: ${UNSENT}: "day"`] });
  });

  test.each([
    ['2026-02-15', '2026-02-17', undefined],
    ['2026-02-15', '2026-02-18', 3],
    ['2026-02-15', '2062-02-15', 13_149],
    ['2026-02-15', '2025-02-15', undefined],
  ])('is refused, on %s for %s, if it is far in the future', async (today, day, days) => {
    const record = { date: day, hrv: 61 };
    const found = `date: ${day} is ${days ?? ''} days ahead of today, ${today}: check the year`;
    const expected = days === undefined ? { body: record, said: [] } : { said: [found] };
    expect(await saidOf('wellness', record, { now: Date.parse(today) })).toEqual(expected);
  });

  test.each([
    [{}, 'date: is missing: write "date": "2026-02-15"'],
    [{ id: '2026-02-15' }, 'date: is missing: is it "id"?'],
    [
      { date: true },
      'date: is true: write an ISO 8601 text, such as "2026-02-15" or "2026-02-15T07:30:00+01:00"',
    ],
    [
      { date: '2026-02-30' },
      'date: "2026-02-30": there is no day 30 in February 2026, which has 28 days',
    ],
    [{ date: '' }, 'date: "": is empty: write 2026-02-15, or 2026-02-15T07:30:00+01:00'],
  ])('is required and valid: %j', async (given, said) => {
    expect(await saidOf('wellness', { ...given, hrv: 61 })).toEqual({ said: [said] });
  });

  test('is the only problem of a record that has an invalid date and nothing else', async () => {
    const { invalid } = await prepare('wellness', [{ date, hrv: 61 }, { date: '2026-02-30' }]);
    expect(invalid).toMatchObject([{ field: 'date', problems: { length: 1 } }]);
  });
});

test('an invalid wellness record names all its errors and its day, and costs the faulty values, or the record if strict', async () => {
  const values = [
    { date, hrv: 61 },
    { date: '2026-02-16', hrv: 600, restingHr: 'x', weight: 70, spO2: 97, SpO2: 96 },
    7,
    { date: '2026-02-17', hrv: 62, comments: 'a\0' },
  ];
  const { records, invalid } = await prepare('wellness', values);
  expect(records.map(({ body }) => body)).toEqual([
    { date, hrv: 61 },
    { date: '2026-02-16', weight: 70 },
    { date: '2026-02-17', hrv: 62 },
  ]);
  const strict = await prepare('wellness', values, { strict: true });
  expect([strict.records.length, strict.invalid.length]).toEqual([1, 3]);
  const hrv = { field: 'hrv', problem: 'is 600; the range is 1 to 500 ms' };
  const problem = 'is "x"; a whole number is expected, 20 to 220 bpm';
  const restingHr = { field: 'restingHr', problem };
  const spO2: unknown = expect.objectContaining({ field: 'SpO2' });
  const number = { problem: 'is 7; an object is expected' };
  const of = (at: number) => ({ outcome: 'invalid', kind: 'wellness', source: `in.json#/${at}` });
  expect(strict.invalid).toEqual([
    { ...of(1), date: '2026-02-16', ...hrv, problems: [hrv, restingHr, spO2] },
    { ...of(2), ...number, problems: [number] },
    expect.objectContaining({ source: 'in.json#/3', field: 'comments' }),
  ]);
  expect(invalid).toEqual([{ ...of(2), ...number, problems: [number] }]);
  expect(
    records.map(({ warnings }) => warnings.map(({ field, unsent }) => [field, unsent])),
  ).toEqual([
    [],
    [
      ['hrv', true],
      ['restingHr', true],
      ['SpO2', true],
    ],
    [['comments', true]],
  ]);
});
