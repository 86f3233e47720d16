import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeNestedZip } from './nested-zip.mjs';
import { startSandbox } from './memory.mjs';
import { environment, loadMaker, peakMemory, program, scratch, tell } from './support.mjs';

/** Peak memory, whatever the size of the archive (MB). */
const LIMIT_MB = 200;

/** An account export of 200 MB (2 GB with `--full`): archives with recordings inside it, and large JSON. */
export async function bench({ full }) {
  if (process.platform !== 'linux') {
    console.log('peak memory is measured on Linux only');
    return;
  }
  const { makeRecording } = await loadMaker();
  const megabytes = full ? 2_000 : 200;
  const archive = join(scratch, 'export.zip');
  const { recordings, days } = writeNestedZip(archive, makeRecording, megabytes);
  const what = `${megabytes} MB, ${recordings} recordings, ${days} days`;
  const sandbox = await startSandbox();
  const env = { ...environment('import', sandbox.url), SYNC_ACCESS_TOKEN: await sandbox.mint() };
  mkdirSync(env.HOME, { recursive: true });
  const measure = async (job, args) => {
    const started = performance.now();
    const memory = await peakMemory([process.execPath, program, ...args], env);
    tell(`${job}, peak memory`, memory, LIMIT_MB, 'MB');
    tell(`${job}, time`, (performance.now() - started) / 1000, undefined, 's');
  };
  await measure(`import ${what}`, ['import', archive, '--yes', '--quiet']);
  await measure('import it again', ['import', archive, '--yes', '--quiet']);
  sandbox.stop();
}
