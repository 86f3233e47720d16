import { join } from 'node:path';
import type { Context } from '../base/context.ts';
import { nameInFile } from '../credentials/file.ts';
import { withLock } from '../system/process-lock.ts';

export interface LoginPlace {
  readonly stateDir: string;
  readonly profile: string;
}

/**
 * Runs a task while no other process of this machine changes this profile's login. Everything that
 * replaces a stored token runs in here: no refresh token is used twice, and no newer one
 * overwritten.
 *
 * @throws SyncError `BUSY` if another process holds the lock too long; the errors of the task.
 */
export async function withLoginLock<T>(
  { clock, signal }: Context,
  place: LoginPlace,
  task: () => Promise<T>,
): Promise<T> {
  return await withLock(loginLockPath(place), { clock, signal }, task);
}

/** Returns the path of the lock that {@link withLoginLock} takes. */
export function loginLockPath({ stateDir, profile }: LoginPlace): string {
  return join(stateDir, 'locks', `login-${nameInFile(profile)}.lock`);
}
