import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { SyncError } from '../base/errors.ts';
import { mountsIn, usualMounts } from '../devices/places.ts';
import type { Places } from '../devices/types.ts';
import { thisProcess } from '../system/this-process.ts';
import type { System } from './context.ts';

/** Folders in which devices are mounted, in place of the usual ones; separated as in `PATH`. */
export const DEVICE_FOLDERS = 'SYNC_DEVICE_FOLDERS';

/**
 * Returns where devices and apps are searched.
 *
 * @param folders of the command line: search only these, and no apps
 * @throws SyncError `CONFIG` if the variable names a relative folder
 */
export function devicePlaces(
  system: Pick<System, 'platform' | 'env' | 'homeDir' | 'cwd' | 'programDir'>,
  folders: readonly string[] = [],
): Places {
  const { platform, env, homeDir, cwd, programDir } = system;
  const set = (env[DEVICE_FOLDERS] ?? '').split(delimiter).filter((folder) => folder !== '');
  const named = folders.length > 0 ? folders.map((folder) => resolve(cwd, folder)) : set;
  // The shell expands no `~` in quotes.
  const relative = named.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) {
    throw new SyncError('CONFIG', `${DEVICE_FOLDERS}: "${relative}" is not an absolute path.`);
  }
  const { userId } = thisProcess;
  // Other users choose the files in their folders. macOS gives the files of a device to the user who looks.
  const isChecked = platform === 'linux' && named.length === 0 && userId !== undefined;
  return {
    platform,
    env,
    homeDir,
    mounts: named.length > 0 ? named.flatMap(mountsIn) : usualMounts(platform, env, userId),
    owners: isChecked ? [0, userId] : undefined,
    apps: folders.length === 0,
    childPath: join(programDir, 'device-child.cjs'),
  };
}
