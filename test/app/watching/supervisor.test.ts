import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { OpenLogin, WatchSetup } from '../../../src/app/watching/login.ts';
import { superviseWatcher } from '../../../src/app/watching/supervisor.ts';
import { SyncError } from '../../../src/base/errors.ts';
import { openDatabase } from '../../../src/ledger/database.ts';
import { knownFiles } from '../../../src/ledger/known-files.ts';
import { markProcess } from '../../../src/system/processes.ts';
import { uploadLedger } from '../../../src/ledger/uploads.ts';
import { watchMarks } from '../../../src/ledger/watch-marks.ts';
import { registerWatcher } from '../../../src/daemon/registration.ts';
import { watcherPaths } from '../../../src/daemon/registry.ts';
import { readHealth } from '../../daemon/support.ts';
import type { WatchNotice } from '../../../src/watch/report.ts';
import { testContext } from '../../support/context.ts';
import { type ManualClock, manualClock } from '../../watch/manual-clock.ts';
import { anotherRecording, put, until } from '../../watch/support.ts';
import { scratchDir } from '../../support/scratch-dir.ts';

let dir: string;
let folder: string;
beforeEach(() => {
  dir = scratchDir();
  folder = join(dir, 'Garmin');
  mkdirSync(folder);
});

/** Makes a login with a real ledger and a service without answers. */
function openAs(athlete: string, given: Pick<OpenLogin, 'loginEndsAt'>): OpenLogin {
  const database = openDatabase(join(dir, 'state', `${athlete}.db`));
  const mark = markProcess(join(dir, 'state'));
  const now = () => Date.now();
  let open = true;
  const dead = () => Promise.reject(new SyncError('AUTH_EXPIRED', 'The login has ended.'));
  return {
    account: athlete,
    athlete,
    unnamedLedger: 'profile:default',
    service: 'http://127.0.0.1:9',
    filePart: 'file',
    delivers: true,
    ledger: {
      path: join(dir, 'state', `${athlete}.db`),
      database,
      uploads: uploadLedger(database, athlete, mark, now),
      known: knownFiles(database, athlete, now),
      mark,
    } as OpenLogin['ledger'],
    marks: watchMarks(database, athlete, now),
    client: dead,
    url: () => new URL('http://127.0.0.1:9'),
    zone: () => Promise.resolve({ name: 'UTC', from: 'machine' }),
    prefer: [],
    sameRide: 'all',
    useLogin: dead,
    takeOver: () => undefined,
    close: () => {
      if (open) {
        database.close();
        mark.release();
      }
      open = false;
      return Promise.resolve();
    },
    ...given,
  };
}

const optionsOf = (dir: string) => ({
  folders: [dir],
  newOnly: false,
  pollMs: undefined,
  dryRun: false,
});

async function setUp(
  clock: ManualClock,
  signal: AbortSignal,
  given: Pick<WatchSetup, 'loginMarker' | 'open' | 'report'> & Partial<WatchSetup>,
): Promise<WatchSetup> {
  const registration = await registerWatcher(
    { clock, signal, platform: process.platform },
    watcherPaths(join(dir, 'state'), 'default', { folders: [folder] }),
    { profile: 'default', folders: [folder], kind: 'terminal' },
  );
  return {
    stateDir: join(dir, 'state'),
    profile: 'default',
    loginCanChange: true,
    filesystemType: () => ({ noEvents: undefined, removable: false }),
    recursiveEvents: false,
    ignoredDevices: [],
    wellness: false,
    remote: { childPath: '', env: {} },
    registration,
    context: testContext({ clock, signal }),
    monitor: undefined,
    ...given,
  };
}

it('shows about every minute that its loop runs, until it ends', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const shown: number[] = [];
  const setup = await setUp(clock, stop.signal, {
    loginMarker: () => '',
    open: () =>
      Promise.resolve(openAs('athlete-1', { loginEndsAt: () => Promise.resolve(undefined) })),
    report: () => undefined,
    onAlive: () => shown.push(clock.monotonic()),
  });
  const running = superviseWatcher(optionsOf(folder), setup);
  await until(() => shown.length > 0);
  await clock.advance(600_000);
  stop.abort(new SyncError('INTERRUPTED', 'stopped'));
  await running;
  await clock.advance(600_000);
  setup.registration.end(0);
  expect(shown).toEqual(Array.from({ length: 11 }, (_, minute) => minute * 60_000));
});

it('does not overwrite the health of the next login with a late answer for the last one', async () => {
  const clock = manualClock();
  const stop = new AbortController();
  const events: WatchNotice[] = [];
  const health = () => readHealth(join(dir, 'state'), clock.now())[0];
  let logins = 0;
  let secondIsOpen = () => {};
  const second = new Promise<void>((resolve) => (secondIsOpen = resolve));
  const check = { asked: false, answered: false };
  // Answers after its abort or, without an abort, after the next call has begun.
  const slow = async (signal: AbortSignal) => {
    check.asked = true;
    await Promise.race([
      new Promise((stopped) => signal.addEventListener('abort', stopped)),
      second,
    ]);
    await new Promise((later) => setTimeout(later, 10));
    check.answered = true;
    return clock.now() + 30 * 86_400_000;
  };
  const setup = await setUp(clock, stop.signal, {
    loginMarker: () => (check.asked && health()?.login.state === 'needed' ? 'later' : 'before'),
    open: () => {
      logins += 1;
      if (logins === 1) return Promise.resolve(openAs('athlete-1', { loginEndsAt: slow }));
      setImmediate(secondIsOpen);
      return Promise.resolve(
        openAs('athlete-2', { loginEndsAt: () => Promise.resolve(undefined) }),
      );
    },
    report: (event) => events.push(event),
  });
  const running = superviseWatcher(optionsOf(folder), setup);
  await until(() => events.some(({ event }) => event === 'ready'));
  while (!check.asked) await clock.advance(2_000);
  put(join(folder, 'ride.fit'), anotherRecording());
  await until(() => events.some(({ event }) => event === 'login-needed'));
  while (logins < 2 || !check.answered) await clock.advance(2_000);
  await clock.advance(10_000);
  stop.abort(new SyncError('INTERRUPTED', 'stopped'));
  await running;
  setup.registration.end(0);
  expect(logins).toBe(2);
  expect(health()?.login.message).toMatch(/Another athlete logged in/);
});
