import { join } from 'node:path';
import { withLock } from '../system/process-lock.ts';
import type { Clock } from '../base/time.ts';

/**
 * How long to wait for another process that refreshes, logs in or logs out, in ms: longer than any
 * of them can take, a person at an unlock prompt included.
 */
const PATIENCE_MS = 180_000;

/**
 * Runs a task while no other process of this machine changes this profile's login. Everything that
 * replaces a stored token runs in here, so that no token is used twice and none overwrites a newer.
 *
 * @throws SyncError `BUSY` if the lock is never given back; whatever the task throws.
 */
export async function withLoginLock<T>(
  where: { readonly stateDir: string; readonly profile: string; readonly clock: Clock },
  signal: AbortSignal,
  task: () => Promise<T>,
): Promise<T> {
  return await withLock(
    loginLockPath(where),
    { clock: where.clock, signal, patienceMs: PATIENCE_MS },
    task,
  );
}

/** Returns the path of the lock that {@link withLoginLock} takes. */
export function loginLockPath({
  stateDir,
  profile,
}: {
  readonly stateDir: string;
  readonly profile: string;
}): string {
  const name = profile.replace(/[A-Z]/g, (letter) => `=${letter.toLowerCase()}`);
  return join(stateDir, 'locks', `login-${name}.lock`);
}
