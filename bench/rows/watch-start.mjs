import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { logIn, scratch } from '../world.mjs';
import { cpuMs, inotifyWatches, peakMb, startInotifywait, startWatcher } from './watcher.mjs';

/** Length of the idle minute (s). */
const IDLE_SECS = 60;

/**
 * Start of a watcher whose files are all known, beside `inotifywait -r`. From "watching" on, no new file
 * is missed; when ready, it has also compared all files with the ledger. Start-up, which is the time
 * until it watches an empty folder, is subtracted from "watching".
 */
export function watchStart(count, folders) {
  return async ({ rounds, compared }) => {
    const folder = await makeFolder(count, 1_000, count / folders);
    const empty = join(scratch, 'empty');
    mkdirSync(empty, { recursive: true });
    const sink = await startSink();
    const env = await logIn(sink.url);
    // The first run marks them as seen: later runs begin as after a restart of the machine.
    await (await startWatcher(folder, env, ['--new-only'])).stop();
    await (await startWatcher(empty, env)).stop();
    const times = { watching: [], ready: [], rival: [] };
    const memory = [];
    let watches;
    for (let round = 0; round < rounds; round++) {
      const nothing = await startWatcher(empty, env);
      await nothing.stop();
      const watcher = await startWatcher(folder, env, ['--new-only']);
      times.watching.push(watcher.watchingMs - nothing.watchingMs);
      times.ready.push(watcher.readyMs);
      memory.push(peakMb(watcher.pid));
      watches = inotifyWatches(watcher.pid);
      await watcher.stop();
      if (compared) {
        const rival = await startInotifywait(folder);
        times.rival.push(rival.readyMs);
        rival.stop();
      }
    }
    sink.close();
    const rival = compared ? times.rival : undefined;
    const watched = 1 + readdirSync(folder).length;
    return [
      { name: 'watching, less start-up', unit: 'ms', ours: times.watching, rival },
      { name: 'ready, with start-up', unit: 'ms', ours: times.ready, rival },
      { name: 'peak memory', unit: 'MB', ours: memory },
      { name: 'inotify watches a folder', unit: '', ours: [watches / watched] },
    ];
  };
}

/** CPU of a watcher while nothing happens. */
export function watchIdle(count) {
  return async () => {
    const folder = await makeFolder(count, 1_000);
    const sink = await startSink();
    const env = await logIn(sink.url);
    const watcher = await startWatcher(folder, env, ['--new-only']);
    await sleep(5_000);
    const before = cpuMs(watcher.pid);
    await sleep(IDLE_SECS * 1000);
    const used = cpuMs(watcher.pid) - before;
    await watcher.stop();
    sink.close();
    return [{ name: 'share of a core', unit: '%', ours: [used / IDLE_SECS / 10] }];
  };
}
