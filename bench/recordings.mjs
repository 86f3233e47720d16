import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { root, scratch } from './world.mjs';

const FIRST_RIDE = Date.UTC(2001, 0, 1, 7);
const THREE_HOURS = 10_800_000;

/**
 * Makes a folder of recordings, all different and three hours apart, once in a run of the bench.
 * @param perFolder recordings in each of its folders
 * @returns its path
 */
export async function makeFolder(count, sizeBytes, perFolder = 256) {
  const folder = join(scratch, `recordings-${count}-${sizeBytes}-${perFolder}`);
  if (existsSync(folder)) return folder;
  const { makeRecording } = await loadSupport('fit-maker');
  for (let index = 0; index < count; index++) {
    const part = String(Math.floor(index / perFolder)).padStart(4, '0');
    const path = join(folder, part, `ride-${index}.fit`);
    mkdirSync(dirname(path), { recursive: true });
    const startTime = new Date(FIRST_RIDE + index * THREE_HOURS);
    writeFileSync(path, makeRecording({ seed: index + 1, startTime, durationSecs: 20, sizeBytes }));
  }
  return folder;
}

export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Imports a module of test/support/. */
export async function loadSupport(name) {
  const file = join(scratch, `${name}.mjs`);
  if (!existsSync(file)) {
    await build({
      input: join(root, 'test', 'support', `${name}.ts`),
      platform: 'node',
      logLevel: 'silent',
      output: { file, format: 'esm' },
    });
  }
  return await import(pathToFileURL(file).href);
}
