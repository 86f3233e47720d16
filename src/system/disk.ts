import { accessSync, closeSync, constants, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, systemCode } from '../base/errors.ts';
import { isFolder, nearest } from './plain-file.ts';
import { thisProcess } from './this-process.ts';

/** Why a disk takes no more data, in words for people. */
interface DiskFault {
  readonly state: 'full' | 'read-only' | 'failing';
  readonly message: string;
  readonly hint: string;
}

const STATES: Readonly<Partial<Record<string, { state: DiskFault['state']; words: string }>>> = {
  ENOSPC: { state: 'full', words: 'is full' },
  EDQUOT: { state: 'full', words: 'is full: your quota is used up' },
  EFBIG: { state: 'full', words: 'is full: a file has reached the limit on its size' },
  EROFS: { state: 'read-only', words: 'is read-only' },
  EIO: { state: 'failing', words: 'reports an input/output error' },
};

/** Returns what a code says about a disk, such as `is full`; undefined if the disk is not the cause. */
export function diskWords(code: string | undefined): string | undefined {
  return STATES[code ?? '']?.words;
}

/**
 * Returns the fault of the disk that a failure came from; undefined if the disk is not the cause.
 *
 * @param path the file or folder that could not be written
 * @param variable names another folder for it, if there is one
 */
export function diskFault(path: string, cause: unknown, variable?: string): DiskFault | undefined {
  const folder = folderOf(path);
  const found = STATES[fileErrorCode(path, cause) ?? ''];
  if (found === undefined) return undefined;
  const lacksFiles = found.words === 'is full' && hasNoFileLeft(folder);
  const words = lacksFiles ? 'is full: it cannot hold more files' : found.words;
  const elsewhere =
    variable === undefined ? '' : `; if it never is, name another folder with ${variable}`;
  const hints = {
    full: `${lacksFiles ? 'Delete some files' : 'Free some space'} there. Nothing is lost: the next run continues.`,
    'read-only': `Make it writable${elsewhere}. Nothing is lost.`,
    failing: `Check the disk. Nothing is lost: the next run continues.`,
  };
  return {
    state: found.state,
    message: `The disk of ${folder} ${words}.`,
    hint: hints[found.state],
  };
}

/**
 * Returns the fault of the disk of a folder; undefined if it takes data, or if there is no such folder.
 * Writes a test file, and removes it.
 *
 * @param variable as for {@link diskFault}
 */
export function findDiskFault(folder: string, variable?: string): DiskFault | undefined {
  const code = isFolder(folder) ? refusalOf(folder) : undefined;
  return code === undefined ? undefined : diskFault(folder, { code }, variable);
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html). */
const SQLITE = { READONLY: 8, IOERR: 10, FULL: 13, CANTOPEN: 14 } as const;

/**
 * Returns the system's code for a failure with a file, such as `ENOSPC`. SQLite often does not state why
 * it cannot use a file; a test file beside it shows that.
 */
export function fileErrorCode(path: string, cause: unknown): string | undefined {
  const code = systemCode(cause);
  if (code !== 'ERR_SQLITE_ERROR') return code;
  const { errcode = 0 } = cause as { errcode?: number };
  // The low byte is the primary code.
  switch (errcode & 0xff) {
    case SQLITE.FULL:
      return 'ENOSPC';
    case SQLITE.READONLY:
    case SQLITE.IOERR:
    case SQLITE.CANTOPEN:
      return refusalOf(folderOf(path)) ?? refusalOfFile(path);
    default:
      return undefined;
  }
}

/** SQLite needs this much beside a database to open it (bytes). */
const SHARED_MEMORY_BYTES = 32_768;

/** Returns why a folder takes no new file; undefined if it does. */
function refusalOf(folder: string): string | undefined {
  const path = join(folder, `.sync-test-${thisProcess.pid}-${Date.now()}.tmp`);
  let fd: number | undefined;
  try {
    fd = openSync(path, 'wx', 0o600);
    const bytes = Buffer.alloc(SHARED_MEMORY_BYTES, 1);
    return writeSync(fd, bytes) < bytes.length ? 'ENOSPC' : undefined;
  } catch (error) {
    return systemCode(error);
  } finally {
    if (fd !== undefined) {
      closeSync(fd);
      rmSync(path, { force: true });
    }
  }
}

/** Returns why a file can be neither read nor written; undefined if it can be. */
function refusalOfFile(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}

/** Returns whether a disk has space, but no room for another file (its inodes are used up). */
function hasNoFileLeft(folder: string): boolean {
  const found = attempt(() => statfsSync(folder));
  return found !== undefined && found.files > 0 && found.ffree === 0 && found.bavail > 0;
}

/** Returns the free space for a file or folder (bytes); undefined if the file system does not say. */
export function freeBytes(path: string): number | undefined {
  const found = attempt(() => statfsSync(nearest(path)));
  return found === undefined || found.blocks === 0 ? undefined : found.bavail * found.bsize;
}

function folderOf(path: string): string {
  const at = nearest(path);
  return isFolder(at) ? at : dirname(at);
}
