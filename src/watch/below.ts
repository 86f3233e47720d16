import { sep } from 'node:path';

/** Returns whether a path is in a folder, at any depth. Both absolute; drive roots end with `sep`. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
