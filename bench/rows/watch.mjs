import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { logIn, program, scratch } from '../world.mjs';

/** Length of the idle minute (s). */
const IDLE_SECS = 60;

/** Memory of a watcher that starts with files that are all known. */
export function watchStart(count, folders) {
  return async ({ rounds }) => {
    const memory = [];
    await withWatched(count, folders, async (start) => {
      for (let round = 0; round < rounds; round++) {
        const watcher = await start();
        memory.push(peakMb(watcher.pid));
        await watcher.stop();
      }
    });
    return [{ name: 'peak memory', unit: 'MB', ours: memory }];
  };
}

/** Cost of a watcher while nothing happens. */
export function watchIdle(count) {
  return async () => {
    let figures;
    await withWatched(count, count / 256, async (start) => {
      const watcher = await start();
      // V8 collects the garbage of the start until then.
      await sleep(30_000);
      const before = cpuMs(watcher.pid);
      await sleep(IDLE_SECS * 1000);
      const after = cpuMs(watcher.pid);
      figures = [
        {
          name: 'share of a core',
          unit: '%',
          ours: [(after - before) / IDLE_SECS / 10],
        },
        { name: 'peak memory', unit: 'MB', ours: [peakMb(watcher.pid)] },
      ];
      await watcher.stop();
    });
    return figures;
  };
}

/** Time from the last byte of a recording, in a watched folder, to the report of its upload. */
export function watchDelivery(line) {
  return async ({ rounds }) => {
    const sink = await startSink(line);
    const env = await logIn(sink.url);
    const folder = join(scratch, 'delivered');
    mkdirSync(folder);
    const watcher = spawn(process.execPath, [program, 'watch', folder, '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: watcher.stdout });
    const report = async (name) => {
      for await (const [text] of on(lines, 'line')) {
        const { type, event } = JSON.parse(text);
        if (type === name || event === name) return;
      }
    };
    await report('ready');
    const delays = [];
    for (const file of filesBelow(await makeFolder(rounds, 200_000))) {
      const reported = report('upload');
      copyFileSync(file, join(folder, basename(file)));
      const started = performance.now();
      await reported;
      delays.push(performance.now() - started);
    }
    watcher.kill('SIGTERM');
    await once(watcher, 'close');
    sink.close();
    return [{ name: 'delay', unit: 'ms', ours: delays }];
  };
}

/** Calls back with a function that starts a watcher of a folder whose files it has seen before. */
async function withWatched(count, folders, use) {
  const folder = await makeFolder(count, 1_000, count / folders);
  const sink = await startSink();
  const env = await logIn(sink.url);
  const start = () => startWatcher(folder, env);
  await (await start()).stop();
  await use(start);
  sink.close();
}

/** Starts a watcher as `sync watch --daemon` does, and waits until it has compared all files with the ledger. */
async function startWatcher(folder, env) {
  const command = [program, 'watch', folder, '--new-only', '--background', 'daemon'];
  const child = spawn(process.execPath, command, {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = new Promise((done) => child.once('close', done));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  await new Promise((done, fail) => {
    child.once('message', done);
    child.once('close', (code) => fail(new Error(`sync watch ended with ${code}: ${stderr}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, stop };
}

/** Peak memory of a process until now (MB). */
function peakMb(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** Returns the CPU time of all threads of a process so far (ms). */
function cpuMs(pid) {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.split(' ')[0]) / 1e6;
  });
  return times.reduce((sum, time) => sum + time, 0);
}
