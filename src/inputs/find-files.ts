import { type Dirent, type Stats, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { NotPlainFile, describeFileError } from '../system/plain-file.ts';
import type { FileStamp } from '../ledger/known-files.ts';
import {
  ODD_NAME,
  type OtherKind,
  isRecordingName,
  isSearchedFolder,
  oddNames,
  otherKind,
} from './recording-names.ts';

/** A folder of a command line. It may be on a device that is unplugged during the run. */
export interface SearchedFolder {
  /** Path in reports. */
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

/** A file of a folder that holds, or may hold, activities in a form that is not sent. */
export interface OtherFile {
  readonly path: string;
  readonly other: OtherKind;
}

/**
 * Finds the named files, of any name, and in folders the files with the name of a recording, and GPX, TCX
 * and zip files, which are not sent.
 */
export function findFiles(
  paths: readonly string[],
  cwd: string,
  onFound: (found: RecordingFile | UnreadablePath | OtherFile) => void,
): void {
  searchPaths(paths, cwd, isRecordingOrOther, (found) => {
    if ('problem' in found || found.named || isRecordingName(basename(found.path))) {
      onFound(found);
      return;
    }
    const { path } = found;
    const other = otherKind(path);
    if (other !== undefined) onFound({ path, other });
  });
}

function isRecordingOrOther(name: string): boolean {
  return isRecordingName(name) || (!name.startsWith('.') && otherKind(name) !== undefined);
}

/** Called for each file, and for each path that could not be read. */
type OnFile = (found: RecordingFile | UnreadablePath) => void;

/**
 * Finds each file of these paths once: named files of any name; in folders, at any depth, the wanted
 * files, sorted by name. Follows named links, and no links in folders.
 *
 * Works synchronously, which halves the time for a folder of 10,000 known files
 * (docs/internals/architecture.md). Calls back: V8 takes longer to optimize generators than to visit these files.
 *
 * @param isWanted decides by the name of a file in a folder
 */
export function searchPaths(
  paths: readonly string[],
  cwd: string,
  isWanted: (name: string) => boolean,
  onFile: OnFile,
): void {
  // A single path leads to each file once.
  const onEach = paths.length > 1 ? once(onFile) : onFile;
  for (const path of paths) {
    const absolute = resolve(cwd, path);
    // An empty path (an unset variable) does not mean the working directory.
    const stats = attempt(() => statSync(path === '' ? path : absolute));
    if ('problem' in stats) {
      onEach({ path, problem: stats.problem });
      continue;
    }
    if (stats.value.isFile()) onEach(namedFile(path, absolute, stats.value));
    else if (stats.value.isDirectory()) {
      const folder = {
        path: path.replace(/[/\\]+$/, '') || sep,
        absolute,
        device: stats.value.dev,
      };
      searchFolder(folder, folder, isWanted, onEach);
    } else onEach({ path, problem: new NotPlainFile().message });
  }
}

function once(onFile: OnFile): OnFile {
  const seen = new Set<string>();
  return (file) => {
    if ('absolute' in file) {
      if (seen.has(file.absolute)) return;
      seen.add(file.absolute);
    }
    onFile(file);
  };
}

function namedFile(path: string, absolute: string, stats: Stats): RecordingFile {
  const folder = { path: dirname(path), absolute: dirname(absolute), device: stats.dev };
  return { path, absolute, stamp: stampOf(stats), named: true, folder };
}

/** A folder's path up to a name in it, and its entries. */
interface Listing {
  readonly path: string;
  readonly absolute: string;
  readonly entries: readonly Dirent[];
}

/** @param root the folder that the user named */
function searchFolder(
  { path, absolute }: Pick<SearchedFolder, 'path' | 'absolute'>,
  root: SearchedFolder,
  isWanted: (name: string) => boolean,
  onFile: OnFile,
): void {
  const found = attempt(() => list(path, absolute));
  if ('problem' in found) {
    onFile({ path, problem: found.problem });
    return;
  }
  const { odd, entries, ...prefix } = found.value;
  for (const name of odd) onFile({ path: prefix.path + name, problem: ODD_NAME });
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isFile() && isWanted(name)) {
      onFile(foundFile(prefix.path + name, prefix.absolute + name, root));
    } else if (entry.isDirectory() && isSearchedFolder(name)) {
      const below = { path: prefix.path + name, absolute: prefix.absolute + name };
      searchFolder(below, root, isWanted, onFile);
    }
  }
}

/** @throws the error of the file system */
function list(path: string, absolute: string): Listing & { readonly odd: readonly string[] } {
  const entries = readdirSync(absolute, { withFileTypes: true });
  const odd = oddNames(absolute, entries);
  const readable =
    odd.read.size === 0 ? entries : entries.filter(({ name }) => !odd.read.has(name));
  const prefixes = { path: within(path), absolute: within(absolute) };
  return { ...prefixes, entries: readable.sort(byName), odd: odd.shown };
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

/** The argument that stands for stdin. */
export const STDIN = '-';

/**
 * Replaces patterns such as `rides/*.fit` by the matching names: cmd.exe and PowerShell do not
 * expand patterns. `*` and `?` are special in the last part of a path alone. A path that exists, or a
 * pattern without a match, is returned unchanged.
 */
export function namedPaths(paths: readonly string[], cwd: string): string[] {
  return paths.flatMap((path) => {
    const { dir, base } = parse(path);
    if (!/[*?]/.test(base) || existsSync(resolve(cwd, path))) return [path];
    const matching = namesOf(resolve(cwd, dir)).filter((name) => matches(name, base));
    return matching.length === 0 ? [path] : matching.map((name) => join(dir, name));
  });
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // The command reports the pattern as a file that does not exist.
    return [];
  }
}

/** As in a shell, a pattern matches a hidden file only if it begins with a dot. */
function matches(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const source = pattern
    .replace(/[\\^$.+()[\]{}|]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'iu').test(name);
}
