import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { System } from '../app/system.ts';

/** Options of coreutils' `sync`. */
const SYSTEM_OPTIONS = new Set(['-d', '--data', '-f', '--file-system']);

/**
 * Recognises command lines for the system's `sync`: scripts that flush disks call `sync`, `sync FILE`,
 * `sync -f FILE`, also if this program comes first on the PATH.
 *
 * @returns the arguments for the system's `sync`, or undefined if the line is for this program
 */
export function systemSyncWanted(
  args: readonly string[],
  commands: readonly string[],
  system: Pick<System, 'cwd'>,
): readonly string[] | undefined {
  const [first] = args;
  if (first === undefined || SYSTEM_OPTIONS.has(first)) return args;
  if (first.startsWith('-') || commands.includes(first)) return undefined;
  return existsSync(resolve(system.cwd, first)) ? args : undefined;
}
