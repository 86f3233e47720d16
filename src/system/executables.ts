import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname, join, win32 } from 'node:path';
import type { Env } from '../base/env.ts';
import { attempt } from '../base/errors.ts';

export function isExecutable(path: string): boolean {
  const isFound = attempt(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  });
  return isFound ?? false;
}

/** Resolves symbolic links; returns the path unchanged on an error. */
export function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? path;
}

/**
 * Returns whether a program is a launcher of this installation, perhaps through a link: `bin/sync.js` of
 * the npm package, `bin/sync` of a standalone archive.
 *
 * @param programDir the built program's folder, beside `bin`
 */
export function isOwnLauncher(program: string, programDir: string): boolean {
  return dirname(realPath(program)) === realPath(join(programDir, '..', 'bin'));
}

/**
 * Returns the path of a tool of Windows, which would search the working directory first, and may find
 * another program of this name there.
 */
export function inSystemFolder(program: string, env: Env): string {
  return win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', `${program}.exe`);
}
