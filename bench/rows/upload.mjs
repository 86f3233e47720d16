import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure, pair } from '../pair.mjs';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';

/** Uploads at once, of both sides. */
const JOBS = 4;
const PATH = '/api/workouts/upload-fit';

/** Upload of a folder that the service does not have. @param rival returns the command of the other side */
export function upload(count, sizeBytes, rival, line = {}) {
  return async ({ rounds, compared }) => {
    const folder = await makeFolder(count, sizeBytes);
    const sink = await startSink(line);
    const ours = await uploadOf(folder, sink.url);
    const theirs = compared && rival && { command: rival(folder, sink.url) };
    const figures = await pair(ours, theirs, rounds);
    sink.close();
    return figures;
  };
}

/** Returns the command that uploads a folder, each time as if for the first time. */
export async function uploadOf(folder, url) {
  const env = await logIn(url);
  const command = [process.execPath, program, 'upload', '--jobs', String(JOBS), '--quiet', folder];
  return { command, env, before: () => forget(env) };
}

/** One curl for all: its best way. */
export function parallelCurl(folder, url) {
  const config = join(scratch, 'curl.cfg');
  const transfers = filesBelow(folder).map((path) =>
    [
      `url = "${url}${PATH}"`,
      `form = "file=@${path}"`,
      'header = "Authorization: Bearer bench"',
      'output = /dev/null',
      'silent',
    ].join('\n'),
  );
  writeFileSync(config, transfers.join('\nnext\n'));
  return ['curl', '--silent', '--parallel', '--parallel-max', String(JOBS), '--config', config];
}

/** A shell loop: the quick way. */
export function loopOfCurl(folder, url) {
  const script = `find "$1" -name '*.fit' | while read -r file; do
    curl --silent --form "file=@$file" --header 'Authorization: Bearer bench' "$2" >/dev/null
  done`;
  return ['sh', '-c', script, 'loop', folder, `${url}${PATH}`];
}

/** CPU time of the bench's own server beside that of curl, which sends to it. */
export function sinkItself(count, sizeBytes) {
  return async ({ rounds }) => {
    const folder = await makeFolder(count, sizeBytes);
    const sink = await startSink();
    const curl = { command: parallelCurl(folder, sink.url) };
    const ours = [];
    const rival = [];
    for (let round = 0; round < rounds; round++) {
      const before = await sink.cpu();
      rival.push((await measure(curl)).cpu);
      ours.push((await sink.cpu()) - before);
    }
    sink.close();
    return [{ name: 'CPU', unit: 'ms', ours, rival }];
  };
}
