import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SyncError, isAbort, messageOf, systemCode } from '../../base/errors.ts';
import { type SynthesizeOptions, synthesize } from '../../seed/synthesize.ts';
import { makeNamedFolder, storageError } from '../../system/storage.ts';
import { KINDS } from './days.ts';

/** The files that `--out` wrote. */
export interface SeedFiles {
  readonly dir: string;
  readonly recordings: number;
  readonly days: number;
}

/** A part of a file: all of a recording, or a record in a list. */
interface Piece {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

/**
 * Writes the same data into a folder, as `sync upload` and `sync push` read it: a `.fit` file for each
 * recording, `wellness.json` and `nutrition.json`. A file that is already there must have the same
 * bytes, and stays as it is; otherwise nothing is written.
 *
 * @throws SyncError `USAGE`, `STORAGE`
 */
export async function writeSeedFiles(
  options: SynthesizeOptions,
  dir: string,
  signal: AbortSignal,
): Promise<SeedFiles> {
  makeNamedFolder(dir, '--out');
  try {
    const present =
      readdirSync(dir).length === 0 ? new Set<string>() : findPresent(options, dir, signal);
    const files = new Map<string, FileHandle>();
    const made = { recordings: 0, days: 0 };
    let isComplete = false;
    try {
      for (const { name, bytes, isWhole } of piecesOf(options, made)) {
        signal.throwIfAborted();
        if (present.has(name)) continue;
        const file = files.get(name) ?? (await create(join(dir, name)));
        files.set(name, file);
        await file.writeFile(bytes);
        if (isWhole) await close(files, name);
      }
      isComplete = true;
    } finally {
      const unfinished = [...files.keys()];
      for (const name of unfinished) await close(files, name);
      // A part of a file would be in the way of the next run.
      if (!isComplete) for (const name of unfinished) await rm(join(dir, name), { force: true });
    }
    return { dir, ...made };
  } catch (cause) {
    if (isAbort(cause) || cause instanceof SyncError) throw cause;
    throw storageError(dir, cause, undefined, {
      message: `${dir} cannot be written: ${messageOf(cause)}`,
    });
  }
}

/** @param made counts what the pieces hold */
function* piecesOf(
  options: SynthesizeOptions,
  made = { recordings: 0, days: 0 },
): Generator<Piece> {
  const separators = { wellness: '[', nutrition: '[' };
  const piece = (kind: (typeof KINDS)[number], text: string): Piece => ({
    name: `${kind}.json`,
    bytes: Buffer.from(text),
    isWhole: false,
  });
  for (const day of synthesize(options)) {
    made.days++;
    for (const kind of KINDS) {
      if (day[kind] === null) continue;
      yield piece(kind, `${separators[kind]}\n${JSON.stringify(day[kind])}`);
      separators[kind] = ',';
    }
    for (const { fileName, bytes } of day.recordings) {
      made.recordings++;
      yield { name: fileName, bytes, isWhole: true };
    }
  }
  for (const kind of KINDS) yield piece(kind, separators[kind] === ',' ? '\n]\n' : '[]\n');
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
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const { name, bytes } of piecesOf(options)) {
    signal.throwIfAborted();
    const hash = hashes.get(name) ?? createHash('sha256');
    hash.update(bytes);
    hashes.set(name, hash);
  }
  const present = new Set<string>();
  for (const [name, hash] of hashes) {
    const path = join(dir, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (!stats.isFile()) {
      throw inTheWay(path, stats.isSymbolicLink() ? 'is a symbolic link' : 'is not a file');
    }
    const found = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (found !== hash.digest('hex')) throw inTheWay(path, 'has other content');
    present.add(name);
  }
  return present;
}

function inTheWay(path: string, why: string): SyncError {
  return new SyncError('USAGE', `${path} is there already, and ${why}. Nothing was written.`, {
    hint: 'Name another folder with --out. A seed with other arguments needs its own.',
    details: { path },
  });
}

/** Creates a file. @throws SyncError `USAGE` if there is one, or a link, which it would follow */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx');
  } catch (cause) {
    if (systemCode(cause) !== 'EEXIST') throw cause;
    throw new SyncError('USAGE', `${path} was created by another program meanwhile.`, {
      cause,
      hint: 'Run the same command again.',
      details: { path },
    });
  }
}

async function close(files: Map<string, FileHandle>, name: string): Promise<void> {
  await files.get(name)?.close();
  files.delete(name);
}
