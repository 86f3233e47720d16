import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listen, openssl, selfSigned } from '../api/support.ts';
import { openServer } from '../support/local-server.ts';
import { collectOutput } from '../support/program.ts';
import { missingTools, skipNote } from '../support/shell.ts';
import { scratchDir } from '../support/scratch-dir.ts';

const INSTALLER = join(import.meta.dirname, '../../packaging/install.sh');
/** One name for each shell of this machine: `sh` is often another one's link. */
const SHELLS = new Map(
  ['sh', 'dash', 'busybox'].flatMap((name) => {
    const path = findProgram(name);
    return path === undefined ? [] : [[realpathSync(path), name] as const];
  }),
);
/** The program that downloads. */
const missing = missingTools('curl');
const unable = process.platform === 'win32' || missing.length > 0;
const PLATFORMS = {
  'Linux x86_64': 'linux-x64',
  'Linux aarch64': 'linux-arm64',
  'Darwin arm64': 'darwin-arm64',
};

/** The first program of this name on the PATH. */
function findProgram(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

function put(file: string, content: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
}

interface Release {
  /** Serves these files; `address` has no slash at its end. */
  readonly address: string;
  readonly folder: string;
  readonly requests: string[];
  /** Publishes a version: archives for all platforms, and their checksums. */
  publish(version: string, run?: string, tarOptions?: readonly string[]): void;
}

/** A folder of a release, behind an HTTP server. */
async function openRelease(): Promise<Release> {
  const folder = scratchDir();
  const requests: string[] = [];
  const { port } = await openServer((request, response) => {
    requests.push(request.url ?? '');
    const file = join(folder, request.url ?? '');
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  const publish = (
    version: string,
    run = `echo ${version}`,
    tarOptions: readonly string[] = [],
  ) => {
    const sums = Object.values(PLATFORMS).map((platform) => {
      const name = `athlete-sync-${version}-${platform}`;
      const parts = join(folder, 'parts');
      put(join(parts, name, 'bin/athlete-sync'), `#!/bin/sh\n${run}\n`, 0o755);
      put(join(parts, name, 'bin/sync'), `#!/bin/sh\n${run}\n`, 0o755);
      put(join(parts, name, 'dist/main.cjs'), version);
      put(join(parts, name, 'share/man/man1/athlete-sync.1'), version);
      const archive = ['-czf', join(folder, `${name}.tar.gz`), '-C', parts, name];
      execFileSync('tar', [...tarOptions, ...archive]);
      const hash = createHash('sha256').update(readFileSync(join(folder, `${name}.tar.gz`)));
      return `${hash.digest('hex')}  ${name}.tar.gz\n`;
    });
    put(join(folder, 'SHA256SUMS'), sums.join(''));
  };
  return { address: `http://127.0.0.1:${port}`, folder, requests, publish };
}

interface RunOptions {
  readonly shell?: string;
  readonly path?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** As the shell command takes it. */
  readonly umask?: string;
}

/** A user with an empty home folder. */
function openUser() {
  const home = scratchDir();
  const run = async (args: readonly string[], options: RunOptions = {}) => {
    const { shell = 'sh', path, env, umask = '022' } = options;
    const program = findProgram(shell) ?? shell;
    const applet = shell === 'busybox' ? ['sh'] : [];
    const words = ['-c', `umask ${umask}; exec "$@"`, 'sh', program, ...applet, INSTALLER, ...args];
    const child = spawn('/bin/sh', words, {
      cwd: home,
      env: { HOME: home, PATH: path ?? process.env['PATH'], ...env },
    });
    const output = collectOutput(child);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  };
  return { home, run, files: () => filesIn(home) };
}

/** A user, and a published release 1.0.0 to install. */
async function openMachine() {
  const release = await openRelease();
  release.publish('1.0.0');
  const user = openUser();
  const install = (options?: RunOptions) => user.run(['--from', release.address], options);
  return { release, ...user, install };
}

/** All files and links below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** A folder with a `uname` that names another machine, in front of the PATH. */
function machine(system: string, processor: string): string {
  const folder = scratchDir();
  put(
    join(folder, 'uname'),
    `#!/bin/sh\n[ "$1" = -m ] && echo ${processor} || echo ${system}\n`,
    0o755,
  );
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

describe.skipIf(unable).each([...SHELLS.values()])(
  `install.sh in %s${skipNote(missing)}`,
  (shell) => {
    it('installs, updates and uninstalls over HTTP, and leaves nothing behind', async () => {
      const { release, home, run, files, install } = await openMachine();
      const lib = join(home, '.local/lib/athlete-sync');
      const installed = await install({ shell });
      expect(installed).toMatchObject({ code: 0, stderr: '' });
      expect(installed.stdout).toContain(`Installed athlete-sync 1.0.0 in ${lib}.`);
      expect(installed.stdout).toContain(`${home}/.local/bin is not in your PATH.`);
      expect(readlinkSync(join(home, '.local/bin/sync'))).toBe(join(lib, 'bin/sync'));

      release.publish('1.1.0');
      const path = `${home}/.local/bin:${process.env['PATH'] ?? ''}`;
      const updated = await run(['--from', `${release.address}/`], { shell, path });
      expect(updated.stdout).toContain(`Installed athlete-sync 1.1.0 in ${lib}.`);
      expect(updated.stdout).not.toContain('PATH');
      expect(readFileSync(join(lib, 'dist/main.cjs'), 'utf8')).toBe('1.1.0');
      expect(readdirSync(join(home, '.local/lib'))).toEqual(['athlete-sync']);

      expect(await run(['--uninstall'], { shell })).toMatchObject({ code: 0, stderr: '' });
      expect(files()).toEqual([]);
    });

    it('refuses a damaged archive, and keeps the installed version', async () => {
      const { release, home, files, install } = await openMachine();
      await install({ shell });
      const before = files();
      release.publish('1.1.0');
      for (const platform of Object.values(PLATFORMS))
        writeFileSync(join(release.folder, `athlete-sync-1.1.0-${platform}.tar.gz`), 'cut', {
          flag: 'a',
        });

      expect(await install({ shell })).toMatchObject({
        code: 1,
        stderr: /\.tar\.gz is damaged: its SHA-256 is [0-9a-f]{64}, .*Nothing was installed\./,
      });
      expect(files()).toEqual(before);
      expect(readFileSync(join(home, '.local/lib/athlete-sync/dist/main.cjs'), 'utf8')).toBe(
        '1.0.0',
      );
    });

    it('creates nothing that other users can change, with a umask of 000', async () => {
      const { home, install } = await openMachine();
      expect(await install({ shell, umask: '000' })).toMatchObject({
        code: 0,
      });
      const made = readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isSymbolicLink())
        .map((entry) => join(entry.parentPath, entry.name));
      expect(made.length).toBeGreaterThan(8);
      expect(made.filter((path) => (statSync(path).mode & 0o022) !== 0)).toEqual([]);
    });

    it('gives its files to the user, with any owner and mode in the archive', async () => {
      const { release, home, install } = await openMachine();
      release.publish('1.0.0', undefined, ['--owner=12345', '--group=12345', '--mode=0777']);
      expect((await install({ shell })).code).toBe(0);
      const stats = statSync(join(home, '.local/lib/athlete-sync/dist'));
      expect(stats.uid).toBe(statSync(home).uid);
      expect(stats.mode & 0o022).toBe(0);
    });

    it('refuses checksums that name a file outside of the release', async () => {
      const { release, files, install } = await openMachine();
      const sums = readFileSync(join(release.folder, 'SHA256SUMS'), 'utf8');
      put(join(release.folder, 'SHA256SUMS'), sums.replaceAll('  athlete', '  ../athlete'));
      const refused = await install({ shell });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('that is no plain file name. Nothing was installed.');
      expect(release.requests).toEqual(['/SHA256SUMS']);
      expect(files()).toEqual([]);
    });

    it.each(['beside', '.hidden'])(
      'installs nothing from an archive with %j beside its folder',
      async (beside) => {
        const { release, files, install } = await openMachine();
        const parts = join(release.folder, 'parts');
        put(join(parts, beside), 'x');
        const sums = Object.values(PLATFORMS).map((platform) => {
          const name = `athlete-sync-1.0.0-${platform}`;
          const archive = join(release.folder, `${name}.tar.gz`);
          execFileSync('tar', ['-czf', archive, '-C', parts, name, beside]);
          const hash = createHash('sha256').update(readFileSync(archive)).digest('hex');
          return `${hash}  ${name}.tar.gz\n`;
        });
        put(join(release.folder, 'SHA256SUMS'), sums.join(''));
        const refused = await install({ shell });
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(/\.tar\.gz is not one folder\. Nothing was installed\.\n$/);
        expect(files()).toEqual([]);
      },
    );

    it.runIf(openssl.present)(
      `follows no redirect from https to plain http${openssl.note}`,
      async () => {
        const plain = await openRelease();
        plain.publish('1.0.0');
        const tls = selfSigned('localhost', 'IP:127.0.0.1');
        const secure = await listen(
          ({ url }, response) =>
            void response.writeHead(302, { location: plain.address + url }).end(),
          { tls },
        );
        const { home, run, files } = openUser();
        const bundle = join(scratchDir(), 'ca.pem');
        writeFileSync(bundle, tls.cert);
        const from = secure.url.href.replace(/\/$/, '');
        const refused = await run(['--from', from], { shell, env: { CURL_CA_BUNDLE: bundle } });
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain('SHA256SUMS cannot be downloaded. Nothing was installed.');
        expect(secure.requests.length).toBeGreaterThan(0);
        expect(plain.requests).toEqual([]);
        expect(files(), home).toEqual([]);
      },
    );

    it('installs nothing from a missing release, or one with a program that does not run', async () => {
      const release = await openRelease();
      const { run, files } = openUser();
      const missing = await run(['--from', release.address], { shell });
      expect(missing.code).toBe(1);
      expect(missing.stderr).toContain(`${release.address}/SHA256SUMS cannot be downloaded.`);

      release.publish('1.0.0', 'exit 127');
      const useless = await run(['--from', `file://${release.folder}`], { shell });
      expect([useless.code, useless.stderr]).toEqual([1, /npm install --global athlete-sync/]);
      expect(files()).toEqual([]);
    });
  },
);

describe.skipIf(unable)(`install.sh${skipNote(missing)}`, () => {
  it.each(Object.entries(PLATFORMS))('takes the archive for %s', async (uname, platform) => {
    const { release, install } = await openMachine();
    const [system = '', processor = ''] = uname.split(' ');
    expect((await install({ path: machine(system, processor) })).code).toBe(0);
    expect(release.requests).toEqual(['/SHA256SUMS', `/athlete-sync-1.0.0-${platform}.tar.gz`]);
  });

  it.each([
    ['SunOS', 'x86_64', 'There is no archive for SunOS.'],
    ['Linux', 'riscv64', 'There is no archive for Linux on riscv64.'],
  ])('downloads nothing on %s with %s', async (system, processor, message) => {
    const { release, files, install } = await openMachine();
    const refused = await install({ path: machine(system, processor) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(message);
    expect(release.requests).toEqual([]);
    expect(files()).toEqual([]);
  });

  it('checks the archive with shasum if there is no sha256sum', async () => {
    const shasum = findProgram('shasum');
    const { home, install } = await openMachine();
    const path = scratchDir();
    const tools = 'uname mkdir mktemp grep curl cut tar gzip mv rm ln rmdir cat readlink';
    for (const name of tools.split(' ')) symlinkSync(findProgram(name) ?? name, join(path, name));
    // macOS has this one.
    put(join(path, 'shasum'), `#!/bin/sh\nexec ${shasum ?? 'sha256sum'} "$@"\n`, 0o755);
    const { code, stderr } = await install({ path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(existsSync(join(home, '.local/bin/sync'))).toBe(true);
  });

  it('keeps programs of other origin', async () => {
    const { home, run, files, install } = await openMachine();
    put(join(home, '.local/bin/sync'), 'mine');
    symlinkSync('/nowhere/athlete-sync', join(home, '.local/bin/athlete-sync'));
    expect(await install()).toMatchObject({
      code: 0,
      stderr: ['athlete-sync', 'sync']
        .map((name) => `Kept ${home}/.local/bin/${name}, which is not from athlete-sync.\n`)
        .join(''),
    });
    await run(['--uninstall']);
    expect(files()).toEqual(['.local/bin/athlete-sync', '.local/bin/sync']);

    put(join(home, '.local/lib/athlete-sync/notes'), 'mine');
    const refused = await install();
    expect([refused.code, refused.stderr]).toEqual([1, /is not an installation of athlete-sync/]);
    expect(files()).toEqual([
      '.local/bin/athlete-sync',
      '.local/bin/sync',
      '.local/lib/athlete-sync/notes',
    ]);
  });

  it('does not uninstall below a service that starts the program', async () => {
    const { home, run, files, install } = await openMachine();
    await install();
    const service = join(home, '.config/systemd/user/athlete-sync.service');
    put(service, `ExecStart="${home}/.local/lib/athlete-sync/node"`);
    const before = files();
    const refused = await run(['--uninstall']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Run `athlete-sync daemon uninstall` first.');
    expect(files()).toEqual(before);
  });

  it.skipIf(process.getuid?.() === 0)(
    'names the folder that this user may not write (not run as root)',
    async () => {
      const { release, home, run } = await openMachine();
      const prefix = join(home, 'closed');
      mkdirSync(prefix);
      chmodSync(prefix, 0o555);
      const refused = await run(['--prefix', prefix, '--from', release.address]);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${prefix} cannot be written by`);
      expect(release.requests).toEqual([]);
      expect(readdirSync(prefix)).toEqual([]);
    },
  );
});
