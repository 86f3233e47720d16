import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  environment,
  has,
  makeFolder,
  median,
  program as built,
  scratch,
  tell,
} from './support.mjs';

/** Another build than the one that is shipped, for whoever works on it. */
const program = process.env.SYNC_TEST_DIST
  ? resolve(process.env.SYNC_TEST_DIST, 'main.cjs')
  : built;
const chokidarProbe = fileURLToPath(new URL('./watch-chokidar.mjs', import.meta.url));

/** Watching: how soon a recording goes, what it takes to begin, what it takes to do nothing. */
export async function bench({ full }) {
  const sink = await startClock();
  await latency(sink);
  for (const count of full ? [1_000, 10_000, 50_000] : [1_000, 10_000]) await starting(sink, count);
  await idle(sink, full ? 10_000 : 1_000);
  sink.close();
}

/** From the closing of a whole recording to the first byte of its request. */
async function latency(sink) {
  const rounds = 50;
  const source = await makeFolder('latency-source', rounds * 2, 200_000);
  const files = filesBelow(source);
  const ours = join(scratch, 'latency-ours');
  const theirs = join(scratch, 'latency-theirs');
  mkdirSync(ours);
  mkdirSync(theirs);
  const watcher = await watch(ours, sink);
  const rival = has('inotifywait') && has('curl') ? await startRival(theirs, sink) : undefined;
  const times = { ours: [], rival: [] };
  for (let i = 0; i < rounds; i++) {
    times.ours.push(await once(sink, ours, `a${i}.fit`, readFileSync(files[i])));
    if (rival !== undefined) {
      times.rival.push(await once(sink, theirs, `b${i}.fit`, readFileSync(files[rounds + i])));
    }
  }
  await watcher.stop();
  rival?.stop();
  tell('closed -> request begun, median', median(times.ours), 10, 'ms');
  tell('closed -> request begun, 95th percentile', percentile(times.ours, 0.95), 30, 'ms');
  if (rival === undefined) {
    console.log('inotifywait or curl is not here, so not compared');
    return;
  }
  tell('inotifywait | curl, median', median(times.rival), undefined, 'ms');
  tell('inotifywait | curl, 95th percentile', percentile(times.rival, 0.95), undefined, 'ms');
}

async function once(sink, folder, name, bytes) {
  const file = openSync(join(folder, name), 'w');
  for (let at = 0; at < bytes.length; at += 65_536)
    writeSync(file, bytes.subarray(at, at + 65_536));
  const begun = sink.next();
  closeSync(file);
  const closed = performance.now();
  const { at, done } = await begun;
  await done;
  await sleep(20);
  // What is whole with its last write may be on its way before the file is closed.
  return Math.max(0, at - closed);
}

function startRival(folder, sink) {
  const script =
    `inotifywait -m -e close_write --format %w%f "$1" | ` +
    `while read -r f; do curl -s -o /dev/null -F "file=@$f" "$2"; done`;
  const child = spawn(
    'bash',
    ['-c', script, 'rival', folder, `${sink.url}/api/workouts/upload-fit`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    },
  );
  return new Promise((done) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (/established/.test(text)) done({ stop: () => process.kill(-child.pid, 'SIGTERM') });
    });
  });
}

