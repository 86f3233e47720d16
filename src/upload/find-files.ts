import { type Dirent, type Stats, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { messageOf, systemCode } from '../base/errors.ts';
import { NotPlainFile } from '../system/plain-file.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import type { RecordingFile } from './known-outcome.ts';
import { ODD_NAME, isRecordingName, isSearchedFolder, oddNames } from './recording-names.ts';
import type { SearchedFolder } from './searched-folder.ts';

/** A path that could not be read. */
export interface UnreadablePath {
  readonly path: string;
  /** Why, as a sentence. */
  readonly problem: string;
}

/** A file of a folder that holds, or may hold, activities in a form that is not sent. */
export interface OtherFile {
  readonly path: string;
  readonly other: OtherKind;
}
export type OtherKind = 'gpx' | 'tcx' | 'zip';

/** Returns the kind of a file that is no recording by its name; undefined for all other files. */
export function otherKind(name: string): OtherKind | undefined {
  const [, kind] = /\.(gpx(?=$|\.gz$)|tcx(?=$|\.gz$)|zip(?=$))/i.exec(name) ?? [];
  return kind?.toLowerCase() as OtherKind | undefined;
}

/**
 * Finds the named files, of any name, and in folders the files with the name of a recording, and GPX, TCX
 * and zip files, which are not sent.
 */
export function* findFiles(
  paths: readonly string[],
  cwd: string,
): Generator<RecordingFile | UnreadablePath | OtherFile> {
  for (const found of searchPaths(paths, cwd, isRecordingOrOther)) {
    if ('problem' in found || found.named || isRecordingName(basename(found.path))) {
      yield found;
      continue;
    }
    const { path } = found;
    const other = otherKind(path);
    if (other !== undefined) yield { path, other };
  }
}

function isRecordingOrOther(name: string): boolean {
  return isRecordingName(name) || (!name.startsWith('.') && otherKind(name) !== undefined);
}

/**
 * Yields each file of these paths once: named files of any name; in folders, at any depth, the wanted
 * files, sorted by name. Follows named links, and no links in folders.
 *
 * Works synchronously, which halves the time for a folder of 10,000 known files
 * (docs/architecture.md).
 *
 * @param isWanted decides by the name of a file in a folder
 */
export function* searchPaths(
  paths: readonly string[],
  cwd: string,
  isWanted: (name: string) => boolean,
): Generator<RecordingFile | UnreadablePath> {
  // A single path leads to each file once.
  const seen = paths.length > 1 ? new Set<string>() : undefined;
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    // An empty path (an unset variable) does not mean the working directory.
    const stats = attempt(() => statSync(path === '' ? path : absolute));
    if ('problem' in stats) {
      yield { path, problem: stats.problem };
      continue;
    }
    if (!stats.value.isDirectory() && !stats.value.isFile()) {
      yield { path, problem: new NotPlainFile().message };
      continue;
    }
    const { dev: device } = stats.value;
    const found = stats.value.isDirectory()
      ? walk({ path: path.replace(/[/\\]+$/, '') || sep, absolute, device }, isWanted)
      : [namedFile(path, absolute, stats.value)];
    for (const file of found) {
      if (seen !== undefined && 'absolute' in file) {
        if (seen.has(file.absolute)) continue;
        seen.add(file.absolute);
      }
      yield file;
    }
  }
}

function namedFile(path: string, absolute: string, stats: Stats): RecordingFile {
  const folder = { path: dirname(path), absolute: dirname(absolute), device: stats.dev };
  return { path, absolute, stamp: stampOf(stats), named: true, folder };
}

/** A folder during the walk. */
interface Listing {
  /** Path in reports, and absolute path, each up to a name in it. */
  readonly path: string;
  readonly absolute: string;
  /** The entries that are left, the last one first. */
  readonly left: Dirent[];
}

/** One loop over a stack of folders: nested generators would hand each file up through every level. */
function* walk(
  folder: SearchedFolder,
  isWanted: (name: string) => boolean,
): Generator<RecordingFile | UnreadablePath> {
  const listings: Listing[] = [];
  let below: Pick<SearchedFolder, 'path' | 'absolute'> | undefined = folder;
  for (;;) {
    if (below !== undefined) {
      const { path, absolute } = below;
      const found = attempt(() => list(path, absolute));
      if ('problem' in found) yield { path, problem: found.problem };
      else {
        const { odd, ...listing } = found.value;
        for (const name of odd) yield { path: listing.path + name, problem: ODD_NAME };
        listings.push(listing);
      }
      below = undefined;
    }
    const listing = listings.at(-1);
    if (listing === undefined) return;
    const entry = listing.left.pop();
    if (entry === undefined) {
      listings.pop();
      continue;
    }
    const isFolder = entry.isDirectory() && isSearchedFolder(entry.name);
    if (!isFolder && !(entry.isFile() && isWanted(entry.name))) continue;
    const path = listing.path + entry.name;
    const absolute = listing.absolute + entry.name;
    if (isFolder) below = { path, absolute };
    else yield foundFile(path, absolute, folder);
  }
}

/** @throws the error of the file system */
function list(path: string, absolute: string): Listing & { readonly odd: readonly string[] } {
  const entries = readdirSync(absolute, { withFileTypes: true });
  const odd = oddNames(absolute, entries);
  const left = entries.filter(({ name }) => !odd.read.has(name)).sort(byName);
  return { path: within(path), absolute: within(absolute), left: left.reverse(), odd: odd.shown };
}

function foundFile(
  path: string,
  absolute: string,
  folder: SearchedFolder,
): RecordingFile | UnreadablePath {
  try {
    return { path, absolute, stamp: stampOf(lstatSync(absolute)), named: false, folder };
  } catch (error) {
    return { path, problem: describeFileError(error) };
  }
}

/** Keeps three numbers of all that Node reads: a run may keep thousands of files. */
function stampOf({ size, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { size, mtimeMs, ctimeMs };
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Returns a folder's path up to a name in it, without `path.join`, which normalises the user's path. */
function within(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function attempt<T>(task: () => T): { value: T } | { problem: string } {
  try {
    return { value: task() };
  } catch (error) {
    return { problem: describeFileError(error) };
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
