// Plays the main job on the sandbox: a login, uploads, wellness, nutrition, and a look at the result. It works
// in a temporary folder, and on 127.0.0.1.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program: this checkout's, or an installed one (the test of the package sets it). */
const program = resolve(
  process.env.SYNC_DEMO_PROGRAM ?? fileURLToPath(new URL('../bin/sync.js', import.meta.url)),
);
const home = mkdtempSync(join(tmpdir(), 'sync-demo-'));
const env = {
  ...withoutSync(process.env),
  HOME: home,
  SYNC_CONFIG_DIR: join(home, 'config'),
  SYNC_STATE_DIR: join(home, 'state'),
  // A demo does not touch your keychain.
  SYNC_TOKEN_STORE: 'file',
  SYNC_TIMEZONE: 'Europe/Berlin',
};
let failed = false;

let sandbox;
try {
  sandbox = await startSandbox();
  env.SYNC_BASE_URL = sandbox.url;
  env.SYNC_CLIENT_ID = sandbox.clientId;
  await login();
  await show(['seed', '--days', '7', '--until', '2026-05-17', '--out', 'data']);
  const ride = readdirSync(join(home, 'data')).find((name) => name.endsWith('-ride.fit'));
  await show(['inspect', join('data', ride)]);
  await show(['upload', join('data', ride)]);
  await show(['upload', 'data']);
  keepLast('wellness.json');
  keepLast('nutrition.json');
  await show(['push', 'wellness', 'wellness.json']);
  await show(['push', 'nutrition', 'nutrition.json']);
  say('What the platform now holds:');
  await show(['workouts']);
  await show(['status']);
  await showHeld();
} finally {
  sandbox?.stop();
  await sandbox?.ended;
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

/** The real login: a listener on a loopback port, the service's redirect to it, the code exchange. */
async function login() {
  say('$ sync login --no-browser        (this script plays the browser)');
  const child = start(['login', '--no-browser', '--port', '0']);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    const address = /^\s+(http\S+authorize\S+)$/m.exec(text)?.[1];
    if (address === undefined || child.asked) return;
    child.asked = true;
    fetch(address).catch(() => child.kill());
  });
  child.stdout.pipe(process.stdout, { end: false });
  await over(child);
  say('');
}

/** Runs a command and shows it as one would see it. */
async function show(args) {
  say(`$ sync ${args.join(' ')}`);
  const child = start(args);
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stdout, { end: false });
  await over(child);
  say('');
}

async function showHeld() {
  const state = await (await fetch(`${sandbox.url}/_sandbox/state`)).json();
  const athlete = state.athletes.find(({ recordings }) => recordings.length > 0);
  const { recordings, wellness, nutrition } = athlete;
  say(
    `At the sandbox: ${recordings.length} recordings, ${wellness.length} day of wellness, ${nutrition.length} day of nutrition.`,
  );
  for (const { sha256, size, name } of recordings)
    say(`  ${sha256.slice(0, 12)}  ${String(size).padStart(7)} bytes  ${name}`);
  if (recordings.length === 0 || wellness.length !== 1 || nutrition.length !== 1) failed = true;
}

function start(args) {
  return spawn(process.execPath, [program, ...args], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function over(child) {
  return new Promise((done) => {
    child.once('close', (code) => {
      if (code !== 0) {
        failed = true;
        say(`(exit code ${code})`);
      }
      done();
    });
  });
}

function startSandbox() {
  say('$ sync sandbox --auto-approve');
  const child = start([
    'sandbox',
    '--port',
    '0',
    '--auto-approve',
    '--no-exact-redirect-uris',
    '--json',
  ]);
  const ended = new Promise((done) => child.once('close', done));
  child.stderr.pipe(process.stderr);
  return new Promise((done, fail) => {
    child.once('close', () => fail(new Error('The sandbox ended at once.')));
    child.stdout.once('data', (line) => {
      const { url, clientId } = JSON.parse(String(line).split('\n')[0]);
      say(`The platform, emulated, is at ${url}.\n`);
      done({ url, clientId, ended, stop: () => child.kill('SIGTERM') });
    });
  });
}

/** The last day of a list of records: one request is enough to look at. */
function keepLast(name) {
  const days = JSON.parse(readFileSync(join(home, 'data', name), 'utf8'));
  writeFileSync(join(home, name), JSON.stringify(days.at(-1)));
}

function withoutSync(variables) {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !name.startsWith('SYNC_')),
  );
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
