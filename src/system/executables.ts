import { accessSync, constants, realpathSync, statSync } from 'node:fs';

/** Returns whether this user may execute a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Resolves symbolic links; returns the path unchanged on an error. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
