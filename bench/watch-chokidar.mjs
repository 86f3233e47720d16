import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Measures chokidar when it watches folders only: ready, memory, and the CPU for a file that
 * grows in a folder beside many. Why events come from `fs.watch`: docs/watch.md.
 *
 * Usage: node bench/watch-chokidar.mjs FOLDER
 */
const folder = process.argv[2];
const { watch } = await import('chokidar');
const started = performance.now();
const watcher = watch(folder, {
  ignored: (_path, stats) => stats !== undefined && !stats.isDirectory(),
  ignoreInitial: true,
  followSymlinks: false,
});
await new Promise((done) => watcher.once('ready', done));
const readyMs = performance.now() - started;
const peakMb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
const before = process.cpuUsage();
const file = join(folder, 'grows.fit');
for (let i = 0; i < 20; i++) {
  appendFileSync(file, 'x');
  await sleep(500);
}
const { user, system } = process.cpuUsage(before);
rmSync(file);
await watcher.close();
console.log(JSON.stringify({ readyMs, peakMb, cpuMs: (user + system) / 1000 }));
