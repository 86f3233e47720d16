import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../src/records/types.ts';
import { bodyOf, prepare, saidOf } from './support.ts';

const date = '2026-02-15';
const SENT = 'Sent as it is';
const unitOf: Readonly<Record<string, string>> = {
  sleepSecs: 's',
  weight: 'kg',
  hydrationVolume: 'ml',
  waterMl: 'ml',
  carbs: 'g',
  fat: 'g',
  calories: 'kcal',
  distanceMeters: 'm',
};
const left = (name: string) => `Left out; --unit ${name}=${unitOf[name] ?? ''} sends it`;
const oats = { name: 'Oats', logged_at: '2026-02-15T07:30:00+01:00', carbs: 60, calories: 380 };

/** Expects a note, the record to be sent, and a rejection if strict. */
async function expectDoubt(kind: RecordKind, record: object, field: string, found: string) {
  const end = found.endsWith('?') ? ' ' : '. ';
  const { body, said } = await saidOf(kind, record);
  expect({ body, said }).toEqual({ body: record, said: [`${field}: ${found}${end}${SENT}`] });
  expect(await saidOf(kind, record, { strict: true })).toEqual({ said: [`${field}: ${found}`] });
}

describe('a wellness value that is hardly possible', () => {
  test.each([
    ['sleepSecs', 1_700, 'is 1700 s: a nap?'],
    ['weight', 159.8, 'is 159.8 kg: pounds? That would be 72.48 kg'],
  ])('is noted if athletes have it, and rejected if strict: %s %d', async (name, value, found) => {
    await expectDoubt('wellness', { date, [name]: value }, name, found);
  });

  test.each([
    ['sleepSecs', 450, 'is 450 s: minutes? That would be 27000 s'],
    ['sleepSecs', 8, 'is 8 s: hours? That would be 28800 s'],
    ['hydrationVolume', 2.5, 'is 2.5 ml: litres? That would be 2500 ml'],
    ['hydrationVolume', 96, 'is 96 ml: fluid ounces? That would be 2839 ml'],
    ['weight', 22, 'is 22 kg: converted twice?'],
  ])('is left out with its likely unit, and rejected if strict: %s %d', async (...values) => {
    const [name, value, found] = values;
    const record = { date, hrv: 61, [name]: value };
    const { body, said } = await saidOf('wellness', record);
    const end = found.endsWith('?') ? ' ' : '. ';
    expect([body, said]).toEqual([{ date, hrv: 61 }, [`${name}: ${found}${end}${left(name)}`]]);
    const refused = { said: [`${name}: ${found}`] };
    expect(await saidOf('wellness', record, { strict: true })).toEqual(refused);
    expect(await saidOf('wellness', { date, [name]: value })).toEqual(refused);
  });

  test('is left out if no unit makes sense of it: a goal is no measurement', async () => {
    const said = ['type: is "goal": only what was measured or eaten on the day is sent'];
    expect(await saidOf('wellness', { date, steps: 8_123, type: 'goal' })).toEqual({ said });
  });

  test.each([
    { steps: 70_000, period: 'week' },
    { restingHr: 51, type: '7-day average' },
    { weight: 70, isGoal: true },
    { weight: 72.4, deleted: true },
    { weight: 72.4, was_eaten: false },
  ])('is left out if a member says that it is not of the day: %j', async (record) => {
    const { said, ...others } = await saidOf('wellness', { date, ...record });
    expect(others).toEqual({});
    expect(said).toEqual([expect.stringContaining('only what was measured')]);
  });

  test('is of the day if a member of another meaning says "average"', async () => {
    const { body } = await saidOf('wellness', { date, weight: 72.4, howISlept: 'average' });
    expect(body).toEqual({ date, weight: 72.4 });
  });

  test.each([
    { steps: 70_000, week: 47 },
    { steps: 70_000, endDate: '2026-02-21' },
    { steps: 70_000, wellness_data_days_count: 7 },
  ])('is left out beside a member that shows a longer time: %j', async (record) => {
    const said = [expect.stringContaining('is perhaps no wellness')];
    expect(await saidOf('wellness', { date, ...record })).toEqual({ said });
  });

  test('is an active energy above the total', async () => {
    const energy = { activeCaloriesBurned: 2_510, totalCaloriesBurned: 2_500 };
    const { said } = await saidOf('wellness', { date, ...energy });
    expect(said).toEqual([
      expect.stringContaining('the active part of it 2510 kcal. Sent as it is'),
    ]);
  });

  test('is a distance below 100 m, with many steps or without any', async () => {
    expect(await saidOf('wellness', { date, hrv: 61, distanceMeters: 6.1 })).toEqual({
      body: { date, hrv: 61 },
      said: [expect.stringContaining('is 6.1 m: kilometres or miles?')],
    });
    expect(await bodyOf('wellness', { date, steps: 90, distanceMeters: 61 })).toEqual({
      date,
      ...{ steps: 90, distanceMeters: 61 },
    });
  });

  test('is a weight near to none before, zeros aside', async () => {
    const days = [0, 72.4].map((weight, at) => ({ date: `2026-02-0${at + 1}`, hrv: 61, weight }));
    const { records } = await prepare('wellness', days);
    expect(records.map(({ body }) => body)).toMatchObject([{ hrv: 61 }, { weight: 72.4 }]);
  });

  test('is a night without sleep', async () => {
    const phases = { sleepDeepSecs: 0, sleepRemSecs: 0, sleepLightSecs: 0 };
    const { body } = await saidOf('wellness', { date, hrv: 61, sleepSecs: 0, ...phases });
    expect(body).toEqual({ date, hrv: 61 });
  });

  test.each([
    ['sleepSecs', 1_800],
    ['weight', 150],
    ['hydrationVolume', 0],
    ['hydrationVolume', 130],
  ])('is not this one: %s %d', async (name, value) => {
    const record = { date, [name]: value };
    expect(await bodyOf('wellness', record, { strict: true })).toEqual(record);
  });

  test('is named as the record spells it, and counted once per input', async () => {
    const values = [1, 2, 3, 4].map((day) => ({
      date: `2026-02-0${day}`,
      hrv: 61,
      'Sleep Seconds': day === 4 ? 27_000 : 420 + day,
    }));
    const { records } = await prepare('wellness', values);
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([
      {
        source: 'in.json#/0',
        field: 'Sleep Seconds',
        message: `is 421 s: minutes? That would be 25260 s. ${left('sleepSecs')} (3 times in this input)`,
      },
    ]);
  });

  test('is a sleep in hours, also if its decimals are rounded', async () => {
    const { said } = await saidOf('wellness', { date, sleepSecs: 7.5 });
    expect(said).toContain('sleepSecs: is 7.5 s: hours? That would be 27000 s');
  });
});

