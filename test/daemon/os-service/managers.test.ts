import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SyncError } from '../../../src/base/errors.ts';
import { renderText } from '../../../src/base/phrase.ts';
import { launchdPlist } from '../../../src/daemon/os-service/launchd.ts';
import type { ManagerOptions } from '../../../src/daemon/os-service/definition.ts';
import {
  type ServiceManager,
  serviceManager,
  serviceSlug,
} from '../../../src/daemon/os-service/manager.ts';
import type { Ran } from '../../../src/daemon/os-service/runner.ts';
import { commandText, systemRunner } from '../../../src/daemon/os-service/runner.ts';
import { inSystemFolder } from '../../../src/system/executables.ts';
import { systemdUnit } from '../../../src/daemon/os-service/systemd.ts';
import { scratchDir } from '../support.ts';
import { testContext } from '../../support/context.ts';
import { definitionOf } from './support.ts';

/** What the system is made to answer, by the words of the command; else that all went well. */
type Answers = (command: string, nth: number) => Partial<Ran> | undefined;

/** Makes a service manager for a fake system that only records its commands. */
function managerOn(
  platform: NodeJS.Platform,
  options: { profile?: string; answers?: Answers; homeDir?: string } = {},
) {
  const { profile = 'default', answers, homeDir = scratchDir() } = options;
  const commands: string[] = [];
  let now = 0;
  const sleep = (ms: number) => Promise.resolve(void (now += ms));
  const context = testContext({ clock: { now: () => now, monotonic: () => now, sleep } });
  const settings: ManagerOptions = {
    ...context,
    platform,
    env: { USERDOMAIN: 'PC', USERNAME: 'ann' },
    homeDir,
    stateDir: join(homeDir, 'state'),
    uid: 501,
    run: (program, args) => {
      const command = [program, ...args].join(' ').replaceAll(homeDir, '~');
      commands.push(command);
      const nth = commands.filter((each) => each === command).length;
      return Promise.resolve({ code: 0, stdout: '', stderr: '', ...answers?.(command, nth) });
    },
  };
  const manager = serviceManager(profile, settings);
  return { manager, commands, homeDir, slept: () => now };
}

/** Answers the commands with a word in them. */
const to =
  (word: string, answer: Partial<Ran>): Answers =>
  (command) =>
    command.includes(word) ? answer : undefined;

const DEFINITION = definitionOf(['/rides']);
const shown = (manager: ServiceManager, homeDir: string) => ({
  kind: manager.kind,
  name: manager.name,
  file: manager.file.replace(homeDir, '~'),
});

