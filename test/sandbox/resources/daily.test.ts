import { describe, expect, it } from 'vitest';
import { bearer, expectError, openApp, postJson } from '../support.ts';

type Sandbox = ReturnType<typeof openApp>;

const wellness = (sandbox: Sandbox, body: unknown) =>
  postJson(sandbox, '/api/wellness', body, bearer(sandbox));
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
      {
        success: true,
        data: expect.objectContaining({
          ...record,
          id: 'wellness-1',
          userId: 'athlete-1',
          date: '2026-02-15T00:00:00.000Z',
          steps: null,
          comments: null,
          customMetrics: {},
        }) as object,
      },
    ]);
    expect(held(sandbox, 'wellness')).toEqual([{ date: '2026-02-15', record, receivedCount: 1 }]);
  });

  it('replaces sent fields, keeps absent ones and merges rawJson', async () => {
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

  it('drops unknown fields', async () => {
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
  ])('stores the date %s as %s', async (date, day) => {
    const sandbox = openApp();
    await wellness(sandbox, { date, hrv: 50 });
    expect(held(sandbox, 'wellness').map((each) => each.date)).toEqual([day]);
  });

  const integers =
    'restingHr sleepSecs avgSleepingHr sleepScore sleepQuality sleepDeepSecs sleepRemSecs sleepLightSecs sleepAwakeSecs readiness recoveryScore steps exerciseMinutes floors systolic diastolic mood motivation fatigue soreness'.split(
      ' ',
    );
  const numbers =
    'hrv weight vo2max hrvSdnn sleepHours stress bodyFat abdomen bloodGlucose skinTemp respiration spO2 distanceMeters lactate hydrationVolume ctl atl'.split(
      ' ',
    );
  const strings = ['injury', 'menstrualPhase', 'comments'];

  it('checks the type of every field', async () => {
    const sandbox = openApp();
    const good = {
      ...Object.fromEntries(integers.map((name) => [name, 7])),
      ...Object.fromEntries(numbers.map((name) => [name, 7.5])),
      ...Object.fromEntries(strings.map((name) => [name, 'text'])),
      stress: 8,
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
    [{ stress: 34 }, { stress: 3 }],
    [{ stress: 5.4 }, { stress: 5 }],
    [{ spO2: 0.97 }, { spO2: 97 }],
    [{ vo2Max: 51.2 }, { vo2max: 51.2 }],
    [{ activeCaloriesBurned: 512.6 }, { activeCaloriesBurned: 513 }],
  ])('converts %j to %j', async (sent, stored) => {
    const sandbox = openApp();
    await wellness(sandbox, { date: '2026-02-15', ...sent });
    expect(held(sandbox, 'wellness')[0]?.record).toEqual(stored);
  });

  it.each([
    ['a NUL in text', { comments: 'a\0b' }],
    ['a NUL in rawJson', { rawJson: { deep: ['a\0'] } }],
    ['a NUL in a name of rawJson', { rawJson: { 'a\0': 1 } }],
    ['an unpaired surrogate in rawJson', { rawJson: { text: '\ud83d' } }],
    ['more than 32 bits', { steps: 3_000_000_000 }],
    ['a date in words', { date: 'tomorrow' }],
  ])('answers %s with 500', async (_what, body) => {
    const sandbox = openApp();
    const response = await wellness(sandbox, { date: '2026-02-15', ...body });
    await expectError(response, '/api/wellness', 500, 'Server Error');
    expect(held(sandbox, 'wellness')).toEqual([]);
  });

  it.each([
    ['a pair of surrogates', { comments: '🚴' }, { comments: '🚴' }],
    ['more than 32 bits in rawJson', { rawJson: { a: 3e9 } }, { rawJson: { a: 3e9 } }],
    ['text for rawJson', { rawJson: 'text' }, { rawJson: 'text' }],
  ])('stores %s', async (_what, body, stored) => {
    const sandbox = openApp();
    expect((await wellness(sandbox, { date: '2026-02-15', ...body })).status).toBe(200);
    expect(held(sandbox, 'wellness')[0]?.record).toEqual(stored);
  });

  it('moves a day that does not exist into the next month', async () => {
    const sandbox = openApp();
    await wellness(sandbox, { date: '2026-02-30', hrv: 3 });
    expect(held(sandbox, 'wellness').map(({ date }) => date)).toEqual(['2026-03-02']);
  });

  const mistyped = (expected: string, received: string, field: string) => ({
    code: 'invalid_type',
    ...{ expected, received, path: [field] },
    message: `Expected ${expected}, received ${received}`,
  });
  it.each([
    ['no date', { hrv: 1 }, { ...mistyped('string', 'undefined', 'date'), message: 'Required' }],
    ['50.5', { date: '2026-02-15', restingHr: 50.5 }, mistyped('integer', 'float', 'restingHr')],
    ['null', { date: '2026-02-15', hrv: null }, mistyped('number', 'null', 'hrv')],
    [
      'negative steps',
      { date: '2026-02-15', steps: -1 },
      { code: 'too_small', path: ['steps'], message: 'Number must be greater than or equal to 0' },
    ],
  ])('answers %s with 400 and the issue', async (_what, body, issue) => {
    const sandbox = openApp();
    const response = await wellness(sandbox, body);
    const message = 'Invalid wellness data';
    const more = { statusMessage: message, data: [issue] };
    await expectError(response, '/api/wellness', 400, message, more);
    expect(held(sandbox, 'wellness')).toEqual([]);
  });

  it.each([
    ['an array', '[]', 'application/json', 'Invalid wellness data'],
    ['broken JSON', '{"date"', 'application/json', 'Invalid JSON body'],
    [
      'bytes that are not UTF-8',
      new Uint8Array([0x22, 0xff, 0x22]),
      'application/json',
      'Invalid JSON body',
    ],
    ['text', '{"date":"2026-02-15"}', 'text/plain', 'Invalid wellness data'],
    ['nothing', '', 'application/octet-stream', 'Invalid wellness data'],
  ])('refuses %s', async (_what, body, type, message) => {
    const sandbox = openApp();
    const response = await sandbox.app.request('/api/wellness', {
      method: 'POST',
      headers: { ...bearer(sandbox), 'content-type': type },
      body,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { message }]);
  });
});
