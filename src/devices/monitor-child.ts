/*
 * The child process that waits for devices to come and go. Looking at a mount may hang for ever, so the
 * program itself never does: it kills this process, or leaves it behind.
 */
import { once } from 'node:events';
import { lstat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { watch } from 'chokidar';
import { answer, onRequest } from '../system/child-side.ts';
import { isBelow } from '../system/mounts.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import type { MonitorLine, MonitorRequest } from './protocol.ts';
import { MountPoll, hasEvents } from './mount-poll.ts';

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
  const poll = new MountPoll(mounts);
  const watching = once(watcher, 'ready').catch(() => undefined);
  watchFound();
  await Promise.all([poll.hasChanged(), Promise.race([watching, delay(START_LIMIT_MS)])]);
  say('ready');
  for (;;) {
    watchFound();
    if (await poll.hasChanged()) say('changed');
    say('alive');
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

function say(line: MonitorLine): void {
  void answer(line);
}

// It ends with the parent.
process.on('disconnect', () => process.exit());
onRequest(main);
