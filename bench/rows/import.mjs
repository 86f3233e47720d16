import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeNestedZip } from '../nested-zip.mjs';
import { pair } from '../pair.mjs';
import { loadMaker } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { forget, logIn, program, scratch } from '../world.mjs';

/** An account export: archives with recordings inside it, and large JSON. */
export function importArchive(megabytes) {
  return async ({ rounds }) => {
    const archive = join(scratch, `export-${megabytes}.zip`);
    writeNestedZip(archive, await loadMaker(), megabytes);
    const sink = await startSink();
    const env = await logIn(sink.url);
    const command = [process.execPath, program, 'import', archive, '--yes', '--quiet'];
    const figures = await pair({ command, env, before: () => forget(env) }, undefined, rounds);
    sink.close();
    return figures;
  };
}

/** A year of the synthetic athlete, written to files. */
export async function seedYear({ rounds }) {
  const env = await logIn('http://127.0.0.1:9');
  const out = join(scratch, 'life');
  const command = [process.execPath, program, 'seed', '--days', '365', '--until', '2026-05-17'];
  const before = () => rmSync(out, { recursive: true, force: true });
  return await pair({ command: [...command, '--out', out], env, before }, undefined, rounds);
}
