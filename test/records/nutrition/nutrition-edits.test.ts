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
  itemOf,
  notesOf,
  openNutrition,
  outcomesOf,
} from './delivery-support.ts';

const BIG_GEL = { ...GEL, carbs: 30 };
const SOUP = { name: 'soup', carbs: 33, at: '12:00:00' };

describe.each([
  ['without nutrition:read', WRITE],
  ['with nutrition:read', READ],
])('an item on a service that appends (%s)', (_how, scopes) => {
  const open = () => openNutrition({ platform: 'coach-watts' }, { scopes });

  it('is left out after the athlete removed it, until its input changes or with --replace-day', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), null);
    const first = await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(outcomesOf(first)).toEqual(['pushed']);
    expect(notesOf(first)).toEqual([
      'no longer on the platform, so left out: "gel, 10:00, 25 g carbs" (--replace-day sends it again)',
    ]);
    expect(held()).toEqual(['bar 40', 'rice 90']);
    // It is reported once.
    const second = await push({ 'a.json': day(GEL, BAR) });
    expect(notesOf(second)).toEqual([expect.stringContaining('no longer in the input')]);
    expect(held()).toEqual(['bar 40']);
    for (const options of [{}, { force: true }, { merge: 'add' }] as const) {
      await push({ 'a.json': day(GEL, BAR) }, options);
      expect(held()).toEqual(['bar 40']);
    }
    await push({ 'a.json': day(GEL, BAR) }, { merge: 'replace-day' });
    expect(held()).toEqual(['bar 40', 'gel 25']);
    // The same if this is the first push since then.
    sandbox.control.editFood(idOf('gel'), null);
    await push({ 'a.json': day(GEL, BAR) }, { merge: 'replace-day' });
    expect(held()).toEqual(['bar 40', 'gel 25']);
    sandbox.control.editFood(idOf('gel'), null);
    await push({ 'a.json': day(BIG_GEL, BAR) });
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('is kept after the athlete edited it, unless --force is given', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), { carbs: 50 });
    const added = await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(outcomesOf(added)).toEqual(['pushed']);
    expect(notesOf(added)).toEqual([
      'changed in the platform, so left as it is there: "gel, 10:00, 50 g carbs" (--force overwrites it)',
    ]);
    const forced = await push({ 'a.json': day(GEL, BAR, RICE) }, { force: true });
    expect([outcomesOf(forced), notesOf(forced)]).toEqual([['pushed'], []]);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it('is kept after an edit although its input drops it', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), { carbs: 50 });
    expect(notesOf(await push({ 'a.json': day(BAR) }))).toContainEqual(
      expect.stringContaining('changed in the platform'),
    );
    expect(held()).toEqual(['bar 40', 'gel 50']);
  });

  it('is kept after an edit that an earlier push reported, with a note', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), { carbs: 50 });
    await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(notesOf(await push({ 'a.json': day(BAR, RICE) }))).toEqual([
      expect.stringContaining('(--force removes it)'),
    ]);
    expect(held()).toEqual(['bar 40', 'gel 50', 'rice 90']);
  });

  it('is never changed if the athlete or another source entered it', async () => {
    const { push, held, sandbox } = await open();
    const soup = sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(SOUP) });
    // The same food as ours, from elsewhere.
    sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(GEL), source: 'fitbit' });
    await push({ 'a.json': day(GEL, BAR) });
    await push({ 'a.json': day(BIG_GEL, SOUP) }, { force: true });
    await push({ 'a.json': day(BIG_GEL) }, { merge: 'replace-day' });
    expect(held()).toEqual(['gel 25', 'gel 30', 'soup 33']);
    sandbox.control.editFood(soup.id, { carbs: 34 });
    await push({ 'a.json': day() });
    expect(held()).toEqual(['gel 25', 'soup 34']);
  });

  it('stays as the athlete edited it if the input changes it too, until --force', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), { carbs: 50 });
    for (let run = 0; run < 3; run++) {
      expect(await push({ 'a.json': day(BIG_GEL, BAR, RICE) })).toMatchObject([
        {
          outcome: 'conflict',
          intended: [{ name: 'gel', carbs: 30 }],
          message: 'Changed in the platform and in the input: "gel, 10:00, 30 g carbs".',
          hint: "To overwrite the platform's version, run `sync push nutrition FILE --force`.",
        },
      ]);
      expect(held()).toEqual(['bar 40', 'gel 50', 'rice 90']);
    }
    const forced = await push({ 'a.json': day(BIG_GEL, BAR, RICE) }, { force: true });
    expect([outcomesOf(forced), held()]).toEqual([['pushed'], ['bar 40', 'gel 30', 'rice 90']]);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR, RICE) }))).toEqual(['skipped']);
  });

  it("replaces another computer's version of it, and names that", async () => {
    const { push, held, machine } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    const items = await machine().push({ 'a.json': day(BIG_GEL, RICE) });
    expect([outcomesOf(items), notesOf(items)]).toEqual([
      ['pushed'],
      ['an earlier version, not from this computer, is replaced: "gel, 10:00, 25 g carbs"'],
    ]);
    // What that computer has not heard of stays.
    expect(held()).toEqual(['bar 40', 'gel 30', 'rice 90']);
  });

  it('stays once if another computer sent a copy at the same moment', async () => {
    const { push, held, sandbox } = await open();
    await push({ 'a.json': day(GEL, BAR) });
    sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(GEL), source: 'oauth:app-1' });
    expect(outcomesOf(await push({ 'a.json': day(GEL, BAR, RICE) }))).toEqual(['pushed']);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it('stays away after its removal, also if another input with it needed no request before', async () => {
    const { push, held, sandbox, machine, idOf } = await open();
    await machine().push({ 'c.json': day(RICE) });
    await push({ 'a.json': day(GEL) });
    expect(outcomesOf(await push({ 'b.json': day(GEL) }))).toEqual(['skipped']);
    sandbox.control.editFood(idOf('gel'), null);
    await push({ 'a.json': day(GEL, BAR) });
    expect(held()).toEqual(['bar 40', 'rice 90']);
  });

  it('does not come back after the athlete emptied its day', async () => {
    const { push, held, sandbox, idOf } = await open();
    await push({ 'a.json': day(GEL) });
    sandbox.control.editFood(idOf('gel'), null);
    await push({ 'a.json': day(GEL, RICE) });
    expect(held()).toEqual(['rice 90']);
  });
});

