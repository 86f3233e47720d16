import { mkdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walk } from '../../../src/inputs/find-files.ts';
import { FolderEvents } from '../../../src/watch/find/fs-events.ts';
import { until } from '../support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

let root: string;
let told: Set<string>;
let rootEvents: number;
let failures: string[];
const opened: FolderEvents[] = [];
beforeEach(() => {
  root = scratchDir();
  told = new Set();
  rootEvents = 0;
  failures = [];
});
afterEach(() => {
  for (const events of opened.splice(0)) events.close();
});

function start(recursive = false, watchWith: typeof watch = watch): FolderEvents {
  const events = new FolderEvents(
    root,
    recursive,
    {
      onName: (folder, name) => told.add(relative(root, join(folder, name))),
      onRoot: () => rootEvents++,
      onFailure: (reason) => failures.push(reason),
    },
    watchWith,
  );
  opened.push(events);
  events.start();
  for (const { found, path } of walk(root)) if (found === 'folder') events.coverOne(path);
  return events;
}

describe.each([
  ['one watch a folder', false],
  // Node stands in for it here; on macOS and Windows it is the kernel.
  ['one watch for the tree', true],
])('%s', (_name, recursive) => {
  it('reports the names of changed files at any depth', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    start(recursive);
    writeFileSync(join(root, '1.fit'), 'x');
    writeFileSync(join(root, 'a/b/2.fit'), 'x');
    await until(() => told.has('1.fit') && told.has(join('a', 'b', '2.fit')));
  });

  it('reports nothing from folders that are not searched', async () => {
    mkdirSync(join(root, 'TEMPFIT'));
    mkdirSync(join(root, '.Trash/sub'), { recursive: true });
    start(recursive);
    writeFileSync(join(root, 'TEMPFIT/1.fit'), 'x');
    writeFileSync(join(root, '.Trash/sub/2.fit'), 'x');
    writeFileSync(join(root, 'last.fit'), 'x');
    await until(() => told.has('last.fit'));
    expect([...told].filter((path) => /[12]\.fit$/.test(path))).toEqual([]);
  });
});

it('uses one watch per folder and none per file', () => {
  for (let i = 0; i < 5; i++) mkdirSync(join(root, `d${i}/sub`), { recursive: true });
  for (let i = 0; i < 100; i++) writeFileSync(join(root, `d1/${i}.fit`), 'x');
  expect(start().count).toBe(11);
});

it('reports the removal of the root', async () => {
  start();
  rmSync(root, { recursive: true });
  await until(() => rootEvents > 0);
});

it('reports changes again in a folder that was removed, created again and covered again', async () => {
  mkdirSync(join(root, 'a'));
  const events = start();
  for (let round = 0; round < 5; round++) {
    rmSync(join(root, 'a'), { recursive: true });
    mkdirSync(join(root, 'a'));
    events.uncover(join(root, 'a'));
    events.coverOne(join(root, 'a'));
    told.clear();
    writeFileSync(join(root, 'a/ride.fit'), 'x');
    await until(() => told.has(join('a', 'ride.fit')));
  }
  expect(events.count).toBe(2);
});

it('watches the new folder if a folder was replaced before the walk reached it', async () => {
  mkdirSync(join(root, 'a'));
  const events = start();
  const aside = `${root}-aside`;
  mkdirSync(aside);
  renameSync(aside, join(root, 'b'));
  rmSync(join(root, 'a'), { recursive: true });
  renameSync(join(root, 'b'), join(root, 'a'));
  events.coverOne(join(root, 'a'));
  told.clear();
  writeFileSync(join(root, 'a/ride.fit'), 'x');
  await until(() => told.has(join('a', 'ride.fit')));
});

it('stops with a reason when the system has no more watches', () => {
  for (let i = 0; i < 5; i++) mkdirSync(join(root, `d${i}`));
  let left = 3;
  const limited = ((...args: Parameters<typeof watch>) => {
    if (left-- > 0) return watch(...args);
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
      code: 'ENOSPC',
    });
  }) as typeof watch;
  const events = start(false, limited);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatch(/max_user_watches/);
  expect(events.count).toBe(0);
  events.coverOne(join(root, 'd0'));
  expect(events.count).toBe(0);
});

it('skips an unreadable folder and continues with the others', () => {
  mkdirSync(join(root, 'a'));
  mkdirSync(join(root, 'locked'));
  mkdirSync(join(root, 'z'));
  const locked = ((path: string, ...rest: [never, never]) => {
    if (!path.endsWith('locked')) return watch(path, ...rest);
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
  }) as typeof watch;
  expect(start(false, locked).count).toBe(3);
  expect(failures).toEqual([]);
});
