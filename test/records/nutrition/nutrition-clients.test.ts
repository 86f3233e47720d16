import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.ts';
import { KINDS } from '../../support/acceptance.ts';
import { clientOf } from '../../support/delivery.ts';
import {
  BAR,
  DAY,
  type Food,
  GEL,
  type PushOptions,
  READ,
  RICE,
  type Scopes,
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
const SOUP = { name: 'soup', carbs: 33, at: '12:00:00' };
const NEXT_DAY = '2026-02-16';

/** Opens a platform of Coach Watts, and options that push with another client ID. */
async function open(scopes: Scopes = READ) {
  const world = await openNutrition({}, { scopes });
  const clientId = 'sandbox-confidential';
  const { client } = clientOf(world.sandbox, { scopes: [...scopes], clientId });
  const other = await client();
  return { ...world, options: { wrap: () => other } as const };
}

describe('one computer with another client ID than before', () => {
  const opened = async () => {
    const world = await open();
    await world.push({ 'a.json': day(GEL, BAR) });
    return world;
  };

  it('changes and drops its items as before, and adds own ones', async () => {
    const { push, held, options } = await opened();
    const changed = await push({ 'a.json': day(BIG_GEL, RICE) }, options);
    expect([outcomesOf(changed), held()]).toEqual([['pushed'], ['gel 30', 'rice 90']]);
    await push({ 'a.json': day(BIG_GEL) }, options);
    await push({ 'b.json': day(BAR) });
    expect(held()).toEqual(['bar 40', 'gel 30']);
  });

  it('misses none of its items, replaces them with --replace-day, and takes them back', async () => {
    const { push, undo, held, options } = await opened();
    expect(notesOf(await push({ 'b.json': day(RICE) }, options))).toEqual([]);
    await push({ 'a.json': day(GEL) }, { ...options, merge: 'replace-day' });
    expect(held()).toEqual(['gel 25']);
    expect(outcomesOf(await undo(DAY, options))).toEqual(['undone']);
    expect(held()).toEqual([]);
  });
});

describe.each([
  ['with nutrition:read', READ],
  ['without nutrition:read', WRITE],
])('two computers with a client ID each, %s', (_how, scopes) => {
  const opened = async () => {
    const world = await open(scopes);
    const other = world.machine();
    // Each has learned its source.
    await world.push({ 'c.json': dayOn('2026-01-01', RICE) });
    await other.push({ 'c.json': dayOn('2026-01-02', RICE) }, world.options);
    return { ...world, other };
  };

  it('hold each item of the same export once, whoever changes it', async () => {
    const { push, held, other, options } = await opened();
    await push({ 'a.json': day(GEL, BAR) });
    expect(notesOf(await other.push({ 'a.json': day(GEL, BAR) }, options))).toEqual([]);
    expect(held()).toEqual(['bar 40', 'gel 25']);
    await push({ 'a.json': day(BIG_GEL, BAR) });
    await other.push({ 'a.json': day(BIG_GEL, BAR, RICE) }, options);
    await push({ 'a.json': day(BIG_GEL, BAR, RICE) });
    expect(held()).toEqual(['bar 40', 'gel 30', 'rice 90']);
  });

  it('change an item after a push of another version that was killed before its request', async () => {
    const { other, held, options } = await opened();
    const gel = (carbs: number) => ({ 'a.json': day({ ...GEL, carbs }) });
    const killed = crashing({ at: 0, after: false });
    await other.push(gel(8), options);
    await expect(other.push(gel(9), { wrap: () => killed(options.wrap()) })).rejects.toThrow();
    for (const carbs of [10, 13]) await other.push(gel(carbs), options);
    expect(held()).toEqual(['gel 13']);
  });

  it('a version of the other one with other amounts is a conflict, and --force adds ours', async () => {
    const { push, held, other, options } = await opened();
    await push({ 'a.json': day(GEL, BAR) });
    for (let run = 0; run < 2; run++) {
      const said = await other.push({ 'a.json': day(BIG_GEL, BAR, RICE) }, options);
      expect(said).toMatchObject([
        {
          outcome: 'conflict',
          stored: [{ name: 'gel', carbs: 25 }],
          intended: [{ name: 'gel', carbs: 30 }],
        },
      ]);
      expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    }
    const forced = await other.push(
      { 'a.json': day(BIG_GEL, BAR, RICE) },
      { ...options, force: true },
    );
    expect([outcomesOf(forced), held()]).toEqual([
      ['pushed'],
      ['bar 40', 'gel 25', 'gel 30', 'rice 90'],
    ]);
    expect(notesOf(forced)).toContainEqual(expect.stringContaining('"gel, 10:00, 25 g carbs"'));
    // Each computer replaces its own.
    await other.push({ 'a.json': day({ ...GEL, carbs: 31 }, BAR, RICE) }, options);
    await push({ 'a.json': day({ ...GEL, carbs: 26 }, BAR) });
    expect(held()).toEqual(['bar 40', 'gel 26', 'gel 31', 'rice 90']);
  });

  it('neither removes or takes back what the other one sent', async () => {
    const { push, held, other, options } = await opened();
    await push({ 'a.json': day(GEL, BAR) });
    await other.push({ 'a.json': day(GEL, BAR, RICE) }, options);
    expect(notesOf(await other.push({ 'a.json': day(GEL, RICE) }, options))).toEqual([]);
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
    expect(outcomesOf(await other.undo(DAY, options))).toEqual(['undone']);
    expect(held()).toEqual(['bar 40', 'gel 25']);
  });

  it('hold an item once that both send at the same moment', async () => {
    const { push, held, other, options } = await opened();
    await Promise.all([push({ 'a.json': day(GEL) }), other.push({ 'a.json': day(GEL) }, options)]);
    // Without reading, each looks again when its file changes.
    await push({ 'a.json': day(GEL, BAR) });
    await other.push({ 'a.json': day(GEL, BAR) }, options);
    await push({ 'a.json': day(GEL, BAR, RICE) });
    expect(held()).toEqual(['bar 40', 'gel 25', 'rice 90']);
  });
});

it('two new computers that send an item at the same moment keep it once, and each its own source', async () => {
  const { push, held, machine, options } = await open();
  const other = machine();
  let isFirst = true;
  const wrap: PushOptions['wrap'] = (client) => ({
    ...client,
    push: async (...args) => {
      if (isFirst) {
        isFirst = false;
        await other.push({ 'a.json': day(GEL) }, options);
      }
      return await client.push(...args);
    },
  });
  await push({ 'a.json': day(GEL) }, { wrap });
  expect(held()).toEqual(['gel 25', 'gel 25']);
  await push({ 'b.json': day(BAR) });
  await other.push({ 'c.json': day(SOUP) }, options);
  expect(held()).toEqual(['bar 40', 'gel 25', 'soup 33']);
  // The source of the other one is not ours.
  const [said] = await push({ 'd.json': day({ ...SOUP, carbs: 34 }) });
  expect([said?.outcome, held()]).toEqual(['conflict', ['bar 40', 'gel 25', 'soup 33']]);
});

it('an equal food of another source is there already: it is not sent, and stays after undo', async () => {
  const { push, undo, held, sandbox, requestsOf } = await open();
  for (const source of ['fitbit', 'manual']) {
    const food = source === 'manual' ? SOUP : GEL;
    sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(food), source });
  }
  const made = await requestsOf(() => push({ 'a.json': day(GEL, SOUP, BAR) }));
  expect(made.filter((request) => request.startsWith('POST'))).toEqual(['POST bar 40']);
  await push({ 'a.json': day(SOUP) });
  expect(held()).toEqual(['gel 25', 'soup 33']);
  await push({ 'a.json': day(SOUP, RICE) });
  await undo(DAY);
  expect(held()).toEqual(['gel 25', 'soup 33']);
});

