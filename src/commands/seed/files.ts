import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SyncError, isAbort, messageOf, systemCode } from '../../base/errors.ts';
import { type SynthesizeOptions, synthesize } from '../../seed/synthesize.ts';
import { makeNamedFolder, storageError } from '../../system/storage.ts';
import { KINDS } from '../../ledger/records.ts';

export type SeedFiles = Awaited<ReturnType<typeof writeSeedFiles>>;

/**
 * Writes the same data into a folder, as `sync upload` and `sync push` read it: a `.fit` file for each
 * recording, `wellness.json` and `nutrition.json`. A file that is already there must have the same
 * bytes, and stays as it is; otherwise nothing is written.
 *
 * @throws SyncError `USAGE`, `STORAGE`
 */
export async function writeSeedFiles(options: SynthesizeOptions, dir: string, signal: AbortSignal) {
  makeNamedFolder(dir, '--out');
  try {
    const isEmpty = readdirSync(dir).length === 0;
    const present = isEmpty ? new Set<string>() : findPresent(options, dir, signal);
    let files = 0;
    for (const { name, bytes } of filesOf(options)) {
      signal.throwIfAborted();
      if (!present.has(name)) await create(join(dir, name), bytes);
      files++;
    }
    return { dir, recordings: files - KINDS.length, days: options.days };
  } catch (cause) {
    if (isAbort(cause) || cause instanceof SyncError) throw cause;
    throw storageError(dir, cause, undefined, {
      message: `${dir} cannot be written: ${messageOf(cause)}`,
    });
  }
}

/** Makes the files one by one: the recordings, and a file of each kind of records. */
function* filesOf(
  options: SynthesizeOptions,
): Generator<{ readonly name: string; readonly bytes: Uint8Array }> {
  const lists = { wellness: [] as string[], nutrition: [] as string[] };
  for (const day of synthesize(options)) {
    for (const kind of KINDS) if (day[kind] !== null) lists[kind].push(JSON.stringify(day[kind]));
    for (const { fileName, bytes } of day.recordings) yield { name: fileName, bytes };
  }
  for (const kind of KINDS) {
    yield { name: `${kind}.json`, bytes: Buffer.from(`[\n${lists[kind].join(',\n')}\n]\n`) };
  }
}

/**
 * Returns the names of the files that are there already.
 *
 * @throws SyncError `USAGE` if one of them has other bytes, or is no file
 */
function findPresent(
  options: SynthesizeOptions,
  dir: string,
  signal: AbortSignal,
): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { name, bytes } of filesOf(options)) {
    signal.throwIfAborted();
    const path = join(dir, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isSame = stats.isFile() && readFileSync(path).equals(bytes);
    const why = stats.isFile() ? 'has other content' : 'is not a plain file';
    if (!isSame) throw inTheWay(path, `${why}. Nothing was written`);
    present.add(name);
  }
  return present;
}

function inTheWay(path: string, why: string): SyncError {
  return new SyncError('USAGE', `${path} is there already, and ${why}.`, {
    hint: 'Name another folder with --out. A seed with other arguments, or at a later hour of its last day, needs its own.',
    details: { path },
  });
}

/** Creates a file. @throws SyncError `USAGE` if there is one, or a link, which it would follow */
async function create(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes, { flag: 'wx' });
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') throw inTheWay(path, 'another program wrote it');
    // A part of a file would be in the way of the next run.
    await rm(path, { force: true });
    throw cause;
  }
}
