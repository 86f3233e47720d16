import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openHome, openLoggedInWorld, openTerminal, terminals } from '../support/acceptance.ts';
import { type Home, PROGRAM } from '../support/program.ts';

/** A folder with the node that runs the tests, and no `sync`: `#!/usr/bin/env node` has to find it. */
const NODE_FOLDER = 'node-alone';
/** What `bin/sync.js` starts on a Node.js that is too old. */
const OLD_NODE = resolve('bin/old-node.js');

/**
 * A machine with its own PATH: a fake system `sync` in `system/` that writes down its arguments and
 * ends with 7, and copies of a program in the folders that are named.
 */
function machineWith(program: string, copies: readonly string[] = ['ours']) {
  const home = openHome();
  const folder = (name: string) => join(home.dir, name);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  put(
    join(folder('system'), 'sync'),
    `#!/bin/sh\necho "flushed: $*"\necho "$*" >> "${folder('log')}"\nexit 7\n`,
  );
  for (const copy of copies) {
    put(join(folder(copy), 'sync'), `#!/usr/bin/env node\nrequire(${JSON.stringify(program)});\n`);
  }
  mkdirSync(folder(NODE_FOLDER));
  symlinkSync(process.execPath, join(folder(NODE_FOLDER), 'node'));
  const run = async (program: string, args: readonly string[], path: readonly string[]) => {
    const child = spawn(program, args, {
      cwd: home.dir,
      env: {
        ...home.env,
        PATH: path.map((each) => (each.startsWith('/') ? each : folder(each))).join(':'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
    child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  };
  const log = () =>
    existsSync(folder('log')) ? readFileSync(folder('log'), 'utf8').split('\n').slice(0, -1) : [];
  return { home, folder, put, run, log, own: join(folder(copies[0] ?? 'ours'), 'sync') };
}

describe.runIf(process.platform !== 'win32')("the system's own sync", () => {
  it('flushes a file with the name of a command, and runs the command if it can', async () => {
    const { run, put, folder, own, log } = machineWith(PROGRAM);
    const path = ['ours', NODE_FOLDER, 'system'];
    for (const name of ['sources', 'upload']) put(folder(name), '');
    expect(await run(own, ['upload'], path)).toEqual({
      ...{ code: 7, stdout: 'flushed: upload\n', stderr: '' },
    });
    const sources = await run(own, ['sources'], path);
    expect(sources).toMatchObject({ code: 0, stderr: '' });
    expect(sources.stdout).toMatch(/^flushed: sources\n.+: .+ \(wellness/);
    expect((await run(own, ['sources', '--json'], path)).stdout).not.toContain('flushed');
    expect(log()).toEqual(['upload', 'sources']);
  });

  it.runIf(terminals.present)('prints at a terminal that the recording was not sent', async () => {
    const { home, put, folder } = machineWith(PROGRAM);
    put(folder('ride.fit'), '');
    put(folder('notes.txt'), '');
    put(folder('days.csv.gz'), '');
    const said = async (...args: string[]) => {
      const { code, stdout } = await openTerminal({ home }, args).finished;
      return [code, stdout.trimEnd()];
    };
    const way = (command: string) => [
      0,
      `Nothing was sent: this only flushes the disk. To send: \`${command}\``,
    ];
    expect(await said('ride.fit')).toEqual(way('sync upload ride.fit'));
    expect(await said('ride.fit', 'days.csv.gz')).toEqual(way('sync import ride.fit days.csv.gz'));
    expect((await said('ride.fit', 'upload')).at(1)).toContain('`sync upload ride.fit`');
    expect(await said('.')).toEqual(way('sync upload .'));
    for (const args of [['-d', 'ride.fit'], ['notes.txt'], ['-f', '.']]) {
      expect((await openTerminal({ home }, args).finished).stdout).toBe('');
    }
  });
});

describe.runIf(terminals.present)('sync alone at a terminal', () => {
  const ABOUT =
    'sync moves your recordings, wellness and nutrition to your training platform: once, on the right day.';
  const screen = async (home: Home, env: NodeJS.ProcessEnv = {}) => {
    const { code, stdout } = await openTerminal({ home }, [], env).finished;
    return [code, stdout.replaceAll('\r\n', '\n')];
  };

  it('names the login as the next command', async () => {
    expect(await screen(openHome())).toEqual([
      0,
      `${ABOUT}\n\nBegin with \`sync login\`. \`sync --help\` lists all commands.\n`,
    ]);
  });

  it('names the athlete and the next commands after a login, without asking the keychain', async () => {
    const { home } = await openLoggedInWorld();
    // A login in the keychain would have to be asked for; the settings say that there is one.
    expect(await screen(home, { SYNC_TOKEN_STORE: 'keychain', SYNC_BASE_URL: undefined })).toEqual([
      0,
      `${ABOUT}\n\nYou are logged in as Ada Lindqvist. \`sync status\` shows what was sent, ` +
        '`sync upload FILE` sends a recording. `sync --help` lists all commands.\n',
    ]);
    expect(await screen(home, { SYNC_PROFILE: 'other' })).toEqual([
      0,
      `${ABOUT}\n\nBegin with \`sync login --profile other\`. \`sync --help\` lists all commands.\n`,
    ]);
  });

  it('shows the fault of the settings, and exits as the system sync did', async () => {
    const home = openHome();
    const config = join(home.dir, 'config', 'config.json');
    mkdirSync(dirname(config));
    writeFileSync(config, '{');
    const [code, text] = await screen(home);
    expect(code).toBe(0);
    expect(text).toContain(`Error: ${config} is not JSON`);
  });
});

describe.runIf(process.platform !== 'win32').each([
  ['', PROGRAM],
  [', with a Node.js that is too old for this program,', OLD_NODE],
])("the system's own sync%s", (_how, program) => {
  const machine = (copies?: readonly string[]) => machineWith(program, copies);

  it.each<[string, string[], string]>([
    ['bare', [], ''],
    ['with -f and a file', ['-f', 'file'], '-f file'],
    ['with --file-system', ['--file-system', '.'], '--file-system .'],
    ['with a file that is there', ['file'], 'file'],
    ['with several', ['file', 'other'], 'file other'],
    ['behind --', ['--', 'status'], '-- status'],
  ])('runs for %s, with the arguments and the exit code', async (_how, args, given) => {
    const { run, put, folder, own, log } = machine();
    put(folder('file'), '');
    put(folder('other'), '');
    const result = await run(own, args, ['ours', NODE_FOLDER, 'system']);
    expect(result).toEqual({ code: 7, stdout: `flushed: ${given}\n`, stderr: '' });
    expect(log()).toEqual([given]);
  });

  it('does not run for a command, an unknown word or a flag of this program', async () => {
    const { run, put, folder, own, log } = machine();
    put(folder('file'), '');
    const lines = ['status', 'nonsense', '--help', '--version', '--json', 'file --json'];
    for (const args of lines.map((line) => line.split(' '))) {
      await run(own, args, ['ours', NODE_FOLDER, 'system']);
    }
    expect(log()).toEqual([]);
  });

  it('is found anywhere on the PATH, also before this program', async () => {
    const { run, own, log } = machine();
    expect((await run(own, [], ['system', 'ours', NODE_FOLDER])).code).toBe(7);
    expect(log()).toHaveLength(1);
  });

  it('exits with 1 if the PATH has no system sync', async () => {
    const { run, own } = machine();
    for (const args of [[], ['-f', '.'], ['--', 'file']]) {
      const result = await run(own, args, ['ours', 'missing', NODE_FOLDER]);
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toContain('No disk was flushed: the PATH has no other `sync`');
    }
  });

  it('is found behind links to this program and behind files that cannot run', async () => {
    const { run, own, folder, put, log } = machine();
    mkdirSync(folder('links'));
    symlinkSync(own, join(folder('links'), 'sync'));
    put(join(folder('plain'), 'sync'), 'not a program');
    chmodSync(join(folder('plain'), 'sync'), 0o644);
    mkdirSync(join(folder('odd'), 'sync'), { recursive: true });
    const path = ['links', 'ours', '', 'plain', 'odd', NODE_FOLDER, 'system'];
    expect(await run(own, [], path)).toMatchObject({ code: 7, stderr: '' });
    expect(await run(join(folder('links'), 'sync'), [], path)).toMatchObject({
      code: 7,
      stderr: '',
    });
    expect(log()).toHaveLength(2);
  });

  it.each([
    ['behind each other', ['a', 'b', NODE_FOLDER, 'system']],
    ['with node between them', ['a', NODE_FOLDER, 'b', 'system']],
    ['three times each', ['a', 'b', 'a', 'b', 'a', 'b', NODE_FOLDER, 'system']],
  ])('is reached past two copies of this program, %s', async (_how, path) => {
    const { run, own, folder, log } = machine(['a', 'b']);
    expect(await run(own, ['-f', '.'], path)).toEqual({
      code: 7,
      stdout: 'flushed: -f .\n',
      stderr: '',
    });
    expect(await run(join(folder('b'), 'sync'), [], path)).toMatchObject({ code: 7 });
    expect(log()).toHaveLength(2);
  });

  it('ends behind two copies of this program, without a loop', async () => {
    const { run, own } = machine(['a', 'b']);
    expect(await run(own, [], ['a', 'b', 'a', NODE_FOLDER])).toMatchObject({ code: 1, stdout: '' });
  });

  it('exits with 128 and the number of the signal that ended the system sync', async () => {
    const { run, own, folder, put } = machine();
    put(join(folder('system'), 'sync'), '#!/bin/sh\nkill -TERM $$\n');
    expect((await run(own, [], ['ours', NODE_FOLDER, 'system'])).code).toBe(128 + 15);
  });

  it('is found behind scripts that start this program, as package managers write them', async () => {
    const { run, own, folder, put, log } = machine();
    // This shim puts its folder first each time, so that the search finds it again.
    const shim = folder('shim');
    put(join(shim, 'sync'), `#!/bin/sh\nPATH="${shim}:${shim}:$PATH" exec "${own}" "$@"\n`);
    const path = ['shim', 'ours', NODE_FOLDER, 'system'];
    expect(await run(join(shim, 'sync'), ['.'], path)).toEqual({
      code: 7,
      stdout: 'flushed: .\n',
      stderr: '',
    });
    expect(log()).toHaveLength(1);
  });
});
