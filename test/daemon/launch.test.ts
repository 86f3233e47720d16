import { existsSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SyncError } from '../../src/base/errors.ts';
import { renderText } from '../../src/base/phrase.ts';
import { type StartMessage, failedToStart, launchDaemon } from '../../src/daemon/launch.ts';
import { until } from '../watch/support.ts';
import { isAlive } from '../support/processes.ts';
import { scratchDir, scratchPaths } from './support.ts';

const SECRET = 'token-in-the-environment';

/** Starts a child that runs `script`; it knows its own pid's file as `process.argv[1]`. */
function launch(
  script: string,
  { paths = scratchPaths(), limitMs = 60_000, signal = new AbortController().signal } = {},
) {
  const pidFile = join(scratchDir(), 'pid');
  const preamble = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  const launched = launchDaemon(
    {
      paths,
      command: [process.execPath, '-e', `${preamble} ${script}`],
      env: { PATH: process.env['PATH'], SYNC_ACCESS_TOKEN: SECRET },
      cwd: '/',
      limitMs,
    },
    signal,
  );
  const pid = () => Number(readFileSync(pidFile, 'utf8'));
  onTestFinished(() => {
    if (existsSync(pidFile) && isAlive(pid())) process.kill(pid(), 'SIGKILL');
  });
  return { launched, paths, pid, hasStarted: () => existsSync(pidFile) };
}

const LIVE = 'setInterval(() => {}, 60000);';
const tell = (message: StartMessage) => `process.send(${JSON.stringify(message)});`;
const WATCHING = `process.send({ state: 'watching', pid: process.pid });`;

describe('starting a daemon', () => {
  it('resolves when the daemon reports that it watches, and leaves it running', async () => {
    const { launched, paths, pid } = launch(
      `${LIVE} console.error('to the crash file'); setTimeout(() => {
        ${WATCHING}
        process.on('disconnect', () => console.error('alone now'));
      }, 300);`,
    );
    expect(await launched).toBe(pid());
    await until(() => readFileSync(paths.crashFile, 'utf8').includes('alone now'));
    expect(isAlive(pid())).toBe(true);
    expect(readFileSync(paths.crashFile, 'utf8')).toBe('to the crash file\nalone now\n');
    expect(statSync(paths.crashFile).mode & 0o777).toBe(0o600);
    expect(statSync(paths.dir).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform !== 'linux')(
    'gives the daemon a separate session, no terminal, its own folder, and only the environment',
    async () => {
      const { launched, pid } = launch(`${LIVE} ${WATCHING}`);
      await launched;
      const proc = `/proc/${String(pid())}`;
      // proc(5): state, parent, process group, session, terminal.
      const [, , group, session, terminal] =
        readFileSync(`${proc}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
      expect([group, session, terminal]).toEqual([String(pid()), String(pid()), '0']);
      expect(readlinkSync(`${proc}/cwd`)).toBe('/');
      expect(readlinkSync(`${proc}/fd/0`)).toBe('/dev/null');
      // Tokens reach it through its environment, which only its user can read.
      expect(readFileSync(`${proc}/environ`, 'utf8')).toContain(SECRET);
      expect(readFileSync(`${proc}/cmdline`, 'utf8')).not.toContain(SECRET);
    },
  );

  it("fails with the code, the hint and the details of the daemon's failure", async () => {
    const error = new SyncError('AUTH_EXPIRED', 'The login is over.', {
      hint: 'Run `sync login`.',
      details: { profile: 'default' },
    });
    const { launched, pid } = launch(`${tell(failedToStart(error))} process.exitCode = 4;`);
    await expect(launched).rejects.toMatchObject({
      name: 'SyncError',
      code: 'AUTH_EXPIRED',
      message: 'The login is over.',
      hint: 'Run `sync login`.',
      details: { profile: 'default' },
    });
    expect(isAlive(pid())).toBe(false);
  });

  it('receives the last message of a daemon that ends at the same moment', async () => {
    for (let i = 0; i < 4; i++) {
      const { launched } = launch(
        `process.send(${JSON.stringify(failedToStart(new SyncError('BUSY', 'Taken.')))}, () => process.exit(2));`,
      );
      await expect(launched).rejects.toMatchObject({ code: 'BUSY' });
    }
  });

  it('ends a failed daemon that does not exit', async () => {
    const { launched, pid } = launch(
      `${LIVE} ${tell(failedToStart(new SyncError('INTERNAL', 'boom')))}`,
    );
    await expect(launched).rejects.toThrow('boom');
    expect(isAlive(pid())).toBe(false);
  });

  it('shows the output of the runtime if the daemon dies without a message', async () => {
    const { launched } = launch(`throw new Error('fell over');`);
    const failure = await launched.then(undefined, (error: unknown) => error as SyncError);
    expect(failure).toMatchObject({
      code: 'STORAGE',
      message: 'The background watcher ended before it was up (exit code 1).',
    });
    expect(renderText((failure as SyncError).hint ?? '', undefined)).toMatch(
      /fell over[^]*\nIts log: /,
    );
    const killed = launch(`process.kill(process.pid, 'SIGKILL'); ${LIVE}`);
    await expect(killed.launched).rejects.toThrow('SIGKILL');
  });

  it('fails if the program does not exist', async () => {
    const paths = scratchPaths();
    const options = { paths, env: {}, cwd: '/', limitMs: 60_000 };
    await expect(
      launchDaemon({ ...options, command: ['/nowhere/node'] }, new AbortController().signal),
    ).rejects.toThrow(/ENOENT/);
  });

  it('stops a daemon that is not ready in time, and leaves nothing behind', async () => {
    const { launched, pid, hasStarted } = launch(LIVE, { limitMs: 1_500 });
    await expect(launched).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The background watcher was not up after 2 s, and was stopped.',
    });
    if (hasStarted()) expect(isAlive(pid())).toBe(false);
  });

  it('stops the daemon if the starter is interrupted, also a daemon that ignores signals', async () => {
    const interruption = new AbortController();
    const { launched, pid, hasStarted } = launch(`process.on('SIGTERM', () => {}); ${LIVE}`, {
      signal: interruption.signal,
    });
    await until(hasStarted);
    interruption.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
    await expect(launched).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(isAlive(pid())).toBe(false);
  });

  it('starts no daemon if it is interrupted before', async () => {
    const { launched, hasStarted } = launch(LIVE, { signal: AbortSignal.abort(new Error('no')) });
    await expect(launched).rejects.toThrow('no');
    expect(hasStarted()).toBe(false);
  });

  it('keeps the text that an earlier daemon left in the crash file', async () => {
    const paths = scratchPaths();
    await launch(`console.error('first'); throw 1`, { paths }).launched.catch(() => undefined);
    await launch(`${LIVE} console.error('second'); ${WATCHING}`, { paths }).launched;
    await until(() => readFileSync(paths.crashFile, 'utf8').includes('second'));
    expect(readFileSync(paths.crashFile, 'utf8')).toMatch(/^first[^]*second/);
  });
});
