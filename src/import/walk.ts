import { createReadStream, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Archives, type Member, isZipFile, isZipName } from '../archive/archives.ts';
import type { ArchiveReason } from '../archive/fault.ts';
import { NO_FILE, describeFileError } from '../upload/find-files.ts';
import type { RecordingFile } from '../upload/known-outcome.ts';
import type { SearchedFolder } from '../upload/searched-folder.ts';
import { ODD_NAME, isSearchedFolder, oddNames } from '../upload/recording-names.ts';

/** A file, or a member of an archive. */
export interface Piece {
  /** Path in reports. */
  readonly path: string;
  /** Identity over all runs. */
  readonly origin: string;
  /** The last part of its path. */
  readonly name: string;
  /** Unpacked size (bytes). */
  readonly size: number;
  /** Reads it from its start, each time. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** Where its bytes are. */
  readonly from: { readonly file: RecordingFile } | { readonly member: Member };
}

/** A path or an archive that cannot be read. */
export interface UnreadablePiece {
  readonly path: string;
  readonly problem: string;
  readonly reason: ArchiveReason;
}

/**
 * Yields every file of these paths once: in folders at any depth, and in archives at any depth. Follows
 * named links, and no links in folders; skips hidden files.
 *
 * @throws the signal's reason if it is aborted
 */
export async function* walk(
  paths: readonly string[],
  cwd: string,
  archives: Archives,
): AsyncGenerator<Piece | UnreadablePiece, void, undefined> {
  const seen = new Set<string>();
  for (const path of paths) {
    for (const found of filesOf(path, resolve(cwd, path))) {
      if ('absolute' in found) {
        if (seen.has(found.absolute)) continue;
        seen.add(found.absolute);
      }
      if ('problem' in found) yield found;
      else if (isZipName(found.path) && (await isZipFile(found.absolute))) {
        yield* membersOf(found, archives);
      } else yield pieceOf(found);
    }
  }
}

async function* membersOf(
  { path, absolute }: RecordingFile,
  archives: Archives,
): AsyncGenerator<Piece | UnreadablePiece, void, undefined> {
  for await (const member of archives.members(path, absolute)) {
    if ('problem' in member) {
      yield member;
      continue;
    }
    const { path: inside, origin, size } = member;
    const from = { member };
    yield { path: inside, origin, name: basename(inside), size, read: () => member.read(), from };
  }
}

function pieceOf(file: RecordingFile): Piece {
  const { path, absolute, stamp } = file;
  const read = () => createReadStream(absolute, { highWaterMark: 256 * 1024 });
  const from = { file };
  return { path, origin: absolute, name: basename(path), size: stamp.size, read, from };
}

function* filesOf(path: string, absolute: string): Generator<RecordingFile | UnreadablePiece> {
  try {
    // An empty path (an unset variable) does not mean the working directory.
    const stats = statSync(path === '' ? path : absolute);
    const { dev: device } = stats;
    if (stats.isDirectory()) yield* filesIn({ path, absolute, device });
    else if (stats.isFile()) yield { path, absolute, stamp: stats, named: true };
    else yield unreadable(path, NO_FILE);
  } catch (error) {
    yield unreadable(path, describeFileError(error));
  }
}

function* filesIn(
  folder: SearchedFolder,
  { path, absolute }: Pick<SearchedFolder, 'path' | 'absolute'> = folder,
): Generator<RecordingFile | UnreadablePiece> {
  const entries = readdirSync(absolute, { withFileTypes: true });
  const odd = oddNames(absolute, entries);
  for (const name of odd.shown) yield unreadable(join(path, name), ODD_NAME);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry;
    if (odd.read.has(name) || name.startsWith('.')) continue;
    const below = join(path, name);
    const absoluteBelow = join(absolute, name);
    try {
      if (entry.isDirectory() && isSearchedFolder(name)) {
        yield* filesIn(folder, { path: below, absolute: absoluteBelow });
      } else if (entry.isFile()) {
        yield {
          path: below,
          absolute: absoluteBelow,
          stamp: lstatSync(absoluteBelow),
          named: false,
          folder,
        };
      }
    } catch (error) {
      yield unreadable(below, describeFileError(error));
    }
  }
}

function unreadable(path: string, problem: string): UnreadablePiece {
  return { path, problem, reason: 'unreadable' };
}
