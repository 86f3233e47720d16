import type { Failure } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { findDiskFault, freeBytes } from '../system/disk.ts';

/**
 * Returns the disk of the state folder, as `status` and `doctor` see it.
 *
 * @returns `fault`: why it takes no data; `free`: free space (bytes), undefined if the file system does not say
 */
export function readDisk({ paths: { stateDir } }: Config) {
  const found = findDiskFault(stateDir, 'SYNC_STATE_DIR');
  const fault: Failure | undefined = found && {
    code: 'STORAGE',
    message: found.message,
    hint: found.hint,
  };
  return { fault, free: freeBytes(stateDir) };
}
