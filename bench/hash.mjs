import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  compare,
  environment,
  has,
  logIn,
  makeFolder,
  program,
  startSink,
  tell,
} from './support.mjs';

/** Reading, checking and hashing what was never seen: a dry run sends nothing. */
export async function bench() {
  if (!has('sha256sum')) {
    console.log('sha256sum is not here, so not compared');
    return;
  }
  const sink = await startSink();
  const env = environment('hash', sink.url);
  await logIn(env);
  for (const [count, size, job] of [
    [2_000, 200_000, '2,000 recordings of 200 kB'],
    [5, 200_000_000, '1 GB in 5 recordings'],
  ]) {
    const folder = await makeFolder(`hash-${count}`, count, size);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const { ratio } = await compare(
      { command: [process.execPath, program, 'upload', '--dry-run', '--json', folder], env },
      { sha256sum: { command: ['sha256sum', ...files] } },
      { rounds: 7 },
    );
    tell(`hash and check ${job} / sha256sum`, ratio.sha256sum, 0.4);
  }
  sink.close();
}
