import { delimiter, isAbsolute, join, resolve } from 'node:path';
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
 */
export function devicePlaces(
  { platform, env, homeDir, cwd, programDir }: System,
  folders: readonly string[] = [],
): Places {
  const set = (env[DEVICE_FOLDERS] ?? '').split(delimiter).filter(isAbsolute);
  const named = folders.length > 0 ? folders.map((folder) => resolve(cwd, folder)) : set;
  return {
    platform,
    env,
    homeDir,
    mounts:
      named.length > 0 ? named.flatMap(mountsIn) : usualMounts(platform, env, thisProcess.userId),
    apps: folders.length === 0,
    childPath: join(programDir, 'device-child.cjs'),
  };
}
