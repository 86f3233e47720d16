import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pair } from '../pair.mjs';
import { filesBelow, makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';

/** Uploads at once, of both sides. */
const JOBS = 4;
const PATH = '/api/workouts/upload-fit';

/** Upload of a folder that the service does not have. @param rival returns the command of the other side */
export function upload(count, sizeBytes, rival, line) {
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
  return curlOf(filesBelow(folder), url);
}

/** Returns the command that sends files with one curl. */
export function curlOf(files, url) {
  const config = join(scratch, 'curl.cfg');
  const transfers = files.map((path) =>
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
