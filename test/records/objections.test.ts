import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../src/records/types.ts';
import { bodyOf, prepare, saidOf } from './support.ts';

const date = '2026-02-15';
const oats = { name: 'Oats', logged_at: '2026-02-15T07:30:00+01:00', carbs: 60, calories: 380 };
const food = (values: object) => ({ date, items: [{ ...oats, ...values }] });

/** Each record is true but for the fields named: what is found of them, and what is done about it. */
const SENT: readonly (readonly [kind: RecordKind, record: object, field: string, found: string])[] =
  [
    ['wellness', { sleepSecs: 1_700 }, 'sleepSecs', 'is 1700 s: a nap?'],
    ['wellness', { weight: 159.8 }, 'weight', 'is 159.8 kg: pounds? That would be 72.48 kg'],
    [
      'wellness',
      { activeCaloriesBurned: 2_510, totalCaloriesBurned: 2_500 },
      'totalCaloriesBurned',
      'is 2500 kcal, and the active part of it 2510 kcal',
    ],
    [
      'wellness',
      { sleepSecs: 20_000, sleepDeepSecs: 6_000, sleepRemSecs: 7_000, sleepLightSecs: 15_000 },
      'sleepSecs',
      'is 20000 s, and deep, REM and light sleep are 28000 s together',
    ],
    ...[600, 5].map(
      (carbs) =>
        [
          'nutrition',
          { items: [oats], carbs },
          'carbs',
          `is ${carbs}, and the items add up to 60. A total overrides the items`,
        ] as const,
    ),
  ];

test.each(SENT)(
  'a value that athletes have is sent with a note, and rejected if strict: %s %j',
  async (kind, values, field, found) => {
    const record = { date, ...values };
    const end = found.endsWith('?') ? ' ' : '. ';
    const said = [`${field}: ${found}${end}Sent as it is`];
    expect(await saidOf(kind, record)).toEqual({ body: record, said });
    expect(await saidOf(kind, record, { strict: true })).toEqual({ said: [`${field}: ${found}`] });
  },
);

const SWAPPED = 'systolic is 80, and diastolic is 120: are they swapped?';
const PHASES = 'deep, REM and light sleep are 190 s together, of 27000 s asleep: minutes?';

test.each<[object, Record<string, string>]>([
  [{ sleepSecs: 450 }, { sleepSecs: 'is 450 s: minutes? That would be 27000 s' }],
  [{ sleepSecs: 8 }, { sleepSecs: 'is 8 s: hours? That would be 28800 s' }],
  [{ hydrationVolume: 2.5 }, { hydrationVolume: 'is 2.5 ml: litres? That would be 2500 ml' }],
  [{ hydrationVolume: 96 }, { hydrationVolume: 'is 96 ml: fluid ounces? That would be 2839 ml' }],
  [{ weight: 22 }, { weight: 'is 22 kg: converted twice?' }],
  [{ distanceMeters: 6.1 }, { distanceMeters: 'is 6.1 m: kilometres or miles?' }],
  [
    { systolic: 80, diastolic: 120 },
    { systolic: SWAPPED, diastolic: SWAPPED },
  ],
  [
    { sleepSecs: 27_000, sleepDeepSecs: 90, sleepRemSecs: 100 },
    { sleepDeepSecs: `is 90 s; ${PHASES}`, sleepRemSecs: `is 100 s; ${PHASES}` },
  ],
])(
  'a value that is hardly possible is left out with the reason, and rejected if strict: %j',
  async (values, found) => {
    const record = { date, hrv: 61, ...values };
    const rest = Object.entries(record).filter(([name]) => !(name in found));
    const { body, said } = await saidOf('wellness', record);
    expect(body).toEqual(Object.fromEntries(rest));
    const reasons = Object.entries(found).map(([name, reason]) => `${name}: ${reason}`);
    expect(said).toEqual(reasons.map((reason) => expect.stringContaining(reason) as string));
    expect(said.join()).toContain('Left out');
    expect(await saidOf('wellness', record, { strict: true })).toEqual({ said: reasons });
  },
);

test.each<[object, string, string]>([
  [food({ carbs: 6_000 }), 'carbs', 'is 6000 g in one item: milligrams? That would be 6 g'],
  [food({ fat: 1e300 }), 'fat', 'is 1e+300 g in one item: milligrams? That would be 1e+297 g'],
  [
    food({ calories: 95_000 }),
    'calories',
    'is 95000 kcal in one item: calories? That would be 95 kcal',
  ],
  [{ items: [oats], waterMl: 2.5 }, 'waterMl', 'is 2.5 ml: litres? That would be 2500 ml'],
  [
    { items: [], carbs: 300, protein: 100, fat: 50, calories: 8_580 },
    'calories',
    'is 8580 kcal, and its carbs, protein and fat have 2050 kcal: kilojoules?',
  ],
])(
  'an amount of food that is hardly possible is left out, and rejected if strict: %j',
  async (values, name, found) => {
    const record = { date, ...values };
    const { body, said } = await saidOf('nutrition', record);
    expect(JSON.stringify(body)).not.toContain(`"${name}"`);
    expect(said).toContainEqual(expect.stringContaining(`${name}: ${found}`));
    const { said: refused, ...others } = await saidOf('nutrition', record, { strict: true });
    expect(others).toEqual({});
    expect(refused.join()).toContain(found.slice(0, 6));
  },
);

