import {
  type SeenHealth,
  type WatcherPaths,
  healthOf,
  listWatchers,
  watcherPaths,
} from '../../src/daemon/registry.ts';
import { scratchDir } from '../support/scratch-dir.ts';

export { scratchDir };

export function scratchPaths(): WatcherPaths {
  return watcherPaths(scratchDir(), 'default', { folders: ['/rides'] });
}

/** Returns the health of all watchers, the living first. @param now ms since the epoch */
export function readHealth(stateDir: string, now: number): readonly SeenHealth[] {
  return listWatchers(stateDir)
    .flatMap((found) => healthOf(found, now) ?? [])
    .sort((a, b) => Number(b.alive) - Number(a.alive));
}
