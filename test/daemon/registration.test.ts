import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reportDaemons } from '../../src/commands/daemon/daemons.ts';
import type { Config } from '../../src/config/config.ts';
import { isHeld } from '../../src/system/process-lock.ts';
import { systemClock } from '../../src/system/this-process.ts';
import { processStart } from '../../src/daemon/process-start.ts';
import { registerWatcher } from '../../src/daemon/registration.ts';
import { inspectWatcher, listWatchers, watcherPaths } from '../../src/daemon/registry.ts';
import { type WatcherState, writeState } from '../../src/daemon/state-file.ts';
import { stopDaemon } from '../../src/daemon/stop.ts';
import { testContext } from '../support/context.ts';
import { useBuild } from '../support/build.ts';
import { isAlive } from '../support/processes.ts';
import { missingTools, skipNote } from '../support/shell.ts';
import { scratchDir, scratchPaths } from './support.ts';

const program = useBuild({ holder: 'test/daemon/children/holder.ts' });

const WHO = {
  profile: 'default',
  folders: ['/rides'],
  kind: 'daemon',
} as const;
const { platform } = process;
const CONTEXT = { ...testContext(), platform };

const listed = (stateDir: string) => listWatchers(stateDir).map(({ paths }) => paths);

const reported = (stateDir: string) => {
  const config = { profile: 'default', paths: { stateDir } } as Config;
  return reportDaemons({ clock: systemClock, platform }, config);
};

/** Starts a process that registers like a real daemon. */
async function startHolder(...extra: string[]) {
  const stateDir = scratchDir();
  const args = [program('holder'), stateDir, '/rides', ...extra];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return { child, stateDir, paths: watcherPaths(stateDir, 'default', { folders: ['/rides'] }) };
}

/** Starts an unrelated process. */
function startBystander(): ChildProcess & { pid: number } {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcess & { pid: number };
}

/** Records signals without delivering them. */
function pretendedKills() {
  const kills: [number, string][] = [];
  return { kills, kill: (pid: number, signal: string) => void kills.push([pid, signal]) };
}

/** Ends a process from outside, as a crash does. */
async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}
const realKill = (pid: number, signal: NodeJS.Signals) => void process.kill(pid, signal);

