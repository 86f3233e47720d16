import { describe, expect, it } from 'vitest';
import { NUTRITION_REVISIONS } from '../../support/acceptance.ts';
import {
  BAR,
  DAY,
  GEL,
  READ,
  RICE,
  WRITE,
  day,
  dayOn,
  daysAhead,
  notesOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_GEL = { ...GEL, carbs: 30 };
const PROOF = ['POST nothing'];

/** The pushes of one day, in order. */
const LIFE = [
  ['fresh', day(GEL, BAR), {}],
  ['unchanged', day(GEL, BAR), {}],
  ['forced', day(GEL, BAR), { force: true }],
  ['changed', day(BIG_GEL, BAR), {}],
  ['added', day(BIG_GEL, BAR, RICE), {}],
  ['removed', day(BAR, RICE), {}],
  ['replaced', day(RICE), { merge: 'replace-day' }],
  ['emptied', day(), {}],
] as const;

/** A service that is known to replace gets whole days. */
const WHOLE = {
  unchanged: [],
  forced: ['POST gel 25, bar 40'],
  changed: ['POST gel 30, bar 40'],
  added: ['POST gel 30, bar 40, rice 90'],
  removed: ['POST bar 40, rice 90'],
  replaced: ['POST rice 90'],
  emptied: ['POST nothing'],
};

/** An appending service is read first and receives the missing items. */
const parts = (look: string) => ({
  unchanged: [],
  forced: [look],
  changed: [look, 'PATCH', 'POST gel 30'],
  added: [look, 'POST rice 90'],
  removed: [look, 'PATCH'],
  replaced: [look, 'PATCH'],
  emptied: [look, 'PATCH'],
});

/** A day that is replaced is read first, if it can be: what the athlete and others changed stays. */
const readFirst = (steps: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(steps).map(([step, made]) => [step, made.length === 0 ? [] : ['GET', ...made]]),
  );

describe.each(NUTRITION_REVISIONS)('a nutrition day on revision %s', (revision) => {
  it.each([
    ['without nutrition:read', WRITE, 'POST nothing'],
    ['with nutrition:read', READ, 'GET'],
  ] as const)('needs the minimum of requests, %s', async (_how, scopes, look) => {
    const { push, requestsOf, held } = await openNutrition({ revision }, { scopes: [...scopes] });
    const made: Record<string, string[]> = {};
    for (const [step, value, options] of LIFE) {
      made[step] = await requestsOf(async () => {
        const items = await push({ 'a.json': value }, options);
        expect(outcomesOf(items)).toEqual([step === 'unchanged' ? 'skipped' : 'pushed']);
      });
      const now = value.items.map(({ name, carbs }) => `${name} ${carbs}`).sort();
      expect([step, held()]).toEqual([step, now]);
    }
    const first = [look, 'POST gel 25, bar 40', ...PROOF];
    expect(made).toEqual(
      revision === '2026-08'
        ? { fresh: first, ...parts(look) }
        : // The proof has emptied the day.
          {
            fresh: [...first, 'POST gel 25, bar 40'],
            ...(look === 'GET' ? readFirst(WHOLE) : WHOLE),
          },
    );
  });

  it('needs no request if an export only wrote the names of its fields in another order', async () => {
    const { push, requestsOf } = await openNutrition({ revision });
    const { date, items } = day(GEL, BAR);
    const reversed = items.map((item) => Object.fromEntries(Object.entries(item).reverse()));
    await push({ 'a.json': { date, items } });
    const made = await requestsOf(async () => {
      const results = await push({ 'a.json': { items: reversed, date } });
      expect(outcomesOf(results)).toEqual(['skipped']);
    });
    expect(made).toEqual([]);
  });

  it('needs one request after another day has shown the kind of service', async () => {
    const { push, requestsOf } = await openNutrition({ revision });
    await push({ 'a.json': day(GEL) });
    expect(await requestsOf(() => push({ 'b.json': dayOn('2026-02-16', BAR) }))).toEqual(
      revision === '2026-08' ? ['POST nothing', 'POST bar 40'] : ['POST bar 40'],
    );
  });

  it('is sent alone until the kind of service is known, then in parallel with others', async () => {
    const { push, sandbox, held } = await openNutrition({ revision });
    sandbox.control.addFaults('nutrition:delay=100ms*inf');
    const dates = [15, 16, 17, 18].map((number) => `2026-02-${String(number)}`);
    const items = await push({ 'a.json': dates.map((date) => dayOn(date, GEL)) });
    expect(outcomesOf(items)).toEqual(dates.map(() => 'pushed'));
    for (const date of dates) expect(held(date)).toEqual(['gel 25']);
    const spans = sandbox.control.requests({ route: 'nutrition' }).map((request) => {
      const start = Date.parse(request.receivedAt);
      const { date } = request.body as { date: string };
      return { date, start, end: start + (request.durationMs ?? 0) };
    });
    const [first = '', second = ''] = dates;
    const alone = spans.filter(({ date }) => date === first);
    expect(spans.slice(0, alone.length)).toEqual(alone);
    const others = spans.slice(alone.length);
    for (const { start } of others) expect(start).toBeGreaterThan(alone.at(-1)?.end ?? Infinity);
    const [one] = others.filter(({ date }) => date === second);
    expect(others.some(({ date, start }) => date !== second && start < (one?.end ?? 0))).toBe(true);
  });

  it('shows its later requests with --dry-run, and requests and records nothing', async () => {
    const { push, requestsOf, ledger, sandbox } = await openNutrition({ revision });
    const url = `${sandbox.url}/api/nutrition`;
    const dry = async (value: unknown) => {
      let shown: unknown;
      const requests = await requestsOf(async () => {
        [shown] = await push({ 'a.json': value }, { dryRun: true });
      });
      expect(requests).toEqual([]);
      return shown;
    };
    const { date, items } = day(GEL);
    expect(await dry(day(GEL))).toMatchObject({
      outcome: 'would-push',
      first: { method: 'POST', url, body: { date, items: [] } },
      request: { method: 'POST', url, body: { date, items } },
    });
    expect([ledger.nutrition.debts(), ledger.nutrition.traits()]).toEqual([[], {}]);
    await push({ 'a.json': day(GEL) });
    expect(await dry(day(GEL))).toMatchObject({ outcome: 'skipped' });
    const { items: all } = day(GEL, BAR);
    const shown = await dry(day(GEL, BAR));
    expect(shown).toMatchObject(
      revision === '2026-08'
        ? { first: { body: { date, items: [] } }, request: { body: { date, items: all.slice(1) } } }
        : { request: { body: { date, items: all } } },
    );
    if (revision !== '2026-08') expect(shown).not.toHaveProperty('first');
  });
});

describe('the recorded kind of a nutrition service', () => {
  it.each([
    ['2026-08', ['POST nothing', 'POST bar 40']],
    ['2026-02', ['POST gel 25, bar 40']],
  ] as const)(
    'expires after 30 days and is then determined again (%s)',
    async (revision, known) => {
      const { push, requestsOf, ledger } = await openNutrition({ revision });
      await push({ 'a.json': day(GEL) });
      const after = (days: number, ...foods: (typeof GEL)[]) =>
        requestsOf(() => push({ 'a.json': day(...foods) }, { clock: daysAhead(days) }));
      expect(await after(29, GEL, BAR)).toEqual(known);
      const { kindAt } = ledger.nutrition.traits();
      // An answer that confirms it makes it fresh.
      expect(kindAt).toBeGreaterThan(Date.now() + 28 * 86_400_000);
      const anew = await after(60, GEL, BAR, RICE);
      expect(anew[0]).toBe('POST nothing');
      expect(ledger.nutrition.traits().kind).toBe(revision === '2026-08' ? 'append' : 'replace');
    },
  );

  it.each(['2026-02', '2026-07'] as const)(
    'changes when the service starts to append, and copies are removed (%s before)',
    async (before) => {
      const { push, held, sandbox, ledger } = await openNutrition({ revision: before });
      await push({ 'a.json': day(GEL, BAR) });
      sandbox.control.set({ revision: '2026-08' });
      const items = await push({ 'a.json': day(BIG_GEL, BAR) });
      expect(outcomesOf(items)).toEqual(['pushed']);
      expect(held()).toEqual(['bar 40', 'gel 30']);
      expect(ledger.nutrition.traits().kind).toBe('append');
    },
  );

  it.each(['2026-02', '2026-07'] as const)(
    'changes when the service starts to replace, and no item is lost (%s after)',
    async (after) => {
      const { push, held, sandbox, ledger } = await openNutrition({ revision: '2026-08' });
      await push({ 'a.json': day(GEL, BAR) });
      sandbox.control.set({ revision: after });
      for (const foods of [[BIG_GEL, BAR], [BIG_GEL, BAR, RICE], [RICE]]) {
        expect(outcomesOf(await push({ 'a.json': day(...foods) }))).toEqual(['pushed']);
        expect(held()).toEqual(foods.map(({ name, carbs }) => `${name} ${carbs}`).sort());
      }
      expect(ledger.nutrition.traits().kind).toBe('replace');
    },
  );

  it('changes with a report of the copies that cannot be removed', async () => {
    const { push, held, sandbox } = await openNutrition({ revision: '2026-02' });
    await push({ 'a.json': day(GEL) });
    sandbox.control.set({ revision: '2026-08', nutritionEdits: false });
    const items = await push({ 'a.json': day(GEL, BAR) });
    expect(items).toMatchObject([
      {
        outcome: 'conflict',
        stored: [{ name: 'gel' }],
        intended: [],
      },
    ]);
    const [conflict] = items;
    expect(String(conflict && 'hint' in conflict && conflict.hint)).toMatch(/delete.*gel/);
    expect(held()).toEqual(['bar 40', 'gel 25', 'gel 25']);
  });
});

describe('a setting nutritionDelivery that contradicts the answers', () => {
  it('leaves no copies if "replace" is wrong, and notes the contradiction', async () => {
    const { push, held } = await openNutrition({ revision: '2026-08' });
    await push({ 'a.json': day(GEL, BAR) }, { nutrition: 'replace' });
    const items = await push({ 'a.json': day(BIG_GEL, BAR) }, { nutrition: 'replace' });
    expect(outcomesOf(items)).toEqual(['pushed']);
    expect(notesOf(items)).toEqual([expect.stringContaining('nutritionDelivery is "replace"')]);
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it.each(['2026-02', '2026-07'] as const)(
    'loses no item if "append" is wrong (%s)',
    async (revision) => {
      const { push, held } = await openNutrition({ revision });
      await push({ 'a.json': day(GEL, BAR) }, { nutrition: 'append' });
      expect(held()).toEqual(['bar 40', 'gel 25']);
      const grown = await push({ 'a.json': day(GEL, BAR, RICE) }, { nutrition: 'append' });
      expect(outcomesOf(grown)).toEqual(['pushed']);
      expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
      const changed = await push({ 'a.json': day(BIG_GEL, RICE) }, { nutrition: 'append' });
      expect(outcomesOf(changed)).toEqual(['pushed']);
      expect(held()).toEqual(['gel 30', 'rice 90']);
    },
  );

  it('adds no note if the setting is correct', async () => {
    for (const [revision, nutrition] of [
      ['2026-08', 'append'],
      ['2026-07', 'replace'],
      ['2026-02', 'replace'],
    ] as const) {
      const { push, held } = await openNutrition({ revision });
      await push({ 'a.json': day(GEL) }, { nutrition });
      const items = await push({ 'a.json': day(BIG_GEL, BAR) }, { nutrition });
      expect([notesOf(items), held()]).toEqual([[], ['bar 40', 'gel 30']]);
    }
  });
});

it('sends one request per nutrition day if the setting is replace', async () => {
  const { push, requestsOf } = await openNutrition({ revision: '2026-07' });
  const days = [dayOn(DAY, GEL), dayOn('2026-02-16', BAR)];
  expect(await requestsOf(() => push({ 'a.json': days }, { nutrition: 'replace' }))).toEqual([
    'POST gel 25',
    'POST bar 40',
  ]);
});