it('keeps an item that the athlete edits between the list of a run and its removal', async () => {
  const { push, held, sandbox, idOf } = await openNutrition({}, { scopes: READ });
  await push({ 'a.json': day(GEL, BAR) });
  const gel = idOf('gel');
  await push(
    { 'a.json': day(BAR) },
    {
      wrap: (client) => ({
        ...client,
        listDays: async (...args) => {
          const list = await client.listDays(...args);
          sandbox.control.editFood(gel, { carbs: 50 });
          return list;
        },
      }),
    },
  );
  expect(held()).toEqual(['bar 40', 'gel 50']);
});

describe('what the athlete changed in the app', () => {
  const open = async (change: Record<string, unknown>) => {
    const world = await openNutrition({}, { scopes: READ });
    await world.push({ 'a.json': day(GEL, BAR) });
    world.sandbox.control.editFood(world.idOf('gel'), change);
    return world;
  };
  const LATE_GEL = { ...GEL, at: '10:30:00' };

  it('is still the same item under another name, also if the input changes it', async () => {
    const { push, held } = await open({ name: 'chew' });
    const items = await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(notesOf(items)).toEqual([expect.stringContaining('left as it is there: "chew, 10:00')]);
    expect(held()).toEqual(['bar 40', 'chew 25', 'rice 90']);
    expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual(['conflict']);
    expect(held()).toContain('chew 25');
    await push({ 'a.json': day(BIG_GEL, BAR) }, { force: true });
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('is in conflict with an earlier version that the input has again', async () => {
    const { push, held, sandbox, idOf, machine } = await open({});
    await push({ 'a.json': day(BIG_GEL, BAR) });
    sandbox.control.editFood(idOf('gel'), { carbs: 50 });
    await machine().push({ 'b.json': day(RICE) });
    expect(outcomesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual(['conflict']);
    expect(held()).toEqual(['bar 40', 'gel 50', 'rice 90']);
  });

  it('stays once if the input moves it to the same time', async () => {
    const { push, held } = await open({ logged_at: itemOf(LATE_GEL).logged_at });
    await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(notesOf(await push({ 'a.json': day(LATE_GEL, BAR, RICE) }))).toEqual([]);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it('stays if the input drops it, and has it again later', async () => {
    const { push, held } = await open({ carbs: 26 });
    const kept = await push({ 'a.json': day(BAR) });
    expect(notesOf(kept)).toEqual([expect.stringContaining('(--force removes it)')]);
    for (const foods of [
      [BAR, RICE],
      [GEL, BAR],
    ]) {
      const items = await push({ 'a.json': day(...foods) });
      expect([outcomesOf(items), held()]).toEqual([['pushed'], expect.arrayContaining(['gel 26'])]);
    }
    for (let round = 0; round < 2; round++) {
      expect(outcomesOf(await push({ 'a.json': day(BIG_GEL, BAR) }))).toEqual(['conflict']);
      expect(held()).toEqual(['bar 40', 'gel 26']);
      await push({ 'a.json': day(BAR) });
    }
  });

  it.each([GEL, BIG_GEL])('stays after undo of $carbs g, until undo --force', async (gel) => {
    const { push, undo, held } = await open({ carbs: 26 });
    await push({ 'a.json': day(gel, BAR, RICE) });
    expect(notesOf(await undo(DAY))).toEqual([expect.stringContaining('"gel, 10:00, 26 g carbs"')]);
    expect(outcomesOf(await push({ 'a.json': day(gel, BAR, RICE) }))).toEqual(['skipped']);
    expect(held()).toEqual(['gel 26']);
    expect(outcomesOf(await undo(DAY, { force: true }))).toEqual(['undone']);
    expect(held()).toEqual([]);
  });
});

describe.each(KINDS)('inputs of one nutrition day on platform %s', (platform) => {
  it('add to each other, and each replaces its earlier items', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ 'breakfast.json': day(GEL, BAR) });
    await push({ 'dinner.json': day(RICE) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    const notes = notesOf(await push({ 'breakfast.json': day(BIG_GEL) }));
    if (platform === 'coach-watts') {
      expect(notes).toEqual([expect.stringContaining('"bar, 11:00, 40 g carbs"')]);
    }
    expect(held()).toEqual(['gel 30', 'rice 90']);
    await push({ 'breakfast.json': day(BAR) }, { merge: 'add' });
    expect(held()).toEqual(['bar 40', 'gel 30', 'rice 90']);
    await push({ 'dinner.json': day(RICE) }, { merge: 'replace-day' });
    expect(held()).toEqual(['rice 90']);
  });

  it('count an item of overlapping inputs once, and two equal items of one input twice', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ 'export.json': day(GEL, BAR), 'export (1).json': day(GEL, BAR, RICE) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    await push({ 'export.json': day(GEL, GEL, BAR), 'export.json#again': day(GEL, GEL, BAR) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'gel 25', 'rice 90']);
    await push({ 'two.json': day(GEL, GEL) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'gel 25', 'rice 90']);
  });

  it('add piped items, and remove none', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ stdin: day(GEL) });
    await push({ stdin: day(RICE) });
    expect(held()).toEqual(['gel 25', 'rice 90']);
    await push({ stdin: day(GEL, BAR) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });

  it('leave with their file, whether they were piped before it or after it', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ stdin: day(GEL) });
    await push({ 'a.json': day(GEL, BAR, RICE) });
    await push({ stdin: day(BAR) });
    await push({ 'a.json': day(RICE) });
    expect(held()).toEqual(['rice 90']);
  });

  it('are not reported as taken back if an undo took back those of another input', async () => {
    const { push, undo, held } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL) });
    await push({ 'b.json': day(RICE) });
    await undo(DAY);
    await push({ 'a.json': day(GEL) }, { force: true });
    const [again] = await push({ 'a.json': day(GEL) });
    expect([again, held()]).toMatchObject([
      { outcome: 'skipped', reason: 'unchanged' },
      ['gel 25'],
    ]);
    const [other] = await push({ 'b.json': day(RICE) });
    expect(other).toMatchObject({ outcome: 'skipped', reason: 'undone' });
  });

  it('stay away after undo until they are sent with --force', async () => {
    const { push, undo, held, sandbox, ledger, requestsOf } = await openNutrition({ platform });
    if (platform !== 'interface') {
      sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(SOUP) });
    }
    const others = platform === 'interface' ? [] : ['soup 33'];
    const drunk = { ...day(GEL, BAR), waterMl: 2500 };
    await push({ 'a.json': drunk });
    expect(outcomesOf(await undo(DAY))).toEqual(['undone']);
    expect([held(), ledger.find('nutrition', DAY)?.state]).toEqual([others, 'undone']);
    const again = requestsOf(async () => {
      const items = await push({ 'a.json': drunk });
      expect(items).toMatchObject([{ outcome: 'skipped', reason: 'undone' }]);
    });
    expect((await again).filter((request) => request.includes('gel'))).toEqual([]);
    expect(ledger.find('nutrition', DAY)?.state).toBe('undone');
    await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(held()).toEqual(['rice 90', ...others]);
    expect(ledger.find('nutrition', DAY)?.state).toBe('confirmed');
    await push({ 'a.json': day(GEL, BAR) }, { force: true });
    expect(held()).toEqual(['bar 40', 'gel 25', ...others]);
  });

  it('stay while one of several inputs holds them', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL, BAR) });
    await push({ 'b.json': day(GEL, RICE) });
    await push({ 'b.json': day(RICE) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    await push({ 'a.json': day(BAR) });
    expect(held()).toEqual(['bar 40', 'rice 90']);
  });

  it('lose a duplicate that its file corrects, if another file states it once', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL, GEL) });
    await push({ 'b.json': day(GEL, BAR) });
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['bar 40', 'gel 25']);
  });

  it('that --add has left go with the next push of the same file without it', async () => {
    const { push, held } = await openNutrition({ platform });
    await push({ 'a.json': day(GEL, BAR) });
    await push({ 'a.json': day(GEL) }, { merge: 'add' });
    expect(held()).toEqual(['bar 40', 'gel 25']);
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['gel 25']);
  });
});

