import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { measure, pair } from '../pair.mjs';
import { makeFolder } from '../recordings.mjs';
import { startSink } from '../sink.mjs';
import { logIn, program, runProgram, scratch } from '../world.mjs';

const worlds = new Map();

/** Makes a home whose ledger knows each recording of a folder, once. @returns its environment, the folder */
export async function knownWorld(count) {
  const known = worlds.get(count);
  if (known !== undefined) return known;
  const sink = await startSink();
  const env = await logIn(sink.url);
  const folder = await makeFolder(count, 400);
  // The ledger remembers a file by its times once they are a little in the past.
  await sleep(2_500);
  await runProgram(['upload', '--jobs', '8', '--quiet', folder], env);
  sink.close();
  const world = { env, folder, command: [process.execPath, program, 'upload', folder] };
  worlds.set(count, world);
  return world;
}

/** Nothing to do: a folder whose recordings are all uploaded, beside a copy of rclone that is up to date. */
export function nothingToDo(count) {
  return async ({ rounds, compared }) => {
    const { env, folder, command } = await knownWorld(count);
    const rclone = { command: ['rclone', 'copy', folder, join(scratch, `copy-${count}`)] };
    if (compared) await measure(rclone);
    return await pair({ command, env }, compared && rclone, rounds);
  };
}
