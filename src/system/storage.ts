import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SyncError, attempt, messageOf, systemCode } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import { diskFault, fileErrorCode } from './disk.ts';
import { exists, isFolder, nearest } from './plain-file.ts';
import { loadCrypto } from './this-process.ts';

/**
 * Creates a folder and its missing parents. Node's `recursive` option never ends on a file system that
 * reports ENOENT although the parent exists (`/proc`).
 *
 * @param mode of the new folders; 0700 for the program's own
 * @throws the error of the file system
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

/** Creates a folder of this program's own, below `SYNC_STATE_DIR`. @throws SyncError `STORAGE` */
export function makeStateFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
}

/** Creates a folder that a flag names. @throws SyncError `USAGE`, `STORAGE` */
export function makeNamedFolder(path: string, flag: string, mode?: number): void {
  try {
    makeFolder(path, mode);
  } catch (cause) {
    if (diskFault(path, cause) !== undefined) throw storageError(path, cause);
    throw new SyncError('USAGE', `${flag} ${path}: ${obstacle(path, cause) ?? messageOf(cause)}`, {
      cause,
      hint: 'Name a folder that you may write to; it need not be there yet.',
      details: { path },
    });
  }
}

/**
 * Writes a new file that the user names. Never changes a file that exists.
 *
 * @param hint how to name another file
 * @throws SyncError `USAGE` if the file exists or cannot be written
 */
export function writeNewFile(path: string, content: Uint8Array, hint: Text): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'wx');
    writeAll(fd, content);
    fsyncSync(fd);
  } catch (cause) {
    if (fd !== undefined) rmSync(path, { force: true });
    const why =
      systemCode(cause) === 'EEXIST'
        ? 'It exists already.'
        : isFolder(dirname(path))
          ? (diskFault(path, cause)?.message ?? obstacle(path, cause) ?? messageOf(cause))
          : `There is no folder ${dirname(path)}.`;
    const message = `${path} cannot be written. ${why}`;
    throw new SyncError('USAGE', message, { cause, hint, details: { path } });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export interface WriteOptions {
  /** Survives a power cut once it is written. */
  readonly durable?: boolean;
  /** Holds a secret: fails on a file system where others could read it. */
  readonly secret?: boolean;
}

/** A file that is about to be replaced: its temporary file exists, with the space it needs. */
export type Replacement = Readonly<ReturnType<typeof beginReplacement>>;

/** Matches the end of a temporary file's name, after the name of the file that it replaces. */
export const TEMPORARY = /^\.[0-9a-f]{16}\.tmp$/;

/**
 * Begins to replace a file. The temporary file beside it has a random name, and is new: neither a
 * planted file nor a planted link is ever written to.
 *
 * @param reservedBytes content up to this size cannot meet a full disk at the commit
 * @throws what the disk throws
 */
export function beginReplacement(
  path: string,
  reservedBytes: number,
  { durable = true, secret = false }: WriteOptions = {},
) {
  const temporary = `${path}.${loadCrypto().randomBytes(8).toString('hex')}.tmp`;
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  // Undefined on Windows.
  const noFollow = (constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;
  let fd: number | undefined = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | noFollow, 0o600);
  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  const discard = () => {
    if (fd === undefined) return;
    close();
    rmSync(temporary, { force: true });
  };
  try {
    refuseForeign(temporary, fd, secret);
    if (reservedBytes > 0) {
      // Random: a file system that compresses would reserve next to nothing for zeros.
      writeAll(fd, loadCrypto().randomBytes(reservedBytes));
      fsyncSync(fd);
    }
  } catch (error) {
    discard();
    throw error;
  }
  return {
    /** Writes the content and puts it in place, as a whole. @throws what the disk throws */
    commit(content: string | Uint8Array): void {
      if (fd === undefined) throw new Error('this replacement is over');
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      try {
        writeAll(fd, bytes);
        ftruncateSync(fd, bytes.length);
        if (durable) fsyncSync(fd);
        // Windows cannot rename an open file.
        close();
        renameSync(temporary, path);
      } catch (error) {
        close();
        rmSync(temporary, { force: true });
        throw error;
      }
      if (durable) syncFolder(dirname(path));
    },
    /** Removes the temporary file; does nothing after a commit. */
    discard,
  };
}

/** Replaces a file as a whole: a reader sees the old one or the new one. @throws what the disk throws */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  options?: WriteOptions,
): void {
  beginReplacement(path, 0, options).commit(content);
}

