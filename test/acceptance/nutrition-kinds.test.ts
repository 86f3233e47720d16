import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { hastyClock } from '../support/delivery.ts';
import { type PlainRequest, openPlainWorld } from '../support/plain-platform.ts';
import type { Finished } from '../support/program.ts';

const DAY = '2026-02-15';

const item = (name: string, carbs: number, hour = 12) => ({
  logged_at: `${DAY}T${String(hour).padStart(2, '0')}:00:00+01:00`,
  name,
  carbs,
});

type Food = ReturnType<typeof item>;

const OATS = item('Oats', 60, 8);
const RICE = item('Rice', 90);
const GEL = item('Gel', 25, 17);
const TEA = item('Tea', 1, 20);

const day = (...items: object[]) => ({ date: DAY, items });

/** The error of a Nuxt server, as Coach Watts answers. */
const refusal = (statusCode: number) => ({
  status: statusCode,
  body: { error: true, statusCode, url: '/api/nutrition', statusMessage: 'no', message: 'no' },
});

const { parse } = JSON;

/** Answers as Coach Watts does to the requests that change nothing. */
const asCoachWatts = ({ body }: PlainRequest) => refusal('action' in (body ?? {}) ? 404 : 400);

type Chosen = NonNullable<Parameters<typeof openPlainWorld>[0]>;

/** Opens a platform that replaces days, unless `nutrition` answers otherwise. */
async function open(chosen: Chosen = {}) {
  const world = await openPlainWorld(chosen);
  const { platform, sync, write } = world;
  const push = (name: string, value: unknown, ...flags: string[]) =>
    sync(['push', 'nutrition', write(name, JSON.stringify(value)), '--json', ...flags], {
      clock: hastyClock,
    });
  return {
    ...world,
    push,
    undo: () => sync(['undo', 'nutrition', DAY, '--json']),
    /** Names of the items of the last request that arrived. */
    held: () =>
      (platform.nutrition.get(DAY)?.['items'] as Food[] | undefined)?.map(({ name }) => name),
    /** What was sent of nutrition: the names of the items of each day, or the request to its items. */
    sent: () =>
      platform.requests
        .filter(({ path }) => path.startsWith('/api/nutrition'))
        .map(({ method, body = {} }) =>
          method === 'POST'
            ? ((body['items'] as Food[] | undefined)?.map(({ name }) => name).join(' ') ??
              'no items')
            : `${method} ${JSON.stringify(body)}`,
        ),
  };
}

interface DayLine {
  readonly outcome: string;
  readonly unseen?: true;
  readonly message?: string;
  readonly hint?: string;
  readonly warnings?: readonly { readonly message: string }[];
}

function lineOf({ stdout }: Finished): DayLine {
  return parse(stdout.split('\n')[0] ?? '{}') as DayLine;
}

const outcomeOf = (run: Finished) => [run.code, lineOf(run).outcome];
const notesOf = (run: Finished) => (lineOf(run).warnings ?? []).map(({ message }) => message);

const PROBE = 'PATCH {}';

