import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import { KINDS } from '../../support/acceptance.ts';
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
  itemOf,
  notesOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_GEL = { ...GEL, carbs: 30 };
const OTHER_DAY = '2026-02-16';

it.each([
  ['with nutrition:read', READ],
  ['without nutrition:read', WRITE],
])(
  'an item whose answer was lost comes back after its input dropped it, %s',
  async (_how, scopes) => {
    for (const fault of [0, 1, 2, 3].map((skipped) => `any:504(after)*1+${skipped}`)) {
      const { push, held, sandbox } = await openNutrition({}, { scopes });
      sandbox.control.addFaults(fault);
      for (const foods of [[GEL], [GEL], [], [GEL]]) await push({ 'a.json': day(BAR, ...foods) });
      expect(held(), fault).toEqual(['bar 40', 'gel 25']);
    }
  },
);

it('an item stays away that was removed after a look had shown it, although its answer was lost', async () => {
  const { push, held, idOf, sandbox } = await openNutrition({}, { scopes: READ });
  sandbox.control.addFaults('nutrition:504(after)');
  await push({ 'a.json': day(GEL) });
  expect(held()).toEqual(['gel 25']);
  sandbox.control.editFood(idOf('gel'), null);
  const again = await push({ 'a.json': day(GEL) });
  expect([outcomesOf(again), held()]).toEqual([['skipped'], []]);
  expect(notesOf(again)).toEqual([/gel.*no longer on the platform|no longer on the platform.*gel/]);
  // A corrected version is sent.
  await push({ 'a.json': day(BIG_GEL) });
  expect(held()).toEqual(['gel 30']);
});

it('an item that was taken back is named when others of its input are sent', async () => {
  const { push, undo, held } = await openNutrition();
  await push({ 'a.json': day(GEL, BAR) });
  await undo(DAY);
  const items = await push({ 'a.json': day(GEL, RICE) });
  expect([outcomesOf(items), held()]).toEqual([['pushed'], ['rice 90']]);
  expect(notesOf(items)).toEqual([
    expect.stringMatching(/taken back by an undo, so not sent: "gel/),
  ]);
});

it('a day of an earlier run is not reported if the login ends before it can be looked at', async () => {
  for (const skipped of [0, 1, 2, 3]) {
    const { push, sandbox } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL) }, { force: true });
    sandbox.control.addFaults(`any:401(error=invalid_token)*inf+${skipped}`);
    const items = await push({ 'b.json': dayOn(OTHER_DAY, BAR) }, { jobs: 1 });
    expect(items.map(({ date }) => date)).toEqual([OTHER_DAY]);
  }
});

