import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Archives, Member, UnreadableFile } from '../archive/archives.ts';
import { isZipName } from '../archive/zip-name.ts';
import { findFiles, type RecordingFile } from './find-files.ts';

export interface InputFile {
  /** Path in reports. */
  readonly path: string;
  /** Identity over all runs. */
  readonly origin: string;
  /** The last part of its path. */
  readonly name: string;
  /** Unpacked size (bytes). */
  readonly size: number;
  /** When the file was last modified; of a member, its archive (ms since 1970). */
  readonly modified: number;
  /** Reads it from its start, each time. */
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly from: RecordingFile | Member;
}

/**
 * Yields every file of these paths once: in folders at any depth, and in archives at any depth. Follows
 * named links, and no links in folders; skips hidden files.
 *
 * @throws the signal's reason if it is aborted
 */
export async function* inputFiles(
  paths: readonly string[],
  cwd: string,
  archives: Archives,
): AsyncGenerator<InputFile | UnreadableFile, void, undefined> {
  for (const found of findFiles(paths, cwd, (name) => !name.startsWith('.'))) {
    if ('problem' in found) yield { ...found, reason: 'unreadable' };
    else if (isZipName(found.path)) yield* membersOf(found, archives);
    else yield inputFileOf(found);
  }
}

async function* membersOf(
  { path, absolute, stamp }: RecordingFile,
  archives: Archives,
): AsyncGenerator<InputFile | UnreadableFile, void, undefined> {
  for await (const member of archives.members(path, absolute)) {
    if ('problem' in member) {
      yield member;
      continue;
    }
    const { path: inside, origin, size } = member;
    const about = { name: basename(inside), size, modified: stamp.mtimeMs, from: member };
    yield { path: inside, origin, ...about, read: () => member.read() };
  }
}

function inputFileOf(file: RecordingFile): InputFile {
  const { path, absolute, stamp } = file;
  const read = () => createReadStream(absolute, { highWaterMark: 256 * 1024 });
  const about = { name: basename(path), size: stamp.size, modified: stamp.mtimeMs, from: file };
  return { path, origin: absolute, ...about, read };
}