describe('the registration of a watcher', () => {
  it('has one ID for a login and a set of folders in any order', () => {
    const id = (login: string, ...folders: string[]) => watcherPaths('/s', login, { folders }).id;
    expect(id('default', '/a', '/b')).toBe(id('default', '/b', '/a'));
    const others = [['/a'], ['/b'], ['/a/b'], ['/a', '/b']].map((all) => id('default', ...all));
    expect(new Set([id('Default', '/a'), ...others]).size).toBe(5);
  });

  it('is listed after its first use', async () => {
    const stateDir = scratchDir();
    expect(listed(stateDir)).toEqual([]);
    const paths = watcherPaths(stateDir, 'default', { folders: ['/rides'] });
    (await registerWatcher(CONTEXT, paths, WHO)).end(0);
    expect(listed(stateDir)).toEqual([paths]);
    // Finders and editors leave things behind.
    for (const stray of ['.DS_Store', 'Thumbs.db', `${paths.id}~`, 'task-default.xml']) {
      writeFileSync(join(dirname(paths.dir), stray), 'x');
    }
    expect(listed(stateDir)).toEqual([paths]);
  });

  it('records its process, its start, its readiness and its end', async () => {
    const paths = scratchPaths();
    const before = Date.now();
    const registration = await registerWatcher(CONTEXT, paths, WHO);
    const started = inspectWatcher(paths);
    const { pid } = process;
    const startedAt = expect.any(Number) as number;
    const state = { version: 1, ...WHO, pid, processStart: processStart(pid, platform), startedAt };
    expect(started).toEqual({ paths, running: true, state });
    expect(started.state?.startedAt).toBeGreaterThanOrEqual(before);
    registration.ready();
    expect(inspectWatcher(paths).state?.readyAt).toBeGreaterThanOrEqual(before);
    registration.end(4, 'Not logged in.');
    registration.end(0);
    const ended = { exitCode: 4, message: 'Not logged in.' };
    expect(inspectWatcher(paths)).toMatchObject({ running: false, state: { ended } });
  });

  it('in a terminal leaves the record of the daemon before it, and replaces it while it runs', async () => {
    const paths = scratchPaths();
    (await registerWatcher(CONTEXT, paths, WHO)).end(0);
    const daemon = inspectWatcher(paths).state;
    const inTerminal = { ...WHO, kind: 'terminal' } as const;
    for (let run = 1; run <= 2; run++) {
      const registration = await registerWatcher(CONTEXT, paths, inTerminal);
      expect(inspectWatcher(paths)).toMatchObject({ running: true, state: { kind: 'terminal' } });
      registration.end(0);
      expect(inspectWatcher(paths)).toEqual({ paths, running: false, state: daemon });
    }
  });

  it('is refused to a second watcher, with the process that holds it', async () => {
    const { child, paths } = await startHolder();
    await expect(registerWatcher(CONTEXT, paths, WHO)).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringContaining(`process ${String(child.pid)}`) as string,
      details: { pid: child.pid, folders: ['/rides'] },
    });
    expect(inspectWatcher(paths).state?.pid).toBe(child.pid);
  });

  it('is free as soon as its process has died', async () => {
    const { child, paths } = await startHolder();
    expect(inspectWatcher(paths).running).toBe(true);
    await killed(child);
    const { running, state } = inspectWatcher(paths);
    expect(running).toBe(false);
    expect(state?.ended).toBeUndefined();
    (await registerWatcher(CONTEXT, paths, WHO)).end(0);
  });

  it('succeeds while others only inspect it', async () => {
    const paths = scratchPaths();
    (await registerWatcher(CONTEXT, paths, WHO)).end(0);
    let looking = true;
    const look = async () => {
      while (looking) {
        isHeld(paths.lockFile);
        await new Promise((next) => setImmediate(next));
      }
    };
    const looks = [look(), look()];
    for (let i = 0; i < 20; i++) (await registerWatcher(CONTEXT, paths, WHO)).end(0);
    looking = false;
    await Promise.all(looks);
  });

  it('fails if its record cannot be written, but continues if writing fails later', async () => {
    const paths = scratchPaths();
    mkdirSync(paths.stateFile, { recursive: true });
    await expect(registerWatcher(CONTEXT, paths, WHO)).rejects.toMatchObject({ code: 'STORAGE' });
    expect(isHeld(paths.lockFile)).toBe(false);
    rmdirSync(paths.stateFile);
    const registration = await registerWatcher(CONTEXT, paths, WHO);
    rmSync(paths.stateFile);
    mkdirSync(paths.stateFile);
    registration.ready();
    expect(isHeld(paths.lockFile)).toBe(true);
    registration.end(0);
    expect(isHeld(paths.lockFile)).toBe(false);
  });

  it('counts an unreadable record as missing', () => {
    const paths = scratchPaths();
    expect(inspectWatcher(paths)).toEqual({ paths, state: undefined, running: false });
    // To look leaves no trace.
    expect(existsSync(paths.dir)).toBe(false);
    mkdirSync(paths.dir, { recursive: true });
    const good: WatcherState = { version: 1, ...WHO, pid: 12_345, startedAt: 1 };
    writeState(paths, good);
    expect(inspectWatcher(paths).state).toEqual(good);
    const damaged: unknown[] = [
      null,
      [],
      { ...good, pid: '12345' },
      { ...good, pid: 1 },
      { ...good, pid: -1 },
      { ...good, pid: 12_345.5 },
      { ...good, folders: 'x' },
      { ...good, folders: [1] },
      { ...good, kind: 'cron' },
      { ...good, startedAt: undefined },
      { ...good, ended: { at: 'x' } },
      { ...good, version: 2 },
      { ...good, startedAt: 1e300 },
    ];
    for (const value of damaged) {
      writeFileSync(paths.stateFile, JSON.stringify(value));
      expect(inspectWatcher(paths).state, JSON.stringify(value)).toBeUndefined();
    }
    const deep = `{"version":1,"health":${'['.repeat(200_000)}`;
    for (const text of ['{"profile": "def', '', deep, `${deep}${']'.repeat(200_000)}}`]) {
      writeFileSync(paths.stateFile, text);
      expect(inspectWatcher(paths).state).toBeUndefined();
    }
  });
});