describe.each(KINDS)('a nutrition day on platform %s', (platform) => {
  it.each(['504', '504(after)', '500(after)', 'reset', 'reset-after', 'html(after)', 'truncate'])(
    'keeps each item exactly once after %s at any of its requests',
    async (fault) => {
      const { push, held, sandbox } = await openNutrition({ platform });
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
    const { push, held, sandbox, ledger } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition:504*inf');
    const failed = await push({ 'a.json': day(GEL, BAR) });
    expect(outcomesOf(failed)).toEqual(['failed SERVICE_UNAVAILABLE']);
    sandbox.control.clearFaults();
    expect(outcomesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    expect(ledger.nutrition.dates('open')).toEqual([]);
  });

  it('stays unchanged if the service rejects the first request', async () => {
    const { push, held, sandbox, ledger } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition:422*inf');
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['rejected']);
    expect([held(), ledger.nutrition.dates('open')]).toEqual([['gel 25'], []]);
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
      // The first request that may change the day, and those after it.
      for (const at of platform === 'coach-watts' ? [1, 2] : [0]) {
        const { push, held, ledger } = await openNutrition({ platform });
        await push({ 'a.json': day(GEL) });
        const crashed = push({ 'a.json': day(BIG_GEL, BAR) }, { wrap: crashing({ at, after }) });
        await expect(crashed).rejects.toThrow(SyncError);
        const items = await push({ 'b.json': dayOn(OTHER_DAY, RICE) });
        expect(items.every(({ outcome }) => outcome === 'pushed')).toBe(true);
        expect([held(), held(OTHER_DAY)]).toEqual([['bar 40', 'gel 30'], ['rice 90']]);
        expect(ledger.nutrition.dates('open')).toEqual([]);
      }
    },
  );

  it.each(['nutrition:422', 'nutrition:422+1', 'nutrition:422*inf'])(
    'loses nothing if the service rejects it after a crash between its steps (%s)',
    async (fault) => {
      for (const at of platform === 'coach-watts' ? [0, 1, 2] : [0]) {
        const { push, held, ledger, sandbox } = await openNutrition({ platform });
        await push({ 'a.json': day(GEL, BAR) });
        // The old item is gone, and the new one is not there yet.
        const crashed = push(
          { 'a.json': day(BIG_GEL, BAR) },
          { wrap: crashing({ at, after: true }) },
        );
        await expect(crashed).rejects.toThrow(SyncError);
        sandbox.control.addFaults(fault);
        await push({ 'a.json': day(BIG_GEL, BAR) });
        sandbox.control.clearFaults();
        await push({ 'a.json': day(GEL, BAR) });
        expect([at, held()]).toEqual([at, ['bar 40', 'gel 25']]);
        expect(ledger.nutrition.dates('open')).toEqual([]);
      }
    },
  );

  it('is left out of the dry run of another day while unfinished', async () => {
    const { push, ledger } = await openNutrition({ platform });
    await expect(
      push(
        { 'a.json': day(GEL) },
        { wrap: crashing({ at: platform === 'coach-watts' ? 1 : 0, after: true }) },
      ),
    ).rejects.toThrow();
    const items = await push({ 'b.json': dayOn(OTHER_DAY, RICE) }, { dryRun: true });
    expect(items).toMatchObject([{ date: OTHER_DAY, outcome: 'would-push' }]);
    expect(ledger.nutrition.dates('open')).toEqual([DAY]);
  });

  it('contains no duplicate after the ledger was lost, also with a changed input', async () => {
    const { push, held, machine } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL, BAR) });
    for (const foods of [[GEL, BAR], [BAR, RICE, GEL], [GEL]]) {
      const [outcome] = outcomesOf(await machine().push({ 'a.json': day(...foods) }));
      expect(['pushed', 'skipped']).toContain(outcome);
    }
    // A replacing service has the last input; an appending one cannot know the unwanted items.
    expect(held()).toEqual(
      platform === 'coach-watts' ? ['bar 40', 'gel 25', 'rice 90'] : ['gel 25'],
    );
  });

  it.each([WRITE, READ])(
    'keeps an item exactly once after two simultaneous pushes, with %j',
    async (...scopes) => {
      const { push, held } = await openNutrition({ platform }, { scopes });
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
      ...['POST nothing', 'POST gel 30', 'PATCH -> 409'],
      ...['POST nothing', 'PATCH'],
    ]);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('stops if the day changes at each attempt and continues in the next run', async () => {
    const { push, held, sandbox } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL) });
    sandbox.control.addFaults('nutrition-items:409*inf');
    expect(await push({ 'a.json': day(BIG_GEL) })).toMatchObject([
      { outcome: 'conflict', hint: expect.stringContaining('no other device') as string },
    ]);
    // Nothing is missing meanwhile.
    expect(held()).toEqual(['gel 25', 'gel 30']);
    sandbox.control.clearFaults();
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL) }))).toEqual(['pushed']);
    expect(held()).toEqual(['gel 30']);
  });

  it('retries after a lost answer', async () => {
    const { push, held, sandbox } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.addFaults('nutrition-items:504(after)', 'nutrition-items:reset-after');
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });
});

