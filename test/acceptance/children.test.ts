import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLoggedInWorld, type World } from '../support/acceptance.ts';
import { MARK } from '../../src/daemon/os-service/definition.ts';
import { notify } from '../../src/watch/hooks/notify.ts';
import { writeProgram } from '../support/shell.ts';

/** Passwords and tokens of the environment. A child that has one prints `hush`. */
const SECRETS = {
  SYNC_ACCESS_TOKEN: 'at-hush',
  SYNC_REFRESH_TOKEN: 'rt-hush',
  SYNC_CLIENT_SECRET: 'cs-hush',
};
const PROXY = { ALL_PROXY: 'http://anna:hush@127.0.0.1:9' };

/** Programs that this program starts by their names. */
const TOOLS = ['xdg-open', 'sync', 'systemctl', 'gdbus', 'notify-send'];

/** A child process, as its program saw itself. */
interface Child {
  readonly name: string;
  readonly env: string;
  /** What its open file descriptors lead to, apart from stdin, stdout and stderr. */
  readonly files: readonly string[];
}

/** Puts programs on the PATH that record how they are started. */
async function openRecorded(): Promise<{
  world: World;
  PATH: string;
  children: () => readonly Child[];
}> {
  const world = await openLoggedInWorld();
  const log = (name: string) => join(world.home.dir, 'log', name);
  world.write('log/.keep', '');
  for (const tool of TOOLS) {
    writeProgram(
      world.write(`tools/${tool}`, ''),
      [
        `(ls -l /proc/$$/fd > '${log(tool)}.fd')`,
        // A test that waits for the file finds all of it.
        `env > '${log(tool)}.part' && mv '${log(tool)}.part' '${log(tool)}.env'`,
        // The keychain's child process starts it.
        tool === 'gdbus' ? `tr '\\0' '\\n' < /proc/$PPID/environ > '${log('keychain')}.env'` : '',
        tool === 'gdbus' ? `echo '(<true>,)'` : '',
        tool === 'xdg-open' ? `exec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"` : '',
      ].join('\n'),
    );
  }
  const children = () =>
    readdirSync(log(''))
      .filter((name) => name.endsWith('.env'))
      .map((name) => ({
        name: name.replace(/\.env$/, ''),
        env: readFileSync(log(name), 'utf8'),
        files: filesIn(log(name.replace(/env$/, 'fd'))),
      }));
  const PATH = `${join(world.home.dir, 'tools')}:${process.env['PATH'] ?? ''}`;
  return { world, PATH, children };
}

/** Reads a list of open files. */
function filesIn(path: string): string[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.flatMap((line) => {
    const [, descriptor, target = ''] = / (\d+) -> (.*)$/.exec(line) ?? [];
    return descriptor === undefined || Number(descriptor) <= 2 ? [] : [target];
  });
}

/** What the tests' own process has open, and passes on. */
function ownFiles(): string[] {
  return readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return '';
    }
  });
}

/** Needs `/proc` for the environment of the keychain's child process. */
describe.runIf(process.platform === 'linux')('a child process', () => {
  it('inherits no token, no client secret and no open file, whatever starts it', async () => {
    const { world, PATH, children } = await openRecorded();
    const ride = world.write('ride.fit', '');
    const env = { PATH, DISPLAY: ':7', ...SECRETS, ...PROXY };
    const { SYNC_CLIENT_SECRET } = SECRETS;
    const stored = { PATH, DISPLAY: ':7', SYNC_CLIENT_SECRET, ...PROXY };

    expect((await world.program([ride], { env })).code).toBe(0);
    await world.program(['login', '--port', '0'], { env: { ...stored, SYNC_CLIENT_SECRET: '' } });
    world.write('.config/systemd/user/athlete-sync.service', `# ${MARK}\n`);
    expect((await world.program(['daemon', 'uninstall'], { env: stored })).code).toBe(0);
    const locked = await world.program(['status'], {
      env: { ...stored, SYNC_TOKEN_STORE: 'keychain' },
    });
    expect(locked.stdout + locked.stderr).toContain('locked');
    notify('linux', env, { title: 'sync', text: 'a login is needed' });
    await expect.poll(() => children().map(({ name }) => name)).toContain('notify-send');

    const names = children().map(({ name }) => name);
    for (const name of ['sync', 'xdg-open', 'systemctl', 'gdbus', 'keychain']) {
      expect(names).toContain(name);
    }
    for (const { name, env: variables } of children()) {
      expect(variables, name).toContain(`PATH=${PATH}`);
      for (const secret of Object.values(SECRETS)) expect(variables, name).not.toContain(secret);
      // The browser uses the network, and a script named `sync` may.
      const mayUseProxy = ['sync', 'xdg-open'].includes(name);
      expect(variables.includes('anna:hush'), name).toBe(mayUseProxy);
    }
    const inherited = ownFiles();
    for (const { name, files } of children()) {
      // The shell has its script open.
      const others = files.filter((file) => !file.endsWith(`/tools/${name}`));
      expect(
        others.filter((file) => !inherited.includes(file)),
        name,
      ).toEqual([]);
    }
  });

  it('is never a program of the working directory, also if the PATH has a relative folder', async () => {
    const { world, children } = await openRecorded();
    const ride = world.write('tools/ride.fit', '');
    const cwd = join(world.home.dir, 'tools');
    for (const first of ['.', '', '../tools']) {
      const env = { PATH: `${first}:${process.env['PATH'] ?? ''}`, DISPLAY: ':7', ...SECRETS };
      expect((await world.program([ride], { cwd, env })).code).toBe(0);
      await world.program(['daemon', 'uninstall'], { cwd, env });
    }
    expect(children()).toEqual([]);
  });
});
