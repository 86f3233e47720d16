/*
 * The child process that waits for devices to come and go. Looking at a mount may hang for ever, so the
 * program itself never does: it kills this process, or leaves it behind.
 */
import { once } from 'node:events';
import { lstat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { watch } from 'chokidar';
import { answer, onRequest } from '../system/child-side.ts';
import { isBelow, listMounts } from '../system/mounts.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import type { MonitorLine, MonitorRequest } from './protocol.ts';
import type { MountPattern } from './types.ts';

/** Levels of folders below `/media` and its like that are watched: `/media/USER/DEVICE`. */
const DEPTH = 2;

/** Time limit for the first look at the watched folders: one of them may hang (ms). */
const START_LIMIT_MS = 2_000;

async function main({ mounts, plugs, pollMs }: MonitorRequest): Promise<never> {
  const watcher = watch([], {
    depth: DEPTH,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path, stats) =>
      isOnMtp(path) ||
      (stats?.isDirectory() === false && !plugs.some((plug) => isBelow(path, plug))),
  });
  watcher.on('all', () => say('changed'));
  // Without watches, the poll still finds every mount.
  watcher.on('error', () => undefined);
  const unwatched = new Set([...plugs, ...mounts.filter(hasEvents).map(({ root }) => root)]);
  let before = await mountedAt(mounts);
  const watching = once(watcher, 'ready').catch(() => undefined);
  watchFound();
  await Promise.race([watching, delay(START_LIMIT_MS)]);
  say('ready');
  for (;;) {
    watchFound();
    const now = await mountedAt(mounts);
    say(now === before ? 'alive' : 'changed');
    before = now;
    await delay(pollMs);
  }

  /** Watches the folders that were missing until now. */
  function watchFound(): void {
    for (const root of unwatched) {
      void lstat(root).then(
        () => {
          if (unwatched.delete(root)) watcher.add(root);
        },
        () => undefined,
      );
    }
  }
}

/** Returns whether the system announces mounts there. It announces neither MTP mounts nor drive letters. */
function hasEvents({ below }: MountPattern): boolean {
  return below.length > 0 && !below.some((name) => name.startsWith('mtp'));
}

/** Returns a text that changes with what no event announces: a folder that is mounted over, a drive letter of Windows. */
async function mountedAt(places: readonly MountPattern[]): Promise<string> {
  const roots = [...new Set(places.map(({ root }) => root))];
  const mounts = listMounts().filter(({ point }) =>
    roots.some((root) => point === root || isBelow(point, root)),
  );
  const drives = process.platform === 'win32' ? roots : [];
  const found = drives.map((drive) =>
    lstat(drive).then(
      ({ dev }) => dev,
      () => undefined,
    ),
  );
  return JSON.stringify([mounts, await Promise.all(found)]);
}

function say(line: MonitorLine): void {
  void answer(line);
}

// It ends with the parent.
process.on('disconnect', () => process.exit());
onRequest(main);
