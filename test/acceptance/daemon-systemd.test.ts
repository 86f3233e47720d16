import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROGRAM, ndjson } from '../support/program.ts';
import { openSandbox } from '../support/acceptance.ts';
import { whyNoKeychain } from '../support/keychain.ts';
import { anotherRecording, put, sha256, until } from '../watch/support.ts';
import { startUserManager, whyNoUserManager } from '../daemon/os-service/user-manager.ts';

const why = whyNoUserManager();
const skipped = why === undefined ? '' : ` (skipped: ${why})`;
const withoutKeychain = whyNoKeychain();

/** As a shell reads it. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Everything that systemd, a shell, or printf could take for its own. */
const ODD = `ri des "q" 'x' %n %% $HOME \${x} \\n\t\u0085 ü\\`;

/** Polls until a query returns the expected text. */
async function becomes(ask: () => Promise<string>, wanted: string): Promise<void> {
  let now = await ask();
  for (let tries = 0; now !== wanted && tries < 400; tries++) {
    await sleep(50);
    now = await ask();
  }
  expect(now).toBe(wanted);
}

async function openUser(store: 'file' | 'keychain') {
  const sandbox = await openSandbox();
  const user = await startUserManager('home %h $x', {
    SYNC_BASE_URL: sandbox.url,
    SYNC_CLIENT_ID: sandbox.clientId,
    SYNC_TOKEN_STORE: store,
    SYNC_CLIENT_SECRET: 'a-secret-of-the-client',
  });
  onTestFinished(() => user.close());
  const sync = async (...args: string[]) =>
    await user.run([process.execPath, PROGRAM, ...args].map(quoted).join(' '));
  const login = async () => {
    const token = quoted(JSON.stringify(sandbox.control.mint()));
    const { code, output } = await user.run(
      `printf %s ${token} | ${[process.execPath, PROGRAM, 'login', '--with-token'].map(quoted).join(' ')}`,
    );
    if (code !== 0) throw new Error(output);
  };
  const folder = join(user.home, ODD);
  mkdirSync(folder);
  const hashes = () =>
    sandbox.control
      .state()
      .athletes.flatMap(({ recordings }) => recordings.map(({ sha256: hash }) => hash));
  /** A property of the unit, as systemd has it. */
  const property = async (name: string) =>
    (await user.run(`systemctl --user show --property=${name} --value athlete-sync`)).output.trim();
  return { sandbox, user, sync, login, folder, hashes, property };
}

