import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  compare,
  environment,
  has,
  logIn,
  makeFolder,
  peakMemory,
  program,
  run,
  scratch,
  startSink,
  tell,
} from './support.mjs';

/** Nothing to do: a folder whose every recording is where it should be. */
export async function bench({ full }) {
  const sink = await startSink();
  for (const count of full ? [10_000, 50_000] : [10_000]) {
    const env = environment(`known-${count}`, sink.url);
    await logIn(env);
    const folder = await makeFolder(`known-files-${count}`, count, 400);
    await new Promise((done) => setTimeout(done, 2_500));
    const command = [process.execPath, program, 'upload', folder];
    const first = await run(command, env);
    if (first.code !== 0) throw new Error(first.stderr);
    const copy = join(scratch, `copy-${count}`);
    mkdirSync(copy);
    const rivals = {
      ...(has('rclone') ? { rclone: { command: ['rclone', 'copy', folder, copy] } } : {}),
      ...(has('rsync') ? { rsync: { command: ['rsync', '-a', `${folder}/`, `${copy}/`] } } : {}),
    };
    const { ratio, ms } = await compare({ command, env }, rivals, { rounds: 9 });
    const job = `${count} known recordings`;
    tell(`${job}, ms`, ms.ours, undefined, 'ms');
    if (ratio.rclone === undefined) console.log(`${job}: rclone is not here, so not compared`);
    else tell(`${job} / rclone copy`, ratio.rclone, count === 10_000 ? 0.85 : 0.65);
    if (ratio.rsync !== undefined)
      tell(`${job} / rsync -a`, ratio.rsync, count === 50_000 ? 1.25 : undefined);
    const memory = await peakMemory(command, env);
    if (memory !== undefined) tell(`${job}, peak memory`, memory, 70, 'MB');
  }
  sink.close();
}
