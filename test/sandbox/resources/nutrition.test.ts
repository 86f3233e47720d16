import { describe, expect, it } from 'vitest';
import { dayOf } from '../../../src/sandbox/resources/nutrition.ts';
import { MEALS, type StoredItem } from '../../../src/sandbox/resources/nutrition-day.ts';
import { bearer, openApp, postJson } from '../support.ts';

type Sandbox = ReturnType<typeof openApp>;

const DATE = '2026-02-15';
const gel = { name: 'Gel', carbs: 25, calories: 100.4, logged_at: '2026-02-15T08:00:00+01:00' };
const rice = { name: 'Rice', carbs: 60.5, logged_at: '2026-02-15T12:30:00+01:00' };

const push = (sandbox: Sandbox, body: object, headers = bearer(sandbox)) =>
  postJson(sandbox, '/api/nutrition', { date: DATE, ...body }, headers);

async function rowOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Record<string, unknown> }).data;
}

const day = ({ control }: Sandbox) =>
  dayOf(control.state('athlete-1').athletes[0]?.nutrition[0] ?? null);
const items = (sandbox: Sandbox) => MEALS.flatMap((meal) => day(sandbox)[meal]);
const names = (sandbox: Sandbox) => items(sandbox).map(({ name }) => name);
const bySource = (of: readonly StoredItem[]) => of.map(({ name, source }) => [name, source]);

/** Adds a soup from the app and a drink of another source before the application sends. */
function withOthers(sandbox: Sandbox): StoredItem[] {
  return [
    sandbox.control.addFood({
      date: DATE,
      meal: 'lunch',
      item: { name: 'Soup', logged_at: '2026-02-15T11:00:00Z', carbs: 30 },
    }),
    sandbox.control.addFood({
      date: DATE,
      meal: 'snacks',
      source: 'fitbit',
      item: { name: 'Drink', logged_at: '2026-02-15T15:00:00Z' },
    }),
  ] as unknown[] as StoredItem[];
}

describe('the answer to a nutrition day', () => {
  it('contains the row: four lists, no items', async () => {
    const sandbox = openApp();
    const row = await rowOf(await push(sandbox, { items: [gel], waterMl: 700 }));
    expect(row).not.toHaveProperty('items');
    expect(row).toMatchObject({
      id: 'nutrition-1',
      userId: 'athlete-1',
      date: '2026-02-15T00:00:00.000Z',
      breakfast: [{ ...gel, id: /^[0-9a-f-]{36}$/, source: 'oauth:app-1' }],
      lunch: [],
      dinner: [],
      snacks: [],
      calories: 100,
      carbs: 25,
      protein: 0,
      fat: 0,
      waterMl: 700,
      rawJson: null,
    });
  });

  it('names the application that sent an item', async () => {
    const sandbox = openApp();
    const { access_token } = sandbox.control.mint({ clientId: 'sandbox-confidential' });
    await push(sandbox, { items: [gel] }, { authorization: `Bearer ${access_token}` });
    expect(bySource(items(sandbox))).toEqual([['Gel', 'oauth:app-2']]);
  });
});

describe('sending a nutrition day again', () => {
  it('appends its items', async () => {
    const sandbox = openApp();
    withOthers(sandbox);
    await push(sandbox, { items: [gel], rawJson: { a: 1 } });
    await push(sandbox, { items: [gel, rice] });
    expect(names(sandbox)).toEqual(['Gel', 'Gel', 'Soup', 'Rice', 'Drink']);
    expect(day(sandbox)).toMatchObject({ carbs: 140.5, calories: 201, rawJson: { a: 1 } });
    await push(sandbox, { items: [], rawJson: { b: 1 } });
    await push(sandbox, {});
    expect(names(sandbox)).toHaveLength(5);
    expect(day(sandbox).rawJson).toEqual({ b: 1 });
  });

  it('keeps totals and water only if the request has them', async () => {
    const sandbox = openApp();
    await push(sandbox, { items: [gel], calories: 2000, protein: 80.5, waterMl: 1500 });
    expect(day(sandbox)).toMatchObject({ calories: 2000, protein: 80.5, carbs: 25, waterMl: 1500 });
    await push(sandbox, { items: [rice] });
    expect(day(sandbox)).toMatchObject({ calories: 100, protein: 0, carbs: 85.5, waterMl: 800 });
  });
});