it('daemons are reported in the order of their start', () => {
  const stateDir = scratchDir();
  const watched = ['/a', '/b', '/c', '/d'].map((folder) => {
    const paths = watcherPaths(stateDir, 'default', { folders: [folder] });
    return { folder, paths };
  });
  watched.sort((a, b) => (a.paths.id < b.paths.id ? 1 : -1));
  for (const [startedAt, { folder, paths }] of watched.entries()) {
    mkdirSync(paths.dir, { recursive: true });
    writeState(paths, { version: 1, ...WHO, folders: [folder], pid: 12_345, startedAt });
  }
  expect(reported(stateDir).map(({ folders }) => folders)).toEqual(
    watched.map(({ folder }) => [folder]),
  );
});

describe('stopping a daemon', () => {
  it('asks the daemon to end and waits until it has ended', async () => {
    const { child, paths } = await startHolder();
    const ended = once(child, 'exit');
    const result = await stopDaemon(CONTEXT, paths, platform, realKill);
    const tookMs = expect.any(Number) as number;
    expect(result).toEqual({ outcome: 'stopped', pid: child.pid, tookMs });
    expect(isHeld(paths.lockFile)).toBe(false);
    expect(await ended).toEqual([0, null]);
    // Its own words stay.
    expect(inspectWatcher(paths).state?.ended).toMatchObject({ exitCode: 0, message: 'asked' });
  });

  it('kills a daemon that ignores the request, reports that, and records its end', async () => {
    const { child, paths } = await startHolder('stubborn');
    const ended = once(child, 'exit');
    const patience = { ask: 300, kill: 20_000 };
    const result = await stopDaemon(CONTEXT, paths, platform, realKill, patience);
    expect(result).toMatchObject({ outcome: 'stopped', pid: child.pid, killed: true });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(inspectWatcher(paths).state?.ended).toMatchObject({ exitCode: 0 });
  });

  it('reports that even killing did not end the daemon', async () => {
    const { child, paths } = await startHolder('stubborn');
    const { kills, kill } = pretendedKills();
    const result = await stopDaemon(CONTEXT, paths, platform, kill, { ask: 100, kill: 100 });
    expect(result).toMatchObject({ outcome: 'still-running', pid: child.pid });
    expect(kills).toHaveLength(2);
    expect(isAlive(child.pid ?? 0)).toBe(true);
  });

  it('ends a daemon that hangs after its registration, which counts as running until then', async () => {
    const { child, stateDir, paths } = await startHolder('hangs');
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await expect.poll(() => isHeld(paths.lockFile)).toBe(false);
    expect(isAlive(child.pid ?? 0)).toBe(true);
    const isShown = () => reported(stateDir).map(({ running }) => running);
    expect(isShown()).toEqual([true]);
    const patience = { ask: 300, kill: 20_000 };
    const result = await stopDaemon(CONTEXT, paths, platform, realKill, patience);
    expect(result).toMatchObject({ outcome: 'stopped', pid: child.pid, killed: true });
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(isShown()).toEqual([false]);
  });

  it('sends no signal if no daemon runs, also if its process ID was reused', async () => {
    const paths = scratchPaths();
    (await registerWatcher(CONTEXT, paths, WHO)).end(0);
    const bystander = startBystander();
    const state = JSON.parse(readFileSync(paths.stateFile, 'utf8')) as WatcherState;
    writeState(paths, { ...state, pid: bystander.pid });
    const { kills, kill } = pretendedKills();
    const result = await stopDaemon(CONTEXT, paths, platform, kill);
    expect(result).toEqual({ outcome: 'not-running' });
    expect(kills).toEqual([]);
  });

  it('never signals a process that only reuses the process ID in the record', async () => {
    const { child, paths } = await startHolder();
    const { state } = inspectWatcher(paths);
    if (state === undefined) throw new Error('no state');
    const bystander = startBystander();
    const { kills, kill } = pretendedKills();
    const { pid } = bystander;
    writeState(paths, { ...state, pid });
    const stop = () => stopDaemon(CONTEXT, paths, platform, kill);
    const why = expect.stringContaining('is another one') as string;
    expect(await stop()).toEqual({ outcome: 'out-of-reach', pid, why });
    expect(kills).toEqual([]);
    expect(isHeld(paths.lockFile)).toBe(true);

    // One of another container cannot be seen at all.
    const gone = startBystander();
    await killed(gone);
    writeState(paths, { ...state, pid: gone.pid });
    const unseen = expect.stringContaining('not visible') as string;
    expect(await stop()).toMatchObject({ outcome: 'out-of-reach', why: unseen });
    writeFileSync(paths.stateFile, '?');
    expect(await stop()).toMatchObject({ outcome: 'out-of-reach', pid: undefined });
    expect(kills).toEqual([]);
    expect(isAlive(child.pid ?? 0)).toBe(true);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'signals no process that another user wrote into the record (run as root only)',
    async () => {
      const { child, paths } = await startHolder();
      await killed(child);
      const { pid } = startBystander();
      const state = { version: 1, ...WHO, pid, startedAt: 1 } as const;
      const start = processStart(pid, platform);
      writeState(paths, start === undefined ? state : { ...state, processStart: start });
      const { kills, kill } = pretendedKills();
      chownSync(paths.stateFile, 65_534, 65_534);
      expect(inspectWatcher(paths)).toEqual({ paths, state: undefined, running: false });
      const result = await stopDaemon(CONTEXT, paths, platform, kill);
      expect(result).toEqual({ outcome: 'not-running' });
      expect(kills).toEqual([]);
      // The same record of this user does name a daemon.
      chownSync(paths.stateFile, 0, 0);
      expect(inspectWatcher(paths).state?.pid).toBe(pid);
    },
  );

  it('finds the daemon that has just replaced a killed one', async () => {
    const { child, paths } = await startHolder();
    const { state } = inspectWatcher(paths);
    if (state === undefined) throw new Error('no state');
    const gone = startBystander();
    await killed(gone);
    writeState(paths, { ...state, pid: gone.pid });
    const stopping = stopDaemon(CONTEXT, paths, platform, realKill);
    writeState(paths, state);
    expect(await stopping).toMatchObject({ outcome: 'stopped', pid: child.pid });
  });

  it('reports that it cannot reach a daemon of another user', async () => {
    const { paths } = await startHolder();
    const kill = () => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    };
    const why = 'it belongs to another user';
    const result = await stopDaemon(CONTEXT, paths, platform, kill);
    expect(result).toMatchObject({ outcome: 'out-of-reach', why });
  });

  it('counts a daemon that died in between as stopped', async () => {
    const { child, paths } = await startHolder();
    const kill = (pid: number) => {
      process.kill(pid, 'SIGKILL');
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
    };
    const result = await stopDaemon(CONTEXT, paths, platform, kill);
    expect(result).toMatchObject({ outcome: 'stopped', pid: child.pid });
  });

  it('stops waiting when it is interrupted', async () => {
    const { paths } = await startHolder('stubborn');
    const interruption = new AbortController();
    const kill = () => interruption.abort(new Error('Ctrl-C'));
    const context = testContext({ signal: interruption.signal });
    await expect(stopDaemon(context, paths, platform, kill)).rejects.toThrow('Ctrl-C');
  });
});

