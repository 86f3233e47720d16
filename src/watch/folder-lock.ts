import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SyncError } from '../base/errors.ts';
import { type Lock, tryLock } from '../system/process-lock.ts';
import type { Clock } from '../base/time.ts';
import { realPath } from './folder-names.ts';
import { readHealth } from './health.ts';

/**
 * Somebody who only looks whether a lock is held keeps others from it for an instant; after so many
 * tries with so many ms between them it is a watcher's.
 */
const TRIES = 5;
const PAUSE_MS = 60;

/** A lock of a watcher; undefined if another one has it. */
export async function takeLock(path: string, clock: Clock): Promise<Lock | undefined> {
  for (let attempt = 1; ; attempt++) {
    const lock = tryLock(path);
    if (lock !== undefined || attempt === TRIES) return lock;
    await clock.sleep(PAUSE_MS);
  }
}

/**
 * One watcher for each account and folder, however the folder is called.
 *
 * @throws SyncError `BUSY` that says who has it.
 */
export async function lockFolders(
  where: { readonly stateDir: string; readonly account: string; readonly clock: Clock },
  folders: readonly string[],
): Promise<Lock> {
  const locks: Lock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    for (const folder of folders) {
      const real = realPath(folder);
      const name = createHash('sha256').update(`${where.account}\0${real}`).digest('hex');
      const path = join(where.stateDir, 'locks', `folder-${name.slice(0, 16)}.lock`);
      const lock = await takeLock(path, where.clock);
      if (lock === undefined) throw alreadyWatched(folder, real, where);
      locks.push(lock);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

function alreadyWatched(
  folder: string,
  real: string,
  { stateDir, account, clock }: { stateDir: string; account: string; clock: Clock },
): SyncError {
  const holder = readHealth(stateDir, clock.now()).find(
    (health) =>
      health.alive &&
      health.account === account &&
      health.folders.some(({ path }) => realPath(path) === real),
  );
  const who =
    holder === undefined ? 'by another process' : `by process ${holder.pid}, since ${holder.since}`;
  return new SyncError('BUSY', `${folder} is being watched already, ${who}.`, {
    hint: 'See `sync status`; `sync daemon stop` ends the one in the background.',
    details: {
      folder,
      ...(holder === undefined ? {} : { pid: holder.pid, since: holder.since }),
    },
  });
}