describe('the service manager for systemd', () => {
  it('installs the unit, starts it now, and enables it for every login', async () => {
    const { manager, commands, homeDir } = managerOn('linux');
    expect(shown(manager, homeDir)).toEqual({
      kind: 'systemd',
      name: 'athlete-sync.service',
      file: '~/.config/systemd/user/athlete-sync.service',
    });
    expect(manager.installed()).toBe(false);
    const remarks = await manager.install(DEFINITION);
    expect(commands).toEqual([
      'systemctl --user --no-pager show --property=Version',
      'systemd-notify --version',
      'systemctl --user --no-pager daemon-reload',
      'systemctl --user --no-pager enable athlete-sync.service',
      'systemctl --user --no-pager restart athlete-sync.service',
      'loginctl show-user 501 --property=Linger --value',
    ]);
    expect(readFileSync(manager.file, 'utf8')).toBe(systemdUnit(DEFINITION));
    expect(manager.installed()).toBe(true);
    expect(remarks).toEqual([expect.stringContaining('loginctl enable-linger')]);
  });

  it('installs a unit without a watchdog if systemd-notify is missing', async () => {
    const { manager } = managerOn('linux', { answers: to('notify', { code: 'missing' }) });
    await manager.install(DEFINITION);
    const unit = readFileSync(manager.file, 'utf8');
    expect(unit).toContain('Type=exec\n');
    expect(unit).not.toMatch(/notify|Watchdog/i);
  });

  it('does not suggest lingering if it is enabled', async () => {
    const { manager } = managerOn('linux', { answers: to('loginctl', { stdout: 'yes\n' }) });
    expect(await manager.install(DEFINITION)).toEqual([]);
  });

  it('removes the unit, and finds none the second time', async () => {
    const { manager, commands } = managerOn('linux', { profile: 'Ann' });
    expect(manager.name).toBe('athlete-sync-Ann.service');
    await manager.install(DEFINITION);
    commands.length = 0;
    expect(await manager.uninstall()).toBe(true);
    expect(commands).toEqual([
      'systemctl --user --no-pager show --property=Version',
      'systemctl --user --no-pager disable --now athlete-sync-Ann.service',
      'systemctl --user --no-pager daemon-reload',
    ]);
    expect(existsSync(manager.file)).toBe(false);
    commands.length = 0;
    expect(await manager.uninstall()).toBe(false);
    expect(commands).toEqual([]);
  });

  it.each<[string, Answers]>([
    ['is missing', () => ({ code: 'missing' })],
    ['refuses', (command) => (command.includes(' show ') ? {} : { code: 1 })],
  ])('names a command without a folder if systemd %s', async (_what, answers) => {
    const { manager } = managerOn('linux', { answers });
    const error = await manager.install(DEFINITION).catch((thrown: unknown) => thrown);
    const hint = renderText((error as SyncError).hint ?? '', undefined);
    expect(hint).toContain('`sync watch --daemon` with the same arguments');
  });

  it('reports a missing systemd before it writes anything', async () => {
    const missing = managerOn('linux', { answers: () => ({ code: 'missing' }) });
    await expect(missing.manager.install(DEFINITION)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('systemctl is not installed') as string,
      hint: expect.toSatisfy((hint) => String(hint).includes('--daemon')) as string,
    });
    const bus = 'Failed to connect to bus: No medium found';
    const busless = managerOn('linux', { answers: () => ({ code: 1, stderr: `${bus}\n` }) });
    await expect(busless.manager.install(DEFINITION)).rejects.toThrow(bus);
    for (const { manager, commands } of [missing, busless]) {
      expect(commands).toHaveLength(1);
      expect(existsSync(dirname(manager.file))).toBe(false);
    }
  });

  it('leaves nothing behind if systemd rejects the unit', async () => {
    const answers = to(' restart ', { code: 1, stderr: 'Job failed.\n' });
    const { manager, commands } = managerOn('linux', { answers });
    const restart = 'systemctl --user --no-pager restart athlete-sync.service';
    const message = `${restart} failed (exit code 1). Job failed.`;
    await expect(manager.install(DEFINITION)).rejects.toMatchObject({ code: 'STORAGE', message });
    expect(manager.installed()).toBe(false);
    expect(commands.slice(-2)).toEqual([
      'systemctl --user --no-pager disable --now athlete-sync.service',
      'systemctl --user --no-pager daemon-reload',
    ]);
  });

  it('restores the previous unit if systemd rejects the next one', async () => {
    const homeDir = scratchDir();
    await managerOn('linux', { homeDir }).manager.install(DEFINITION);
    const answers = to(' restart ', { code: 1 });
    const { manager, commands } = managerOn('linux', { homeDir, answers });
    await expect(manager.install(definitionOf(['/others']))).rejects.toThrow('failed');
    expect(readFileSync(manager.file, 'utf8')).toBe(systemdUnit(DEFINITION));
    expect(commands.at(-1)).toBe('systemctl --user --no-pager enable --now athlete-sync.service');
  });

  it('keeps a unit of the same name that another program wrote', async () => {
    const { manager, commands } = managerOn('linux');
    mkdirSync(dirname(manager.file), { recursive: true });
    writeFileSync(manager.file, '[Unit]\n');
    const message = expect.stringContaining('was not written by sync') as string;
    await expect(manager.install(DEFINITION)).rejects.toMatchObject({ code: 'STORAGE', message });
    await expect(manager.uninstall()).rejects.toMatchObject({ code: 'STORAGE' });
    expect(readFileSync(manager.file, 'utf8')).toBe('[Unit]\n');
    expect(commands.filter((command) => !command.includes(' show '))).toEqual([]);
  });

  it('finds its units under XDG_CONFIG_HOME', () => {
    const { homeDir } = managerOn('linux');
    const env = { XDG_CONFIG_HOME: join(homeDir, 'cfg') };
    const options = {
      ...testContext(),
      ...({} as ManagerOptions),
      platform: 'linux',
      env,
      homeDir,
    } as const;
    const manager = serviceManager('default', options);
    expect(manager.file).toBe(join(homeDir, 'cfg/systemd/user/athlete-sync.service'));
  });
});

