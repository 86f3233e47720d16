import { type WatcherPaths, watcherPaths } from '../../src/daemon/registry.ts';
import { scratchDir } from '../support/scratch-dir.ts';

export { scratchDir };

export function scratchPaths(): WatcherPaths {
  return watcherPaths(scratchDir(), 'default', { folders: ['/rides'] });
}

/** Does a process of this id live? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
