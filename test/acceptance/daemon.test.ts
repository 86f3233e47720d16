import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it, vi } from 'vitest';
import { watch } from '../../src/commands/watch/watch.ts';
import type { RunOptions } from '../support/program.ts';
import { PROGRAM, ndjson } from '../support/program.ts';
import {
  type World,
  type WorldOptions,
  openLoggedInWorld,
  openWorld,
} from '../support/acceptance.ts';
import { installSync, runShell } from '../support/shell.ts';
import { commandLine, isAlive, watchersIn } from '../support/processes.ts';
import { NEVER_MS } from '../support/until.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { wellnessFile } from '../support/wellness-files.ts';
import { anotherRecording, put, sha256, until } from '../watch/support.ts';

type Daemon = Record<string, unknown> & { pid: number; log: string; running: boolean };

async function openDaemonWorld(options?: WorldOptions): Promise<World & { folder: string }> {
  const world = await openLoggedInWorld(options);
  const folder = join(world.home.dir, 'Garmin');
  mkdirSync(folder);
  return { ...world, folder };
}

const uploads = ({ sandbox }: World) => sandbox.control.requests({ route: 'upload-fit' }).length;
const hashes = ({ sandbox }: World) =>
  sandbox.control
    .state()
    .athletes.flatMap(({ recordings }) => recordings.map(({ sha256: hash }) => hash))
    .sort();

async function daemonsOf(world: World, args: readonly string[] = []): Promise<Daemon[]> {
  const lines = await world.lines(['daemon', 'status', ...args]);
  return lines.filter(({ type }) => type === 'daemon') as Daemon[];
}

async function startDaemon(
  world: World,
  args: readonly string[],
  more?: Partial<RunOptions>,
  run: World['program'] = world.sync,
) {
  const { code, stdout, stderr } = await run(['watch', ...args, '--daemon', '--json'], more);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [started] = ndjson(stdout) as { pid: number; log: string; id: string }[];
  if (started === undefined) throw new Error('nothing was said');
  return started;
}

