import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { readWatchers } from '../../src/app/watchers.ts';
import type { Config } from '../../src/config/config.ts';
import { lockScope, registerWatcher } from '../../src/daemon/registration.ts';
import { watcherPaths } from '../../src/daemon/registry.ts';
import { type WatcherState, writeState } from '../../src/daemon/state-file.ts';
import { tryLock } from '../../src/system/process-lock.ts';
import { testContext } from '../support/context.ts';
import { manualClock } from '../watch/manual-clock.ts';
import { scratchDir } from '../support/scratch-dir.ts';
import { readHealth } from './support.ts';

let dir: string;
beforeEach(() => void (dir = scratchDir()));

const NOW = Date.UTC(2026, 1, 15, 8);
const HEALTH = {
  profile: 'default',
  account: 'me',
  updatedAt: '2026-02-15T07:00:00.000Z',
  folders: [{ path: '/a', state: 'watching' }],
  queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
  connection: { state: 'ok' },
  login: { state: 'ok', refreshEndsAt: '2026-02-15T09:00:00.000Z' },
} as const;
const STATE: WatcherState = {
  version: 1,
  profile: 'default',
  folders: ['/a'],
  kind: 'terminal',
  pid: 4711,
  startedAt: Date.UTC(2026, 1, 15, 7),
  health: HEALTH,
};
const pathsOf = (folder = '/a') => watcherPaths(dir, 'default', { folders: [folder] });

/** Writes the state of a watcher. */
function put(folder = '/a', more: Partial<WatcherState> = {}): string {
  const paths = pathsOf(folder);
  mkdirSync(paths.dir, { recursive: true });
  writeState(paths, { ...STATE, ...more });
  return paths.id;
}

it('reads the health of a watcher, its running process, and the end of its login', () => {
  const id = put();
  const seen = {
    ...HEALTH,
    version: 1,
    id,
    pid: 4711,
    profile: 'default',
    kind: 'terminal',
    running: true,
    since: '2026-02-15T07:00:00.000Z',
    loginEndsInSecs: 3_600,
  };
  expect(readHealth(dir, NOW)).toEqual([{ ...seen, alive: false, stopped: false }]);
  const lock = tryLock(pathsOf().lockFile);
  expect(readHealth(dir, NOW)).toEqual([{ ...seen, alive: true, stopped: false }]);
  lock?.release();
  put('/a', { ended: { at: NOW, exitCode: 0 } });
  expect(readHealth(dir, NOW)).toEqual([{ ...seen, running: false, alive: false, stopped: false }]);
});

it('says when the last watcher of a profile ended, or was last seen', () => {
  const config = { profile: 'default', paths: { stateDir: dir } } as Config;
  const lastUntil = () => readWatchers(config, NOW).watchedLast?.until;
  put();
  expect(lastUntil()).toBe(Date.parse(HEALTH.updatedAt));
  put('/a', { ended: { at: NOW - 1_000, exitCode: 0 } });
  expect(lastUntil()).toBe(NOW - 1_000);
});

it('ignores state files that are damaged', () => {
  put('/a', { health: { ...HEALTH, folders: 'x' } } as never);
  writeFileSync(join(dir, 'watch', 'notes.txt'), 'x');
  expect(readHealth(dir, NOW)).toEqual([]);
});

it('locks a folder once per account, under every name, also before it exists', async () => {
  const real = join(dir, 'real');
  mkdirSync(real);
  symlinkSync(real, join(dir, 'link'));
  const context = testContext();
  const owner = { stateDir: dir, profile: 'default', account: 'me' };
  const first = await lockScope(context, owner, { folders: [real, join(real, 'not/yet')] });
  for (const folder of [real, join(dir, 'link'), join(dir, 'link/not/yet')]) {
    await expect(lockScope(context, owner, { folders: [folder] })).rejects.toMatchObject({
      code: 'BUSY',
    });
  }
  // A failure releases the locks that were taken before it.
  const free = join(dir, 'free');
  await expect(lockScope(context, owner, { folders: [free, real] })).rejects.toMatchObject({
    code: 'BUSY',
  });
  (await lockScope(context, owner, { folders: [free] })).release();
  (await lockScope(context, { ...owner, account: 'you' }, { folders: [real] })).release();
  first.release();
  (await lockScope(context, owner, { folders: [join(dir, 'link')] })).release();
});

it('names the watcher of the same account that has a folder, not that of another one', async () => {
  const paths = ['one', 'two'].map((login) => watcherPaths(dir, login, { folders: ['/a'] }));
  // The search finds the other account's watcher first.
  paths.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, each] of paths.entries()) {
    mkdirSync(each.dir, { recursive: true });
    const account = index === 0 ? 'you' : 'me';
    writeState(each, { ...STATE, pid: 100 + index, health: { ...HEALTH, account } });
    const lock = tryLock(each.lockFile);
    onTestFinished(() => lock?.release());
  }
  const owner = { stateDir: dir, profile: 'default', account: 'me' };
  const held = await lockScope(testContext(), owner, { folders: ['/a'] });
  const again = lockScope(testContext(), owner, { folders: ['/a'] });
  await expect(again).rejects.toMatchObject({ code: 'BUSY', details: { pid: 101 } });
  held.release();
});

it('writes health after the clock was set back', async () => {
  const clock = manualClock();
  const who = { profile: 'default', folders: ['/a'], kind: 'terminal' } as const;
  const registration = await registerWatcher(
    { ...testContext({ clock }), platform: process.platform },
    pathsOf(),
    who,
  );
  const { account, ...health } = HEALTH;
  registration.setHealth(health);
  registration.writeHealth(true);
  clock.jump(-3_600_000);
  await clock.advance(1_000);
  registration.setHealth({ ...health, account });
  registration.writeHealth(false);
  const now = clock.now();
  expect(readHealth(dir, now)).toMatchObject([{ account, updatedAt: new Date(now).toISOString() }]);
  registration.end(0);
});
