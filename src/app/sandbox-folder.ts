import { join } from 'node:path';
import { SyncError } from '../base/errors.ts';
import { type Lock, tryLock } from '../system/process-lock.ts';
import { makeNamedFolder } from '../system/storage.ts';

/**
 * Makes the data folder of a sandbox, and locks it: two sandboxes would overwrite each other's data.
 *
 * @param option the flag or the option that names it
 * @throws SyncError `BUSY` if another sandbox uses it; `USAGE` if it cannot be made; `STORAGE`
 */
export function lockSandboxFolder(data: string, option: '--data' | 'data'): Lock {
  makeNamedFolder(data, option, 0o700);
  const lock = tryLock(join(data, 'sandbox.lock'));
  if (lock !== undefined) return lock;
  throw new SyncError('BUSY', `Another sandbox uses the folder ${data}.`, {
    hint: 'Stop that one, or name another folder.',
  });
}
