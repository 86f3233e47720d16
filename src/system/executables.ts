import { accessSync, constants, realpathSync, statSync } from 'node:fs';

/** A file that whoever runs this may start. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The path without symbolic links; itself where that cannot be told. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
