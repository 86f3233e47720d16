import {
  type Stats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { dirname, parse, resolve } from 'node:path';
import { attempt, messageOf, systemCode } from '../base/errors.ts';
import { mostSimilar } from '../base/similar.ts';

/** A FIFO, a socket or a device in place of a file: it may never end. */
export class NotPlainFile extends Error {
  readonly code = 'ENXIO';

  constructor() {
    super('It is a pipe or a device, not a file: save it as one first.');
  }
}

export interface PlainFile {
  readonly descriptor: number;
  readonly stats: Stats;
}

/** Without O_NONBLOCK (absent on Windows), opening a FIFO blocks, and signals do not interrupt it. */
const AT_ONCE = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);

/**
 * Opens a file for reading, or a folder, which cannot be read.
 *
 * @throws NotPlainFile, or the system's error
 */
export function openPlainFile(path: string): PlainFile {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, AT_ONCE);
    const stats = fstatSync(descriptor);
    if (stats.isFile() || stats.isDirectory()) return { descriptor, stats };
    throw new NotPlainFile();
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    // Opening a socket fails.
    const isSocket = descriptor === undefined && systemCode(error) === 'ENXIO';
    throw isSocket ? new NotPlainFile() : error;
  }
}

/**
 * Reads a whole file.
 *
 * @throws NotPlainFile, or the system's error
 */
export function readPlainFile(path: string): Buffer {
  const { descriptor } = openPlainFile(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns why a file or folder cannot be read, as a sentence. */
export function describeFileError(error: unknown): string {
  if (error instanceof NotPlainFile) return error.message;
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'There is no such file or folder.';
    case 'EACCES':
    case 'EPERM':
      return 'It may not be read by this user.';
    case 'EIO':
    case 'ENODEV':
    case 'ENXIO':
      return 'It cannot be read: the device was unplugged, or its memory is damaged.';
    case 'ELOOP':
      return 'It is a link that leads back to itself.';
    case 'EISDIR':
      return 'It is a folder.';
    default:
      return `It cannot be read (${messageOf(error)}).`;
  }
}

/**
 * Returns why a file or folder of the command line cannot be read, and the name beside it that the user most likely
 * meant. Reads the folder, which may hang on a device.
 */
export function describeNamedError(error: unknown): string {
  const problem = describeFileError(error);
  const isMissing = error instanceof Error && 'path' in error && systemCode(error) === 'ENOENT';
  if (!isMissing) return problem;
  const { dir, base } = parse(String(error.path));
  // The folder may be missing, too. A link to nowhere is in the folder itself.
  const others = attempt(() => readdirSync(dir))?.filter((name) => name !== base) ?? [];
  const meant = mostSimilar(base, others);
  return meant === undefined ? problem : `${problem} Did you mean ${meant}?`;
}

/** Returns the path, or the nearest folder or file above it that exists. */
export function nearest(path: string): string {
  let at = resolve(path);
  while (!exists(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

export function exists(path: string): boolean {
  return attempt(() => lstatSync(path)) !== undefined;
}

export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

/** Returns undefined for a file that is missing, or whose folder this user may not enter. */
export function statsOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}
