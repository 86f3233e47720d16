// Runs an installed package with real versions of Node.js, from the platform packages of the registry's
// `node`: the old ones refuse with a sentence and still flush disks, the others do the daily work.
//
//   node .ci/node-versions.mjs FOLDER/node_modules/athlete-sync
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Debian 12's version, and the last one that is too old; test/cli/old-node.test.ts plays others. */
const TOO_OLD = ['18.20.4', '22.2.0'];
/** The first version of each line in `engines`, and the newest of the lines after them. */
const SUPPORTED = ['20.19.0', '22.3.0', '22', '24', '26'];

const run = promisify(execFile);
const [packageDir] = process.argv.slice(2);
if (packageDir === undefined) throw new Error('Name the installed package.');
const program = resolve(packageDir, 'bin', 'sync.js');
const scratch = mkdtempSync(join(tmpdir(), 'sync-node-versions-'));
const counts = { passed: 0, failed: 0 };

try {
  // Two at a time: npm mostly waits.
  const versions = [
    ...TOO_OLD.map((version) => [version, refuse]),
    ...SUPPORTED.map((version) => [version, work]),
  ].values();
  const lane = async () => {
    for (const [version, steps] of versions) await inHome(version, steps);
  };
  await Promise.all([lane(), lane()]);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
say(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;

/** Installs a version, and gives it a home and the steps to check. */
async function inHome(version, steps) {
  const folder = join(scratch, version);
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const node = await install(version, folder);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SYNC_CONFIG_DIR: join(home, 'config'),
    SYNC_STATE_DIR: join(home, 'state'),
    // No keychain of the user who runs this.
    SYNC_TOKEN_STORE: 'file',
    SYNC_TIMEZONE: 'Europe/Berlin',
  };
  const { stdout } = await run(node, ['--version']);
  const name = `Node.js ${stdout.trim().slice(1)}`;
  const sync = (args, more = {}) =>
    result(node, [program, ...args], { env: { ...env, ...more }, cwd: home });
  const check = async (what, task) => {
    try {
      await task();
      count('passed');
      say(`ok: ${name}: ${what}`);
    } catch (error) {
      count('failed');
      say(`FAILED: ${name}: ${what}: ${error.message}`);
    }
  };
  await steps({ version: stdout.trim().slice(1), node, home, env, sync, check });
  rmSync(folder, { recursive: true, force: true });
}

/** Adds a result to those that .ci/run counts, as .ci/checks.sh does. */
function count(outcome) {
  counts[outcome]++;
  const { SYNC_CHECKS } = process.env;
  if (SYNC_CHECKS !== undefined) appendFileSync(SYNC_CHECKS, `${outcome}\n`);
}

/** Installs Node.js. Returns the path of the executable. */
async function install(version, folder) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...flags, '--prefix', folder, `${name}@${version}`]);
  const executable = process.platform === 'win32' ? 'node.exe' : 'node';
  return join(folder, 'node_modules', name, 'bin', executable);
}

async function refuse({ version, home, env, sync, check }) {
  for (const args of [['status'], ['--version'], ['upload', 'ride.fit']]) {
    await check(`${typed(args)} says that it is too old`, async () => {
      const { code, stdout, stderr } = await sync(args);
      expect(code, 2);
      expect(stdout, '');
      expect(stderr.split('\n').length, 5);
      expect(stderr.startsWith('Error: sync needs Node.js ') && stderr.includes(version), true);
    });
  }
  if (process.platform === 'win32') return;
  writeFileSync(join(home, 'file'), '');
  mkdirSync(join(home, 'bin'));
  writeFileSync(join(home, 'bin', 'sync'), '#!/bin/sh\necho "flushed $*"\nexit 7\n', {
    mode: 0o755,
  });
  const path = { PATH: [join(home, 'bin'), env.PATH].join(delimiter) };
  for (const args of [[], ['-f', '.'], ['-d', 'file'], ['--file-system', '.'], ['file']]) {
    await check(`${typed(args)} runs the system's`, async () => {
      const { code, stdout, stderr } = await sync(args, path);
      expect([code, stdout, stderr].join('|'), `7|flushed ${args.join(' ')}\n|`);
    });
  }
}

async function work({ node, home, env, sync, check }) {
  const flags = ['--auto-approve', '--port', '0', '--set', 'exactRedirectUris=false', '--json'];
  const sandbox = spawn(node, [program, 'sandbox', ...flags], { env, cwd: home });
  const ended = once(sandbox, 'close');
  try {
    const [line] = await once(createInterface({ input: sandbox.stdout }), 'line');
    const { url, clientId } = JSON.parse(line);
    const target = { SYNC_BASE_URL: url, SYNC_CLIENT_ID: clientId };
    const succeed = async (...args) => {
      const { code, stderr } = await sync(args, target);
      if (code !== 0) throw new Error(`${typed(args)} exits with ${code}: ${stderr}`);
    };
    await check('login', () => logIn(node, { ...env, ...target }, home));
    await check('seed', () =>
      succeed('seed', '--days', '5', '--until', '2026-05-17', '--out', 'data'),
    );
    const recordings = readdirSync(join(home, 'data')).filter((name) => name.endsWith('.fit'));
    await check('upload', () => succeed('upload', join('data', recordings[0])));
    await check('push', () => succeed('push', 'wellness', join('data', 'wellness.json')));
    await check('watch --once', () => succeed('watch', '--once', 'data'));
    await check('status', () => succeed('status'));
    await check('everything arrived', async () => {
      const { athletes } = await (await fetch(`${url}/_sandbox/state`)).json();
      const held = athletes.find((athlete) => athlete.recordings.length > 0);
      expect(held.recordings.length, recordings.length);
      expect(held.wellness.length, 5);
    });
  } finally {
    sandbox.kill('SIGTERM');
    await ended;
  }
}

/** The real login: this script plays the browser. */
async function logIn(node, env, cwd) {
  const child = spawn(node, [program, 'login', '--no-browser', '--port', '0'], { env, cwd });
  child.stdin.end();
  child.stdout.resume();
  let text = '';
  let asked = false;
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    const address = /^\s+(http\S+authorize\S+)$/m.exec(text)?.[1];
    if (address === undefined || asked) return;
    asked = true;
    fetch(address).catch(() => child.kill());
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`sync login exits with ${code}: ${text}`);
}

async function result(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => (stdout += piece));
  child.stderr.on('data', (piece) => (stderr += piece));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

function typed(args) {
  return ['sync', ...args].join(' ');
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