describe('on a platform of the interface', () => {
  it('a day holds the items of all inputs of this computer, and is sent whole', async () => {
    const { push, held, sent } = await open();
    await push('a.json', day(OATS, GEL));
    await push('b.json', day(RICE));
    expect(held()).toEqual(['Oats', 'Gel', 'Rice']);
    const dropped = await push('a.json', day(OATS));
    expect(notesOf(dropped)).toEqual([expect.stringMatching(/removed from the day: "Gel/)]);
    expect(held()).toEqual(['Rice', 'Oats']);
    await push('a.json', day(item('Oats', 61, 8)), '--replace-day');
    expect(held()).toEqual(['Oats']);
    expect(outcomeOf(await push('a.json', day(item('Oats', 61, 8))))).toEqual([0, 'skipped']);
    expect(sent()).toEqual([
      ...[PROBE, 'Oats Gel', PROBE, 'Oats Gel Rice', PROBE, 'Rice Oats', PROBE, 'Oats'],
    ]);
  });

  it('an empty list of items goes out only when the last own item leaves', async () => {
    const { push, undo, sent } = await open();
    expect(outcomeOf(await push('none.json', day()))[0]).toBe(0);
    expect(outcomeOf(await undo())).toEqual([0, 'skipped']);
    await push('water.json', { date: DAY, waterMl: 500 });
    await push('a.json', day(OATS));
    expect(outcomeOf(await undo())).toEqual([0, 'undone']);
    expect(outcomeOf(await push('a.json', day(OATS)))).toEqual([0, 'skipped']);
    expect(sent().filter((line) => line !== PROBE)).toEqual(['no items', 'Oats', '']);
  });

  it('the first push of a day says that what others wrote is erased, and names no scope', async () => {
    const { push, undo } = await open();
    const first = await push('a.json', day(OATS));
    expect([lineOf(first).unseen, notesOf(first)]).toEqual([
      true,
      [expect.stringContaining('what anyone else wrote on it is erased')],
    ]);
    const second = await push('b.json', day(RICE));
    expect([lineOf(second).unseen, notesOf(second)]).toEqual([undefined, []]);
    for (const { stdout, stderr } of [first, second, await undo()]) {
      expect(stdout + stderr).not.toContain('nutrition:read');
    }
  });

  it('--add to a day that was never sent from here is refused, and afterwards adds', async () => {
    const { push, held, sent } = await open();
    const refused = await push('a.json', day(OATS), '--add');
    expect(outcomeOf(refused)).toEqual([6, 'conflict']);
    expect(lineOf(refused).message).toContain('--add was refused');
    expect(sent()).toEqual([PROBE]);
    await push('a.json', day(OATS));
    await push('a.json', day(RICE), '--add');
    expect(held()).toEqual(['Oats', 'Rice']);
  });

  it('a request without an answer is repeated, and doubles or loses nothing', async () => {
    const { push, platform, held, sync } = await open();
    await push('a.json', day(OATS));
    platform.answers.nutrition = { status: 504 };
    expect((await push('b.json', day(RICE))).code).toBe(5);
    platform.answers.nutrition = {};
    await sync(['push', 'nutrition', '-'], { input: JSON.stringify(day(GEL)) });
    expect(held()).toEqual(['Oats', 'Rice', 'Gel']);
  });

  it('the setting platform.kind makes the question unnecessary', async () => {
    const { push, sync, sent } = await open({ unknown: { status: 500 } });
    await sync(['config', 'set', 'platform.kind', 'interface']);
    expect(outcomeOf(await push('a.json', day(OATS)))).toEqual([0, 'pushed']);
    expect(sent()).toEqual(['Oats']);
  });

  test.each([
    ['400 in another form', { status: 400, body: { message: 'Bad Request' } }],
    ['400 with a status code', { status: 400, body: { statusCode: 400, message: 'Bad Request' } }],
    ['400 with errors', { status: 400, body: { errors: ['no such route'] } }],
    ['every request in the form of Coach Watts', refusal(400)],
    ['401', { status: 401, body: { message: 'Unauthorized' } }],
    ['403', { status: 403, body: { message: 'Forbidden' } }],
    ['404', { status: 404 }],
    ['405', { status: 405 }],
    ['409', { status: 409 }],
    ['415', { status: 415 }],
    ['422', { status: 422, body: { detail: 'no' } }],
    ['501', { status: 501 }],
    ['a redirect', { status: 302, headers: { location: '/login' } }],
    ['200 {}', { body: {} }],
    ['a page', { body: '<html><body>Welcome</body></html>', type: 'text/html' }],
  ])('no second push empties a day if unknown routes answer %s', async (_what, unknown) => {
    const { push, held, sent } = await open({ unknown });
    await push('a.json', day(GEL, OATS));
    await push('b.json', day(RICE));
    expect(held()).toEqual(['Gel', 'Oats', 'Rice']);
    await push('a.json', day(item('Gel', 26, 17), OATS));
    expect([held()?.sort(), sent().includes('')]).toEqual([['Gel', 'Oats', 'Rice'], false]);
  });

  test.each([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'retry-after': '3600' } }],
  ])('nothing is sent while the platform answers the question with %s', async (_what, unknown) => {
    const { push, sent } = await open({ unknown });
    for (let run = 0; run < 4; run++) {
      const { code, stdout, stderr } = await push('a.json', day(OATS));
      expect([code, stdout + stderr]).toEqual([5, /sync config set platform\.kind interface/]);
    }
    expect(sent().filter((line) => line !== PROBE)).toEqual([]);
  });
});

