import { describe, expect, it } from 'vitest';
import { bearer, openApp, postJson } from './support.ts';

type Sandbox = ReturnType<typeof openApp>;

const wellness = (sandbox: Sandbox, body: unknown) =>
  postJson(sandbox, '/api/wellness', body, bearer(sandbox));
const nutrition = (sandbox: Sandbox, body: unknown) =>
  postJson(sandbox, '/api/nutrition', body, bearer(sandbox));
const held = (sandbox: Sandbox, kind: 'wellness' | 'nutrition') =>
  (sandbox.control.state('athlete-1').athletes[0]?.[kind] ?? []).map(
    ({ date, record, receivedCount }) => ({ date, record, receivedCount }),
  );

describe('wellness', () => {
  it('keeps every field of the interface', async () => {
    const sandbox = openApp();
    const record = {
      hrv: 52.4,
      restingHr: 48,
      sleepSecs: 27000,
      weight: 62.35,
      vo2max: 51.2,
      rawJson: { source: 'watch', nested: { a: [1, null] } },
    };
    const response = await wellness(sandbox, { date: '2026-02-15', ...record });
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, data: { id: 'wellness-1', date: '2026-02-15', ...record } },
    ]);
    expect(held(sandbox, 'wellness')).toEqual([{ date: '2026-02-15', record, receivedCount: 1 }]);
  });

  it('merges: what is sent replaces, what is absent stays, rawJson merges', async () => {
    const sandbox = openApp();
    await wellness(sandbox, {
      date: '2026-02-15',
      hrv: 50,
      restingHr: 48,
      rawJson: { a: 1, b: 1 },
    });
    await wellness(sandbox, { date: '2026-02-15', hrv: 55, rawJson: { b: 2, c: 2 } });
    expect(held(sandbox, 'wellness')).toEqual([
      {
        date: '2026-02-15',
        record: { hrv: 55, restingHr: 48, rawJson: { a: 1, b: 2, c: 2 } },
        receivedCount: 2,
      },
    ]);
  });

  it('drops fields that it does not know, and keeps them nowhere', async () => {
    const sandbox = openApp();
    const response = await wellness(sandbox, { date: '2026-02-15', steps: 9000, resting_hr: 48 });
    expect(response.status).toBe(200);
    expect(held(sandbox, 'wellness')[0]?.record).toEqual({ steps: 9000 });
  });

  it.each([
    ['2026-02-15', '2026-02-15'],
    ['2026-02-15T23:30:00-05:00', '2026-02-16'],
    ['2026-02-15T00:30:00+01:00', '2026-02-14'],
    ['2026-02-15T00:30:00+0100', '2026-02-14'],
    ['2026-02-15T23:59:59.999Z', '2026-02-15'],
    ['2026-02-15T12:00', '2026-02-15'],
    ['2024-02-29', '2024-02-29'],
  ])('dated %s is stored under %s', async (date, day) => {
    const sandbox = openApp();
    await wellness(sandbox, { date, hrv: 50 });
    expect(held(sandbox, 'wellness').map((each) => each.date)).toEqual([day]);
  });

  const integers =
    'restingHr sleepSecs avgSleepingHr sleepScore sleepQuality sleepDeepSecs sleepRemSecs sleepLightSecs sleepAwakeSecs readiness recoveryScore steps exerciseMinutes floors systolic diastolic stress mood motivation fatigue soreness'.split(
      ' ',
    );
  const numbers =
    'hrv weight vo2max hrvSdnn sleepHours bodyFat abdomen bloodGlucose skinTemp respiration spO2 restingCaloriesBurned activeCaloriesBurned totalCaloriesBurned distanceMeters lactate hydrationVolume ctl atl'.split(
      ' ',
    );
  const strings = ['injury', 'menstrualPhase', 'comments'];

  it('types every field that it knows', async () => {
    const sandbox = openApp();
    const good = {
      ...Object.fromEntries(integers.map((name) => [name, 7])),
      ...Object.fromEntries(numbers.map((name) => [name, 7.5])),
      ...Object.fromEntries(strings.map((name) => [name, 'text'])),
    };
    expect((await wellness(sandbox, { date: '2026-02-15', ...good })).status).toBe(200);
    expect(held(sandbox, 'wellness')[0]?.record).toEqual(good);
    const bad = {
      ...Object.fromEntries(integers.map((name) => [name, 7.5])),
      ...Object.fromEntries(numbers.map((name) => [name, '7.5'])),
      ...Object.fromEntries(strings.map((name) => [name, 7])),
    };
    const response = await wellness(sandbox, { date: '2026-02-15', ...bad });
    expect(response.status).toBe(400);
    const { data } = (await response.json()) as { data: { path: string[] }[] };
    expect(data.map(({ path }) => path.join('.')).sort()).toEqual(Object.keys(bad).sort());
    expect(held(sandbox, 'wellness')[0]).toMatchObject({ record: good, receivedCount: 1 });
  });

  it.each([
    ['no date', {}, 'date'],
    ['a date that is no day', { date: '2026-02-30' }, 'date'],
    ['a date in words', { date: 'yesterday' }, 'date'],
    ['a date with a time that is none', { date: '2026-02-15T25:00:00Z' }, 'date'],
    ['a number for a date', { date: 20260215 }, 'date'],
    ['null', { date: '2026-02-15', hrv: null }, 'hrv'],
    ['an array for rawJson', { date: '2026-02-15', rawJson: [1] }, 'rawJson'],
    ['text for rawJson', { date: '2026-02-15', rawJson: '{}' }, 'rawJson'],
  ])('with %s is 400 and names the field', async (_what, body, field) => {
    const sandbox = openApp();
    const response = await wellness(sandbox, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      statusCode: 400,
      statusMessage: 'Bad Request',
      message: expect.stringContaining(`Invalid wellness record: ${field}: `) as string,
      data: [{ path: [field], message: expect.any(String) as string }],
    });
    expect(held(sandbox, 'wellness')).toEqual([]);
  });

  it.each([
    ['an array', '[]', { 'content-type': 'application/json' }, 400],
    ['broken JSON', '{"date"', { 'content-type': 'application/json' }, 400],
    [
      'bytes that are not UTF-8',
      new Uint8Array([0x22, 0xff, 0x22]),
      { 'content-type': 'application/json' },
      400,
    ],
    ['JSON that does not say so', '{"date":"2026-02-15"}', { 'content-type': 'text/plain' }, 415],
  ])('refuses %s', async (_what, body, headers, status) => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/wellness', {
      method: 'POST',
      headers: { ...bearer(sandbox), ...(headers as Record<string, string>) },
      body,
    });
    expect(response.status).toBe(status);
  });
});

