import { describe, expect, it, vi } from 'vitest';
import {
  type World,
  expireAccess,
  openLoggedInWorld,
  requestCounts,
} from '../support/acceptance.ts';
import { type Finished, ndjson } from '../support/program.ts';

/** A service that adds to a day what it is sent, and a profile that knows it. */
async function openAppendingWorld(): Promise<World> {
  const world = await openLoggedInWorld({ sandbox: { settings: { nutrition: 'append' } } });
  const set = await world.sync(['config', 'set', 'nutritionDelivery', 'append']);
  expect(set.code).toBe(0);
  return world;
}

const item = (name: string, hour = 12) => ({
  logged_at: `2026-02-15T${String(hour).padStart(2, '0')}:00:00+01:00`,
  name,
  carbs: 25,
});

const day = (...items: object[]) => ({ date: '2026-02-15', items });

const push = (world: World, days: unknown, ...flags: string[]) =>
  world.sync(['push', 'nutrition', '-', '--json', '--jobs', '1', ...flags], {
    input: JSON.stringify(days),
  });

interface Held {
  readonly items: { name: string }[];
  readonly [field: string]: unknown;
}

const held = (world: World, date = '2026-02-15') =>
  world.sandbox.control.state('athlete-1').athletes[0]?.nutrition.find((one) => one.date === date)
    ?.record as Held | undefined;

const names = (world: World, date?: string) => held(world, date)?.items.map(({ name }) => name);

/** The names of the items in each request, in order. */
const sent = (world: World) =>
  world.sandbox.control
    .requests({ route: 'nutrition' })
    .map(({ body }) => (body as Held).items.map(({ name }) => name));

const first = ({ stdout }: Finished) => ndjson(stdout)[0] ?? {};
const outcomeOf = (run: Finished) => {
  const { outcome, reason, code } = first(run);
  return [run.code, outcome, reason ?? code];
};

const BANANA = item('Banana', 8);
const RICE = item('Rice');
const GEL = item('Gel', 17);

