import { describe, expect, it } from 'vitest';
import {
  KINDS,
  type World,
  expireAccess,
  foodsHeld,
  openHome,
  openLoggedInWorld,
  play,
  requestCounts,
} from '../support/acceptance.ts';
import { type Finished, ndjson, startSync } from '../support/program.ts';
import { openTinyService } from '../support/tiny-service.ts';
import { until } from '../support/until.ts';

const DAY = '2026-02-15';

const item = (name: string, hour: number, carbs = 25) => ({
  logged_at: `${DAY}T${String(hour).padStart(2, '0')}:00:00+01:00`,
  name,
  carbs,
});

const BANANA = item('Banana', 8);
const RICE = item('Rice', 12);
const GEL = item('Gel', 17);

const day = (...items: object[]) => ({ date: DAY, items });

const push = (world: World, value: unknown, ...flags: string[]) =>
  world.sync(['push', 'nutrition', '-', '--json', ...flags], { input: JSON.stringify(value) });

const pushFile = (world: World, name: string, value: unknown, ...flags: string[]) =>
  world.sync(['push', 'nutrition', world.write(name, JSON.stringify(value)), '--json', ...flags]);

/** Names and grams of carbs at the service, sorted. */
const held = (world: World, date = DAY) =>
  foodsHeld(world.sandbox, date)
    .map(({ name, carbs }) => `${String(name)} ${String(carbs)}`)
    .sort();

const first = ({ stdout }: Finished) => ndjson(stdout)[0] ?? {};
const outcomeOf = (run: Finished) => {
  const { outcome, code } = first(run);
  return [run.code, [outcome, code].filter(Boolean).join(' ')];
};