it('--replace-day names what others put on the day', async () => {
  const { push, machine, held, sandbox, options } = await open();
  sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(SOUP) });
  await machine().push({ 'b.json': day(RICE) }, options);
  await push({ 'a.json': day(GEL, BAR) });
  const notes = notesOf(await push({ 'a.json': day(GEL) }, { merge: 'replace-day' }));
  expect(notes).toContainEqual(expect.stringMatching(/soup, 12:00.*rice, 19:00/));
  expect(held()).toEqual(['gel 25', 'rice 90', 'soup 33']);
});

/** Makes a client whose requests with items time out, and arrive when `arrive` is called. */
function late() {
  const waiting: (() => Promise<unknown>)[] = [];
  const wrap: PushOptions['wrap'] = (client) => ({
    ...client,
    push: (kind, body, ...rest) => {
      const { items = [] } = body as { readonly items?: readonly unknown[] };
      if (items.length === 0) return client.push(kind, body, ...rest);
      waiting.push(() => client.push(kind, body, ...rest));
      const details = { delivery: 'unknown', attempts: 1 } as const;
      return Promise.reject(new SyncError('SERVICE_UNAVAILABLE', '504', { details }));
    },
  });
  const arrive = async () => {
    for (const request of waiting.splice(0)) await request();
  };
  return { wrap, arrive };
}