describe('nutrition for a service that appends', () => {
  it('holds each item once after a day was sent twice, and after it grew', async () => {
    const world = await openAppendingWorld();
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([0, 'pushed', undefined]);
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([0, 'skipped', 'unchanged']);
    expect(outcomeOf(await push(world, day(RICE, BANANA)))).toEqual([0, 'skipped', 'unchanged']);
    // What the day got later goes alone, wherever it stands.
    expect(outcomeOf(await push(world, day(BANANA, GEL, RICE)))).toEqual([0, 'pushed', undefined]);
    expect(sent(world)).toEqual([['Banana', 'Rice'], ['Gel']]);
    expect(names(world)).toEqual(['Banana', 'Rice', 'Gel']);
  });

  it('holds each item once after the athlete has travelled', async () => {
    const world = await openAppendingWorld();
    const utc = day({ ...GEL, logged_at: '2026-02-15T08:00:00Z' });
    for (const zone of ['Europe/Berlin', 'Europe/London', 'America/New_York']) {
      const run = await world.sync(['push', 'nutrition', '-', '--json'], {
        input: JSON.stringify(utc),
        env: { SYNC_TIMEZONE: zone },
      });
      expect(run.code).toBe(0);
    }
    expect((await push(world, utc, '--tz', 'Asia/Kathmandu')).code).toBe(0);
    expect(sent(world)).toEqual([['Gel']]);
    expect(names(world)).toEqual(['Gel']);
  });

  it('counts two items that are the same as two', async () => {
    const world = await openAppendingWorld();
    await push(world, day(GEL));
    await push(world, day(GEL, GEL));
    await push(world, day(GEL, GEL));
    expect(sent(world)).toEqual([['Gel'], ['Gel']]);
  });

  it('sends nothing twice with --force either: what was confirmed is there', async () => {
    const world = await openAppendingWorld();
    await push(world, day(BANANA, RICE));
    expect(outcomeOf(await push(world, day(BANANA, RICE), '--force'))).toEqual([
      0,
      'skipped',
      'unchanged',
    ]);
    expect(names(world)).toEqual(['Banana', 'Rice']);
    // And the day counts as delivered, not as begun.
    const { stdout } = await world.sync(['explain', '2026-02-15', '--json']);
    expect(first({ code: 0, stdout, stderr: '' })).toMatchObject({
      records: [{ kind: 'wellness' }, { kind: 'nutrition', state: 'confirmed' }],
    });
  });

  it('warns once of items that are gone from the input: the service keeps them', async () => {
    const world = await openAppendingWorld();
    await push(world, day(BANANA, RICE));
    const less = await push(world, day(RICE));
    expect(outcomeOf(less)).toEqual([0, 'skipped', 'unchanged']);
    expect(first(less)['warnings']).toMatchObject([
      {
        field: 'items',
        message: expect.stringContaining('1 item that was sent before') as string,
      },
    ]);
    expect(first(await push(world, day(RICE)))['warnings']).toEqual([]);
  });

  it('sends totals that changed, without any item', async () => {
    const world = await openAppendingWorld();
    await push(world, { ...day(RICE), waterMl: 500 });
    const run = await push(world, { ...day(RICE), waterMl: 1500 });
    expect(outcomeOf(run)).toEqual([0, 'pushed', undefined]);
    expect(sent(world)).toEqual([['Rice'], []]);
    expect(held(world)).toMatchObject({ waterMl: 1500, items: [{ name: 'Rice' }] });
    expect(outcomeOf(await push(world, { ...day(RICE), waterMl: 1500 }))).toEqual([
      0,
      'skipped',
      'unchanged',
    ]);
    // The ledger still knows the item.
    await push(world, { ...day(RICE, GEL), waterMl: 1500 });
    expect(names(world)).toEqual(['Rice', 'Gel']);
  });

  // The service stored the day, and no clear answer comes, in every way it can.
  it.each([
    ...['reset-after', 'reset-mid', 'close-mid', 'truncate'],
    ...['503(after)', '504(after)', 'html(after)'],
  ])('holds each item once after %s, run after run', async (fault) => {
    const world = await openAppendingWorld();
    world.sandbox.control.addFaults(`nutrition:${fault}`);
    const broken = await push(world, day(BANANA, RICE));
    expect(outcomeOf(broken)).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    expect(String(first(broken)['hint'])).toContain('Look at that day');
    for (let run = 0; run < 3; run++) {
      expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([
        5,
        'failed',
        'FATE_UNKNOWN',
      ]);
    }
    const { stdout } = await world.sync(['explain', '2026-02-15']);
    expect(stdout).toContain('Nobody knows whether the service has 2 of its items');
    expect(sent(world)).toEqual([['Banana', 'Rice']]);
    expect(names(world)).toEqual(['Banana', 'Rice']);
  });

  it('sends what came later although the fate of other items of the day is unknown', async () => {
    const world = await openAppendingWorld();
    world.sandbox.control.addFaults('nutrition:reset-after');
    await push(world, day(BANANA));
    const later = await push(world, day(BANANA, RICE));
    // The day is not in order, and says so until somebody has looked.
    expect(outcomeOf(later)).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    expect(sent(world)).toEqual([['Banana'], ['Rice']]);
    expect(names(world)).toEqual(['Banana', 'Rice']);
  });

  it('sends items of unknown fate with --force, when somebody found them missing', async () => {
    const world = await openAppendingWorld();
    await push(world, day(BANANA));
    // Broken off before the service did anything: from here it looks the same.
    world.sandbox.control.addFaults('nutrition:reset');
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    expect(names(world)).toEqual(['Banana']);
    expect(outcomeOf(await push(world, day(BANANA, RICE), '--force'))).toEqual([
      0,
      'pushed',
      undefined,
    ]);
    expect(names(world)).toEqual(['Banana', 'Rice']);
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([0, 'skipped', 'unchanged']);
  });

  it('takes items of unknown fate for delivered with --assume-arrived, when somebody found them', async () => {
    const world = await openAppendingWorld();
    world.sandbox.control.addFaults('nutrition:reset-after');
    expect(outcomeOf(await push(world, day(BANANA)))).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    const shown = await push(world, day(BANANA, RICE), '--assume-arrived', '--dry-run');
    expect(outcomeOf(shown)).toEqual([0, 'would-push', undefined]);
    expect(outcomeOf(await push(world, day(BANANA)))).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    world.sandbox.control.clearRequests();
    const grown = await push(world, day(BANANA, RICE), '--assume-arrived');
    expect(outcomeOf(grown)).toEqual([0, 'pushed', undefined]);
    expect(sent(world)).toEqual([['Rice']]);
    expect(outcomeOf(await push(world, day(BANANA, RICE)))).toEqual([0, 'skipped', 'unchanged']);
    expect(names(world)).toEqual(['Banana', 'Rice']);
  });

  it('repeats what the service turned away before it did anything', async () => {
    const world = await openAppendingWorld();
    world.sandbox.control.addFaults('nutrition:503(retry-after=0)*2');
    expect(outcomeOf(await push(world, day(RICE)))).toEqual([0, 'pushed', undefined]);
    expect(first(await push(world, day(RICE, GEL)))).toMatchObject({ attempts: 1 });
    world.sandbox.control.addFaults('nutrition:422');
    expect(outcomeOf(await push(world, day(RICE, GEL, BANANA)))[1]).toBe('rejected');
    expect(outcomeOf(await push(world, day(RICE, GEL, BANANA)))).toEqual([0, 'pushed', undefined]);
    expect(names(world)).toEqual(['Rice', 'Gel', 'Banana']);
  });

  it('doubles nothing when the program was killed while the service had the request', async () => {
    const world = await openAppendingWorld();
    world.sandbox.control.addFaults('nutrition:hang-after');
    const running = world.start(['push', 'nutrition', '-'], { input: JSON.stringify(day(RICE)) });
    await vi.waitUntil(() => names(world) !== undefined, 30_000);
    running.child.kill('SIGKILL');
    await running.finished;
    expect(outcomeOf(await push(world, day(RICE)))).toEqual([5, 'failed', 'FATE_UNKNOWN']);
    expect(names(world)).toEqual(['Rice']);
  });

  it('sends the day after Ctrl-C that came before anything of it was sent', async () => {
    const world = await openAppendingWorld();
    expireAccess(world);
    world.sandbox.control.addFaults('refresh:hang*inf');
    const running = world.start(['push', 'nutrition', '-'], { input: JSON.stringify(day(RICE)) });
    await vi.waitUntil(() => requestCounts(world.sandbox)['token'] === 1, 30_000);
    running.child.kill('SIGINT');
    expect((await running.finished).code).toBe(130);
    world.sandbox.control.clearFaults();
    expect(outcomeOf(await push(world, day(RICE)))).toEqual([0, 'pushed', undefined]);
    expect(sent(world)).toEqual([['Rice']]);
  });

  it('does not hold up other days with those of unknown fate', async () => {
    const world = await openAppendingWorld();
    const dates = ['2026-02-11', '2026-02-12', '2026-02-13', '2026-02-14'];
    const days = dates.map((date) => ({
      date,
      items: [{ ...RICE, logged_at: `${date}T12:00:00+01:00` }],
    }));
    // One run each: three in a row without an answer would end a run.
    for (const one of days) {
      world.sandbox.control.addFaults('nutrition:reset-after');
      await push(world, one);
    }
    const run = await push(world, [...days, day(GEL)]);
    expect(ndjson(run.stdout).map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(4).fill('failed'),
      'pushed',
      undefined,
    ]);
    expect(run.code).toBe(5);
    for (const date of dates) expect(names(world, date)).toEqual(['Rice']);
    expect(names(world)).toEqual(['Gel']);
  });

  it('shows with --dry-run what would really go', async () => {
    const world = await openAppendingWorld();
    await push(world, day(BANANA));
    const dry = await push(world, day(BANANA, RICE), '--dry-run');
    expect(first(dry)['request']).toMatchObject({ body: day(RICE) });
    await push(world, day(BANANA, RICE));
    expect(sent(world)).toEqual([['Banana'], ['Rice']]);
  });
});

