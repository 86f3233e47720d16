import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Deps } from '../app/deps.ts';

/** Options of coreutils' `sync` that name what to flush. */
const SYSTEM_OPTIONS = new Set(['-d', '--data', '-f', '--file-system']);

/**
 * Scripts that flush disks call `sync`, `sync FILE`, `sync -f FILE`. Where this program stands
 * before the system's own on the PATH, they still get what they ask for.
 *
 * @returns the arguments for the system's `sync`, or undefined when this program is meant.
 */
export function systemSyncWanted(
  args: readonly string[],
  commands: readonly string[],
  deps: Pick<Deps, 'cwd'>,
): readonly string[] | undefined {
  const [first] = args;
  if (first === undefined || SYSTEM_OPTIONS.has(first)) return args;
  if (first.startsWith('-') || commands.includes(first)) return undefined;
  return existsSync(resolve(deps.cwd, first)) ? args : undefined;
}