describe.each([
  ['with nutrition:read', READ],
  ['without nutrition:read', WRITE],
])('requests that time out and arrive later, %s', (_how, scopes) => {
  it.each(['a source that is known', 'no source'])('leave one item (%s)', async (known) => {
    const { push, held, sandbox } = await openNutrition({}, { scopes });
    sandbox.control.addFood({ date: DAY, meal: 'lunch', item: itemOf(SOUP) });
    if (known !== 'no source') await push({ 'b.json': dayOn(NEXT_DAY, BAR) });
    const { wrap, arrive } = late();
    for (let run = 0; run < 2; run++) {
      expect(outcomesOf(await push({ 'a.json': day(GEL) }, { wrap }))).toEqual([
        expect.stringContaining('failed'),
      ]);
    }
    await arrive();
    expect(held().length).toBeGreaterThan(3);
    await push({ 'a.json': day(GEL) });
    expect(held()).toEqual(['gel 25', 'soup 33']);
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['skipped']);
  });

  it('leave none if the input drops the item meanwhile', async () => {
    const { push, held } = await openNutrition({}, { scopes });
    await push({ 'b.json': day(BAR) });
    const { wrap, arrive } = late();
    await push({ 'a.json': day(GEL) }, { wrap });
    await arrive();
    await push({ 'a.json': day() });
    expect(held()).toEqual(['bar 40']);
  });
});

describe('only a later look confirms an item', () => {
  /** The request of another computer that had read the day before ours was written. */
  const dropGel = ({ sandbox, idOf }: Awaited<ReturnType<typeof open>>, food: Food) => {
    sandbox.control.editFood(idOf('gel'), null);
    const item = itemOf(food);
    sandbox.control.addFood({ date: DAY, meal: 'lunch', item, source: 'oauth:app-2' });
  };

  it('so one that another request dropped before is sent again, with a note', async () => {
    const world = await open();
    await world.push({ 'a.json': day(GEL) });
    dropGel(world, RICE);
    const notes = notesOf(await world.push({ 'b.json': dayOn(NEXT_DAY, BAR) }));
    expect(notes).toEqual([expect.stringContaining('so sent again: "gel')]);
    expect(world.held()).toEqual(['gel 25', 'rice 90']);
  });

  it('and one that is missing afterwards was removed by the athlete', async () => {
    const world = await open();
    await world.push({ 'a.json': day(GEL) });
    await world.push({ 'b.json': dayOn(NEXT_DAY, BAR) });
    dropGel(world, RICE);
    await world.push({ 'b.json': day(SOUP) });
    expect(world.held()).toEqual(['rice 90', 'soup 33']);
  });
});