describe('nutrition for a service that appends, with the default settings', () => {
  it('is told to be doubled, with the remedy, and is not doubled once more', async () => {
    const world = await openLoggedInWorld({ sandbox: { settings: { nutrition: 'append' } } });
    await push(world, day(BANANA));
    const grown = await world.sync(['push', 'nutrition', '-'], {
      input: JSON.stringify(day(BANANA, RICE)),
    });
    expect(grown.code).toBe(0);
    expect(grown.stdout + grown.stderr).toMatch(
      /the service has 3 items for 2026-02-15 after 2 were sent: .*`sync config set nutritionDelivery append`/,
    );
    const again = await push(world, day(BANANA, RICE, GEL));
    expect(outcomeOf(again)).toEqual([2, 'failed', 'CONFIG']);
    expect(String(first(again)['hint'])).toContain('sync config set nutritionDelivery append');
    expect(sent(world)).toEqual([['Banana'], ['Banana', 'Rice']]);
    await world.sync(['config', 'set', 'nutritionDelivery', 'append']);
    expect(outcomeOf(await push(world, day(BANANA, RICE, GEL)))).toEqual([0, 'pushed', undefined]);
    expect(sent(world).at(-1)).toEqual(['Gel']);
  });
});

describe('nutrition for a service that replaces', () => {
  it('sends the whole day again after a broken answer, and holds each item once', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.addFaults('nutrition:reset-after', 'nutrition:reset-mid');
    const run = await push(world, day(BANANA, RICE));
    expect(outcomeOf(run)).toEqual([0, 'pushed', undefined]);
    expect(first(run)['attempts']).toBe(3);
    expect(names(world)).toEqual(['Banana', 'Rice']);
    await push(world, day(RICE));
    expect(names(world)).toEqual(['Rice']);
  });

  it('says what a day loses that is sent in parts, and keeps all of it from several files', async () => {
    const world = await openLoggedInWorld();
    const breakfast = world.write('breakfast.json', JSON.stringify(day(BANANA)));
    const dinner = world.write('dinner.json', JSON.stringify(day(RICE, GEL)));
    await world.sync(['push', 'nutrition', breakfast]);
    const dry = await world.sync(['push', 'nutrition', dinner, '--dry-run']);
    expect(dry.stdout + dry.stderr).toContain('it would lose');
    const later = await world.sync(['push', 'nutrition', dinner]);
    expect(later.code).toBe(0);
    expect(later.stdout + later.stderr).toContain(
      '1 item that was sent before is no longer in the input; the service replaces the day',
    );
    expect(names(world)).toEqual(['Rice', 'Gel']);
    const whole = await world.sync(['push', 'nutrition', breakfast, dinner]);
    expect(whole.stdout + whole.stderr).not.toContain('no longer in the input');
    expect(names(world)).toEqual(['Banana', 'Rice', 'Gel']);
  });
});