describe('the service manager for launchd', () => {
  it('unloads an agent that is loaded, and loads the new one', async () => {
    const { manager, commands, homeDir } = managerOn('darwin');
    expect(shown(manager, homeDir)).toEqual({
      kind: 'launchd',
      name: 'athlete-sync.default',
      file: '~/Library/LaunchAgents/athlete-sync.default.plist',
    });
    const remarks = await manager.install(DEFINITION);
    expect(commands).toEqual([
      'launchctl bootout gui/501/athlete-sync.default',
      'launchctl enable gui/501/athlete-sync.default',
      'launchctl bootstrap gui/501 ~/Library/LaunchAgents/athlete-sync.default.plist',
    ]);
    const plist = launchdPlist('athlete-sync.default', DEFINITION);
    expect(readFileSync(manager.file, 'utf8')).toBe(plist);
    expect(remarks).toEqual([expect.stringContaining('Full Disk Access')]);
  });

  it('retries while launchd is still unloading the previous agent', async () => {
    const { manager, commands, slept } = managerOn('darwin', {
      answers: (command, nth) => {
        if (command.includes('bootout')) return { code: 3, stderr: 'No such process' };
        return command.includes('bootstrap') && nth < 12 ? { code: nth % 2 ? 5 : 37 } : undefined;
      },
    });
    await manager.install(DEFINITION);
    expect(commands.filter((command) => command.includes('bootstrap'))).toHaveLength(12);
    expect(slept()).toBe(11 * 500);
  });

  it('leaves nothing behind if unloading never ends or launchd rejects the agent', async () => {
    const failed = { code: 5, stderr: 'Bootstrap failed: 5: Input/output error' };
    const stuck = managerOn('darwin', { answers: to('bootstrap', failed) });
    await expect(stuck.manager.install(DEFINITION)).rejects.toThrow('Input/output error');
    expect(stuck.slept()).toBe(20_000);
    expect(stuck.manager.installed()).toBe(false);
    const headless = managerOn('darwin', { answers: to('bootstrap', { code: 125 }) });
    await expect(headless.manager.install(DEFINITION)).rejects.toThrow('exit code 125');
    expect(headless.slept()).toBe(0);
    expect(headless.manager.installed()).toBe(false);
  });

  it('removes the agent', async () => {
    const { manager, commands } = managerOn('darwin', { profile: 'Ann' });
    await manager.install(DEFINITION);
    commands.length = 0;
    expect(await manager.uninstall()).toBe(true);
    expect(commands).toEqual([`launchctl bootout gui/501/athlete-sync.${serviceSlug('Ann')}`]);
    expect(manager.installed()).toBe(false);
    expect(await manager.uninstall()).toBe(false);
  });

  it('rejects a definition that a property list cannot contain', async () => {
    const { manager, commands } = managerOn('darwin');
    const message = expect.stringContaining('U+0007') as string;
    const installing = manager.install(definitionOf(['/a\u0007b']));
    await expect(installing).rejects.toMatchObject({ code: 'CONFIG', message });
    expect(commands).toEqual([]);
    expect(manager.installed()).toBe(false);
  });
});