describe('a nutrition item', () => {
  it('is trimmed, named and given an absorption type', async () => {
    const sandbox = openApp();
    await push(sandbox, { items: [{ ...gel, name: ' Gel ' }, { logged_at: gel.logged_at }] });
    expect(items(sandbox)).toMatchObject([
      { name: 'Gel', absorptionType: 'BALANCED', logged_at: gel.logged_at, calories: 100.4 },
      { name: 'Unknown item', absorptionType: 'BALANCED' },
    ]);
  });

  it.each([
    // 10:30 in Stockholm is nearer to lunch.
    [{ ...gel, logged_at: '2026-02-15T10:30:00+01:00' }, 'lunch'],
    [{ ...gel, logged_at: '2026-02-15T19:00:00' }, 'dinner'],
    [{ ...gel, meal: 'DINNER' }, 'dinner'],
    [{ ...gel, meal: 'SNACK' }, 'snacks'],
    [{ ...gel, meal: 'OTHER' }, 'snacks'],
  ] as const)('with %j is stored as %s', async (item, meal) => {
    const sandbox = openApp();
    await push(sandbox, { items: [item] });
    expect(MEALS.filter((each) => day(sandbox)[each].length > 0)).toEqual([meal]);
  });
});

describe('a nutrition request', () => {
  it.each([
    ['a date in words', { date: 'today', items: [] }],
    ['a NUL in a name', { items: [{ ...gel, name: 'a\0' }] }],
    ['an unpaired surrogate in rawJson', { rawJson: { a: '\udc00' } }],
    ['calories beyond 32 bits', { items: [{ ...gel, calories: 3e9 }] }],
    ['water beyond 32 bits', { waterMl: 3e9 }],
  ])('with %s gets 500', async (_what, body) => {
    const sandbox = openApp();
    expect((await push(sandbox, body)).status).toBe(500);
    expect(items(sandbox)).toEqual([]);
  });

  it.each([
    ['no date', { date: undefined }, ['date']],
    ['a logged_at in words', { items: [{ ...gel, logged_at: 'noon' }] }, ['items', 0, 'logged_at']],
    ['an item without logged_at', { items: [gel, { name: 'x' }] }, ['items', 1, 'logged_at']],
    [
      'an unknown absorptionType',
      { items: [{ ...gel, absorptionType: 'rapid' }] },
      ['items', 0, 'absorptionType'],
    ],
    ['an unknown meal', { items: [{ ...gel, meal: 'BRUNCH' }] }, ['items', 0, 'meal']],
    ['a quantity in numbers', { items: [{ ...gel, quantity: 2 }] }, ['items', 0, 'quantity']],
    ['a decimal total', { calories: 99.5 }, ['calories']],
    ['decimal water', { waterMl: 99.5 }, ['waterMl']],
  ])('with %s gets 400 and the issue', async (_what, body, path) => {
    const sandbox = openApp();
    const response = await push(sandbox, body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { statusMessage: 'Invalid nutrition data', data: [{ path }] },
    ]);
    expect(sandbox.control.state('athlete-1').athletes[0]?.nutrition).toEqual([]);
  });

  it.each([
    ['an instant for a date', { date: '2026-02-15T10:00:00Z' }],
    ['a day that does not exist', { date: '2025-02-29' }],
    ['logged_at without a zone', { items: [{ logged_at: '2026-02-15T10:00:00' }] }],
  ])('with %s is stored', async (_what, body) => {
    expect((await push(openApp(), body)).status).toBe(200);
  });
});