describe.each(KINDS)('nutrition that was pushed to %s', (platform) => {
  play(platform);

  it('holds each item once after it was sent, changed, extended and shortened', async () => {
    const world = await openLoggedInWorld();
    expect(outcomeOf(await pushFile(world, 'a.json', day(BANANA, RICE)))).toEqual([0, 'pushed']);
    expect(outcomeOf(await pushFile(world, 'a.json', day(RICE, BANANA)))).toEqual([0, 'skipped']);
    const changed = day({ ...BANANA, carbs: 30 }, RICE, GEL, GEL);
    expect(outcomeOf(await pushFile(world, 'a.json', changed))).toEqual([0, 'pushed']);
    expect(held(world)).toEqual(['Banana 30', 'Gel 25', 'Gel 25', 'Rice 25']);
    const shorter = await pushFile(world, 'a.json', day(RICE, GEL));
    expect(outcomeOf(shorter)).toEqual([0, 'pushed']);
    expect(JSON.stringify(first(shorter)['warnings'])).toContain('no longer in the input');
    expect(held(world)).toEqual(['Gel 25', 'Rice 25']);
    await pushFile(world, 'a.json', day(RICE, GEL), '--force');
    expect(held(world)).toEqual(['Gel 25', 'Rice 25']);
    const { stdout } = await world.sync(['explain', DAY, '--json']);
    expect(first({ code: 0, stdout, stderr: '' })).toMatchObject({
      records: [{ kind: 'wellness' }, { kind: 'nutrition', state: 'confirmed' }],
    });
  });

  it('keeps an item whose row cannot be read, until it is corrected', async () => {
    const world = await openLoggedInWorld();
    await pushFile(world, 'a.json', [BANANA, RICE]);
    const unread = await pushFile(world, 'a.json', [GEL, { ...RICE, carbs: 'lots' }]);
    expect([unread.code, held(world)]).toEqual([3, ['Banana 25', 'Gel 25', 'Rice 25']]);
    await pushFile(world, 'a.json', [GEL, { ...RICE, carbs: 30 }]);
    expect(held(world)).toEqual(['Gel 25', 'Rice 30']);
  });

  it.each([
    ['foods', day(BANANA), day(BANANA, RICE), 'Banana'],
    ['totals', { date: DAY, calories: 2345 }, { ...day(RICE), calories: 2345 }, '2345'],
  ])(
    'stays away after it was undone, and sync explain says so: %s',
    async (_, record, more, text) => {
      const world = await openLoggedInWorld();
      const isThere = () => {
        const [athlete] = world.sandbox.control.state('athlete-1').athletes;
        return JSON.stringify(athlete?.nutrition).includes(text);
      };
      await pushFile(world, 'a.json', record);
      expect(isThere()).toBe(true);
      const undo = await world.sync(['undo', 'nutrition', DAY, '--json']);
      expect(outcomeOf(undo)).toEqual([0, 'undone']);
      const file = world.write('a.json', JSON.stringify(record));
      const again = await world.sync(['push', 'nutrition', file]);
      expect([again.code, isThere()]).toEqual([0, false]);
      expect(again.stdout).toContain('since you undid it. `sync push nutrition FILE --force`');
      const explained = await world.sync(['explain', DAY, '--json']);
      expect(first(explained)['records']).toMatchObject([
        {},
        { kind: 'nutrition', state: 'undone' },
      ]);
      const twice = await world.sync(['undo', 'nutrition', DAY]);
      expect([twice.code, twice.stdout]).toEqual([0, `${DAY}: undone before.\n`]);
      const noted = await pushFile(world, 'a.json', more);
      expect([noted.stdout, isThere()]).toEqual([/taken back by an undo, so not sent/, false]);
      await pushFile(world, 'a.json', record, '--force');
      expect(isThere()).toBe(true);
    },
  );

  it('waits for an undo that the platform did not answer, which names the commands that continue', async () => {
    const world = await openLoggedInWorld();
    await pushFile(world, 'a.json', day(BANANA));
    world.sandbox.control.addFaults('any:503*inf');
    const undo = await world.sync(['undo', 'nutrition', DAY]);
    expect([undo.code, undo.stdout]).toEqual([5, expect.stringMatching(/: not undone\. /)]);
    const again =
      'The same `sync push nutrition`, `sync import`, `sync watch` or `sync undo nutrition` again continues.';
    expect((await world.sync(['explain', DAY])).stdout).toContain(again);
    world.sandbox.control.clearFaults();
    const next = await world.sync(['undo', 'nutrition', DAY, '--json']);
    expect(outcomeOf(next)).toEqual([0, 'undone']);
    expect(held(world)).toEqual([]);
  });

  it('holds each item once after the program was killed during the request', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('nutrition:hang-after');
    const running = world.start(['push', 'nutrition', '-'], { input: JSON.stringify(day(RICE)) });
    await until(() => held(world).length > 0);
    running.child.kill('SIGKILL');
    await running.finished;
    // A push of another day also sends the unfinished day.
    const other = {
      date: '2026-02-16',
      items: [{ ...GEL, logged_at: '2026-02-16T17:00:00+01:00' }],
    };
    expect((await push(world, other)).code).toBe(0);
    expect([held(world), held(world, '2026-02-16')]).toEqual([['Rice 25'], ['Gel 25']]);
    expect(outcomeOf(await push(world, day(RICE)))[0]).toBe(0);
    expect(held(world)).toEqual(['Rice 25']);
  });
});

it('a nutrition item that both changed ends with exit code 6 until the athlete decides', async () => {
  const world = await openLoggedInWorld();
  await pushFile(world, 'a.json', day(BANANA, RICE));
  const idOf = (name: string) =>
    foodsHeld(world.sandbox, DAY).find((food) => food['name'] === name)?.id ?? '';
  world.sandbox.control.editFood(idOf('Banana'), { carbs: 50 });
  const changed = day({ ...BANANA, carbs: 30 }, RICE, GEL);
  for (let run = 0; run < 2; run++) {
    const conflict = await pushFile(world, 'a.json', changed);
    expect(outcomeOf(conflict)).toEqual([6, 'conflict']);
    expect(first(conflict)).toMatchObject({
      stored: [{ name: 'Banana', carbs: 50 }],
      intended: [{ name: 'Banana', carbs: 30 }],
      hint: /--force/,
    });
    expect(held(world)).toEqual(['Banana 50', 'Gel 25', 'Rice 25']);
  }
  world.sandbox.control.editFood(idOf('Banana'), null);
  expect(outcomeOf(await pushFile(world, 'a.json', changed))).toEqual([0, 'pushed']);
  expect(held(world)).toEqual(['Banana 30', 'Gel 25', 'Rice 25']);
});