describe('the service manager for the Task Scheduler', () => {
  it('registers the task with a file of variables, and starts it', async () => {
    const { manager, commands, homeDir } = managerOn('win32');
    expect(shown(manager, homeDir)).toEqual({
      kind: 'windows-task',
      name: 'athlete-sync default',
      file: '~/state/watch/task-default.xml',
    });
    await manager.install(DEFINITION);
    expect(commands).toEqual([
      'schtasks /Create /TN athlete-sync default /XML ~/state/watch/task-default.xml /F',
      'schtasks /Run /TN athlete-sync default',
    ]);
    const bytes = readFileSync(manager.file);
    expect([...bytes.subarray(0, 4)]).toEqual([0xff, 0xfe, 0x3c, 0]);
    const xml = bytes.toString('utf16le');
    expect(xml).toContain('<UserId>PC\\ann</UserId>');
    const variables = join(homeDir, 'state/watch/task-default.env');
    const args = `--env-file=${variables} /opt/sync/dist/main.cjs watch /rides`;
    expect(xml).toContain(`<Arguments>${args}</Arguments>`);
    const line = "SYNC_STATE_DIR='/home/ann/.local/state/athlete-sync'\n";
    expect(readFileSync(variables, 'utf8')).toContain(line);
  });

  it('removes the task, its file and its variables', async () => {
    const { manager, commands, homeDir } = managerOn('win32');
    await manager.install(DEFINITION);
    commands.length = 0;
    expect(await manager.uninstall()).toBe(true);
    expect(commands).toEqual([
      'schtasks /End /TN athlete-sync default',
      'schtasks /Delete /TN athlete-sync default /F',
    ]);
    expect(manager.installed()).toBe(false);
    expect(existsSync(join(homeDir, 'state/watch/task-default.env'))).toBe(false);
  });

  it('leaves nothing behind if the Task Scheduler rejects the task', async () => {
    const answers = to('/Run', { code: 1 });
    const { manager, commands, homeDir } = managerOn('win32', { answers });
    await expect(manager.install(DEFINITION)).rejects.toMatchObject({ code: 'STORAGE' });
    expect(commands.at(-1)).toBe('schtasks /Delete /TN athlete-sync default /F');
    expect(manager.installed()).toBe(false);
    expect(existsSync(join(homeDir, 'state/watch/task-default.env'))).toBe(false);
  });
});

it.each([
  ['linux', 'systemctl --user --no-pager stop athlete-sync.service'],
  ['darwin', 'launchctl bootout gui/501/athlete-sync.default'],
  ['win32', 'schtasks /End /TN athlete-sync default'],
] as const)(
  'stops a service until the next login on %s, and ignores a failure',
  async (platform, command) => {
    const { manager, commands } = managerOn(platform, { answers: () => ({ code: 1 }) });
    await manager.stop();
    expect(commands).toEqual([command]);
  },
);

describe('a service manager', () => {
  it('rejects an unsupported system', () => {
    expect(() => managerOn('freebsd')).toThrow(/No service manager is known for freebsd/);
  });

  it('separates profiles that differ only in case', () => {
    expect(serviceSlug('ann')).toBe('ann');
    expect(serviceSlug('Ann')).toMatch(/^ann-[0-9a-f]{6}$/);
    expect(new Set(['ann', 'Ann', 'aNN'].map(serviceSlug)).size).toBe(3);
  });
});

describe('running a program of the system', () => {
  const run = systemRunner(process.env, 'linux');

  it('returns its exit code and its output', async () => {
    const script = 'console.log("out"); console.error("err"); process.exitCode = 37';
    const said = { code: 37, stdout: 'out\n', stderr: 'err\n' };
    expect(await run(process.execPath, ['-e', script])).toEqual(said);
    expect(await run(process.execPath, ['-e', ''])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('takes it from the system folder on Windows, which would search the working directory first', () => {
    const file = 'C:\\Windows\\System32\\schtasks.exe';
    expect(inSystemFolder('schtasks', { SystemRoot: 'C:\\Windows' })).toBe(file);
    expect(inSystemFolder('schtasks', {})).toBe(file);
  });

  it('is named in messages as a shell reads it', () => {
    const text = commandText('launchctl', ['bootout', '/Users/$(id)/a b.plist']);
    expect(text).toBe(`launchctl bootout '/Users/$(id)/a b.plist'`);
  });

  it('distinguishes a missing program from a failed one', async () => {
    expect(await run('no-such-program-here', [])).toMatchObject({ code: 'missing' });
    const killed = await run(process.execPath, ['-e', 'process.kill(process.pid)']);
    expect(killed).toMatchObject({ code: -1 });
  });
});