/** Returns the file that a link of this user's own leads to, such as one into a folder of dotfiles. */
export function behindOwnLink(path: string): string {
  const link = attempt(() => lstatSync(path));
  const isOwn = link?.isSymbolicLink() === true && [0, process.getuid?.() ?? 0].includes(link.uid);
  return (isOwn ? attempt(() => realpathSync(path)) : undefined) ?? path;
}

/** Refuses a new file that is not this user's alone, before anything is in it. */
function refuseForeign(path: string, fd: number, secret: boolean): void {
  const me = process.getuid?.();
  if (me === undefined) return;
  const { uid, mode, nlink } = fstatSync(fd);
  // 0: another process took it for the leftover of a killed one and removed it.
  if (uid === me && nlink <= 1 && (!secret || (mode & 0o077) === 0)) return;
  throw new Error(
    `a new file in ${dirname(path)} is not this user's alone ` +
      `(owner ${uid}, mode ${(mode & 0o777).toString(8).padStart(4, '0')})`,
  );
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** Makes a rename durable, where folders can be synced. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, constants.O_RDONLY);
    fsyncSync(fd);
  } catch {
    // Windows and some network file systems offer no such thing.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Returns the error for an unusable file or folder: the cause, and what to do.
 *
 * @param variable names another folder for the program's files
 * @param otherwise message and hint if neither the disk nor the folder is the cause
 */
export function storageError(
  path: string,
  cause: unknown,
  variable?: 'SYNC_STATE_DIR' | 'SYNC_CONFIG_DIR',
  otherwise?: { readonly message?: string; readonly hint?: string },
): SyncError {
  const disk = diskFault(path, cause, variable);
  const { message = `${path} cannot be used: ${messageOf(cause)}`, hint } =
    disk ?? busyFile(cause) ?? obstacleFound(path, cause, variable) ?? otherwise ?? {};
  const details = { path, ...(disk && { disk: disk.state }) };
  return new SyncError('STORAGE', message, { cause, hint, details });
}

function obstacleFound(path: string, cause: unknown, variable: string | undefined) {
  const message = obstacle(path, cause);
  const elsewhere = variable === undefined ? '' : `, or name another folder with ${variable}`;
  return message === undefined ? undefined : { message, hint: `Fix that${elsewhere}.` };
}

/**
 * Returns why a file cannot be written; undefined if its folder accepts it. Writes nothing.
 *
 * @param variable names another folder for it
 */
export function writeFailure(
  path: string,
  variable: 'SYNC_STATE_DIR' | 'SYNC_CONFIG_DIR',
): SyncError | undefined {
  const at = nearest(path);
  try {
    accessSync(at, constants.W_OK);
    // A new file in a folder, or a replacement of this one.
    const folder = isFolder(at) ? at : dirname(at);
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (at !== resolve(path) && folder !== at) {
      throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    }
    return undefined;
  } catch (cause) {
    return storageError(path, cause, variable);
  }
}

/** Returns what to do about a file that cannot be replaced or removed because it is in use. */
function busyFile(cause: unknown): { message: string; hint: string } | undefined {
  if (systemCode(cause) !== 'EBUSY') return undefined;
  const { path = 'The file', dest = path } = cause as { path?: string; dest?: string };
  return process.platform === 'win32'
    ? { message: `${dest} is open in another program.`, hint: 'Close that, then try again.' }
    : {
        message: `${dest} cannot be replaced, because it is mounted as a single file.`,
        hint: `Mount its folder ${dirname(dest)} instead, so that the file can be replaced as a whole.`,
      };
}

/** Returns the fault of a path as a sentence; undefined if none is visible. */
function obstacle(path: string, cause: unknown): string | undefined {
  const at = nearest(path);
  const missing = at !== resolve(path);
  const code = fileErrorCode(path, cause);
  if (!isFolder(at) && (missing || code === 'EEXIST' || code === 'ENOTDIR')) {
    return `${at} is not a folder.`;
  }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `This user may not use ${at}.`;
    case 'ENOENT':
      return `Nothing can be made in ${at}.`;
    default:
      return undefined;
  }
}
