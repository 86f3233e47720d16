import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { type World, foodsHeld, openLoggedInWorld } from '../support/acceptance.ts';
import type { Finished } from '../support/program.ts';
import { installSync, runShell } from '../support/shell.ts';
import { makeZip } from '../support/zip-maker.ts';

const DAY = '2026-02-15';

const item = (name: string, carbs: number, hour = 12) => ({
  logged_at: `${DAY}T${String(hour).padStart(2, '0')}:00:00+01:00`,
  name,
  carbs,
});

const OATS = item('Oats', 60, 8);
const RICE = item('Rice', 90);
const MILK = item('Milk', 12, 9);

const day = (...items: object[]) => JSON.stringify({ date: DAY, items });

/** Names and grams of carbs at the platform, sorted. */
const held = ({ sandbox }: World) =>
  foodsHeld(sandbox, DAY)
    .map(({ name, carbs }) => `${String(name)} ${String(carbs)}`)
    .sort();

const openReading = () => openLoggedInWorld();
const openWriting = () =>
  openLoggedInWorld({ login: { scopes: ['nutrition:write', 'profile:read'] } });

const pipe = (world: World, input: string, ...flags: string[]) =>
  world.sync(['push', 'nutrition', '-', ...flags], { input });

const pushFile = (world: World, name: string, text: string, ...flags: string[]) =>
  world.sync(['push', 'nutrition', world.write(name, text), ...flags]);

/** Runs a line of bash in the world's home, with the program as `sync`. */
const type = ({ home }: World, line: string) => runShell(line, { home, path: [installSync(home)] });

const GONE = 'no longer in the input, so removed from the day';

function expectDone(...runs: readonly Finished[]): void {
  for (const { code, stdout, stderr } of runs) {
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining('removed')]);
  }
}