it('rejects a nutrition day with 500 in the third run without delaying the others', async () => {
  const { push, held } = await openNutrition();
  // The contract allows it, the checks of the input would find it, and the sandbox cannot store it.
  const poisoned = (body: Readonly<Record<string, unknown>>) =>
    JSON.stringify(body).includes('bad') ? { ...body, rawJson: { note: '\0' } } : body;
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

it('stays open if an earlier try of a rejected undo may have emptied it, and the next push ends the undo', async () => {
  const { push, undo, sandbox, ledger, held } = await openNutrition({ platform: 'interface' });
  await push({ 'a.json': day(GEL) });
  sandbox.control.addFaults('nutrition:reset-after', 'nutrition:411');
  expect(outcomesOf(await undo(DAY))).toEqual(['rejected']);
  expect(ledger.nutrition.dates('open')).toEqual([DAY]);
  // The day may be empty, so it does not count as it was before.
  expect(ledger.find('nutrition', DAY)).toMatchObject({ state: 'rejected' });
  const again = await push({ 'a.json': day(GEL) });
  expect(again).toMatchObject([{ outcome: 'skipped', reason: 'undone', warnings: [] }]);
  expect([ledger.nutrition.dates('open'), held()]).toEqual([[], []]);
});

it('leaves no item that was to go while a platform that replaces days fails', async () => {
  const { push, undo, sandbox, held } = await openNutrition({ platform: 'interface' });
  const failing = async (run: () => Promise<unknown>) => {
    sandbox.control.addFaults('nutrition:504*inf');
    await run();
    sandbox.control.clearFaults();
  };
  await push({ 'a.json': day(GEL) });
  await failing(() => push({ 'a.json': day() }));
  await push({ 'a.json': day() });
  expect(held()).toEqual([]);
  await push({ 'b.json': day(BAR) });
  await failing(() => undo(DAY));
  await push({ 'b.json': day(BAR) });
  expect(held()).toEqual([]);
});

it('repeats no request that adds and may have arrived', async () => {
  const { push, sandbox, held, requestsOf } = await openNutrition();
  await push({ 'a.json': day(BAR) });
  // The look arrives, and then the answer to each request that would add is lost.
  sandbox.control.addFaults('nutrition:504(after)*4+1');
  const made = await requestsOf(() => push({ 'b.json': day(GEL) }));
  expect(made.filter((request) => request.startsWith('POST gel'))).toHaveLength(1);
  sandbox.control.clearFaults();
  await push({ 'b.json': day(GEL) });
  expect(held()).toEqual(['bar 40', 'gel 25']);
});

it('an undo that a platform took before it refused the token is not forgotten', async () => {
  const { push, undo, sandbox, held } = await openNutrition({ platform: 'interface' });
  await push({ 'a.json': day(GEL) });
  sandbox.control.addFaults('nutrition:503(after)*1+0');
  sandbox.control.addFaults('nutrition:401*inf+0');
  expect(outcomesOf(await undo(DAY))).toEqual(['failed SERVICE_UNAVAILABLE']);
  sandbox.control.clearFaults();
  expect(held()).toEqual([]);
  const [item] = await push({ 'a.json': day(GEL) });
  expect([item, held()]).toMatchObject([{ outcome: 'skipped', reason: 'undone' }, []]);
});

it('items arrive whole if something in between refused them, and the platform turns out to add', async () => {
  const { push, sandbox, foods } = await openNutrition();
  const record = { date: DAY, items: [{ ...itemOf(GEL), calories: 110 }], waterMl: 500 };
  sandbox.control.addFaults('nutrition-items:400(error=x)', 'nutrition:400(error=x)');
  const first = await push({ 'a.json': record });
  expect([outcomesOf(first), notesOf(first)]).toEqual([
    ['pushed'],
    [expect.stringContaining('answers as Coach Watts does')],
  ]);
  expect(foods()).toMatchObject([{ name: 'gel', carbs: 25, calories: 110 }]);
  expect(sandbox.control.state().athletes[0]?.nutrition).toMatchObject([
    { record: { waterMl: 500 } },
  ]);
  expect(outcomesOf(await push({ 'a.json': record }))).toEqual(['skipped']);
});
