import { spawn } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { constants as osConstants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Deps } from '../deps.ts';
import { ExitCode } from '../errors.ts';

/** Runs the next `sync` on the PATH. Where there is none (Windows), nothing needs to be flushed. */
export async function runSystemSync(args: readonly string[], deps: Deps): Promise<ExitCode> {
  const program = findSystemSync(deps);
  if (program === undefined) return ExitCode.ok;
  const child = spawn(program.path, args, {
    stdio: 'inherit',
    env: { ...deps.env, PATH: program.pathBehind },
  });
  return await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      const ended = code ?? 128 + (signal === null ? 0 : osConstants.signals[signal]);
      done(ended as ExitCode);
    });
  });
}

/**
 * The next `sync` on the PATH, and the rest of the PATH behind it: should it turn out to be another
 * copy of this program, that one looks further on, and the search ends.
 */
function findSystemSync({ env, platform }: Deps): { path: string; pathBehind: string } | undefined {
  if (platform === 'win32') return undefined;
  const own = real(process.argv[1] ?? '');
  const folders = (env['PATH'] ?? '').split(delimiter);
  const at = folders.findIndex((folder) => {
    const path = join(folder, 'sync');
    return folder !== '' && isExecutable(path) && real(path) !== own;
  });
  const folder = folders[at];
  if (folder === undefined) return undefined;
  return { path: join(folder, 'sync'), pathBehind: folders.slice(at + 1).join(delimiter) };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
