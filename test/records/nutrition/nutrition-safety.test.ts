import { describe, expect, it } from 'vitest';
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
  daysAhead,
  itemOf,
  notesOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_RICE = { ...RICE, carbs: 95 };
const SOUP = { name: 'soup', carbs: 33, at: '12:00:00' };
const TEA = { name: 'tea', carbs: 1, at: '16:00:00' };

describe('a nutrition day that is read before it is sent', () => {
  it('keeps its items if only waterMl is sent and the ledger was lost', async () => {
    const { push, machine, held } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': { ...day(GEL, BAR), waterMl: 700 } });
    const again = await machine().push({ 'a.json': { ...day(GEL, BAR), waterMl: 900 } });
    expect(outcomesOf(again)).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    expect(outcomesOf(await push({ 'a.json': { ...day(GEL, BAR), waterMl: 950 } }))).toEqual([
      'pushed',
    ]);
    expect(held()).toEqual(['bar 40', 'gel 25']);
  });

  it('takes no item for removed that another run sent after this one listed the days', async () => {
    const { push, held } = await openNutrition({}, { scopes: READ });
    const inputs = { 'a.json': day(GEL, BAR) };
    let isFirst = true;
    const items = await push(inputs, {
      wrap: (client) => ({
        ...client,
        listDays: async (...args) => {
          const days = await client.listDays(...args);
          if (isFirst) {
            isFirst = false;
            await push(inputs);
          }
          return days;
        },
      }),
    });
    expect(notesOf(items)).toEqual([]);
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['gel 25']);
  });

  it('keeps items of another computer, and edits and removals by the athlete', async () => {
    const { push, machine, held, sandbox, idOf } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL) });
    const other = machine();
    await other.push({ 'b.json': day(RICE) });
    expect(held()).toEqual(['gel 25', 'rice 90']);
    await other.push({ 'b.json': day(RICE, BAR) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    sandbox.control.editFood(idOf('rice'), { carbs: 70 });
    sandbox.control.editFood(idOf('bar'), null);
    const [item] = await other.push({ 'b.json': day(RICE, BAR, { name: 'tea', carbs: 1 }) });
    expect(held()).toEqual(['gel 25', 'rice 70', 'tea 1']);
    expect(item?.warnings.map(({ message }) => message).sort()).toEqual([
      'changed in the platform, so left as it is there: "rice, 19:00, 70 g carbs" (--force overwrites it)',
      'no longer on the platform, so left out: "bar, 11:00, 40 g carbs" (--replace-day sends it again)',
    ]);
  });
});

describe('an item that its input drops', () => {
  const dropped = expect.stringContaining('no longer in the input, so removed') as string;

  it.each([
    ['its input', [GEL], {}, ['gel 25', 'rice 90']],
    ['its input, with --force', [GEL], { force: true }, ['gel 25', 'rice 90']],
    ['an input without items', [], {}, ['rice 90']],
  ])('leaves the day for good after another computer sent the day: %s', async (...of) => {
    const [, rest, options, left] = of;
    const { push, machine, held } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL, BAR) });
    const other = machine();
    await other.push({ 'b.json': day(RICE) });
    const items = await push({ 'a.json': day(...rest) }, options);
    expect([outcomesOf(items), notesOf(items)]).toEqual([
      ['pushed'],
      expect.arrayContaining([dropped]),
    ]);
    expect(held()).toEqual(left);
    // The other computer has seen it, but has not sent it.
    await other.push({ 'b.json': day(RICE, TEA) });
    expect(held()).toEqual([...left, 'tea 1']);
    expect(notesOf(await push({ 'a.json': day(...rest, SOUP) }))).not.toContainEqual(dropped);
    expect(held()).toEqual([...left, 'soup 33', 'tea 1']);
  });

  it('takes along no equal item of another source, and no other version', async () => {
    const { push, machine, held, sandbox } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL, BAR, SOUP) });
    const other = machine();
    await other.push({ 'b.json': day(RICE) });
    await other.push({ 'b.json': day(RICE, { ...BAR, carbs: 41 }) }, { force: true });
    const meal = { date: DAY, meal: 'lunch', item: itemOf(SOUP) } as const;
    sandbox.control.addFood({ ...meal, source: 'fitbit' });
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['bar 41', 'gel 25', 'rice 90', 'soup 33']);
  });

  it.each([
    ['', crashing({ at: Infinity, after: false })],
    [', although the program is killed once', crashing({ at: 1, after: true })],
  ])(
    'leaves those of another computer if sync has to find out the kind anew%s',
    async (_, wrap) => {
      const { push, machine, held } = await openNutrition({}, { scopes: READ });
      await push({ 'a.json': day(GEL, BAR) });
      const other = machine();
      await other.push({ 'b.json': day(RICE) });
      await push({ 'a.json': day(GEL, BAR, SOUP) });
      await other.push({ 'c.json': day(TEA) });
      const options = { clock: daysAhead(31), wrap };
      await push({ 'a.json': day(GEL, SOUP) }, options).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'INTERRUPTED' });
      });
      await push({ 'a.json': day(GEL, SOUP) });
      expect(held()).toEqual(['gel 25', 'rice 90', 'soup 33', 'tea 1']);
    },
  );
});

