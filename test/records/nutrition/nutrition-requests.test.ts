import { describe, expect, it } from 'vitest';
import { KINDS } from '../../support/acceptance.ts';
import {
  BAR,
  DAY,
  GEL,
  READ,
  RICE,
  WRITE,
  day,
  dayOn,
  itemOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_GEL = { ...GEL, carbs: 30 };

/** More days than two lists of the platform hold. */
const DAYS = Array.from({ length: 250 }, (_, index) =>
  new Date(Date.UTC(2023, 0, 1 + index)).toISOString().slice(0, 10),
);
/** A fifth of them. */
const FEW = DAYS.slice(0, 50);

describe('the requests of new days', () => {
  it.each([
    // Each day takes two.
    ['coach-watts', 'without nutrition:read', WRITE, FEW, 102],
    ['coach-watts', 'with nutrition:read', READ, DAYS, 260],
    ['interface', 'without nutrition:read', WRITE, FEW, 52],
  ] as const)(
    'are few on %s %s, and fewer if nothing changed',
    async (platform, _how, scopes, dates, most) => {
      const { push, requestsOf, ledger } = await openNutrition({ platform }, { scopes });
      const days = dates.map((date) => dayOn(date, GEL));
      const first = await requestsOf(() => push({ 'a.json': days }));
      expect(first.length).toBeLessThanOrEqual(most);
      const second = await requestsOf(() => push({ 'a.json': days }));
      expect(second.length).toBeLessThanOrEqual(scopes === WRITE ? 0 : 10);
      // Otherwise the next run would open the login for nothing.
      expect(ledger.nutrition.dates('fresh')).toEqual([]);
      expect(await requestsOf(() => push({ 'a.json': days }))).toEqual([]);
    },
  );
});

describe('the requests of a nutrition day', () => {
  it.each([
    ['coach-watts', WRITE, ['PATCH -> 400', 'PATCH -> 404', 'POST nothing', 'POST gel 25']],
    ['coach-watts', READ, ['GET', 'PATCH -> 400', 'PATCH -> 404', 'POST gel 25', 'GET']],
    ['interface', WRITE, ['PATCH -> 404', 'POST gel 25']],
  ] as const)('find out what %s does without changing anything', async (platform, scopes, made) => {
    const { push, requestsOf } = await openNutrition({ platform }, { scopes });
    expect(await requestsOf(() => push({ 'a.json': day(GEL) }))).toEqual(made);
  });

  it('add a changed item before they remove its earlier version', async () => {
    const { push, requestsOf, held } = await openNutrition({}, { scopes: READ });
    await push({ 'a.json': day(GEL, BAR) });
    expect(await requestsOf(() => push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual([
      ...['GET', 'POST gel 30', 'PATCH', 'GET'],
    ]);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('are none before an answer says what the platform does', async () => {
    const { push, requestsOf, sandbox, held } = await openNutrition();
    sandbox.control.addFaults('nutrition-items:503*inf');
    const made = await requestsOf(async () => {
      expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual([
        'failed SERVICE_UNAVAILABLE',
      ]);
    });
    expect(made.every((request) => request === 'PATCH -> 503')).toBe(true);
    sandbox.control.clearFaults();
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['gel 25']);
  });

  it.each([[403], [404], [405], [422], [501], ['400(error=invalid_token)']])(
    'replace the day if the probe is answered %s, until an answer shows four lists',
    async (status) => {
      const { push, requestsOf, sandbox } = await openNutrition();
      sandbox.control.addFaults(`nutrition-items:${status}*inf`);
      const made = await requestsOf(async () => {
        expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['pushed']);
      });
      expect(made).toEqual([`PATCH -> ${parseInt(String(status))}`, 'POST gel 25']);
      expect(await requestsOf(() => push({ 'a.json': day(GEL, BAR) }))).toEqual([
        ...['POST nothing', 'POST bar 40'],
      ]);
    },
  );

  it.each([
    // It does not show whether the route exists, so the platform may add to days.
    ['coach-watts', ['nutrition-items:406*inf', 'nutrition:503(after)'], 1],
    // Something in between that answers in the platform's place.
    ['coach-watts', ['any:html(status=200,after)*inf'], 1],
    ['interface', ['nutrition-items:404*inf', 'nutrition:503(after)'], 2],
  ] as const)('are repeated on %s after %j: %d', async (platform, faults, times) => {
    const { push, requestsOf, sandbox, held } = await openNutrition({ platform });
    sandbox.control.addFaults(...faults);
    const made = await requestsOf(() => push({ 'a.json': day(GEL) }));
    expect(made.filter((request) => request.startsWith('POST'))).toHaveLength(times);
    expect(held()).toEqual(['gel 25']);
  });

  it.each([
    ['coach-watts', WRITE],
    ['coach-watts', READ],
    ['interface', WRITE],
  ] as const)(
    'are none that add up to more kcal than a platform can store (%s, %j)',
    async (platform, scopes) => {
      const { push, machine, requestsOf, held } = await openNutrition({ platform }, { scopes });
      const large = (food: typeof GEL) => ({
        date: DAY,
        items: [{ ...itemOf(food), calories: 2_000_000_000 }],
      });
      const options = { sure: ['calories'] };
      const said = { outcome: 'invalid', field: 'calories', source: 'b.json', date: DAY };
      await push({ 'a.json': large(GEL) }, options);
      const made = await requestsOf(async () => {
        const inputs = { 'b.json': large(BAR), 'c.json': dayOn('2026-02-16', RICE) };
        const items = await push(inputs, options);
        expect(items.map(({ outcome }) => outcome).sort()).toEqual(['invalid', 'pushed']);
        expect(items).toContainEqual(expect.objectContaining(said));
        expect(await push({ 'b.json': large(BAR) }, { ...options, dryRun: true })).toMatchObject([
          said,
        ]);
        // Without a look at a replaced day, another computer cannot know.
        if (platform === 'interface') return;
        expect(await machine().push({ 'b.json': large(BAR) }, options)).toMatchObject([said]);
      });
      expect(made.filter((request) => request.startsWith('POST bar'))).toEqual([]);
      expect(held()).toEqual(['gel 25']);
      const items = [...large(GEL).items, ...large(BAR).items];
      const stated = { date: '2026-02-17', items, calories: 2_000 };
      expect(outcomesOf(await push({ 'd.json': stated }, options))).toEqual(['pushed']);
    },
  );

  it('that were to change the day are its attempts, with their repetitions', async () => {
    const { push, undo, sandbox } = await openNutrition();
    const { control } = sandbox;
    await push({ 'a.json': day(GEL, BAR) });
    control.addFaults('nutrition:503(retry-after=0)+1', 'nutrition-items:503(retry-after=0)');
    // Two requests send the item, two remove its earlier version.
    expect(await push({ 'a.json': day(BIG_GEL, BAR) })).toMatchObject([{ attempts: 4 }]);
    control.addFaults('nutrition-items:503*inf+1');
    expect(await undo(DAY)).toMatchObject([{ outcome: 'failed', attempts: 5 }]);
    control.clearFaults();
    expect(await undo(DAY)).toMatchObject([{ outcome: 'undone', attempts: 1 }]);
    expect(await undo(DAY)).toEqual([expect.not.objectContaining({ attempts: 0 })]);
  });

  it.each(KINDS)('of a dry run on %s are none', async (platform) => {
    const { push, requestsOf } = await openNutrition({ platform });
    const made = await requestsOf(async () => {
      const { items } = day(GEL);
      expect(await push({ 'a.json': day(GEL) }, { dryRun: true })).toMatchObject([
        { outcome: 'would-push', request: { method: 'POST', body: { date: DAY, items } } },
      ]);
    });
    expect(made).toEqual([]);
  });
});

describe('a platform that replaces days', () => {
  it('is named for each day that was never sent from here', async () => {
    const { push } = await openNutrition({ platform: 'interface' });
    const days = [dayOn(DAY, GEL), dayOn('2026-02-16', BAR)];
    const items = await push({ 'a.json': days });
    expect(items).toMatchObject([{ unseen: true }, { unseen: true }]);
    const notes = items.flatMap(({ warnings }) => warnings.map(({ message }) => String(message)));
    const said = expect.stringContaining('what anyone else wrote on it is erased') as string;
    expect(notes).toEqual([said, said]);
  });
});

describe('a platform that adds', () => {
  it('holds each item once after an update of the platform', async () => {
    const { push, held, sandbox } = await openNutrition({ platform: 'interface' });
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.settings({ platform: 'coach-watts' });
    for (const foods of [[BIG_GEL, BAR], [BIG_GEL, BAR, RICE], [RICE]]) {
      expect(outcomesOf(await push({ 'a.json': day(...foods) }))).toEqual(['pushed']);
      expect(held()).toEqual(foods.map(({ name, carbs }) => `${name} ${carbs}`).sort());
    }
  });
});
