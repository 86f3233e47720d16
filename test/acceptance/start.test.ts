import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openLoggedInWorld } from '../support/acceptance.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { type Home, PROGRAM, openHome } from '../support/program.ts';

/** What Node.js and the program loaded in one run. */
interface Loaded {
  /** Modules of Node.js that it had not loaded before the program. */
  readonly builtins: readonly string[];
  /** Files of the program, by the first part of their names. */
  readonly files: readonly string[];
}

/** Runs the program with stdout as a file or a pipe, and lists what it loaded. */
async function loadedBy(
  args: readonly string[],
  home: Home,
  stdout: 'ignore' | 'pipe',
): Promise<Loaded> {
  const list = join(home.dir, 'loaded.json');
  const hook = join(home.dir, 'hook.cjs');
  writeFileSync(
    hook,
    `const before = new Set(process.moduleLoadList);
    process.on('exit', () => {
      const builtins = process.moduleLoadList.filter((name) => !before.has(name));
      const files = Object.keys(require.cache);
      process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify({ builtins, files }));
    });`,
  );
  // The service answers from this process.
  const child = spawn(process.execPath, ['--require', hook, PROGRAM, ...args], {
    env: home.env,
    cwd: home.dir,
    stdio: ['ignore', stdout, 'ignore'],
  });
  child.stdout?.resume();
  expect(await once(child, 'close')).toEqual([0, null]);
  const { builtins, files } = JSON.parse(readFileSync(list, 'utf8')) as Loaded;
  return {
    builtins: builtins
      .filter((name) => name.startsWith('NativeModule '))
      .map((name) => name.slice('NativeModule '.length)),
    files: files
      .filter((file) => file.startsWith(join(PROGRAM, '..')))
      .map((file) => file.slice(join(PROGRAM, '..').length + 1).replace(/\..*/, '')),
  };
}

/** Modules of Node.js that take a millisecond or more, and that a short command does not need. */
const SLOW = 'tty net stream v8 crypto child_process worker_threads http zlib'.split(' ');

const slowIn = ({ builtins }: Loaded) => SLOW.filter((name) => builtins.includes(name));

it('answers --version from one file, and loads no slow module of Node.js for it', async () => {
  const home = openHome();
  const loaded = await loadedBy(['--version'], home, 'pipe');
  expect(loaded.files).toEqual(['main', 'rolldown-runtime']);
  expect(slowIn(loaded)).toEqual([]);
});

it('prints the help from one more file', async () => {
  const home = openHome();
  const loaded = await loadedBy(['--help'], home, 'ignore');
  expect(loaded.files).toEqual(['main', 'rolldown-runtime', 'run']);
  expect(slowIn(loaded)).toEqual([]);
});

it('recognises a known recording with one more file, and no slow module of Node.js', async () => {
  const world = await openLoggedInWorld();
  const { home } = world;
  world.write('ride.fit', makeRecording({ durationSecs: 60 }));
  await world.program(['upload', 'ride.fit']);
  // A file is known from 2 s after its last change on.
  await expect
    .poll(async () => (await loadedBy(['upload', 'ride.fit'], home, 'ignore')).files, {
      interval: 500,
    })
    .toEqual(['main', 'rolldown-runtime', 'run', 'upload']);
  expect(slowIn(await loadedBy(['upload', 'ride.fit'], home, 'ignore'))).toEqual([]);
});

it('shows the status without the modules of Node.js that requests and the keychain need', async () => {
  const world = await openLoggedInWorld();
  world.write('ride.fit', makeRecording({ durationSecs: 60 }));
  await world.program(['upload', 'ride.fit']);
  const loaded = await loadedBy(['status'], world.home, 'ignore');
  expect(slowIn(loaded)).toEqual([]);
  expect(loaded.files).not.toContain('node-http');
  expect(loaded.files).not.toContain('keychain-call');
});

/** Why this process cannot run the program with a compile cache. */
const noCache = !('enableCompileCache' in process.getBuiltinModule('node:module'))
  ? 'Node.js 22.1 or later'
  : process.geteuid?.() === 0
    ? 'another user than root'
    : undefined;

it.skipIf(noCache !== undefined)(
  `keeps compiled code beside the program, where only this user can write${noCache === undefined ? '' : ` (skipped: needs ${noCache})`}`,
  () => {
    const home = openHome();
    const dist = join(home.dir, 'dist');
    const cache = join(dist, '.compile-cache');
    cpSync(dirname(PROGRAM), dist, {
      recursive: true,
      filter: (path) => basename(path) !== '.compile-cache',
    });
    const run = (...args: string[]) =>
      spawnSync('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, ...args], {
        env: home.env,
      });
    run(join(dist, 'main.cjs'), '--version');
    expect(existsSync(cache)).toBe(false);
    run(join(dist, 'main.cjs'), '--help');
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(readdirSync(cache)).toHaveLength(1);
  },
);