it("stays away after the athlete removed another application's version in its place", async () => {
  const world = await open();
  const { push, held, sandbox, idOf } = world;
  await push({ 'a.json': day(GEL) });
  // The request of another computer that had read the day before ours was written.
  sandbox.control.editFood(idOf('gel'), null);
  const meal = { date: DAY, meal: 'lunch', source: 'oauth:app-2' } as const;
  sandbox.control.addFood({ ...meal, item: itemOf({ ...GEL, carbs: 50 }) });
  for (let run = 0; run < 2; run++) {
    expect(outcomesOf(await push({ 'a.json': day(GEL) }))).toEqual(['conflict']);
  }
  sandbox.control.editFood(idOf('gel'), null);
  expect(notesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual([
    expect.stringContaining('no longer on the platform, so left out: "gel'),
  ]);
  expect(held()).toEqual(['bar 40']);
  await push({ 'a.json': day(BIG_GEL, BAR) });
  expect(held()).toEqual(['bar 40', 'gel 30']);
});

it("a standing conflict with another application's version brings no removed item back", async () => {
  const { push, held, sandbox, idOf } = await open();
  await push({ 'a.json': day(GEL) });
  sandbox.control.editFood(idOf('gel'), null);
  const meal = { date: DAY, meal: 'lunch', source: 'oauth:app-2' } as const;
  sandbox.control.addFood({ ...meal, item: itemOf({ ...GEL, carbs: 50 }) });
  await push({ 'a.json': day(GEL) });
  expect(outcomesOf(await push({ 'a.json': day(GEL, BAR) }))).toEqual(['conflict']);
  sandbox.control.editFood(idOf('bar'), null);
  expect(outcomesOf(await push({ 'a.json': day(GEL, BAR, RICE) }))).toEqual(['conflict']);
  expect(held()).toEqual(['gel 50', 'rice 90']);
});

const LATE = { name: 'late', carbs: 3, at: '23:50:00' };
const EARLY = { name: 'late', carbs: 3, at: '00:30:00' };

it('an item that moved stays on its day while it is not known if the next day has it', async () => {
  const { push, held } = await openNutrition({}, { scopes: READ });
  await push({ 'a.json': [day(GEL, LATE), dayOn(NEXT_DAY, BAR)] });
  const moved = { 'a.json': [day(GEL), dayOn(NEXT_DAY, BAR, EARLY)] };
  const { wrap, arrive } = late();
  await push(moved, { wrap, jobs: 1 });
  expect(held()).toEqual(['gel 25', 'late 3']);
  await arrive();
  await push(moved);
  expect([held(), held(NEXT_DAY)]).toEqual([['gel 25'], ['bar 40', 'late 3']]);
});

describe.each(KINDS)(
  'an item that an input has on the next day now, on platform %s',
  (platform) => {
    it('is posted there before it leaves its day', async () => {
      const { push, held, requestsOf, sandbox } = await openNutrition({ platform });
      await push({ 'a.json': [day(GEL, LATE), dayOn(NEXT_DAY, BAR)] });
      const moved = { 'a.json': [day(GEL), dayOn(NEXT_DAY, BAR, EARLY)] };
      sandbox.control.addFaults(
        ...(platform === 'coach-watts' ? ['nutrition:422*1+2'] : ['nutrition:422*1']),
      );
      await push(moved, { jobs: 1 });
      sandbox.control.clearFaults();
      const all = () => [...held(), ...held(NEXT_DAY)];
      expect(all()).toContain('late 3');
      const made = await requestsOf(() => push(moved, { jobs: 1 }));
      expect([held(), held(NEXT_DAY)]).toEqual([['gel 25'], ['bar 40', 'late 3']]);
      if (platform === 'coach-watts') {
        const [posted, removed] = ['POST late 3', 'PATCH'].map((of) => made.lastIndexOf(of));
        expect(posted).toBeLessThan(removed ?? -1);
      }
    });

    it('has the note of an item that was removed', async () => {
      const { push } = await openNutrition({ platform });
      await push({ 'a.json': [day(GEL, LATE), dayOn(NEXT_DAY, BAR)] });
      const moved = { 'a.json': [day(GEL), dayOn(NEXT_DAY, BAR, EARLY)] };
      expect(notesOf(await push(moved))).toEqual([
        expect.stringContaining('no longer in the input, so removed from the day: "late, 23:50'),
      ]);
    });

    it('stays on its day if only the time zone is another one', async () => {
      const { push, held } = await openNutrition({ platform });
      const item = { name: 'late', carbs: 3, logged_at: '2026-04-01T21:30:00Z' };
      const zone = (name: string) => ({ zone: { name, from: 'flag' } as const });
      await push({ 'z.json': { items: [item] } }, zone('Europe/Berlin'));
      await push({ 'z.json': { items: [item] } }, zone('Asia/Tokyo'));
      expect([held('2026-04-01'), held('2026-04-02')]).toEqual([['late 3'], []]);
    });

    it('stays if the input says nothing about its day', async () => {
      const { push, held } = await openNutrition({ platform });
      await push({ 'today.json': day(GEL) });
      await push({ 'today.json': dayOn(NEXT_DAY, GEL) });
      expect([held(), held(NEXT_DAY)]).toEqual([['gel 25'], ['gel 25']]);
    });
  },
);

it("keeps the athlete's edit of an item that no answer has shown, also when the input changes it", async () => {
  const { push, held, sandbox, idOf } = await open();
  sandbox.control.addFaults('nutrition:504(after)*inf');
  await push({ 'a.json': day(GEL) });
  sandbox.control.clearFaults();
  sandbox.control.editFood(idOf('gel'), { carbs: 50 });
  const changed = { 'a.json': day(BIG_GEL, RICE) };
  for (let run = 0; run < 3; run++) {
    expect(outcomesOf(await push(changed))).toEqual(['conflict']);
    await push({ 'b.json': dayOn(NEXT_DAY, { ...BAR, carbs: run }) });
  }
  expect(held()).toEqual(['gel 50', 'rice 90']);
  expect(outcomesOf(await push(changed, { force: true }))).toEqual(['pushed']);
  expect(held()).toEqual(['gel 30', 'rice 90']);
});

it("takes the athlete's edit of an unanswered item for no change of the platform", async () => {
  const { push, held, sandbox, idOf } = await open();
  sandbox.control.addFaults('nutrition:504(after)*inf');
  await push({ 'a.json': day(GEL) });
  sandbox.control.clearFaults();
  sandbox.control.editFood(idOf('gel'), { carbs: 50 });
  const notes = notesOf(await push({ 'a.json': day(GEL, RICE) }));
  expect(notes).toEqual([expect.stringContaining('changed in the platform, so left')]);
  await push({ 'a.json': day(RICE) });
  expect(held()).toEqual(['gel 50', 'rice 90']);
});

it('an item without an answer stays away after the athlete removed it and another computer wrote to the day', async () => {
  const { push, sandbox, held, idOf, machine, options } = await open();
  sandbox.control.addFaults('nutrition:504(after)');
  await push({ 'a.json': day(GEL) });
  // Its answer teaches the source, also of what was there before.
  await push({ 'b.json': day(BAR) });
  sandbox.control.editFood(idOf('gel'), null);
  await machine().push({ 'c.json': day(RICE) }, options);
  const again = await push({ 'b.json': day(BAR, SOUP) });
  expect(notesOf(again)).toEqual([expect.stringContaining('no longer on the platform')]);
  expect(held()).toEqual(['bar 40', 'rice 90', 'soup 33']);
});
