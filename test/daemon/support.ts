import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type WatcherPaths, watcherPaths } from '../../src/daemon/registry.ts';

/** A folder that is gone after the test. */
export function scratchDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sync-daemon-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

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
