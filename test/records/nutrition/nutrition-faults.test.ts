import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/records/types.ts';
import { NUTRITION_REVISIONS } from '../../support/acceptance.ts';
import {
  BAR,
  DAY,
  GEL,
  type PushOptions,
  READ,
  RICE,
  WRITE,
  crashing,
  day,
  dayOn,
  notesOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_GEL = { ...GEL, carbs: 30 };
const OTHER_DAY = '2026-02-16';

describe.each(NUTRITION_REVISIONS)('a nutrition day on revision %s', (revision) => {
  it.each(['504', '504(after)', '500(after)', 'reset', 'reset-after', 'html(after)', 'truncate'])(
    'keeps each item exactly once after %s at any of its requests',
    async (fault) => {
      const { push, held, sandbox } = await openNutrition({ revision });
      for (const skip of [0, 1, 2, 3]) {
        sandbox.control.addFaults(`nutrition:${fault}+${skip}`);
        const foods = [GEL, { ...BAR, carbs: skip }];
        await push({ 'a.json': day(...foods) });
        sandbox.control.clearFaults();
        expect(outcomesOf(await push({ 'a.json': day(...foods) }))).toMatchObject([
          /pushed|skipped/,
        ]);
        expect(held()).toEqual([`bar ${skip}`, 'gel 25']);
      }
    },
  );

  it('stays a debt while undelivered and is delivered in the next run', async () => {
    const { push, held, sandbox, ledger } = await openNutrition({ revision });
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition:504*inf');
    const failed = await push({ 'a.json': day(GEL, BAR) });
    expect(outcomesOf(failed)).toEqual(['failed SERVICE_UNAVAILABLE']);
    expect(ledger.nutrition.debts()).toEqual([DAY]);
    sandbox.control.clearFaults();
    expect(outcomesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    expect(ledger.nutrition.debts()).toEqual([]);
  });

  it('is restored if the service rejects its second step, and sent in the next run', async () => {
    const { push, held, sandbox, ledger } = await openNutrition({ revision });
    await push({ 'a.json': day(GEL, BAR) });
    // As if nothing was known of the service.
    ledger.nutrition.noteTraits({ kind: undefined, kindAt: undefined });
    sandbox.control.addFaults('nutrition:422+1');
    const items = await push({ 'a.json': day(BIG_GEL, BAR) });
    expect(items).toMatchObject([{ outcome: 'rejected', status: 422 }]);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('stays unchanged if the service rejects the first request', async () => {
    const { push, held, sandbox, ledger } = await openNutrition({ revision });
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition:422*inf');
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['rejected']);
    expect([held(), ledger.nutrition.debts()]).toEqual([['gel 25'], []]);
    sandbox.control.clearFaults();
    sandbox.control.addFaults('nutrition:success-false*inf');
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['rejected']);
    sandbox.control.clearFaults();
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['pushed']);
    expect(held()).toEqual(['gel 30']);
  });

  it.each([false, true])(
    'is finished by the next run of any day after a crash between its steps (processed: %s)',
    async (after) => {
      for (const at of [0, 1, 2]) {
        const { push, held, ledger } = await openNutrition({ revision });
        await push({ 'a.json': day(GEL) });
        ledger.nutrition.noteTraits({ kind: undefined, kindAt: undefined });
        const crashed = push({ 'a.json': day(BIG_GEL, BAR) }, { wrap: crashing({ at, after }) });
        await expect(crashed).rejects.toThrow(SyncError);
        expect(ledger.nutrition.debts()).toEqual([DAY]);
        const items = await push({ 'b.json': dayOn(OTHER_DAY, RICE) });
        expect(items.map(({ date, outcome }) => [date, outcome])).toEqual([
          [OTHER_DAY, 'pushed'],
          [DAY, 'pushed'],
        ]);
        expect([held(), held(OTHER_DAY)]).toEqual([['bar 40', 'gel 30'], ['rice 90']]);
        expect(ledger.nutrition.debts()).toEqual([]);
      }
    },
  );

  it.each(['nutrition:422', 'nutrition:422+1', 'nutrition:422*inf'])(
    'loses nothing if the service rejects it after a crash between its steps (%s)',
    async (fault) => {
      for (const at of [0, 1]) {
        const { push, held, ledger, sandbox } = await openNutrition({ revision });
        await push({ 'a.json': day(GEL, BAR) });
        const { kind, kindAt } = ledger.nutrition.traits();
        ledger.nutrition.noteTraits({ kind: undefined, kindAt: undefined });
        // The old item is gone, and the new one is not there yet.
        const crashed = push(
          { 'a.json': day(BIG_GEL, BAR) },
          { wrap: crashing({ at, after: true }) },
        );
        await expect(crashed).rejects.toThrow(SyncError);
        ledger.nutrition.noteTraits({ kind, kindAt });
        sandbox.control.addFaults(fault);
        await push({ 'a.json': day(BIG_GEL, BAR) });
        sandbox.control.clearFaults();
        await push({ 'a.json': day(GEL, BAR) });
        expect([at, held()]).toEqual([at, ['bar 40', 'gel 25']]);
        expect(ledger.nutrition.debts()).toEqual([]);
      }
    },
  );

  it('is left out of the dry run of another day while unfinished', async () => {
    const { push, ledger } = await openNutrition({ revision });
    await expect(
      push({ 'a.json': day(GEL) }, { wrap: crashing({ at: 0, after: true }) }),
    ).rejects.toThrow();
    const items = await push({ 'b.json': dayOn(OTHER_DAY, RICE) }, { dryRun: true });
    expect(items).toMatchObject([{ date: OTHER_DAY, outcome: 'would-push' }]);
    expect(ledger.nutrition.debts()).toEqual([DAY]);
  });

  it('contains no duplicate after the ledger was lost, also with a changed input', async () => {
    const { push, held, machine } = await openNutrition({ revision });
    await push({ 'a.json': day(GEL, BAR) });
    for (const foods of [[GEL, BAR], [BAR, RICE, GEL], [GEL]]) {
      expect(outcomesOf(await machine().push({ 'a.json': day(...foods) }))).toEqual(['pushed']);
    }
    // A replacing service has the last input; an appending one cannot know the unwanted items.
    expect(held()).toEqual(revision === '2026-08' ? ['bar 40', 'gel 25', 'rice 90'] : ['gel 25']);
  });

  it.each([WRITE, READ])(
    'keeps an item exactly once after two simultaneous pushes, with %j',
    async (...scopes) => {
      const { push, held } = await openNutrition({ revision }, { scopes });
      await Promise.all([push({ 'a.json': day(GEL) }), push({ 'a.json': day(GEL) })]);
      expect(held()).toEqual(['gel 25']);
    },
  );
});

describe('removing an item', () => {
  it('retries after 409, because the day changed in between', async () => {
    const { push, held, sandbox, requestsOf } = await openNutrition();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.addFaults('nutrition-items:409');
    expect(await requestsOf(() => push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual([
      'POST nothing',
      'PATCH -> 409',
      'POST nothing',
      'PATCH',
      'POST gel 30',
    ]);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('stops if the day changes at each attempt and continues in the next run', async () => {
    const { push, held, sandbox } = await openNutrition();
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition-items:409*inf');
    expect(await push({ 'a.json': day(BIG_GEL) })).toMatchObject([
      { outcome: 'conflict', hint: expect.stringContaining('no other device') as string },
    ]);
    expect(held()).toEqual(['gel 25']);
    sandbox.control.clearFaults();
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['pushed']);
    expect(held()).toEqual(['gel 30']);
  });

  it('records 401 to a valid token as a missing route and keeps the login', async () => {
    const { push, held, requestsOf, ledger } = await openNutrition({ nutritionEdits: false });
    await push({ 'a.json': day(GEL) });
    const first = await requestsOf(() => push({ 'a.json': day(BIG_GEL, BAR) }));
    // No refresh: a request with a new token would be refused.
    expect(first).toEqual(['POST nothing', 'PATCH -> 401', 'GET userinfo', 'POST bar 40']);
    expect(ledger.nutrition.traits().noRemovalAt).toBeGreaterThan(0);
    expect(await requestsOf(() => push({ 'a.json': day(BIG_GEL, BAR, RICE) }))).toEqual([
      'POST nothing',
      'POST rice 90',
    ]);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it.each(['403', '404', '405', '501'])('records %s as a missing route', async (status) => {
    const { push, sandbox, ledger } = await openNutrition();
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults(`nutrition-items:${status}`);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['conflict']);
    expect(ledger.nutrition.traits().noRemovalAt).toBeGreaterThan(0);
  });

  it('retries after a lost answer', async () => {
    const { push, held, sandbox } = await openNutrition();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.addFaults('nutrition-items:504(after)', 'nutrition-items:reset-after');
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });
});

describe('a changed nutrition item that cannot be removed', () => {
  it.each([
    ['without nutrition:read', WRITE],
    ['with nutrition:read', READ],
  ])('is not sent, while the rest of the day is sent, %s', async (_how, scopes) => {
    const { push, held, sandbox, idOf } = await openNutrition(
      { nutritionEdits: false },
      { scopes },
    );
    await push({ 'a.json': day(GEL, BAR) });
    const [item] = await push({ 'a.json': day(BIG_GEL, BAR, RICE) });
    expect(item).toMatchObject({
      outcome: 'conflict',
      stored: [{ name: 'gel', carbs: 25 }],
      intended: [{ name: 'gel', carbs: 30 }],
      message:
        'The platform holds "gel, 10:00, 25 g carbs", and offers no way to correct that from here.',
      hint: `In the platform, open ${DAY} and delete "gel, 10:00, 25 g carbs"; then run the same command again.`,
    });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    // It stays so until the athlete does it.
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR, RICE) }))).toEqual(['conflict']);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    sandbox.control.editFood(idOf('gel'), null);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR, RICE) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 30', 'rice 90']);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR, RICE) }))).toEqual(['skipped']);
  });

  it('is reported if the input dropped it, until the athlete removes it', async () => {
    const { push, held, sandbox, idOf } = await openNutrition({ nutritionEdits: false });
    await push({ 'a.json': day(GEL, BAR) });
    expect(await push({ 'a.json': day(BAR) })).toMatchObject([
      { outcome: 'conflict', stored: [{ name: 'gel', carbs: 25 }], intended: [] },
    ]);
    expect(outcomesOf(await push({ 'a.json': day(BAR) }))).toEqual(['conflict']);
    sandbox.control.editFood(idOf('gel'), null);
    expect(outcomesOf(await push({ 'a.json': day(BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40']);
  });
});

it('rejects a nutrition day with 500 in the third run without delaying the others', async () => {
  const { push, held } = await openNutrition();
  // What the checks of the input would find, and the sandbox cannot store.
  const poisoned = (body: object) =>
    JSON.parse(JSON.stringify(body).replaceAll('bad', 'bad\\u0000')) as JsonObject;
  const poison: PushOptions['wrap'] = (client) => ({
    ...client,
    push: (kind, body, ...rest) => client.push(kind, poisoned(body), ...rest),
  });
  for (const [run, expected] of [
    [1, 'failed SERVICE_UNAVAILABLE'],
    [2, 'failed SERVICE_UNAVAILABLE'],
    [3, 'rejected'],
    [4, 'rejected'],
  ] as const) {
    const days = [
      dayOn(DAY, { name: 'bad', carbs: 1 }),
      dayOn(OTHER_DAY, { ...GEL, carbs: run }),
      dayOn('2026-02-17', { ...BAR, carbs: run }),
    ];
    const items = await push({ 'a.json': days }, { wrap: poison });
    const outcomes = Object.fromEntries(
      items.map(({ date }, index) => [date, outcomesOf(items)[index]]),
    );
    expect(outcomes).toEqual({ [DAY]: expected, [OTHER_DAY]: 'pushed', '2026-02-17': 'pushed' });
    // From the second run on it is the last.
    if (run > 1) expect(items.at(-1)?.date).toBe(DAY);
    if (run > 2)
      expect(items.at(-1)).toMatchObject({
        status: 500,
        hint: expect.stringContaining('Check its fields') as string,
      });
    expect([held(), held(OTHER_DAY), held('2026-02-17')]).toEqual([
      [],
      [`gel ${run}`],
      [`bar ${run}`],
    ]);
  }
  const healed = await push({ 'a.json': day(GEL) }, { wrap: poison });
  expect(outcomesOf(healed)).toEqual(['pushed']);
  expect(held()).toEqual(['gel 25']);
});

it('rejects no nutrition day while the whole service answers 500', async () => {
  const { push, sandbox, held } = await openNutrition();
  sandbox.control.addFaults('nutrition:500*inf', 'userinfo:500*inf');
  for (let run = 1; run <= 4; run++) {
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['failed SERVICE_UNAVAILABLE']);
  }
  sandbox.control.clearFaults();
  expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['pushed']);
  expect(held()).toEqual(['gel 25']);
});

it('sends an empty day if the service cannot be read with nutrition:read', async () => {
  const { push, requestsOf, held, sandbox } = await openNutrition(
    { nutritionList: 'none' },
    { scopes: READ },
  );
  expect(await requestsOf(() => push({ 'a.json': day(GEL) }))).toEqual([
    // A refresh would not help: the token is good.
    ...['GET -> 401', 'GET userinfo'],
    ...['POST nothing', 'POST gel 25', 'POST nothing'],
  ]);
  sandbox.control.set({ nutritionList: 'limit' });
  expect(await requestsOf(() => push({ 'a.json': day(GEL, BAR) }))).toEqual(['GET', 'POST bar 40']);
  expect(held()).toEqual(['bar 40', 'gel 25']);
  expect(notesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual([]);
});
