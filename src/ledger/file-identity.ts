import { isOnMtp, lastingPath } from '../system/mtp-path.ts';
import type { FileStamp } from './known-files.ts';

/**
 * Returns the path and stamp under which the ledger knows a file. On an MTP mount, the device, the
 * path on it and the size identify a file: it has no inode, and its times are missing, now, or in an
 * unknown zone (system/mtp-path.ts). Devices name recordings by their start, so that no two share a name.
 */
export function identityOf(path: string, stamp: FileStamp): { path: string; stamp: FileStamp } {
  if (!isOnMtp(path)) return { path, stamp };
  return { path: lastingPath(path), stamp: { size: stamp.size, mtimeMs: 0, ctimeMs: 0 } };
}