it('a dropped item that the athlete removed takes no equal one of another computer along', async () => {
  const { push, held, sandbox, idOf } = await openNutrition(
    { platform: 'coach-watts' },
    { scopes: READ },
  );
  await push({ 'a.json': day(GEL) });
  sandbox.control.editFood(idOf('gel'), null);
  sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(GEL), source: 'oauth:app-1' });
  await push({ 'a.json': day() });
  expect(held()).toEqual(['gel 25']);
});

describe('an item with a refused new version', () => {
  it.each(['403', '429(retry-after=1)*inf', '504*inf'])(
    'stays until its new version arrives in the next run, if the service answers %s',
    async (fault) => {
      const { push, sandbox, held } = await openNutrition(
        { platform: 'coach-watts' },
        { scopes: READ },
      );
      await push({ 'a.json': day(GEL) });
      await push({ 'b.json': day(RICE) });
      sandbox.control.addFaults(`nutrition:${fault}`);
      const [outcome] = outcomesOf(await push({ 'b.json': day(BIG_RICE) }));
      expect(outcome).toMatch(/^failed/);
      sandbox.control.clearFaults();
      await push({ 'a.json': day(GEL) });
      // Nothing was removed before its new version was there.
      expect(held()).toEqual(['gel 25', expect.stringMatching(/^rice 9[05]$/)]);
      await push({ 'b.json': day(BIG_RICE) });
      expect(held()).toEqual(['gel 25', 'rice 95']);
    },
  );
});

describe('a platform that answers without the rows of a day', () => {
  const rowless: PushOptions['wrap'] = (client) => ({
    ...client,
    push: async (...args) => {
      const { attempts } = await client.push(...args);
      return { outcome: 'pushed', attempts, json: undefined, left: [] };
    },
  });

  it.each([
    ['coach-watts', WRITE, 'conflict', ['gel 25']],
    ['coach-watts', READ, 'pushed', ['bar 40', 'gel 30']],
    ['interface', WRITE, 'pushed', ['bar 40', 'gel 30']],
  ] as const)('doubles and loses no item (%s, %j)', async (platform, scopes, outcome, left) => {
    const { push, held } = await openNutrition({ platform }, { scopes });
    expect(outcomesOf(await push({ 'a.json': day(GEL) }, { wrap: rowless }))).toEqual(['pushed']);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }, { wrap: rowless }))).toEqual(['skipped']);
    const changed = day({ ...GEL, carbs: 30 }, BAR);
    for (let run = 0; run < 2; run++) {
      const items = await push({ 'a.json': changed }, { wrap: rowless });
      expect(['skipped', outcome]).toContain(outcomesOf(items)[0]);
      expect(held()).toEqual(left);
    }
    await push({ 'a.json': changed });
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });
});

it('holds both versions of an item after a crash between add and delete, then the new one', async () => {
  const { push, held } = await openNutrition({}, { scopes: READ });
  await push({ 'a.json': day(GEL) });
  // After the request that adds.
  const wrap = crashing({ at: 1, after: false });
  const crashed = push({ 'a.json': day({ ...GEL, carbs: 30 }) }, { wrap });
  await expect(crashed).rejects.toThrow('killed');
  expect(held()).toEqual(['gel 25', 'gel 30']);
  await push({ 'b.json': dayOn('2026-02-16', BAR) });
  expect(held()).toEqual(['gel 30']);
});

it('sends totals again if the request after a removal fails', async () => {
  const { push, sandbox } = await openNutrition({ platform: 'coach-watts' }, { scopes: READ });
  const stated = { waterMl: 700, calories: 900 };
  await push({ 'a.json': { ...day(GEL, BAR), ...stated } });
  const shorter = { 'a.json': { ...day(GEL), ...stated } };
  sandbox.control.addFaults('nutrition:500*inf');
  expect(outcomesOf(await push(shorter))).toEqual(['failed SERVICE_UNAVAILABLE']);
  sandbox.control.clearFaults();
  expect(outcomesOf(await push(shorter))).toEqual(['pushed']);
  const [held] = sandbox.control.state().athletes[0]?.nutrition ?? [];
  expect(held?.record).toMatchObject(stated);
});