describe('wellness values that contradict each other', () => {
  test('are left out of a blood pressure, and rejected if strict', async () => {
    const record = { date, hrv: 61, systolic: 80, diastolic: 120 };
    const found = ['systolic', 'diastolic'].map(
      (name) => `${name}: systolic is 80, and diastolic is 120: are they swapped?`,
    );
    const said = found.map((text) => `${text} Left out`);
    expect(await saidOf('wellness', record)).toEqual({ body: { date, hrv: 61 }, said });
    expect(await saidOf('wellness', record, { strict: true })).toEqual({ said: found });
    const fine = { date, systolic: 120, diastolic: 80 };
    expect(await bodyOf('wellness', fine)).toEqual(fine);
  });

  test('are left out for sleep phases in minutes, each with its own value', async () => {
    const record = { date, sleepSecs: 27_000, sleepDeepSecs: 90, sleepRemSecs: 100 };
    const { body, said } = await saidOf('wellness', record);
    expect(body).toEqual({ date, sleepSecs: 27_000 });
    const together = 'deep, REM and light sleep are 190 s together, of 27000 s asleep: minutes?';
    expect(said).toEqual([
      expect.stringContaining(`sleepDeepSecs: is 90 s; ${together}`),
      expect.stringContaining(`sleepRemSecs: is 100 s; ${together}`),
    ]);
  });

  test('are noted for sleep phases that are longer than the sleep, with a tolerance', async () => {
    const phases = { sleepDeepSecs: 6_000, sleepRemSecs: 7_000, sleepLightSecs: 15_000 };
    const found = 'is 20000 s, and deep, REM and light sleep are 28000 s together';
    await expectDoubt('wellness', { date, sleepSecs: 20_000, ...phases }, 'sleepSecs', found);
    const fine = { date, sleepSecs: 27_000, ...phases, sleepAwakeSecs: 3_000 };
    expect(await bodyOf('wellness', fine)).toEqual(fine);
  });
});