describe('the nutrition list', () => {
  const dates = async (sandbox: Sandbox, query = '') => {
    const response = await sandbox.app.request(`/api/nutrition${query}`, {
      headers: bearer(sandbox),
    });
    expect(response.status).toBe(200);
    const body = (await response.json()) as { count: number; nutrition: { date: string }[] };
    expect(body.count).toBe(body.nutrition.length);
    return body.nutrition.map(({ date }) => date);
  };
  const three = async () => {
    const sandbox = openApp();
    for (const date of ['2026-02-02', '2026-02-01', '2026-02-03']) {
      await push(sandbox, { date, items: [gel] });
    }
    return sandbox;
  };

  it('covers a range of days, both ends included, newest first', async () => {
    const sandbox = await three();
    expect(await dates(sandbox)).toEqual(['2026-02-03', '2026-02-02', '2026-02-01']);
    const range = '?startDate=2026-02-01&endDate=2026-02-02';
    expect(await dates(sandbox, range)).toEqual(['2026-02-02', '2026-02-01']);
    expect(await dates(sandbox, `${range}&limit=1`)).toEqual(['2026-02-02']);
  });

  it('shows null for the meals of a day without items', async () => {
    const sandbox = openApp();
    await push(sandbox, { date: '2026-02-01', items: [], waterMl: 500 });
    const response = await sandbox.app.request('/api/nutrition', { headers: bearer(sandbox) });
    const meals = { breakfast: null, lunch: null, dinner: null, snacks: null };
    expect(await response.json()).toMatchObject({ nutrition: [{ ...meals, waterMl: 500 }] });
  });

  it.each([
    ['startDate=soon', 400],
    ['limit=x', 500],
  ])('answers %s with %d', async (query, status) => {
    const sandbox = openApp();
    const headers = bearer(sandbox);
    expect((await sandbox.app.request(`/api/nutrition?${query}`, { headers })).status).toBe(status);
  });
});

describe('deleting an item', () => {
  const edit = async (sandbox: Sandbox, body: object, date = DATE) => {
    const response = await sandbox.app.request(`/api/nutrition/${date}/items`, {
      method: 'PATCH',
      headers: { ...bearer(sandbox, ['nutrition:write']), 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'delete', ...body }),
    });
    return { status: response.status, body: await response.json() };
  };

  it('removes it from its meal and sums the others', async () => {
    const sandbox = openApp();
    const [soup] = withOthers(sandbox);
    await push(sandbox, { items: [gel, rice] });
    const [first] = day(sandbox).breakfast;
    expect(await edit(sandbox, { mealType: 'breakfast', itemId: first?.id })).toEqual({
      status: 200,
      body: { success: true, mealType: 'breakfast', items: [] },
    });
    expect(names(sandbox)).toEqual(['Soup', 'Rice', 'Drink']);
    expect(day(sandbox).carbs).toBe(90.5);
    const again = await edit(sandbox, { mealType: 'lunch', itemId: 'gone' });
    expect(again).toMatchObject({ status: 200, body: { items: [soup, { name: 'Rice' }] } });
  });

  it('answers 404 for an unknown day and 400 for an unknown meal', async () => {
    const sandbox = openApp();
    const body = { mealType: 'lunch', itemId: 'x' };
    expect((await edit(sandbox, body)).status).toBe(404);
    expect((await edit(sandbox, { ...body, mealType: 'LUNCH' })).status).toBe(400);
  });

  it('answers 409 by a scripted fault, as after a concurrent change', async () => {
    const sandbox = openApp({ faults: ['nutrition-items:409'] });
    expect((await edit(sandbox, { mealType: 'lunch', itemId: 'x' })).status).toBe(409);
  });
});

it('an edit in the app adds, changes and removes items over HTTP, without counting as a request', async () => {
  const sandbox = openApp();
  await push(sandbox, { items: [gel] });
  const added = await postJson(sandbox, '/_sandbox/foods', {
    date: DATE,
    meal: 'dinner',
    item: { name: 'Pasta', logged_at: '2026-02-15T18:00:00Z', carbs: 90 },
  });
  const { id } = (await added.json()) as StoredItem;
  const change = (method: string, path: string, body?: object) =>
    Promise.resolve(
      sandbox.app.request(`/_sandbox/foods/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  expect((await change('PATCH', id, { carbs: 70 })).status).toBe(204);
  expect(day(sandbox)).toMatchObject({ carbs: 95, dinner: [{ id, carbs: 70, source: 'manual' }] });
  const [ours] = day(sandbox).breakfast;
  expect((await change('DELETE', ours?.id ?? '')).status).toBe(204);
  expect(names(sandbox)).toEqual(['Pasta']);
  expect((await change('DELETE', 'unknown')).status).toBe(404);
  expect(sandbox.control.state('athlete-1').athletes[0]?.nutrition[0]?.receivedCount).toBe(1);
});