describe('two equal items of which one changed', () => {
  it('are one of each with --force if the ledger was lost', async () => {
    const { push, machine, held } = await openNutrition({ platform: 'coach-watts' });
    await push({ 'a.json': day(GEL, GEL) });
    const { push: pushAgain } = machine();
    const changed = { 'a.json': day(GEL, { ...GEL, carbs: 31 }) };
    // Nothing says yet who sent them.
    expect(outcomesOf(await pushAgain(changed))).toEqual(['conflict']);
    expect(held()).toEqual(['gel 25', 'gel 25']);
    expect(outcomesOf(await pushAgain(changed, { force: true }))).toEqual(['pushed']);
    expect(held()).toEqual(['gel 25', 'gel 31']);
  });
});

describe('a day of an earlier run, which is checked beside the input', () => {
  it.each([
    ['coach-watts', { merge: 'replace-day' } as const, ['bar 40', 'gel 25']],
    ['interface', { merge: 'replace-day' } as const, ['bar 40', 'gel 25']],
    ['coach-watts', { force: true }, ['bar 40', 'gel 31']],
  ] as const)('is neither replaced nor forced, on %s with %o', async (platform, options, left) => {
    const { push, held, sandbox, idOf } = await openNutrition({ platform }, { scopes: READ });
    await push({ 'a.json': day(GEL, BAR) });
    if ('force' in options) sandbox.control.editFood(idOf('gel'), { carbs: 31 });
    await push({ 'b.json': dayOn('2026-04-07', RICE) }, options);
    expect([held(), held('2026-04-07')]).toEqual([left, ['rice 90']]);
  });
});

it.each(KINDS)(
  'moves an item between days with the records of an input, on %s',
  async (platform) => {
    const { push, held } = await openNutrition({ platform });
    const late = { name: 'late', carbs: 3, logged_at: '2026-04-02T00:30:00' };
    const on = (...first: object[]) => ({
      'a.json': [
        { date: '2026-04-01', items: first },
        { date: '2026-04-02', items: first.length === 0 ? [late] : [] },
      ],
    });
    await push(on());
    await push(on(late));
    expect([held('2026-04-01'), held('2026-04-02')]).toEqual([['late 3'], []]);
  },
);

describe('undoing a push of nutrition', () => {
  it('keeps items of another computer and has nothing to remove a second time', async () => {
    const { push, machine, held } = await openNutrition({ platform: 'coach-watts' });
    await push({ 'a.json': day(GEL) });
    const other = machine();
    await other.push({ 'b.json': day(RICE) });
    await other.push({ 'b.json': day(BIG_RICE) });
    expect(outcomesOf(await other.undo(DAY))).toEqual(['undone']);
    expect(held()).toEqual(['gel 25']);
    expect(outcomesOf(await other.undo(DAY))).toEqual(['skipped']);
    expect(held()).toEqual(['gel 25']);
  });

  it('takes nothing of a stream back for an origin of the same name', async () => {
    const { push, undo, held } = await openNutrition({}, { scopes: READ });
    await push({ stdin: day(GEL) });
    const said = await undo(DAY, { undo: { origin: 'stdin', remember: true } });
    expect([outcomesOf(said), held()]).toEqual([['skipped'], ['gel 25']]);
  });

  it('keeps what another computer sent later', async () => {
    const { push, undo, machine, held } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL) });
    await machine().push({ 'b.json': day(RICE) });
    await undo(DAY);
    expect(held()).toEqual(['rice 90']);
  });

  it('leaves an equal item that another computer sends afterwards', async () => {
    const { push, undo, machine, held } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL) });
    await undo(DAY);
    await machine().push({ 'a.json': day(GEL) });
    await push({ 'b.json': day(RICE) });
    expect(held()).toEqual(['gel 25', 'rice 90']);
  });

  it('leaves an equal item that another computer sent before', async () => {
    const { push, undo, machine, held } = await openNutrition({}, { scopes: READ });
    await machine().push({ 'b.json': day(GEL) });
    await push({ 'a.json': day(GEL, RICE) }, { force: true });
    await undo(DAY);
    expect(held()).toEqual(['gel 25']);
  });

  it.each(KINDS)(
    'is remembered while other items of the day are sent, run after run, on %s',
    async (platform) => {
      const { push, undo, held } = await openNutrition({ platform }, { scopes: READ });
      await push({ 'a.json': day(GEL) });
      await undo(DAY);
      for (const items of [[GEL], [GEL, RICE], [GEL, RICE, BAR]]) {
        await push({ 'a.json': day(...items) });
      }
      expect(held()).toEqual(['bar 40', 'rice 90']);
    },
  );
});
