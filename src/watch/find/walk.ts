import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import type { FileStamp } from '../../ledger/known-files.ts';
import { describeFileError } from '../../system/plain-file.ts';
import {
  ODD_NAME,
  type OddNames,
  isRecordingName,
  isSearchedFolder,
  oddNames,
} from '../../inputs/recording-names.ts';

export type WalkResult =
  | { readonly found: 'folder'; readonly path: string }
  | { readonly found: 'file'; readonly path: string; readonly stamp: FileStamp }
  | { readonly found: 'problem'; readonly path: string; readonly problem: string };

/**
 * Walks a folder and its searched subfolders. Yields a folder before it is read, so that a watch on it
 * misses nothing. Skips files that vanish meanwhile.
 */
export function* walk(folder: string): Generator<WalkResult, undefined> {
  yield { found: 'folder', path: folder };
  let entries: Dirent[];
  let odd: OddNames;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
    odd = oddNames(folder, entries);
  } catch (error) {
    const problem = problemOf(folder, error);
    if (problem !== undefined) yield problem;
    return undefined;
  }
  for (const name of odd.shown) {
    yield { found: 'problem', path: join(folder, name), problem: ODD_NAME };
  }
  for (const entry of entries) {
    if (odd.read.has(entry.name)) continue;
    if (entry.isDirectory()) {
      if (isSearchedFolder(entry.name)) yield* walk(join(folder, entry.name));
    } else if (entry.isFile() && isRecordingName(entry.name)) {
      const path = join(folder, entry.name);
      try {
        yield { found: 'file', path, stamp: lstatSync(path) };
      } catch (error) {
        const problem = problemOf(path, error);
        if (problem !== undefined) yield problem;
      }
    }
  }
  return undefined;
}

function problemOf(path: string, error: unknown): WalkResult | undefined {
  const code = systemCode(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  return { found: 'problem', path, problem: describeFileError(error) };
}

/** `path.join` is slow for tens of thousands. */
function join(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

/** Longest slice before events and requests are handled (ms). */
const SLICE_MS = 20;

/**
 * Takes the results of a walk in slices, each within `transaction`, and yields to the event loop in
 * between.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function inSlices<T>(
  found: Iterator<T, undefined>,
  take: (item: T) => void,
  transaction: (slice: () => boolean) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const slice = (): boolean => {
    const end = performance.now() + SLICE_MS;
    for (let next = found.next(); next.done !== true; next = found.next()) {
      take(next.value);
      if (performance.now() >= end) return true;
    }
    return false;
  };
  while (transaction(slice)) {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}