/** A day as Coach Watts shows it. */
const rowOf = (items: readonly object[]) => ({
  success: true,
  data: {
    date: `${DAY}T00:00:00.000Z`,
    ...{ breakfast: [], dinner: null, snacks: [] },
    lunch: items.map((each, at) => ({ ...each, id: `item-${at}`, source: 'oauth:app-1' })),
  },
});

/** A platform that adds to days. @param answerOf makes the answer of all items of the day */
function adding(answerOf: (items: readonly object[]) => object) {
  const stored: Food[] = [];
  return {
    stored,
    names: () => stored.map(({ name }) => name),
    nutrition: ({ body = {} }: PlainRequest) => {
      stored.push(...((body['items'] ?? []) as Food[]));
      return { body: answerOf(stored) };
    },
  };
}

describe('a row of four meal lists', () => {
  it('proves Coach Watts against the question, is remembered, and has a note', async () => {
    const { nutrition, names } = adding(rowOf);
    const { push, sent } = await open({ nutrition });
    const first = await push('a.json', day(OATS));
    expect(outcomeOf(first)).toEqual([0, 'pushed']);
    expect(notesOf(first)).toEqual([expect.stringContaining('answers as Coach Watts does')]);
    expect(outcomeOf(await push('a.json', day(OATS, RICE)))).toEqual([0, 'pushed']);
    expect(names()).toEqual(['Oats', 'Rice']);
    // One question in all; then a look that adds nothing.
    expect(sent()).toEqual([PROBE, 'Oats', '', 'Rice']);
  });

  it('overrides the setting, and a later answer without it is looked into', async () => {
    const { nutrition, names, stored } = adding(rowOf);
    const { push, sync, platform } = await open({ nutrition });
    await sync(['config', 'set', 'platform.kind', 'interface']);
    await push('a.json', day(OATS));
    const answer = (request: PlainRequest) => {
      nutrition(request);
      return { body: {} };
    };
    let failing = 1;
    platform.answers.nutrition = (request) =>
      (request.body?.['items'] as Food[]).length > 0 && failing-- > 0
        ? answer(request)
        : nutrition(request);
    const second = await push('a.json', day(OATS, RICE));
    expect([outcomeOf(second), names()]).toEqual([
      [0, 'pushed'],
      ['Oats', 'Rice'],
    ]);
    expect(notesOf(second)).toContainEqual(expect.stringContaining('answers as Coach Watts does'));
    expect(stored).toHaveLength(2);
  });
});

it('an answer from something in between does not make another platform of a known sandbox', async () => {
  const headers = { 'sandbox-run': 'first coach-watts' };
  const { nutrition, names } = adding(rowOf);
  const { push, sent, platform } = await open({
    nutrition: (request) => ({ ...nutrition(request), headers }),
    unknown: (request) => ({ ...asCoachWatts(request), headers }),
  });
  await push('a.json', day(OATS));
  platform.clearRequests();
  let between = 1;
  platform.answers.unknown = (request) =>
    between-- > 0
      ? { status: 302, headers: { location: '/' } }
      : { ...asCoachWatts(request), headers };
  expect(outcomeOf(await push('a.json', day(OATS, RICE)))).toEqual([0, 'pushed']);
  expect(sent().slice(0, 2)).toEqual([PROBE, PROBE]);
  expect(names()).toEqual(['Oats', 'Rice']);
  // Another server at the same address is believed.
  platform.clearRequests();
  platform.answers.unknown = { status: 404 };
  platform.answers.nutrition = {};
  await push('a.json', day(OATS, RICE, GEL));
  expect(sent()).toEqual([PROBE, PROBE, 'Oats Rice Gel']);
});