test.each<[RecordKind, object]>([
  ['wellness', { sleepSecs: 1_800 }],
  ['wellness', { weight: 150 }],
  ['wellness', { hydrationVolume: 0 }],
  ['wellness', { hydrationVolume: 130 }],
  ['wellness', { steps: 90, distanceMeters: 61 }],
  ['wellness', { systolic: 120, diastolic: 80 }],
  [
    'wellness',
    {
      ...{ sleepSecs: 27_000, sleepDeepSecs: 6_000, sleepRemSecs: 7_000 },
      ...{ sleepLightSecs: 15_000, sleepAwakeSecs: 3_000 },
    },
  ],
  ['nutrition', { carbs: 120, calories: 760, items: [oats] }],
  ['nutrition', { carbs: 18, items: [{ ...oats, carbs: 3 }] }],
  ['nutrition', { protein: 90, items: [oats] }],
  ['nutrition', { carbs: 300, items: [oats, { name: 'Rice', logged_at: oats.logged_at }] }],
  ['nutrition', { carbs: 300, items: [] }],
])('a true record has no note: %s %j', async (kind, values) => {
  expect(await bodyOf(kind, { date, ...values }, { strict: true })).toEqual({ date, ...values });
});

describe('a record that is not of the day, or of a diary', () => {
  test.each<[object, string]>([
    [{ steps: 8_123, type: 'goal' }, 'only what was measured or eaten on the day is sent'],
    [{ steps: 70_000, period: 'week' }, 'only what was measured'],
    [{ restingHr: 51, type: '7-day average' }, 'only what was measured'],
    [{ weight: 70, isGoal: true }, 'only what was measured'],
    [{ weight: 72.4, deleted: true }, 'only what was measured'],
    [{ weight: 72.4, was_eaten: false }, 'only what was measured'],
    [{ steps: 70_000, week: 47 }, 'is perhaps no wellness'],
    [{ steps: 70_000, endDate: '2026-02-21' }, 'is perhaps no wellness'],
    [{ steps: 70_000, wellness_data_days_count: 7 }, 'is perhaps no wellness'],
  ])('is rejected: %j', async (values, reason) => {
    const said = [expect.stringContaining(reason)];
    expect(await saidOf('wellness', { date, ...values })).toEqual({ said });
  });

  test('is sent if a member of another meaning says "average"', async () => {
    const { body } = await saidOf('wellness', { date, weight: 72.4, howISlept: 'average' });
    expect(body).toEqual({ date, weight: 72.4 });
  });

  test('is an item that has nothing but its time', async () => {
    const items = [oats, { logged_at: oats.logged_at }, { logged_at: oats.logged_at, name: null }];
    const problem = 'has nothing but its time: write a "name" or "carbs"';
    expect(await saidOf('nutrition', { date, items })).toEqual({
      said: [`items/1: ${problem}`, `items/2: ${problem}`],
    });
  });
});

test('a doubt is named as the record spells the field, and counted once per input', async () => {
  const values = [1, 2, 3, 4].map((day) => ({
    date: `2026-02-0${day}`,
    hrv: 61,
    'Sleep Seconds': day > 2 ? 27_000 : 420 + day,
  }));
  const { records } = await prepare('wellness', values);
  expect(records.flatMap(({ warnings }) => warnings)).toEqual([
    {
      source: 'in.json#/0',
      field: 'Sleep Seconds',
      message:
        'is 421 s: minutes? That would be 25260 s. Left out; --unit sleepSecs=s sends it (2 times in this input)',
    },
  ]);
});

test('a weight of 0 is near to none, and a night without sleep has no phases', async () => {
  const days = [0, 72.4].map((weight, at) => ({ date: `2026-02-0${at + 1}`, hrv: 61, weight }));
  const { records } = await prepare('wellness', days);
  expect(records.map(({ body }) => body)).toMatchObject([{ hrv: 61 }, { weight: 72.4 }]);
  const phases = { sleepDeepSecs: 0, sleepRemSecs: 0, sleepLightSecs: 0 };
  const { body } = await saidOf('wellness', { date, hrv: 61, sleepSecs: 0, ...phases });
  expect(body).toEqual({ date, hrv: 61 });
});