describe.skipIf(process.platform === 'win32')('sync watch --daemon', () => {
  it('keeps running after its starter has ended, and sends new recordings', async () => {
    const world = await openDaemonWorld();
    const started = await startDaemon(world, [world.folder], {}, world.program);
    expect(started).toEqual({
      type: 'daemon-started',
      id: /^[0-9a-f]{16}$/,
      pid: expect.any(Number) as number,
      folders: [world.folder],
      log: join(world.home.dir, 'state/watch', started.id, 'daemon.log'),
    });
    expect(commandLine(started.pid)).toContain(world.folder);

    const ride = anotherRecording();
    put(join(world.folder, 'ride.fit'), ride);
    await until(() => uploads(world) === 1);
    await until(() => readFileSync(started.log, 'utf8').includes('/ride.fit: uploaded ('));
    expect(hashes(world)).toEqual([sha256(ride)]);

    expect(await daemonsOf(world)).toEqual([
      {
        type: 'daemon',
        id: started.id,
        profile: 'default',
        running: true,
        kind: 'daemon',
        pid: started.pid,
        folders: [world.folder],
        log: started.log,
        startedAt: /^\d{4}-.*Z$/,
        readyAt: /^\d{4}-.*Z$/,
        health: expect.objectContaining({
          pid: started.pid,
          running: true,
          alive: true,
          folders: [{ path: world.folder, state: 'watching' }],
        }) as object,
      },
    ]);
  });

  it('sends existing recordings before it reports readiness, also from relative paths', async () => {
    const world = await openDaemonWorld({
      env: { SYNC_STATE_DIR: 'state', SYNC_CONFIG_DIR: './config' },
    });
    put(join(world.folder, 'before.fit'), anotherRecording());
    await startDaemon(world, ['Garmin'], {}, world.program);
    await until(() => uploads(world) === 1);
    put(join(world.folder, 'after.fit'), anotherRecording());
    await until(() => hashes(world).length === 2);
    // Nothing was made below /, its working directory.
    expect(existsSync('/state')).toBe(false);
    expect((await daemonsOf(world))[0]?.running).toBe(true);
  });

  it('starts with every flag of its watcher that names neither its scope nor how it runs', async () => {
    const world = await openDaemonWorld();
    const given = ['--verbose', '--new-only', '--poll', '7', '--wellness'];
    const { pid } = await startDaemon(world, [world.folder, ...given]);
    expect(commandLine(pid)).toContain(given.join(' '));
    const command = new Command();
    watch.declare?.(command);
    const own = ['--devices', '--once', '--daemon', '--dry-run', '--background'];
    const passed = command.options
      .map(({ long }) => long)
      .filter((each) => !own.includes(each ?? ''));
    expect(given).toEqual(expect.arrayContaining(passed));
  });

  it('renews its login and sends the files of a device after an update deleted its program', async () => {
    const world = await openDaemonWorld({ env: { SYNC_TIMEZONE: 'Europe/Berlin' } });
    const { home, folder, sandbox } = world;
    const installed = join(home.dir, 'installed');
    cpSync(dirname(PROGRAM), join(installed, 'dist'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(installed, 'node_modules'));
    const unplugged = join(home.dir, 'unplugged');
    put(join(unplugged, 'Activity/ride.fit'), anotherRecording());
    const restingHr = { '2026-02-14T22:00:00': 52 };
    put(join(unplugged, 'Monitor/1.fit'), wellnessFile({ restingHr }));
    const device = join(folder, 'Edge');
    const main = join(installed, 'dist', 'main.cjs');
    const args = [main, 'watch', join(device, 'Activity'), '--wellness', '--daemon'];
    expect(spawnSync(process.execPath, args, { env: home.env, stdio: 'ignore' }).status).toBe(0);
    rmSync(installed, { recursive: true });
    sandbox.control.expire();
    renameSync(unplugged, device);
    const answers = (route: 'token' | 'wellness') =>
      sandbox.control.requests({ route }).map(({ status: answer, body }) => ({ answer, body }));
    await until(() => hashes(world).length === 1 && answers('wellness').length === 1);
    expect(answers('token')).toMatchObject([{ answer: 200 }]);
    const sent = { date: '2026-02-14', restingHr: 52 };
    expect(answers('wellness')).toMatchObject([{ answer: 200, body: sent }]);
  });

  it('runs once per folder: a second start reports the first and changes nothing', async () => {
    const world = await openDaemonWorld();
    const { pid } = await startDaemon(world, [world.folder]);
    const second = await world.sync(['watch', world.folder, '--daemon', '--json']);
    expect(second.code).toBe(2);
    expect(ndjson(second.stdout)).toEqual([
      expect.objectContaining({ type: 'error', code: 'BUSY', pid, folders: [world.folder] }),
    ]);
    expect(second.stderr).toContain(`process ${String(pid)}`);
    // The same folder beside others is refused by the daemon itself, which then is gone.
    const other = join(world.home.dir, 'Other');
    mkdirSync(other);
    const overlapping = await world.sync(['watch', world.folder, other, '--daemon']);
    expect(overlapping.code).toBe(2);
    expect(overlapping.stderr).toMatch(
      new RegExp(
        `Already watched by process ${String(pid)} since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d: `,
      ),
    );
    expect(overlapping.stderr).toContain('It runs in the background: `sync daemon stop` stops it.');
    const daemons = await daemonsOf(world);
    expect(daemons.map(({ running, pid: each }) => ({ running, pid: each }))).toEqual([
      { running: true, pid },
      { running: false, pid: expect.any(Number) as number },
    ]);
    expect(isAlive(daemons[1]?.pid ?? 0)).toBe(false);
    // Another folder is another daemon.
    await startDaemon(world, [other]);
    expect((await daemonsOf(world)).filter(({ running }) => running)).toHaveLength(2);
  });

  it('identifies a folder by two names, and is found by either', async () => {
    const world = await openDaemonWorld();
    const link = join(world.home.dir, 'link');
    symlinkSync(world.folder, link);
    const started = await startDaemon(world, [world.folder, link]);
    expect(started).toMatchObject({ folders: [world.folder] });
    const { code, stdout } = await world.sync(['daemon', 'stop', link, '--json']);
    expect([code, ndjson(stdout)[0]]).toMatchObject([0, { outcome: 'stopped', pid: started.pid }]);
  });

  it('waits for a folder that does not exist yet, and suggests the closest name at once', async () => {
    const world = await openDaemonWorld();
    const typed = join(world.home.dir, 'Gramin');
    const why = `It does not exist yet. Did you mean ${world.folder}?`;
    const { code, stdout, stderr } = await world.sync(['watch', typed, '--daemon']);
    expect([code, stderr]).toEqual([0, `${typed}: ${why}\n`]);
    expect(stdout).toContain(`Waiting for ${typed} in the background`);
    const logged = await world.sync(['daemon', 'logs']);
    expect(logged.stdout).toContain(`Waiting for ${typed}. ${why}\n`);
    const status = await world.sync(['daemon', 'status']);
    expect(status.stdout).toContain(`Waiting for ${typed}: ${why}\n`);
    put(join(typed, 'ride.fit'), anotherRecording());
    await until(() => uploads(world) === 1);
  });

  it('refuses to start without a login, with exit code 4', async () => {
    const world = await openWorld();
    const { code, stdout, stderr } = await world.sync(['watch', '.', '--daemon', '--json']);
    expect(code).toBe(4);
    expect(ndjson(stdout)).toEqual([expect.objectContaining({ code: 'AUTH_REQUIRED' })]);
    expect(stderr).toContain('sync login');
    expect(await daemonsOf(world)).toEqual([]);
  });

  it('refuses to start without a keychain for its login, and with an invalid setting', async () => {
    const world = await openDaemonWorld();
    const keychain = { SYNC_TOKEN_STORE: 'keychain', DBUS_SESSION_BUS_ADDRESS: undefined };
    const missing = await world.sync(['watch', 'Garmin', '--daemon'], { env: keychain });
    expect([missing.code, missing.stderr]).toEqual([2, /No keychain/]);
    expect((await world.sync(['watch', 'Garmin', '--daemon', '--poll', 'often'])).code).toBe(2);
    const file = await world.sync(['watch', world.write('x.fit', 'x'), '--daemon']);
    expect(file).toMatchObject({ code: 2, stderr: /is a file/ });
    expect(file.stderr).toMatch(/To send it, run `sync upload .*x\.fit`\./);
    const json = await world.sync(['watch', world.write('morning.json', '{}')]);
    expect(json.stderr).toMatch(/To send it, run `sync import .*morning\.json`\./);
    expect(watchersIn(world.home.dir)).toEqual([]);
  });

  it('uses tokens from the environment and stores them nowhere', async () => {
    const world = await openWorld();
    const token = world.sandbox.control.mint().access_token;
    const folder = join(world.home.dir, 'Garmin');
    mkdirSync(folder);
    const { pid, log } = await startDaemon(world, [folder], {
      env: { SYNC_ACCESS_TOKEN: token, SYNC_CLIENT_SECRET: 'a-secret-of-the-client' },
    });
    put(join(folder, 'ride.fit'), anotherRecording());
    await until(() => uploads(world) === 1);
    await until(() => readFileSync(log, 'utf8').includes('/ride.fit: uploaded ('));
    // Seen by others without the tokens as well.
    expect((await daemonsOf(world)).map(({ running }) => running)).toEqual([true]);
    expect(commandLine(pid)).not.toContain(token);
    for (const file of readdirSync(world.home.dir, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      expect(bytes.includes(token), file.name).toBe(false);
      expect(bytes.includes('a-secret-of-the-client'), file.name).toBe(false);
    }
    expect((await world.sync(['daemon', 'stop'])).code).toBe(0);
  });

  it('reports its actions in readable text', async () => {
    const world = await openDaemonWorld();
    const { stdout, stderr } = await world.sync(['watch', world.folder, '--daemon']);
    expect(stdout).toMatch(
      /^Watching \S+Garmin in the background \(process \d+\)\.\nLog: \S+daemon\.log\nSee `sync daemon status`; `sync daemon stop` stops it\.\n$/,
    );
    expect(stderr).toBe('');
    expect((await world.sync(['daemon', 'status'])).stdout).toMatch(
      /^\S+Garmin\n {2}Running, for \d+ seconds? \(process \d+\)\.\n {2}0 recordings to send; none sent yet\.\n {2}Log: \S+\n$/,
    );
  });

  it('stops the daemon in order if its starter is interrupted during the start', async () => {
    const world = await openDaemonWorld();
    // Many files make the first sweep long enough to be interrupted.
    const bytes = makeRecording({ sizeBytes: 200_000 });
    for (let i = 0; i < 400; i++) put(join(world.folder, `${String(i)}.fit`), bytes);
    const starter = world.start(['watch', world.folder, '--daemon']);
    await until(() => watchersIn(world.home.dir).length > 0);
    starter.child.kill('SIGINT');
    const { code } = await starter.finished;
    // It may have been up before the signal came: then it is a daemon like any other.
    if (code === 0) expect((await world.sync(['daemon', 'stop'])).code).toBe(0);
    else expect(code).toBe(130);
    expect(watchersIn(world.home.dir)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('sync daemon stop', () => {
  it('ends the daemons of this profile only, after logs named each', async () => {
    const world = await openDaemonWorld();
    const [other, third] = [join(world.home.dir, 'Other'), join(world.home.dir, 'Third')];
    for (const folder of [other, third]) mkdirSync(folder);
    const first = await startDaemon(world, [world.folder]);
    const second = await startDaemon(world, [other]);
    const input = JSON.stringify(world.sandbox.control.mint());
    await world.sync(['login', '--with-token', '--profile', 'ann'], { input });
    const anns = await startDaemon(world, [third, '--profile', 'ann']);

    const { stdout } = await world.sync(['daemon', 'logs']);
    expect(stdout.match(/^==> .*$/gm)).toEqual([`==> ${world.folder}`, `==> ${other}`]);
    const one = await world.sync(['daemon', 'logs', other]);
    expect(one.stdout).toContain(`Watching ${other}`);
    expect(one.stdout).not.toContain(`Watching ${world.folder}`);
    expect(await world.lines(['daemon', 'stop', other])).toEqual([
      {
        type: 'daemon-stop',
        id: second.id,
        profile: 'default',
        folders: [other],
        outcome: 'stopped',
        pid: second.pid,
        tookMs: expect.any(Number) as number,
      },
      { type: 'summary', total: 1, stopped: 1 },
    ]);
    expect((await world.sync(['daemon', 'stop'])).stdout).toBe(
      `Stopped process ${String(first.pid)}, which watched ${world.folder}.\n`,
    );
    expect([first, second].filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(commandLine(anns.pid)).toContain('ann');
    expect((await daemonsOf(world)).map(({ running, ended }) => ({ running, ended }))).toEqual([
      { running: false, ended: { at: expect.any(String) as string, exitCode: 0 } },
      { running: false, ended: { at: expect.any(String) as string, exitCode: 0 } },
    ]);
    expect((await daemonsOf(world, ['--profile', 'ann']))[0]?.running).toBe(true);

    const again = await world.sync(['daemon', 'stop']);
    expect([again.code, again.stdout]).toEqual([0, 'No background watcher is running.\n']);
    expect((await world.sync(['daemon', 'stop', '/nowhere'])).code).toBe(2);
    expect((await world.sync(['daemon', 'stop', '--profile', 'ann'])).code).toBe(0);
  });

  it('ends the daemons of every profile with --all-profiles, after status and logs showed them', async () => {
    const world = await openDaemonWorld();
    const annsFolder = join(world.home.dir, 'Ann');
    mkdirSync(annsFolder);
    const input = JSON.stringify(world.sandbox.control.mint({ athlete: 'athlete-2' }));
    await world.sync(['login', '--with-token', '--profile', 'ann'], { input });
    const { pid } = await startDaemon(world, [world.folder]);
    const anns = await startDaemon(world, [annsFolder, '--profile', 'ann']);

    const all = await daemonsOf(world, ['--all-profiles']);
    expect(all.map(({ profile, pid: each, running }) => [profile, each, running])).toEqual([
      ['ann', anns.pid, true],
      ['default', pid, true],
    ]);
    const status = await world.sync(['daemon', 'status', '--all-profiles']);
    expect(status.stdout).toContain(`${annsFolder} (profile "ann")\n  Running, `);
    const logs = await world.sync(['daemon', 'logs', '--all-profiles']);
    expect(logs.stdout.match(/^==> .*$/gm)).toEqual([
      `==> ${world.folder}`,
      `==> ${annsFolder} (profile "ann")`,
    ]);
    // The recordings of one folder would go to two athletes.
    const shared = await world.sync(['watch', world.folder, '--daemon', '--profile', 'ann']);
    expect([shared.code, shared.stderr]).toEqual([
      0,
      `Profile "default" watches ${world.folder}, too: new recordings go to both athletes.\n`,
    ]);

    const one = await world.sync(['daemon', 'stop', annsFolder, '--all-profiles', '--json']);
    expect(ndjson(one.stdout)).toMatchObject([
      { outcome: 'stopped', profile: 'ann', pid: anns.pid },
      { type: 'summary', total: 1 },
    ]);
    const rest = await world.sync(['daemon', 'stop', '--all-profiles', '--json']);
    expect(ndjson(rest.stdout)).toMatchObject([
      { outcome: 'stopped', profile: 'default', pid },
      { outcome: 'stopped', profile: 'ann' },
      { type: 'summary', total: 2, stopped: 2 },
    ]);
  });

  it('shows and ends a daemon whose state folder was deleted', async () => {
    const world = await openDaemonWorld();
    const { pid } = await startDaemon(world, [world.folder]);
    rmSync(join(world.home.dir, 'state'), { recursive: true });
    const status = async () => (await world.sync(['daemon', 'status'])).stdout;
    await vi.waitUntil(async () => (await status()).includes(`process ${String(pid)}`), NEVER_MS);
    const stopped = await world.lines(['daemon', 'stop']);
    expect(stopped).toMatchObject([{ outcome: 'stopped', pid }, { stopped: 1 }]);
    await vi.waitUntil(() => !isAlive(pid), NEVER_MS);
  });

  it('reports a daemon that was killed, and another one can start', async () => {
    const world = await openDaemonWorld();
    process.kill((await startDaemon(world, [world.folder])).pid, 'SIGKILL');
    // The system frees its lock a moment after it left the list of processes.
    const status = async () => (await world.sync(['daemon', 'status'])).stdout;
    await vi.waitUntil(
      async () => (await status()).includes('Not running: it was killed'),
      NEVER_MS,
    );
    expect((await world.sync(['daemon', 'stop'])).stdout).toBe(
      'No background watcher is running.\n',
    );
    await startDaemon(world, [world.folder]);
  });
});

describe.skipIf(process.platform === 'win32')('sync daemon logs', () => {
  it.runIf(process.platform === 'linux')(
    'says of a stopped daemon that it sends nothing, and what continues it',
    async () => {
      const world = await openDaemonWorld();
      const { pid } = await startDaemon(world, [world.folder]);
      process.kill(pid, 'SIGSTOP');
      const isStopped = () => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
      await until(isStopped);
      const shown = await world.sync(['daemon', 'status']);
      expect([shown.code, shown.stdout]).toEqual([5, expect.stringContaining(`kill -CONT ${pid}`)]);
      expect((await world.sync(['status'])).stdout).toContain(`Its process ${pid} is stopped`);
      expect((await world.sync(['doctor'])).stdout).toContain('sends nothing');
      process.kill(pid, 'SIGCONT');
      await until(() => !isStopped());
      expect((await world.sync(['daemon', 'status'])).code).toBe(0);
    },
  );

  it('prints the last lines, and follows across restarts and log rotation', async () => {
    const world = await openDaemonWorld();
    const { log } = await startDaemon(world, [world.folder]);
    put(join(world.folder, 'one.fit'), anotherRecording());
    await until(() => readFileSync(log, 'utf8').includes('/one.fit: uploaded ('));
    expect((await world.sync(['daemon', 'logs', '-n', '1'])).stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}.*\/one\.fit: uploaded \(.*\)\n$/,
    );
    const asked = await world.sync(['daemon', 'logs', '--json', '-n', '2']);
    expect(ndjson(asked.stdout).map(({ type, line }) => [type, typeof line])).toEqual([
      ['log', 'string'],
      ['log', 'string'],
      ['summary', 'undefined'],
    ]);

    const following = world.start(['daemon', 'logs', '-f', '-n', '1']);
    // From here on it follows: it prints new lines and repeats no earlier ones.
    await following.waitFor(/\/one\.fit: uploaded/);
    put(join(world.folder, 'two.fit'), anotherRecording());
    await following.waitFor(/\/two\.fit: uploaded/);
    await world.sync(['daemon', 'stop']);
    await following.waitFor(/Stopped: 2 uploaded\./);
    // As the daemon itself does when the log has grown: the old one gets another name.
    appendFileSync(log, `${'x'.repeat(5_000_000)}\n`);
    await startDaemon(world, [world.folder]);
    put(join(world.folder, 'three.fit'), anotherRecording());
    await following.waitFor(/\/three\.fit: uploaded/);
    expect(existsSync(`${log}.1`)).toBe(true);
    following.child.kill('SIGINT');
    const { code, stdout } = await following.finished;
    expect(code).toBe(0);
    expect(stdout.match(/\/one\.fit: uploaded/g)).toHaveLength(1);
    expect(stdout.match(/\/two\.fit: uploaded/g)).toHaveLength(1);
    expect(stdout.match(/\/three\.fit: uploaded/g)).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')('ends when its reader goes away', async () => {
    const world = await openDaemonWorld();
    const { log } = await startDaemon(world, [world.folder]);
    const reader = runShell('sync daemon logs -f | head -1; echo "${PIPESTATUS[0]}"', {
      home: world.home,
      path: [installSync(world.home)],
    });
    let ended = false;
    void reader.then(() => (ended = true));
    // A reader that is gone shows when there is something to say.
    await until(() => {
      appendFileSync(log, 'another line\n');
      return ended;
    });
    expect(await reader).toMatchObject({ stdout: /.\n0\n$/, stderr: '' });
  });

  it('shows nothing if there never was a daemon', async () => {
    const world = await openWorld();
    const { code, stderr } = await world.sync(['daemon', 'logs']);
    expect(code).toBe(2);
    expect(stderr).toContain('sync watch DIR --daemon');
    expect(stderr).toContain('sync watch --devices --daemon');
  });
});

describe.skipIf(process.platform === 'win32')('a watcher that a service manager started', () => {
  it('exits with 2 if another process watches; under launchd, which would restart it, with 0', async () => {
    const world = await openDaemonWorld();
    const { pid } = await startDaemon(world, [world.folder]);
    const codes = ['systemd', 'launchd'].map(async (kind) => {
      const { code, stderr } = await world.program(['watch', world.folder, '--background', kind]);
      expect(stderr).toContain(`Already watched by process ${String(pid)}`);
      return code;
    });
    expect(await Promise.all(codes)).toEqual([2, 0]);
    const unknown = await world.program(['watch', world.folder, '--background', 'cron']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('not one of daemon, systemd, launchd, windows-task');
  });

  it('prints the same lines to the journal as to its log, and its manager knows it', async () => {
    const world = await openDaemonWorld();
    const service = world.start(['watch', world.folder, '--background', 'systemd']);
    await service.waitFor(/Ready: nothing to send/);
    const [daemon] = await daemonsOf(world);
    expect([daemon?.['kind'], daemon?.pid]).toEqual(['systemd', service.child.pid]);
    expect(readFileSync(daemon?.log ?? '', 'utf8')).toContain('Ready: nothing to send');
    expect((await world.sync(['daemon', 'stop'])).code).toBe(0);
    expect((await service.finished).code).toBe(0);
  });

  it('is a daemon if the Task Scheduler starts it', async () => {
    const world = await openDaemonWorld();
    const args = ['watch', world.folder, '--background', 'windows-task', '--daemon', '--json'];
    const { code, stdout } = await world.program(args);
    expect(code).toBe(0);
    const [daemon] = await daemonsOf(world);
    expect([daemon?.['kind'], daemon?.pid]).toEqual(['windows-task', ndjson(stdout)[0]?.['pid']]);
  });

  it('records why it ended if its log cannot be opened', async () => {
    const world = await openDaemonWorld();
    const { log } = await startDaemon(world, [world.folder]);
    await world.sync(['daemon', 'stop']);
    rmSync(log);
    mkdirSync(log);
    const start = await world.sync(['watch', world.folder, '--daemon']);
    expect([start.code, start.stderr]).toEqual([1, expect.stringContaining(log)]);
    const state: unknown = JSON.parse(readFileSync(join(log, '..', 'watcher.json'), 'utf8'));
    expect(state).toMatchObject({ ended: { exitCode: 1 } });
  });

  it('shows the output of the runtime after a crash, and then keeps it in the log', async () => {
    const world = await openDaemonWorld();
    const { log, pid } = await startDaemon(world, [world.folder]);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    const crash = join(log, '..', 'crash.log');
    writeFileSync(crash, 'FATAL ERROR: heap out of memory\n  at native frame\n');
    expect((await world.sync(['daemon', 'logs'])).stdout).toMatch(
      /FATAL ERROR: heap out of memory\n {2}at native frame\n$/,
    );
    await startDaemon(world, [world.folder]);
    expect(readFileSync(crash, 'utf8')).toBe('');
    expect(readFileSync(log, 'utf8')).toMatch(
      /^[\d -]+[\d:]+ {2}Output of the runtime before this start:\n {4}FATAL ERROR: heap out of memory\n/m,
    );
  });
});

describe('sync daemon install', () => {
  it('refuses to create a service without a stored login', async () => {
    const world = await openWorld();
    // A systemctl that must not be asked.
    const asked = join(world.home.dir, 'asked');
    chmodSync(world.write('bin/systemctl', `#!/bin/sh\ntouch '${asked}'\n`), 0o755);
    const env = { PATH: `${join(world.home.dir, 'bin')}:${process.env['PATH'] ?? ''}` };
    const token = world.sandbox.control.mint().access_token;
    const install = async (more: NodeJS.ProcessEnv) =>
      await world.sync(['daemon', 'install', 'Garmin', '--json'], { env: { ...env, ...more } });
    const shell = await install({ SYNC_ACCESS_TOKEN: token });
    const message = /tokens are not written into its description/;
    expect([shell.code, ndjson(shell.stdout)]).toMatchObject([
      4,
      [{ code: 'AUTH_REQUIRED', message }],
    ]);
    expect(shell.stdout + shell.stderr).not.toContain(token);
    expect((await install({})).code).toBe(4);
    expect(existsSync(asked)).toBe(false);
    expect(existsSync(join(world.home.dir, '.config'))).toBe(false);
  });

  it.skipIf(process.platform !== 'linux')('keeps a daemon running without systemd', async () => {
    const world = await openDaemonWorld();
    const { pid } = await startDaemon(world, [world.folder]);
    const tool = world.write('bin/systemctl', '#!/bin/sh\necho No medium found >&2; exit 1\n');
    chmodSync(tool, 0o755);
    const env = { PATH: `${join(world.home.dir, 'bin')}:${process.env['PATH'] ?? ''}` };
    const { code, stderr } = await world.sync(['daemon', 'install', world.folder], { env });
    expect([code, stderr]).toEqual([2, /No medium found/]);
    expect(await world.lines(['daemon', 'status'])).toMatchObject([
      { running: true, pid },
      { type: 'summary', running: 1, service: false },
    ]);
  });

  it.skipIf(process.platform !== 'linux')(
    'restarts the previous daemon unchanged if systemd rejects the service',
    async () => {
      const world = await openDaemonWorld();
      const args = ['watch', world.folder, '--daemon', '--poll', '77', '--json'];
      const [started] = ndjson((await world.sync(args)).stdout);
      const refuse = '#!/bin/sh\ncase "$*" in *restart*) echo Refused >&2; exit 1;; esac\n';
      chmodSync(world.write('bin/systemctl', refuse), 0o755);
      const env = { PATH: `${join(world.home.dir, 'bin')}:${process.env['PATH'] ?? ''}` };
      const { code, stderr } = await world.sync(['daemon', 'install', world.folder], { env });
      expect([code, stderr]).toEqual([1, /Refused/]);
      const [daemon] = await world.lines(['daemon', 'status']);
      expect(daemon).toMatchObject({ running: true, kind: 'daemon', folders: [world.folder] });
      expect(daemon?.['pid']).not.toBe(started?.['pid']);
      expect(commandLine(Number(daemon?.['pid']))).toContain('--poll 77');
      expect(existsSync(join(world.home.dir, '.config/systemd/user/athlete-sync.service'))).toBe(
        false,
      );
    },
  );

  it('has nothing to remove without a service', async () => {
    const world = await openWorld();
    const { code, stdout } = await world.sync(['daemon', 'uninstall']);
    expect([code, stdout]).toEqual([0, 'No service is installed for this profile.\n']);
  });
});