it('a platform that refuses as Coach Watts does and replaces days holds every item', async () => {
  const { push, held } = await open({ unknown: asCoachWatts });
  await push('a.json', day(OATS, GEL));
  expect(held()).toEqual(['Oats', 'Gel']);
  const second = await push('a.json', day(OATS, GEL, RICE));
  expect([outcomeOf(second), held()]).toEqual([
    [0, 'pushed'],
    ['Oats', 'Gel', 'Rice'],
  ]);
  expect(notesOf(second)).toEqual([]);
  await push('a.json', day(OATS, GEL, RICE, TEA));
  expect(held()).toEqual(['Oats', 'Gel', 'Rice', 'Tea']);
});

it('a platform of the interface that adds to days is a conflict until it is settled', async () => {
  const { nutrition, names, stored } = adding((items) => ({ date: DAY, items }));
  const { push, sync, platform } = await open({ nutrition });
  expect(outcomeOf(await push('a.json', day(OATS, GEL)))).toEqual([0, 'pushed']);
  const doubled = await push('a.json', day(OATS, GEL, RICE));
  expect(outcomeOf(doubled)).toEqual([6, 'conflict']);
  expect(names()).toEqual(['Oats', 'Gel', 'Oats', 'Gel', 'Rice']);
  // Only what was never sent goes there, whatever becomes of the answer.
  platform.answers.nutrition = (request) => ({ ...nutrition(request), status: 504 });
  await push('a.json', day(OATS, GEL, RICE, TEA));
  expect(names().slice(5)).toEqual(['Tea']);
  platform.answers.nutrition = nutrition;
  for (let run = 0; run < 3; run++) {
    const again = await push('a.json', day(OATS, GEL, RICE, TEA));
    expect(outcomeOf(again)).toEqual([6, 'conflict']);
    expect(lineOf(again).hint).toContain('sync config set platform.kind coach-watts');
  }
  expect(names()).toHaveLength(6);
  // The athlete deletes the copies and does as the hint says.
  stored.splice(0, 2);
  await sync(['config', 'set', 'platform.kind', 'coach-watts']);
  expect(outcomeOf(await push('a.json', day(OATS, GEL, RICE, TEA)))[0]).toBe(0);
  expect(names()).toEqual(['Oats', 'Gel', 'Rice', 'Tea']);
  expect(outcomeOf(await push('a.json', day(OATS, GEL, RICE, TEA)))).toEqual([0, 'skipped']);
});

it('a platform that the setting calls Coach Watts, and that shows no day, gets each item once', async () => {
  const { nutrition, names } = adding(() => ({}));
  const { push, sync } = await open({ nutrition });
  await sync(['config', 'set', 'platform.kind', 'coach-watts']);
  for (let run = 0; run < 2; run++) {
    const { code, stdout } = await push('a.json', day(OATS));
    expect([code, stdout]).toEqual([5, /platform answered 200 without saying/]);
  }
  expect(names().filter((name) => name === 'Oats').length).toBeLessThan(2);
});

it('a platform of Coach Watts that answers an empty state folder changes nothing twice', async () => {
  const { nutrition, names } = adding(rowOf);
  const unknown = (request: PlainRequest) => asCoachWatts(request);
  const { push, platform, home } = await open({ nutrition, unknown });
  await push('a.json', day(OATS, RICE));
  const before = platform.requests.length;
  const again = await push('a.json', day(OATS, RICE));
  expect(outcomeOf(again)).toEqual([0, 'skipped']);
  expect(platform.requests).toHaveLength(before);
  rmSync(join(home.env['SYNC_STATE_DIR'] ?? '', 'ledger.db'), { force: true });
  expect(outcomeOf(await push('a.json', day(OATS, RICE)))[0]).toBe(0);
  expect(names()).toEqual(['Oats', 'Rice']);
});
