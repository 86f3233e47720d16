import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { percentile } from '../statistics.mjs';
import { logIn, scratch } from '../world.mjs';
import { established, startWatcher } from './watcher.mjs';

const ANSWER = '{"success":true,"results":{"total":1,"processed":1,"duplicates":0,"failed":0}}';

/** From the closing of a whole recording to the first byte of its request. */
export async function watchLatency({ rounds, compared }) {
  const files = filesBelow(await makeFolder(rounds * 2, 200_000)).map((file) => readFileSync(file));
  const clock = await startClock();
  const folders = { ours: join(scratch, 'watch-ours'), rival: join(scratch, 'watch-rival') };
  for (const folder of Object.values(folders)) mkdirSync(folder);
  const watcher = await startWatcher(folders.ours, await logIn(clock.url));
  const rival = compared ? await startRival(folders.rival, clock.url) : undefined;
  const times = { ours: [], rival: [] };
  for (let round = 0; round < rounds; round++) {
    const sides = compared ? ['ours', 'rival'] : ['ours'];
    for (const side of round % 2 === 0 ? sides : sides.reverse()) {
      const file = join(folders[side], `ride-${round}.fit`);
      times[side].push(await timeOf(clock, file, files.pop()));
    }
  }
  await watcher.stop();
  rival?.stop();
  clock.close();
  const p95 = (list) => [percentile(list, 0.95)];
  return [
    {
      name: 'closed to request begun',
      unit: 'ms',
      ours: times.ours,
      rival: compared ? times.rival : undefined,
    },
    {
      name: '95th percentile of it',
      unit: 'ms',
      ours: p95(times.ours),
      rival: compared ? p95(times.rival) : undefined,
    },
  ];
}

async function timeOf(clock, path, bytes) {
  const file = openSync(path, 'w');
  for (let at = 0; at < bytes.length; at += 65_536)
    writeSync(file, bytes.subarray(at, at + 65_536));
  const begun = clock.next();
  closeSync(file);
  const closed = performance.now();
  const { at, done } = await begun;
  await done;
  await sleep(20);
  // A recording is whole with its last write, which may be seen before the file is closed.
  return Math.max(0.01, at - closed);
}

async function startRival(folder, url) {
  const script = `inotifywait -m -e close_write --format %w%f "$1" | while read -r file; do
    curl --silent --output /dev/null --form "file=@$file" "$2"
  done`;
  const child = spawn('sh', ['-c', script, 'rival', folder, `${url}/api/workouts/upload-fit`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  await established(child);
  return { stop: () => process.kill(-child.pid, 'SIGTERM') };
}

/** A server in this process, so that its clock is the one that saw the file closed. */
async function startClock() {
  let waiting;
  const server = createServer((request, response) => {
    const at = performance.now();
    request.resume();
    request.once('end', () => response.setHeader('content-type', 'application/json').end(ANSWER));
    if (request.method === 'POST') waiting?.({ at, done: once(response, 'close') });
  });
  // No connection ends between two recordings.
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    next: () => new Promise((done) => (waiting = done)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