describe.skipIf(why !== undefined)(`as a service of a real systemd${skipped}`, () => {
  it('watches under all hardening options in a folder of any name, and is restarted', async () => {
    const { user, sync, login, folder, hashes, property } = await openUser('file');
    await login();
    const installed = await sync('daemon', 'install', folder, '--json');
    expect(installed.code, installed.output).toBe(0);
    const unitFile = join(user.home, '.config/systemd/user/athlete-sync.service');
    const [report] = ndjson(
      installed.output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n'),
    );
    expect(report).toMatchObject({
      type: 'service',
      kind: 'systemd',
      installed: true,
      watching: true,
      name: 'athlete-sync.service',
      file: unitFile,
      folders: [folder],
      remarks: expect.arrayContaining([
        expect.stringContaining('SYNC_CLIENT_SECRET stays here'),
        expect.stringContaining('loginctl enable-linger'),
      ]) as string[],
    });
    expect(readFileSync(unitFile, 'utf8')).not.toContain('a-secret-of-the-client');

    // systemd parses the paths back unchanged: the daemon sends files from these folders.
    const ride = anotherRecording();
    put(join(folder, 'ride.fit'), ride);
    await until(() => hashes().length === 1);
    expect(hashes()).toEqual([sha256(ride)]);

    expect(await property('UnitFileState')).toBe('enabled');
    expect(await property('Type')).toBe('notify');
    expect(await property('WatchdogUSec')).toBe('5min');
    expect(Number(await property('WatchdogTimestampMonotonic'))).toBeGreaterThan(0);
    const pid = await property('MainPID');
    const { output: facts } = await user.run(
      `grep -E '^(NoNewPrivs|Seccomp|Umask|CapEff):' /proc/${pid}/status; tr '\\0' '\\n' < /proc/${pid}/cmdline`,
    );
    expect(facts).toMatch(/^Umask:\s+0077$/m);
    expect(facts).toMatch(/^CapEff:\s+0000000000000000$/m);
    expect(facts).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(facts).toMatch(/^Seccomp:\s+2$/m);
    expect(facts.split('\n')).toContain(folder);

    const status = await sync('daemon', 'status');
    expect(status.output).toContain(`(process ${pid}, kept running by systemd)`);
    expect(status.output).toContain('Installed as a service of systemd: athlete-sync.service');
    expect((await sync('daemon', 'logs')).output).toContain('/ride.fit: uploaded (');

    // systemd restarts the service after a crash, but not after a normal end.
    await user.run(`kill -9 ${pid}`);
    await becomes(() => property('SubState'), 'auto-restart');
    // Stopped while it waits to be started again: it stays away.
    expect((await sync('daemon', 'stop')).code).toBe(0);
    expect(await property('ActiveState')).not.toBe('activating');
    await user.run('systemctl --user restart athlete-sync');
    // The unit is active before its process runs: a service stopped then records nothing.
    const isWatching = async () =>
      String(/Running, for/.test((await sync('daemon', 'status')).output));
    await becomes(isWatching, 'true');
    expect(await property('ActiveState')).toBe('active');
    const stopped = await sync('daemon', 'stop');
    expect(stopped.code, stopped.output).toBe(0);
    await becomes(() => property('ActiveState'), 'inactive');
    expect(await property('Result')).toBe('success');

    const removed = await sync('daemon', 'uninstall');
    expect(removed.code, removed.output).toBe(0);
    const { output: left } = await user.run(
      'find .config/systemd -type f -o -type l; systemctl --user show --property=LoadState --value athlete-sync',
    );
    expect(left.trim()).toBe('not-found');
    expect((await sync('daemon', 'status')).output).toContain('Not running: stopped');
  });

  it('is restarted if its loop hangs', async () => {
    const { user, sync, login, folder, hashes, property } = await openUser('file');
    await login();
    // The unit's own times are minutes.
    await user.run(`dir=.config/systemd/user/athlete-sync.service.d; mkdir -p $dir
      printf '%s\\n' '[Service]' WatchdogSec=8 TimeoutStopSec=1 RestartSec=0 > $dir/times.conf`);
    const installed = await sync('daemon', 'install', folder);
    expect(installed.code, installed.output).toBe(0);
    const pid = await property('MainPID');
    await user.run(`kill -STOP ${pid}`);
    const ride = anotherRecording();
    put(join(folder, 'ride.fit'), ride);
    // A notification a minute is too rare for these times: systemd restarts it repeatedly.
    await becomes(async () => String(Number(await property('NRestarts')) > 0), 'true');
    await becomes(() => Promise.resolve(String(hashes().length)), '1');
    expect(await property('MainPID')).not.toBe(pid);
    expect((await sync('daemon', 'uninstall')).code).toBe(0);
  });

  it('is not restarted repeatedly if another watcher runs, and replaces a daemon', async () => {
    const { user, sync, login, folder, property } = await openUser('file');
    await login();
    const daemon = await sync('watch', folder, '--daemon', '--json');
    const [{ pid } = { pid: 0 }] = ndjson(daemon.output) as { pid: number }[];
    const installed = await sync('daemon', 'install', folder);
    expect(installed.code, installed.output).toBe(0);
    expect(installed.output).toContain('It is watching');
    expect((await user.run(`kill -0 ${String(pid)}`)).code).not.toBe(0);

    // Another watcher comes between: the service ends with 2, and stays away.
    await user.run('systemctl --user stop athlete-sync');
    await sync('watch', folder, '--daemon');
    await user.run('systemctl --user start athlete-sync');
    await becomes(() => property('SubState'), 'failed');
    expect(await property('ExecMainStatus')).toBe('2');
    expect(await property('NRestarts')).toBe('0');
    const again = await sync('daemon', 'install', folder);
    expect(again.code, again.output).toBe(0);
    expect(await property('ActiveState')).toBe('active');
    expect((await sync('daemon', 'uninstall')).code).toBe(0);
  });

  it.skipIf(withoutKeychain !== undefined)(
    `reaches the keychain through the session bus${withoutKeychain === undefined ? '' : ` (skipped: ${withoutKeychain})`}`,
    async () => {
      const { user, sync, login, folder, hashes } = await openUser('keychain');
      await user.run(
        'printf pw | gnome-keyring-daemon --unlock --components=secrets > /dev/null; ' +
          'gdbus wait --session --timeout 20 org.freedesktop.secrets',
      );
      await login();
      const installed = await sync('daemon', 'install', folder);
      expect(installed.code, installed.output).toBe(0);
      put(join(folder, 'ride.fit'), anotherRecording());
      await until(() => hashes().length === 1).catch(async (error: unknown) => {
        const { output } = await sync('status');
        throw new Error(output, { cause: error });
      });
      expect((await sync('daemon', 'uninstall')).code).toBe(0);
    },
  );

  it('is not created from a login that exists only in the shell', async () => {
    const { sandbox, user, folder } = await openUser('file');
    const token = sandbox.control.mint().access_token;
    const install = [process.execPath, PROGRAM, 'daemon', 'install', folder].map(quoted).join(' ');
    const { code, output } = await user.run(`SYNC_ACCESS_TOKEN=${token} ${install}`);
    expect(code).toBe(4);
    expect(output).toContain('The login is only in this shell');
    expect(output).not.toContain(token);
    const without = await user.run(install);
    expect(without.code).toBe(4);
    expect(without.output).toContain('Not logged in');
    expect((await user.run('ls -A .config 2> /dev/null')).output.trim()).toBe('');
  });
});