describe('the start time of a process', () => {
  it('distinguishes two processes, and is undefined without a process', async () => {
    const one = startBystander();
    const own = processStart(process.pid, process.platform);
    expect(own).toBe(processStart(process.pid, process.platform));
    expect(processStart(one.pid, process.platform)).not.toBe(own);
    await killed(one);
    expect(processStart(one.pid, process.platform)).toBeUndefined();
  });

  const noPython = process.platform === 'linux' ? missingTools('python3') : ['Linux'];
  it.skipIf(noPython.length > 0)(
    `is known while one of its threads lives, although the first has ended${skipNote(noPython)}`,
    async () => {
      const script = `import ctypes, threading, time
threading.Thread(target=lambda: time.sleep(60)).start()
ctypes.CDLL(None).pthread_exit(None)`;
      const child = spawn('python3', ['-c', script]);
      onTestFinished(() => void child.kill('SIGKILL'));
      const pid = child.pid ?? 0;
      await expect
        .poll(() => readFileSync(`/proc/${pid}/status`, 'latin1'))
        .toMatch(/^State:\s+Z/m);
      expect(processStart(pid, 'linux')).toBeDefined();
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(processStart(pid, 'linux')).toBeUndefined();
    },
  );

  const missing = missingTools('ps');
  it.skipIf(missing.length > 0)(`comes from ps if there is no /proc${skipNote(missing)}`, () => {
    const own = processStart(process.pid, 'darwin');
    expect(own).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(processStart(2 ** 22 + 1, 'darwin')).toBeUndefined();
  });

  it('is not requested on a system that does not provide it', () => {
    expect(processStart(process.pid, 'win32')).toBeUndefined();
  });
});
