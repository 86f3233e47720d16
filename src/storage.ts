import { accessSync, constants, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SyncError, messageOf, systemCode } from './errors.ts';

/**
 * Makes a folder, with those above it that are missing; nothing if it is there. Node's own
 * `recursive` never ends where a file system says ENOENT of folders whose parent is there (`/proc`).
 *
 * @param mode of the folders that are made; 0700 for what is this program's own
 * @throws what the disk throws
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  const parent = dirname(resolve(path));
  if (!isFolder(parent) && !exists(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw error;
  }
}

/** A folder of this program's own, below `SYNC_STATE_DIR`. @throws SyncError `STORAGE` */
export function makeStateFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
}

/** A folder that a flag names. @throws SyncError `USAGE` */
export function makeNamedFolder(path: string, flag: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    throw new SyncError('USAGE', `${flag} ${path}: ${obstacle(path, cause) ?? messageOf(cause)}`, {
      cause,
      hint: 'Name a folder that you may write to; it need not be there yet.',
      details: { path },
    });
  }
}

/**
 * A file or folder of this program's own that cannot be used: what stands in the way, and the
 * variable that names another place.
 *
 * @param otherwise what is said where it is not the folder's fault
 */
export function storageError(
  path: string,
  cause: unknown,
  variable: 'SYNC_STATE_DIR' | 'SYNC_CONFIG_DIR',
  otherwise?: { readonly message?: string; readonly hint?: string },
): SyncError {
  const found = obstacle(path, cause);
  const mend = `Mend that, or name another folder with ${variable}.`;
  return new SyncError(
    'STORAGE',
    found ?? otherwise?.message ?? `${path} cannot be used: ${messageOf(cause)}`,
    { cause, hint: found === undefined ? otherwise?.hint : mend, details: { path } },
  );
}

/** What is wrong with the place, in a sentence; undefined: nothing that can be seen. */
function obstacle(path: string, cause: unknown): string | undefined {
  let at = resolve(path);
  while (!exists(at) && dirname(at) !== at) at = dirname(at);
  const missing = at !== resolve(path);
  const code = systemCode(cause) ?? '';
  if (!isFolder(at) && (missing || code === 'EEXIST' || code === 'ENOTDIR')) {
    return `${at} is not a folder.`;
  }
  // SQLite does not say why.
  switch (code === 'ERR_SQLITE_ERROR' ? refusalOf(missing ? at : dirname(at)) : code) {
    case 'EACCES':
    case 'EPERM':
      return `This user may not use ${at}.`;
    case 'EROFS':
      return `${at} is on a disk that can only be read.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no room left for ${path}.`;
    case 'ENOENT':
      return `Nothing can be made in ${at}.`;
    default:
      return undefined;
  }
}

function refusalOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
