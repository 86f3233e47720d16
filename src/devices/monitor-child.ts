/*
 * The child process that waits for devices to come and go. Looking at a mount may hang for ever, so the
 * program itself never does: it kills this process, or leaves it behind.
 */
import { lstat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { watch } from 'chokidar';
import { answer, onRequest } from '../system/child-side.ts';
import { isOnMtp } from '../system/mtp-path.ts';
import { type MonitorLine, type MonitorRequest, POLL_MS } from './protocol.ts';
import { MountPoll, hasEvents } from './mount-poll.ts';

/** Levels of folders below `/media` and its like that are watched: `/media/USER/DEVICE`. */
const DEPTH = 2;

async function main({ mounts }: MonitorRequest): Promise<never> {
  const watcher = watch([], {
    depth: DEPTH,
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path, stats) => isOnMtp(path) || stats?.isDirectory() === false,
  });
  watcher.on('all', () => say('changed'));
  // Without watches, polling still finds everything.
  watcher.on('error', () => undefined);
  const unwatched = new Set(mounts.filter(hasEvents).map(({ root }) => root));
  const poll = new MountPoll(mounts);
  await poll.hasChanged();
  say('ready');
  for (;;) {
    for (const root of unwatched) {
      void lstat(root).then(
        () => {
          if (unwatched.delete(root)) watcher.add(root);
        },
        () => undefined,
      );
    }
    if (await poll.hasChanged()) say('changed');
    say('alive');
    await delay(POLL_MS);
  }
}

function say(line: MonitorLine): void {
  void answer(line);
}

// It ends with the parent.
process.on('disconnect', () => process.exit());
onRequest(main);
