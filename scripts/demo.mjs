// Plays the main job on the sandbox: a login, uploads, wellness, nutrition, and a look at the result. It works
// in a temporary folder, and on 127.0.0.1.
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { GARMIN_DEVICE, PROGRAM, onSandbox, openHome, startLogin } from './play.mjs';

/** The program: this checkout's, or an installed one (the test of the package sets it). */
const program = resolve(process.env.SYNC_DEMO_PROGRAM ?? PROGRAM);
const { home, env, start: startProgram } = openHome(withoutSync(process.env), program);
Object.assign(env, { SYNC_CONFIG_DIR: join(home, 'config'), SYNC_STATE_DIR: join(home, 'state') });
/** Longest wait for a line of the watcher (ms). */
const LONGEST_MS = 120_000;

/** The programs that run. */
const running = new Set();
let isLeaving = false;
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => leave(1));
process.stdout.on('error', (error) => leave(error.code === 'EPIPE' ? 0 : 1));

await onSandbox({ home, env, start }, async ({ sandbox, url }) => {
  sandbox.stderr.pipe(process.stderr);
  say(`$ sync sandbox --auto-approve\nThe platform, emulated, is at ${url}.\n`);
  // The real login: a listener on a loopback port, the service's redirect to it, the code exchange.
  say('$ sync login --no-browser        (this script plays the browser)');
  const login = startLogin(start);
  login.stdout.pipe(process.stdout, { end: false });
  await over(login);
  say('');
  await show('seed', '--days', '7', '--until', '2026-05-17', '--out', 'data');
  const ride = readdirSync(join(home, 'data')).find((name) => name.endsWith('-ride.fit'));
  await show('inspect', join('data', ride));
  await show('upload', join('data', ride));
  await show('upload', 'data');
  for (const kind of ['wellness', 'nutrition']) {
    // One request is enough to look at.
    const days = JSON.parse(readFileSync(join(home, 'data', `${kind}.json`), 'utf8'));
    writeFileSync(join(home, `${kind}.json`), JSON.stringify(days.at(-1)));
  }
  await show('push', 'wellness', 'wellness.json');
  await show('push', 'nutrition', 'nutrition.json');
  await plugIn();
  say('What the platform now holds:');
  await show('workouts');
  await show('status');
  await showHeld(url);
});

/** Ends at once, and leaves no program and no folder behind: after Ctrl-C, or when `| head` read enough. */
async function leave(exitCode) {
  if (isLeaving) return;
  isLeaving = true;
  const ends = [...running].map((child) => once(child, 'close'));
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(ends);
  rmSync(home, { recursive: true, force: true });
  process.exit(exitCode);
}

/** A watcher waits for a device, which comes with two recordings and leaves. */
async function plugIn() {
  await over(start(['seed', '--days', '3', '--until', '2026-05-20', '--out', 'new']));
  const device = join(home, 'media', 'GARMIN');
  mkdirSync(join(home, 'media'));
  say('$ sync watch --devices');
  const watcher = start(['watch', '--devices']);
  const ended = over(watcher);
  const shown = showing(watcher);
  try {
    await shown('Ready');
    say('(a bike computer is plugged in)');
    const folder = join(device, 'Garmin', 'Activity');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(device, 'Garmin', 'GarminDevice.xml'), GARMIN_DEVICE);
    const rides = readdirSync(join(home, 'new')).filter((name) => name.endsWith('.fit'));
    for (const name of rides) copyFileSync(join(home, 'new', name), join(folder, name));
    for (const name of rides) await shown(`${name}: uploaded`);
    await show('devices');
    say('(it is unplugged)');
    rmSync(device, { recursive: true });
    await shown('unplugged');
  } finally {
    watcher.kill('SIGTERM');
    await ended;
  }
  say('');
}

/** Shows what a program prints, and returns a function that waits until a text is in it. */
function showing(child) {
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece;
    process.stdout.write(piece.replaceAll(`${home}/`, ''));
  });
  return async (wanted) => {
    const signal = AbortSignal.timeout(LONGEST_MS);
    while (!text.includes(wanted)) await once(child.stdout, 'data', { signal });
  };
}

/** Runs a command and shows it as one would see it. */
async function show(...args) {
  say(`$ sync ${args.join(' ')}`);
  const child = start(args);
  child.stdout.pipe(process.stdout, { end: false });
  child.stderr.pipe(process.stdout, { end: false });
  await over(child);
  say('');
}

async function showHeld(url) {
  const state = await (await fetch(`${url}/_sandbox/state`)).json();
  const athlete = state.athletes.find(({ recordings }) => recordings.length > 0);
  const { recordings, wellness, nutrition } = athlete;
  say(
    `At the sandbox: ${recordings.length} recordings, ${wellness.length} day of wellness, ${nutrition.length} day of nutrition.`,
  );
  for (const { sha256, size, name } of recordings)
    say(`  ${sha256.slice(0, 12)}  ${String(size).padStart(7)} bytes  ${name}`);
  if (wellness.length !== 1 || nutrition.length !== 1) process.exitCode = 1;
}

function start(args) {
  const child = startProgram(args);
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Waits for a program to end. If it fails, so does the demo. */
async function over(child) {
  const [code] = await once(child, 'close');
  // The exit ends this script.
  if (isLeaving) await new Promise(() => {});
  if (code === 0) return;
  process.exitCode = 1;
  say(`(exit code ${code})`);
}

function withoutSync(variables) {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !name.startsWith('SYNC_')),
  );
}

function say(text) {
  process.stdout.write(`${text}\n`);
}
