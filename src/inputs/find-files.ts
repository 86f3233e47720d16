import { type Dirent, type Stats, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { attempt, systemCode } from '../base/errors.ts';
import { NotPlainFile, describeFileError, describeNamedError } from '../system/plain-file.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import { ODD_NAME, isRecordingName, isSearchedFolder, isUploadName } from './recording-names.ts';

/** A folder of a command line. It may be on a device that is unplugged during the run. */
export interface SearchedFolder {
  readonly path: string;
  readonly absolute: string;
  /** Number of the file system that held the folder when it was searched. */
  readonly device: number;
}

export interface RecordingFile {
  readonly path: string;
  readonly absolute: string;
  readonly stamp: FileStamp;
  /** The user named this file; otherwise a folder contained it. */
  readonly named: boolean;
  /** The folder that was searched or that holds the named file; absent: its end is not reported. */
  readonly folder?: SearchedFolder;
}

/** A path that could not be read. */
export interface UnreadablePath {
  readonly path: string;
  /** Why, as a sentence. */
  readonly problem: string;
}

/**
 * Finds each file of these paths once: named files of any name; in folders, at any depth, the wanted files, sorted
 * by name. By default these are recordings, GPX and TCX files, and zip archives. Follows named links, and no links
 * in folders.
 *
 * Works synchronously, which halves the time for a folder of 10,000 known files
 * (docs/internals/architecture.md).
 *
 * @param isWanted decides by the name of a file in a folder
 */
export function* findFiles(
  paths: readonly string[],
  cwd: string,
  isWanted: (name: string) => boolean = isUploadName,
): Generator<RecordingFile | UnreadablePath, undefined> {
  const seen = new Set<string>();
  for (const path of paths) {
    for (const found of searchPath(path, cwd, isWanted)) {
      if ('absolute' in found) {
        // A single path leads to each file once.
        if (seen.has(found.absolute)) continue;
        if (paths.length > 1) seen.add(found.absolute);
      }
      yield found;
    }
  }
}

function* searchPath(
  path: string,
  cwd: string,
  isWanted: (name: string) => boolean,
): Generator<RecordingFile | UnreadablePath, undefined> {
  const absolute = resolve(cwd, path);
  let stats: Stats;
  try {
    // An empty path (an unset variable) does not mean the working directory.
    stats = statSync(path === '' ? path : absolute);
  } catch (error) {
    yield { path, problem: describeNamedError(error) };
    return;
  }
  if (stats.isFile()) yield namedFile(path, absolute, stats);
  else if (stats.isDirectory()) {
    const shown = path.replace(/[/\\]+$/, '') || sep;
    yield* searchFolder({ path: shown, absolute, device: stats.dev }, isWanted);
  } else yield { path, problem: new NotPlainFile().message };
}

function namedFile(path: string, absolute: string, stats: Stats): RecordingFile {
  const folder = { path: dirname(path), absolute: dirname(absolute), device: stats.dev };
  return { path, absolute, stamp: stampOf(stats), named: true, folder };
}

export type WalkResult =
  | { readonly found: 'folder'; readonly path: string }
  | { readonly found: 'file'; readonly path: string; readonly stamp: FileStamp }
  | {
      readonly found: 'problem';
      readonly path: string;
      readonly problem: string;
      /** It vanished after its folder was read. */
      readonly isGone: boolean;
    };

/**
 * Walks a folder and its searched subfolders, in the order of the names. Yields a folder before it is read, so that
 * a watch on it misses nothing. Follows no links.
 *
 * @param isWanted decides by the name of a file
 */
export function* walk(
  folder: string,
  isWanted: (name: string) => boolean = isRecordingName,
): Generator<WalkResult, undefined> {
  yield { found: 'folder', path: folder };
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort(byName);
  } catch (error) {
    yield problemOf(folder, error);
    return undefined;
  }
  for (const entry of entries) {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (!(isFolder ? isSearchedFolder(name) : entry.isFile() && isWanted(name))) continue;
    const path = within(folder) + name;
    // A byte that is not UTF-8 became this character, so that no file has this name.
    const isOdd = name.includes('\ufffd') && !existsSync(path);
    if (isOdd) yield { found: 'problem', path, problem: ODD_NAME, isGone: false };
    else if (isFolder) yield* walk(path, isWanted);
    else yield fileAt(path);
  }
  return undefined;
}

function fileAt(path: string): WalkResult {
  try {
    return { found: 'file', path, stamp: stampOf(lstatSync(path)) };
  } catch (error) {
    return problemOf(path, error);
  }
}

function problemOf(path: string, error: unknown): WalkResult {
  const code = systemCode(error);
  if (code === undefined) throw error;
  const isGone = code === 'ENOENT' || code === 'ENOTDIR';
  return { found: 'problem', path, problem: describeFileError(error), isGone };
}

/** Returns three numbers of all that Node reads: a run may keep thousands of files. */
export function stampOf({ size, mtimeMs, ctimeMs }: FileStamp): FileStamp {
  return { size, mtimeMs, ctimeMs };
}

function byName(a: Dirent, b: Dirent): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** @param root the folder that the user named */
function* searchFolder(
  root: SearchedFolder,
  isWanted: (name: string) => boolean,
): Generator<RecordingFile | UnreadablePath, undefined> {
  const shown = within(root.path);
  const prefix = within(root.absolute).length;
  for (const found of walk(root.absolute, isWanted)) {
    if (found.found === 'folder') continue;
    const { path: absolute } = found;
    const path = absolute === root.absolute ? root.path : shown + absolute.slice(prefix);
    if (found.found === 'problem') yield { path, problem: found.problem };
    else yield { path, absolute, stamp: found.stamp, named: false, folder: root };
  }
}

/** Returns a folder's path up to a name in it: `path.join` is slow, and normalises the user's path. */
function within(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** Stands for stdin in place of a path. */
export const STDIN_PATH = '-';

/**
 * Replaces patterns such as `rides/*.fit` by the matching names: cmd.exe and PowerShell do not
 * expand patterns. `*` and `?` are special in the last part of a path alone. A path that exists, or a
 * pattern without a match, is returned unchanged.
 */
export function namedPaths(paths: readonly string[], cwd: string): string[] {
  return paths.flatMap((path) => {
    const { dir, base } = parse(path);
    if (!/[*?]/.test(base) || existsSync(resolve(cwd, path))) return [path];
    const names = attempt(() => readdirSync(resolve(cwd, dir)).sort()) ?? [];
    const matching = names.filter((name) => matches(name, base));
    // The command reports the pattern as a file that does not exist.
    return matching.length === 0 ? [path] : matching.map((name) => join(dir, name));
  });
}

/** Returns whether a name fits a pattern. As in a shell, a hidden one does only if the pattern begins with a dot. */
export function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'iu').test(name);
}
