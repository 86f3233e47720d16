import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { MAKERS } from '../devices/makers.ts';

/** Names of the makers' folders, in lower case. */
const RECORDINGS = new Set(lastNames(MAKERS.flatMap(({ recordings }) => recordings)));
const WELLNESS = MAKERS.flatMap(({ wellness = [] }) => wellness).map((path) => path.split('/'));

/**
 * Returns the wellness folders that are there and belong to a watched folder: a device, its folder such as
 * `Garmin`, or its folder with recordings, such as `Garmin/Activity`. So does a copy of each.
 *
 * @param folder absolute
 */
export function wellnessFolders(folder: string): readonly string[] {
  const found = new Set<string>();
  const isRecordings = RECORDINGS.has(basename(folder).toLowerCase());
  for (const names of WELLNESS) {
    const last = names.slice(-1);
    const places = [
      find(folder, names),
      find(folder, last),
      isRecordings ? find(dirname(folder), last) : undefined,
    ];
    for (const place of places) if (place !== undefined) found.add(place);
  }
  return [...found];
}

/** Returns the folder below `folder` with these names, in any letter case; undefined if there is none. */
function find(folder: string, names: readonly string[]): string | undefined {
  const [name, ...more] = names;
  if (name === undefined) return folder;
  const wanted = name.toLowerCase();
  const entry = foldersIn(folder).find((each) => each.toLowerCase() === wanted);
  return entry === undefined ? undefined : find(join(folder, entry), more);
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    // It left, or may not be read: a rescan reports that.
    return [];
  }
}

function lastNames(paths: readonly string[]): string[] {
  return paths.map((path) => basename(path).toLowerCase()).filter((name) => name !== '.');
}
