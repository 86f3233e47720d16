import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import { MAKERS } from '../../devices/makers.ts';
import { ChildError } from '../../system/child-call.ts';

/** Names of the makers' folders, in lower case. */
const RECORDINGS = new Set(MAKERS.flatMap(({ recordings }) => recordings.map(lastName)));
const WELLNESS = MAKERS.flatMap(({ wellness = [] }) => wellness.map((path) => path.split('/')));

/** A folder that may exist: these names below the base, in any letter case. */
interface PossibleFolder {
  readonly base: string;
  readonly names: readonly string[];
}

/**
 * Returns the wellness folders that are there and belong to a watched folder: a device, its folder such as
 * `Garmin`, or its folder with recordings, such as `Garmin/Activity`, or a wellness folder itself. So does a
 * copy of each.
 *
 * @param folder absolute
 * @param list returns the names in a folder. Over MTP, one listing asks the device about each file
 */
export async function wellnessFolders(
  folder: string,
  list: (path: string) => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  const listed = new Map<string, readonly string[]>();
  const found = new Set<string>();
  for (const { base, names } of placesBeside(folder)) {
    let path: string | undefined = base;
    for (const name of names) {
      if (path === undefined) break;
      const entries: readonly string[] = listed.get(path) ?? (await namesIn(path, list));
      listed.set(path, entries);
      path = below(path, entries, name);
    }
    if (path !== undefined) found.add(path);
  }
  return [...found];
}

function placesBeside(folder: string): readonly PossibleFolder[] {
  const isRecordings = RECORDINGS.has(lastName(folder));
  return WELLNESS.flatMap((names) => {
    const last = names.slice(-1);
    const isWellness = last.some((name) => name.toLowerCase() === lastName(folder));
    const beside = isRecordings || isWellness ? [{ base: dirname(folder), names: last }] : [];
    return [{ base: folder, names }, { base: folder, names: last }, ...beside];
  });
}

function below(folder: string, entries: readonly string[], name: string): string | undefined {
  const entry = entries.find((each) => each.toLowerCase() === name.toLowerCase());
  return entry === undefined ? undefined : join(folder, entry);
}

/** Returns the names of the folders in a folder on this machine. */
export function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // It left, or may not be read: a rescan reports that.
    return [];
  }
}

async function namesIn(
  folder: string,
  list: Parameters<typeof wellnessFolders>[1],
): Promise<readonly string[]> {
  try {
    return await list(folder);
  } catch (error) {
    const isNone = error instanceof ChildError && ['ENOENT', 'ENOTDIR'].includes(error.code);
    if (isNone) return [];
    throw error;
  }
}

function lastName(path: string): string {
  return basename(path).toLowerCase();
}
