import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../base/errors.ts';

/** The folder itself, links resolved; as far as it exists. @param folder absolute */
export function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    const parent = dirname(folder);
    if (systemCode(error) === undefined || parent === folder) throw error;
    return join(realPath(parent), basename(folder));
  }
}

/** Each folder once, by the first of its names. @param folders absolute */
export function eachOnce(folders: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const folder of folders) {
    const real = realPath(folder);
    if (!names.has(real)) names.set(real, folder);
  }
  return [...names.values()];
}

/** Is one of these folders one of those, by whatever names? All absolute. */
export function haveOneInCommon(these: readonly string[], those: readonly string[]): boolean {
  const real = new Set(those.map(realPath));
  return these.some((folder) => real.has(realPath(folder)));
}