describe('nutrition', () => {
  const gel = {
    name: 'Gel',
    carbs: 25,
    calories: 100,
    logged_at: '2026-02-15T10:30:00+01:00',
    absorptionType: 'RAPID',
  };
  const rice = {
    name: 'Rice',
    carbs: 60.5,
    protein: 5,
    logged_at: '2026-02-15T12:30:00Z',
    meal: 'LUNCH',
    quantity: '200 g',
    fat: 1,
    fiber: 1,
    sugar: 0,
  };

  it('keeps items, sums them, and gives absorptionType its default', async () => {
    const sandbox = openApp();
    const response = await nutrition(sandbox, {
      date: '2026-02-15',
      items: [gel, rice],
      rawJson: { a: 1 },
      other: 1,
    });
    const record = {
      calories: 100,
      carbs: 85.5,
      protein: 5,
      fat: 1,
      items: [gel, { ...rice, absorptionType: 'BALANCED' }],
      rawJson: { a: 1 },
    };
    expect([response.status, await response.json()]).toEqual([
      200,
      { success: true, data: { id: 'nutrition-1', date: '2026-02-15', ...record } },
    ]);
    expect(held(sandbox, 'nutrition')).toEqual([{ date: '2026-02-15', record, receivedCount: 1 }]);
  });

  it('lets the totals of the day override the sums', async () => {
    const sandbox = openApp();
    await nutrition(sandbox, {
      date: '2026-02-15',
      items: [gel],
      calories: 2000,
      waterMl: 1500,
      protein: 80.5,
    });
    expect(held(sandbox, 'nutrition')[0]?.record).toMatchObject({
      calories: 2000,
      waterMl: 1500,
      protein: 80.5,
      carbs: 25,
    });
  });

  it('replaces the day, as the contract says: sent twice, it holds each item once', async () => {
    const sandbox = openApp();
    await nutrition(sandbox, { date: '2026-02-15', items: [gel, rice] });
    await nutrition(sandbox, { date: '2026-02-15', items: [gel] });
    expect(held(sandbox, 'nutrition')).toMatchObject([
      { record: { carbs: 25, items: [{ name: 'Gel' }] }, receivedCount: 2 },
    ]);
  });

  it('appends to the day when the knob says so: sent twice, it holds each item twice', async () => {
    const sandbox = openApp({ settings: { nutrition: 'append' } });
    await nutrition(sandbox, { date: '2026-02-15', items: [gel], rawJson: { a: 1 } });
    await nutrition(sandbox, { date: '2026-02-15', items: [gel, rice], rawJson: { b: 1 } });
    const [day] = held(sandbox, 'nutrition');
    expect((day?.record['items'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'Gel',
      'Gel',
      'Rice',
    ]);
    expect(day?.record).toMatchObject({ carbs: 110.5, rawJson: { a: 1, b: 1 } });
  });

  it.each([
    ['no items', { date: '2026-02-15' }, ['items']],
    ['no date', { items: [] }, ['date']],
    ['an instant for a date', { date: '2026-02-15T10:00:00Z', items: [] }, ['date']],
    ['a day that does not exist', { date: '2025-02-29', items: [] }, ['date']],
    [
      'an item without logged_at',
      { date: '2026-02-15', items: [gel, { name: 'x' }] },
      ['items', 1, 'logged_at'],
    ],
    [
      'logged_at without a zone',
      { date: '2026-02-15', items: [{ logged_at: '2026-02-15T10:00:00' }] },
      ['items', 0, 'logged_at'],
    ],
    [
      'logged_at that is a day',
      { date: '2026-02-15', items: [{ logged_at: '2026-02-15' }] },
      ['items', 0, 'logged_at'],
    ],
    [
      'an unknown absorptionType',
      { date: '2026-02-15', items: [{ ...gel, absorptionType: 'rapid' }] },
      ['items', 0, 'absorptionType'],
    ],
    [
      'an unknown meal',
      { date: '2026-02-15', items: [{ ...gel, meal: 'BRUNCH' }] },
      ['items', 0, 'meal'],
    ],
    [
      'a quantity in numbers',
      { date: '2026-02-15', items: [{ ...gel, quantity: 2 }] },
      ['items', 0, 'quantity'],
    ],
    ['a decimal total', { date: '2026-02-15', items: [], calories: 99.5 }, ['calories']],
    ['decimal water', { date: '2026-02-15', items: [], waterMl: 99.5 }, ['waterMl']],
  ])('with %s is 400 and names the field', async (_what, body, path) => {
    const sandbox = openApp();
    const response = await nutrition(sandbox, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: 400, data: [{ path }] });
    expect(held(sandbox, 'nutrition')).toEqual([]);
  });

  it('and wellness answer 200 with success false, and store nothing, when the knob says so', async () => {
    const sandbox = openApp({ settings: { successFalse: true } });
    for (const send of [wellness, nutrition]) {
      const response = await send(sandbox, { date: '2026-02-15', items: [] });
      expect([response.status, await response.json()]).toEqual([
        200,
        { success: false, message: 'The record could not be stored' },
      ]);
    }
    expect([held(sandbox, 'wellness'), held(sandbox, 'nutrition')]).toEqual([[], []]);
  });
});