describe('a nutrition value that is hardly possible', () => {
  test('is left out for water in litres', async () => {
    const found = 'waterMl: is 2.5 ml: litres? That would be 2500 ml';
    const { body, said } = await saidOf('nutrition', { date, items: [oats], waterMl: 2.5 });
    expect(body).toEqual({ date, items: [oats] });
    expect(said).toContain(`${found}. ${left('waterMl')}`);
    expect((await saidOf('nutrition', { date, waterMl: 2.5 })).said).toContain(found);
  });

  test.each([
    ['carbs', 6_000, 'is 6000 g in one item: milligrams? That would be 6 g'],
    ['fat', 1e300, 'is 1e+300 g in one item: milligrams? That would be 1e+297 g'],
    ['calories', 95_000, 'is 95000 kcal in one item: calories? That would be 95 kcal'],
  ])('is left out for %s %d of an item', async (name, value, found) => {
    const others = { ...oats };
    Reflect.deleteProperty(others, name);
    const record = { date, items: [{ ...oats, [name]: value }] };
    expect(await saidOf('nutrition', record)).toEqual({
      body: { date, items: [others] },
      said: [`items/0/${name}: ${found}. ${left(name)}`],
    });
    const refused = { said: [`items/0/${name}: ${found}`] };
    expect(await saidOf('nutrition', record, { strict: true })).toEqual(refused);
  });

  test('is left out for the energy of a day in kilojoules', async () => {
    const macros = { carbs: 300, protein: 100, fat: 50 };
    const found =
      'calories: is 8580 kcal, and its carbs, protein and fat have 2050 kcal: kilojoules?';
    expect(await saidOf('nutrition', { date, items: [], ...macros, calories: 8_580 })).toEqual({
      body: { date, items: [], ...macros },
      said: [`${found} ${left('calories')}`],
    });
  });

  test('is noted for a total that contradicts the items', async () => {
    const found = (total: number) =>
      `is ${total}, and the items add up to 60. A total overrides the items`;
    for (const carbs of [600, 5]) {
      await expectDoubt('nutrition', { date, items: [oats], carbs }, 'carbs', found(carbs));
    }
  });

  test.each([
    ['twice the items', { carbs: 120, calories: 760 }, [oats]],
    ['with small amounts that were not logged', { carbs: 18 }, [{ ...oats, carbs: 3 }]],
    ['with items that do not state the field', { protein: 90 }, [oats]],
    ['with items that partly state it', { carbs: 300 }, [oats, { ...oats, carbs: undefined }]],
    ['without items', { carbs: 300 }, []],
  ])('is not a total %s', async (_case, totals, items) => {
    const record = JSON.parse(JSON.stringify({ date, items, ...totals })) as object;
    expect(await bodyOf('nutrition', record, { strict: true })).toEqual(record);
  });

  test('is an item that has nothing but its time: it is rejected', async () => {
    const items = [oats, { logged_at: oats.logged_at }, { logged_at: oats.logged_at, name: null }];
    const problem = 'has nothing but its time: write a "name" or "carbs"';
    expect(await saidOf('nutrition', { date, items })).toEqual({
      said: [`items/1: ${problem}`, `items/2: ${problem}`],
    });
  });
});
