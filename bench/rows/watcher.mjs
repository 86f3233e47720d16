import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { program } from '../world.mjs';

/**
 * Starts `sync watch` and waits until it has compared all files with the ledger.
 * @returns `watchingMs` and `readyMs`, from its start; its process ID; `stop()`
 */
export async function startWatcher(folder, env, args = []) {
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'watch', folder, '--json', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((done) => child.once('close', done));
  let watchingMs;
  let out = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const readyMs = await new Promise((done, fail) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
      if (out.includes('"state":"watching"')) watchingMs ??= performance.now() - started;
      if (out.includes('"event":"ready"')) done(performance.now() - started);
    });
    child.once('close', (code) => fail(new Error(`sync watch ended with ${code}: ${stderr}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, watchingMs, readyMs, stop };
}

/** Starts inotifywait on a folder and all below it. @returns `readyMs` from its start; `stop()` */
export async function startInotifywait(folder) {
  const started = performance.now();
  const child = spawn('inotifywait', ['-r', '-m', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await established(child);
  const readyMs = performance.now() - started;
  return { readyMs, stop: () => child.kill() };
}

/** Waits until inotifywait says that it watches. */
export function established(child) {
  return new Promise((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (text.includes('established')) done();
    });
    child.once('close', () => fail(new Error('inotifywait ended')));
  });
}

/** Peak memory of a process until now (MB). */
export function peakMb(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

export function inotifyWatches(pid) {
  return readdirSync(`/proc/${pid}/fdinfo`)
    .map((name) => readFileSync(`/proc/${pid}/fdinfo/${name}`, 'utf8'))
    .reduce((count, text) => count + (text.match(/^inotify wd/gm)?.length ?? 0), 0);
}

/** CPU time that all threads of a process have used so far (ms); the kernel counts in nanoseconds. */
export function cpuMs(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}