describe.each(KINDS)('the fields of a nutrition day on platform %s', (platform) => {
  const fields = (world: Awaited<ReturnType<typeof openNutrition>>) => {
    const [state] = world.sandbox.control.state('athlete-1').athletes;
    const row = state?.nutrition.find(({ date }) => date === DAY)?.record;
    return { waterMl: row?.['waterMl'], calories: row?.['calories'] };
  };

  it('are sent with each later request, because a platform recalculates missing ones', async () => {
    const world = await openNutrition({ platform });
    await world.push({ 'a.json': { ...day(GEL), waterMl: 1500, calories: 900 } });
    expect(fields(world)).toEqual({ waterMl: 1500, calories: 900 });
    await world.push({ 'b.json': day(RICE) });
    expect(fields(world).waterMl).toBe(1500);
    await world.push({ 'b.json': day(BAR) });
    expect(fields(world)).toMatchObject({ waterMl: 1500 });
    expect(world.held()).toEqual(['bar 40', 'gel 25']);
  });

  it('leave known items unchanged if an input contains fields only', async () => {
    const world = await openNutrition({ platform });
    await world.push({ 'a.json': day(GEL) });
    const items = await world.push({ 'water.json': { date: DAY, waterMl: 700 } });
    expect([outcomesOf(items), notesOf(items)]).toEqual([['pushed'], []]);
    expect(fields(world)).toMatchObject({ waterMl: 700 });
    expect(world.held()).toEqual(['gel 25']);
    expect(outcomesOf(await world.push({ 'water.json': { date: DAY, waterMl: 700 } }))).toEqual([
      'skipped',
    ]);
  });

  it('are sent for a day without items', async () => {
    const world = await openNutrition({ platform });
    expect(outcomesOf(await world.push({ 'w.json': { date: DAY, waterMl: 700 } }))).toEqual([
      'pushed',
    ]);
    expect(fields(world)).toMatchObject({ waterMl: 700 });
  });

  it('are sent with equal totals if one of them has changed since an undo', async () => {
    const { push, undo, sandbox } = await openNutrition({ platform });
    await push({ 'a.json': { date: DAY, calories: 900, carbs: 90 } });
    await undo(DAY);
    const changed = { date: DAY, calories: 950, carbs: 90 };
    for (const outcome of ['pushed', 'skipped'])
      expect(outcomesOf(await push({ 'a.json': changed }))).toEqual([outcome]);
    expect(sandbox.control.requests({ route: 'nutrition' }).at(-1)?.body).toMatchObject(changed);
  });

  it('omit totals of a part of the day, with a note', async () => {
    const world = await openNutrition({ platform });
    await world.push({ 'a.json': day(GEL) });
    const items = await world.push({ 'b.json': { ...day(RICE), carbs: 90, waterMl: 500 } });
    expect(notesOf(items)).toEqual([
      'the total of a part of the day is not sent; the platform adds up the items',
    ]);
    const bodies = world.sandbox.control.requests({ route: 'nutrition' }).map(({ body }) => body);
    for (const body of bodies) expect(body).not.toHaveProperty('carbs');
    expect(bodies.at(-1)).toMatchObject({ waterMl: 500 });
    expect(world.held()).toEqual(['gel 25', 'rice 90']);
  });
});
