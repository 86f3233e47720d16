import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { logIn, program } from '../world.mjs';

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
      const before = useOf(watcher.pid);
      await sleep(IDLE_SECS * 1000);
      const after = useOf(watcher.pid);
      figures = [
        {
          name: 'share of a core',
          unit: '%',
          ours: [(after.cpuMs - before.cpuMs) / IDLE_SECS / 10],
        },
        { name: 'wake-ups', unit: 'a minute', ours: [after.wakeUps - before.wakeUps] },
        { name: 'peak memory', unit: 'MB', ours: [peakMb(watcher.pid)] },
      ];
      await watcher.stop();
    });
    return figures;
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

/** CPU time (ms) and wake-ups of all threads of a process so far. */
function useOf(pid) {
  const use = { cpuMs: 0, wakeUps: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    use.cpuMs += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    const status = readFileSync(`${folder}/status`, 'utf8');
    use.wakeUps += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)[1]);
  }
  return use;
}
