import { readdir, stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { mostSimilar } from '../../base/similar.ts';
import { ODD_NAME } from '../../inputs/recording-names.ts';

/** Returns why a folder that never existed is waited for, as sentences. @param path absolute */
export async function notThereYet(path: string): Promise<string> {
  // A byte that is not UTF-8 became this character in the arguments.
  if (path.includes('\uFFFD')) return ODD_NAME;
  const meant = await similarFolder(path);
  return `It does not exist yet.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

/**
 * Returns the existing folder that a mistyped path most likely means; undefined if none is close. Every
 * part of the path may be mistyped.
 */
async function similarFolder(path: string): Promise<string | undefined> {
  const { root } = parse(path);
  let found = root;
  for (const name of path.slice(root.length).split(sep)) {
    const typed = join(found, name);
    if (await isFolder(typed)) {
      found = typed;
      continue;
    }
    const meant = mostSimilar(name, await foldersIn(found, name.startsWith('.')));
    if (meant === undefined) return undefined;
    found = join(found, meant);
  }
  return found;
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Returns the names of the folders in a folder, links included; none if it cannot be read. */
async function foldersIn(folder: string, hidden: boolean): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('.') === hidden);
}