it('nutrition that makes a day too large for a platform ends with exit code 3 before it is sent', async () => {
  const world = await openLoggedInWorld();
  const kcal = ['--unit', 'calories=kcal'];
  const large = (food: object) => day({ ...food, calories: 2_000_000_000 });
  await pushFile(world, 'a.json', large(BANANA), ...kcal);
  const posts = requestCounts(world.sandbox)['nutrition'];
  const run = await pushFile(world, 'b.json', large(RICE), ...kcal);
  expect(outcomeOf(run)).toEqual([3, 'invalid']);
  const problem = /add up to 4000000000 kcal/;
  const { source, problems, ...line } = first(run);
  expect([source, problems]).toEqual([/b\.json/, [{ field: 'calories', problem }]]);
  expect(line).toEqual({
    ...{ type: 'nutrition', outcome: 'invalid', date: DAY, field: 'calories', problem },
  });
  const { code, stdout } = await world.sync(['push', 'nutrition', 'b.json', ...kcal]);
  expect([code, stdout]).toEqual([3, /b\.json: not sent: calories: the items/]);
  expect([requestCounts(world.sandbox)['nutrition'], held(world)]).toEqual([posts, ['Banana 25']]);
});

it('nutrition that Ctrl-C stopped before its first request is sent by the next run', async () => {
  const world = await openLoggedInWorld();
  expireAccess(world);
  world.sandbox.control.addFaults('refresh:hang*inf');
  const running = world.start(['push', 'nutrition', '-'], { input: JSON.stringify(day(RICE)) });
  await until(() => requestCounts(world.sandbox)['token'] === 1);
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
  world.sandbox.control.clearFaults();
  expect(outcomeOf(await push(world, day(RICE)))).toEqual([0, 'pushed']);
  expect(held(world)).toEqual(['Rice 25']);
});

it('nutrition without an answer is sent again as the interface says, if the service shows no items', async () => {
  let count = 0;
  const service = await openTinyService({
    'GET /api/oauth/userinfo': [200, { sub: 'athlete-1' }],
    'POST /api/nutrition': () => (count++ === 0 ? [504, {}] : [200, { success: true }]),
  });
  const home = openHome({ SYNC_BASE_URL: service.url, SYNC_CLIENT_ID: 'c' });
  const run = () =>
    startSync(['push', 'nutrition', '-', '--json'], {
      home,
      input: JSON.stringify(day(RICE)),
      env: { SYNC_ACCESS_TOKEN: 'a' },
    }).finished;
  const sent = await run();
  expect([outcomeOf(sent), first(sent)['unseen']]).toEqual([[0, 'pushed'], true]);
  expect(outcomeOf(await run())).toEqual([0, 'skipped']);
  const posts = service.requests.filter(({ method }) => method === 'POST');
  expect(posts).toHaveLength(2);
});

describe('Coach Watts that fails at first', () => {
  play('coach-watts');

  it('gets the kcal of an item, although a gateway refused the first request', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('nutrition:400(error=invalid_grant)*1');
    expect((await pushFile(world, 'a.json', day({ ...RICE, kcal: 250 }))).code).toBe(6);
    expect((await pushFile(world, 'a.json', day({ ...RICE, kcal: 250 }))).code).toBe(0);
    expect(foodsHeld(world.sandbox, DAY)).toMatchObject([{ name: 'Rice', calories: 250 }]);
  });

  it('is still known by what an earlier run learned, although the question is refused', async () => {
    const scopes = ['nutrition:write', 'profile:read'] as const;
    const world = await openLoggedInWorld({ login: { scopes } });
    await pushFile(world, 'a.json', day(RICE));
    world.sandbox.control.addFaults('nutrition-items:423*5');
    await pushFile(world, 'a.json', day(RICE, GEL));
    await pushFile(world, 'a.json', day(RICE, GEL));
    expect(held(world)).toEqual(['Gel 25', 'Rice 25']);
  });
});
