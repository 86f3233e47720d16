import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/system/clock.ts';
import { tryLock } from '../../src/system/process-lock.ts';
import { lockFolders } from '../../src/watch/folder-lock.ts';
import {
  type WatchHealth,
  lifeLock,
  readHealth,
  readOne,
  watchId,
  writeHealth,
} from '../../src/watch/health.ts';
import { notifyCommand } from '../../src/watch/notify.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sync-health-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const NOW = Date.UTC(2026, 1, 15, 8);

function health(more: Partial<WatchHealth> = {}): WatchHealth {
  return {
    version: 1,
    id: watchId('default', ['/a']),
    pid: 4711,
    profile: 'default',
    account: 'me',
    running: true,
    since: '2026-02-15T07:00:00.000Z',
    updatedAt: '2026-02-15T07:00:00.000Z',
    folders: [{ path: '/a', state: 'watching' }],
    queue: { waiting: 0, sending: 0, kept: 0, unfinished: 0 },
    connection: { state: 'ok' },
    login: { state: 'ok', refreshEndsAt: '2026-02-15T09:00:00.000Z' },
    ...more,
  };
}

it('is read as it was written, with whether its process lives and how long the login lasts', () => {
  writeHealth(dir, health());
  const seen = { ...health(), loginEndsInSecs: 3_600 };
  expect(readHealth(dir, NOW)).toEqual([{ ...seen, alive: false }]);
  const lock = tryLock(lifeLock(dir, health().id));
  expect(readHealth(dir, NOW)).toEqual([{ ...seen, alive: true }]);
  lock?.release();
  expect(readOne(dir, health().id, NOW)).toEqual({ ...seen, alive: false });
});

it('shows the living first, then those that were up last', () => {
  const ids = ['/a', '/b', '/c'].map((folder) => watchId('default', [folder]));
  ids.forEach((id, i) =>
    writeHealth(dir, health({ id, updatedAt: `2026-02-1${i}T00:00:00.000Z` })),
  );
  const lock = tryLock(lifeLock(dir, ids[0] ?? ''));
  expect(readHealth(dir, NOW).map(({ id }) => id)).toEqual([ids[0], ids[2], ids[1]]);
  lock?.release();
});

it('is nothing where nobody ever watched, and where what is there is no health', () => {
  expect(readHealth(dir, NOW)).toEqual([]);
  writeHealth(dir, health());
  writeFileSync(join(dir, 'watch', `${health().id}.json`), '{"version":1,');
  writeFileSync(join(dir, 'watch', 'notes.txt'), 'x');
  expect(readHealth(dir, NOW)).toEqual([]);
  for (const other of ['{"version":2}', '{"version":1}', 'null', '"x"', '[1]', '7', '']) {
    writeFileSync(join(dir, 'watch', `${health().id}.json`), other);
    expect(readHealth(dir, NOW)).toEqual([]);
  }
});

it('has one id for the same folders in any order, another for another login', () => {
  expect(watchId('default', ['/a', '/b'])).toBe(watchId('default', ['/b', '/a']));
  expect(watchId('default', ['/a', '/b'])).not.toBe(watchId('race-team', ['/a', '/b']));
  expect(watchId('default', ['/a'])).not.toBe(watchId('default', ['/a', '/b']));
});

it('a folder is locked once for each account, by whatever name, also before it is there', async () => {
  const real = join(dir, 'real');
  mkdirSync(real);
  symlinkSync(real, join(dir, 'link'));
  const where = { stateDir: dir, account: 'me', clock: systemClock };
  const first = await lockFolders(where, [real, join(real, 'not/yet')]);
  for (const folder of [real, join(dir, 'link'), join(dir, 'link/not/yet')]) {
    await expect(lockFolders(where, [folder])).rejects.toMatchObject({ code: 'BUSY' });
  }
  // What it could have is given back when it cannot have all.
  const free = join(dir, 'free');
  await expect(lockFolders(where, [free, real])).rejects.toMatchObject({ code: 'BUSY' });
  (await lockFolders(where, [free])).release();
  (await lockFolders({ ...where, account: 'you' }, [real])).release();
  first.release();
  (await lockFolders(where, [join(dir, 'link')])).release();
});

it('a note is shown where there is a desktop, its text never a part of a program', () => {
  const note = { title: 'sync', text: '"; rm -rf ~ #' };
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus' };
  expect(notifyCommand('linux', {}, note)).toBeUndefined();
  expect(notifyCommand('linux', bus, note)).toEqual([
    'notify-send',
    '--app-name=sync',
    '--',
    'sync',
    note.text,
  ]);
  const mac = notifyCommand('darwin', {}, note);
  expect(mac?.slice(-3)).toEqual(['--', 'sync', note.text]);
  expect(mac?.slice(0, -1).join(' ')).not.toContain('rm');
  expect(notifyCommand('win32', {}, note)).toBeUndefined();
});