describe.each([
  ['with nutrition:read', openReading],
  ['without nutrition:read', openWriting],
])('food that is piped %s', (_which, open) => {
  it('adds to earlier pipes, and brings new versions', async () => {
    const world = await open();
    expectDone(await pipe(world, day(OATS)), await pipe(world, day(RICE)));
    expect(held(world)).toEqual(['Oats 60', 'Rice 90']);
    // It shares an item with the earlier ones.
    expectDone(await pipe(world, day(RICE, MILK)), await pipe(world, day(item('Oats', 61, 8))));
    expect(held(world)).toEqual(['Milk 12', 'Oats 61', 'Rice 90']);
  });

  it('is removed by --replace-day, with a note', async () => {
    const world = await open();
    await pipe(world, day(OATS));
    const { code, stdout, stderr } = await pipe(world, day(RICE), '--replace-day');
    expect([code, `${stdout}${stderr}`]).toEqual([0, /removed from the day: "Oats/]);
    expect(held(world)).toEqual(['Rice 90']);
  });

  it('is dropped by a later version of a file that has stated it too', async () => {
    const world = await open();
    await pipe(world, day(OATS, RICE));
    expectDone(await pushFile(world, 'diary.json', day(OATS, MILK)));
    const { stdout, stderr } = await pushFile(world, 'diary.json', day(MILK));
    expect(`${stdout}${stderr}`).toContain(`${GONE}: "Oats`);
    expect(held(world)).toEqual(['Milk 12', 'Rice 90']);
  });

  it('is a version of what its --origin sent before', async () => {
    const world = await open();
    await pipe(world, day(item('Tea', 1, 7)));
    await pipe(world, day(OATS, RICE), '--origin', 'kitchen');
    const { stdout, stderr } = await pipe(world, day(RICE), '--origin', 'kitchen');
    expect(`${stdout}${stderr}`).toContain(`${GONE}: "Oats`);
    expectDone(await pushFile(world, 'a.json', day(OATS), '--origin', 'canteen'));
    expect(held(world)).toEqual(['Oats 60', 'Rice 90', 'Tea 1']);
    // A file is of its origin too, wherever it lies.
    await pushFile(world, 'elsewhere/b.json', day(MILK), '--origin', 'kitchen');
    expect(held(world)).toEqual(['Milk 12', 'Oats 60', 'Tea 1']);
  });
});

test.each([
  ['/proc/self/fd/0', 'sync push nutrition /proc/self/fd/0 < in.json'],
  ['a relative path to /dev/stdin', '(cd / && sync push nutrition dev//stdin) < in.json'],
  ['a substituted process', 'sync push nutrition <(cat in.json)'],
  ['a named pipe', 'rm -f p && mkfifo p && { cat in.json > p & sync push nutrition p; }'],
])('food from %s adds to what came the same way before', async (_what, line) => {
  const world = await openWriting();
  const run = (text: string) => {
    world.write('in.json', text);
    return type(world, line);
  };
  expectDone(await run(day(OATS)), await run(day(RICE)));
  expect(held(world)).toEqual(['Oats 60', 'Rice 90']);
});

test('an empty list of items that is piped without an origin is refused', async () => {
  const world = await openReading();
  await pipe(world, day(OATS));
  const refused = await pipe(world, day());
  expect([refused.code, refused.stdout]).toEqual([3, /items.*--origin NAME.*--replace-day/s]);
  expect(held(world)).toEqual(['Oats 60']);
  const { code, stdout, stderr } = await pipe(world, day(), '--replace-day');
  expect([code, `${stdout}${stderr}`, held(world)]).toEqual([0, /removed from the day/, []]);
  await pipe(world, day(RICE), '--origin', 'kitchen');
  expect((await pipe(world, day(), '--origin', 'kitchen')).code).toBe(0);
  expect(held(world)).toEqual([]);
});

const SERVINGS = (food: string, kcal: number) =>
  'Day,Time,Group,Food Name,Amount,Energy (kcal),Carbs (g)\n' +
  `${DAY},12:30 PM,Lunch,${food},100 g,${kcal},80\n`;

describe('the export of a program', () => {
  test('from stdin is newer than a file that was written before', async () => {
    const world = await openReading();
    await pushFile(world, 'servings.csv', SERVINGS('Rice', 360));
    const { code, stdout, stderr } = await pipe(world, SERVINGS('Rice', 370));
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.not.stringContaining('older file')]);
    expect(foodsHeld(world.sandbox, DAY).map(({ calories }) => calories)).toEqual([370]);
    // Its items are the program's: a later file of it drops them.
    await pipe(world, SERVINGS('Soup', 100));
    expect(foodsHeld(world.sandbox, DAY)).toHaveLength(2);
    await type(world, `sleep 0.01; echo '${SERVINGS('Bread', 200)}' > 'servings (1).csv'`);
    await world.sync(['push', 'nutrition', join(world.home.dir, 'servings (1).csv')]);
    expect(foodsHeld(world.sandbox, DAY).map(({ name }) => name)).toEqual(['Bread']);
  });

  test('in an archive is as old as the archive', async () => {
    const world = await openReading();
    const archive = (name: string, food: string, written: number) => {
      const bytes = makeZip([{ name: 'servings.csv', bytes: SERVINGS(food, 100) }]);
      const path = world.write(name, bytes);
      utimesSync(path, written, written);
      return path;
    };
    const files = [archive('new.zip', 'Soup', 2_000), archive('old.zip', 'Rice', 1_000)];
    await world.sync(['push', 'nutrition', ...files]);
    expect(foodsHeld(world.sandbox, DAY).map(({ name }) => name)).toEqual(['Soup']);
    const { stdout } = await world.sync(['push', 'nutrition', ...files.slice(1)]);
    expect(stdout).toContain('older file');
    expect(foodsHeld(world.sandbox, DAY).map(({ name }) => name)).toEqual(['Soup']);
  });

  test('with an --origin that is called as a program competes with no program', async () => {
    const world = await openReading();
    await pushFile(world, 'servings.csv', SERVINGS('Rice', 360));
    const { stdout, stderr } = await pipe(world, day(OATS), '--origin', 'myfitnesspal: diary');
    expect(`${stdout}${stderr}`).not.toContain('those of');
    const named = await pushFile(
      world,
      'b.csv',
      SERVINGS('Soup', 90),
      '--origin',
      'cronometer: servings',
    );
    expect([named.code, named.stderr]).toEqual([0, expect.not.stringContaining('older')]);
    expect(foodsHeld(world.sandbox, DAY)).toHaveLength(3);
  });
});

test('a wellness day that was sent with an --origin is explained by it', async () => {
  const world = await openLoggedInWorld();
  const input = JSON.stringify({ date: DAY, restingHr: 48 });
  await world.sync(['push', 'wellness', '-', '--origin', 'scale'], { input });
  expect((await world.sync(['explain', DAY])).stdout).toContain('from scale');
});

test('one of two foods with one time and name that leaves the input has a note', async () => {
  const world = await openReading();
  await pushFile(world, 'a.json', day(item('Gel', 25), item('Gel', 30)));
  const { stdout, stderr } = await pushFile(world, 'a.json', day(item('Gel', 25)));
  expect(`${stdout}${stderr}`).toContain(`${GONE}: "Gel, 12:00, 30 g`);
  expect(held(world)).toEqual(['Gel 25']);
});