/** Until it watches, with recordings that are all known; beside `inotifywait -r`. */
async function starting(sink, count) {
  const folder = await makeFolder(`start-${count}`, count, 1_000);
  const empty = join(scratch, `empty-${count}`);
  mkdirSync(empty);
  // The first run marks them as seen; what follows begins as after every reboot.
  await (await watch(folder, sink, ['--new-only'])).stop();
  await (await watch(empty, sink)).stop();
  const runs = { startUp: [], watching: [], swept: [], inotifywait: [], chokidar: [] };
  let memory = 0;
  let watches = 0;
  let chokidar;
  for (let round = 0; round < 5; round++) {
    const nothing = await watch(empty, sink);
    await nothing.stop();
    const watcher = await watch(folder, sink, ['--new-only']);
    runs.startUp.push(nothing.watchingMs);
    runs.watching.push(watcher.watchingMs);
    runs.swept.push(watcher.readyMs);
    memory = Math.max(memory, peakMb(watcher.pid));
    watches = inotifyWatches(watcher.pid);
    await watcher.stop();
    if (has('inotifywait')) runs.inotifywait.push(await inotifywaitMs(folder));
    chokidar = await chokidarMs(folder);
    if (chokidar !== undefined) runs.chokidar.push(chokidar.readyMs);
  }
  const job = `${count} files`;
  if (runs.inotifywait.length > 0) {
    // Twice what inotifywait takes, and what the program takes with nothing to watch.
    const allowed = runs.startUp.map((startUp, i) => startUp + 2 * runs.inotifywait[i]);
    tell(`${job}: inotifywait -r`, median(runs.inotifywait), undefined, 'ms');
    tell(
      `${job}: watching / (start-up + 2 x inotifywait -r)`,
      median(runs.watching.map((ms, i) => ms / allowed[i])),
      1,
    );
  }
  tell(`${job}: watching nothing (start-up)`, median(runs.startUp), undefined, 'ms');
  tell(`${job}: watching, from the start of the process`, median(runs.watching), undefined, 'ms');
  tell(`${job}: all compared with the ledger, likewise`, median(runs.swept), undefined, 'ms');
  tell(`${job}: peak memory`, memory, 80, 'MB');
  tell(
    `${job}: inotify watches (folders: ${foldersBelow(folder)})`,
    watches,
    foldersBelow(folder),
    '',
  );
  if (chokidar !== undefined) {
    tell(`${job}: chokidar, folders only, ready`, median(runs.chokidar), undefined, 'ms');
    tell(
      `${job}: chokidar, folders only, memory of node with it`,
      chokidar.peakMb,
      undefined,
      'MB',
    );
    tell(
      `${job}: chokidar, CPU for one file written 20 times in 10 s`,
      chokidar.cpuMs,
      undefined,
      'ms',
    );
  }
}

/** CPU over a minute in which nothing happens. */
async function idle(sink, count) {
  const folder = await makeFolder(`idle-${count}`, count, 1_000);
  const watcher = await watch(folder, sink, ['--new-only']);
  await sleep(5_000);
  const before = cpuMs(watcher.pid);
  await sleep(60_000);
  const used = cpuMs(watcher.pid) - before;
  await watcher.stop();
  tell(`${count} files: CPU over an idle minute, % of a core`, used / 600, 0.1, '%');
}

/** Starts the watcher. @returns when it watched and when it was ready, in ms from its start */
async function watch(folder, sink, args = []) {
  const env = { ...environment('watch', sink.url), SYNC_ACCESS_TOKEN: 'bench' };
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'watch', folder, '--json', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => child.once('close', done));
  let watchingMs;
  let out = '';
  const readyMs = await new Promise((done, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
      if (/"state":"watching"/.test(out)) watchingMs ??= performance.now() - started;
      if (/"event":"ready"/.test(out)) done(performance.now() - started);
    });
    child.once('close', (code) => fail(new Error(`sync watch ended with ${code}:\n${out}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, watchingMs, readyMs, stop };
}

function inotifywaitMs(folder) {
  const started = performance.now();
  const child = spawn('inotifywait', ['-r', '-m', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((done) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (!/established/.test(text)) return;
      done(performance.now() - started);
      child.kill();
    });
  });
}

function chokidarMs(folder) {
  const child = spawn(process.execPath, [chokidarProbe, folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  return new Promise((done) => {
    child.once('close', (code) => done(code === 0 ? JSON.parse(out) : undefined));
  });
}

/** A server that says when a request began. */
async function startClock() {
  let waiting;
  const server = createServer((request, response) => {
    const at = performance.now();
    request.resume();
    const done = new Promise((end) => response.once('close', end));
    request.once('end', () => {
      response
        .setHeader('content-type', 'application/json')
        .end('{"success":true,"results":{"total":1,"processed":1,"duplicates":0,"failed":0}}');
    });
    if (request.method === 'POST') waiting?.({ at, done });
  });
  server.keepAliveTimeout = 65_000;
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    next: () => new Promise((done) => (waiting = done)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function foldersBelow(folder) {
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return 1 + below.length;
}

function peakMb(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function inotifyWatches(pid) {
  let count = 0;
  for (const name of readdirSync(`/proc/${pid}/fdinfo`)) {
    const text = readFileSync(`/proc/${pid}/fdinfo/${name}`, 'utf8');
    count += text.match(/^inotify wd/gm)?.length ?? 0;
  }
  return count;
}

/** User and system time of a process, in ms; the kernel counts in hundredths of a second. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
