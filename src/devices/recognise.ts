import { basename } from 'node:path';
import { isRecordingName } from '../inputs/recording-names.ts';
import { MAKERS, type Maker, USUAL_FOLDERS } from './makers.ts';
import { type MountReader, foldersAt } from './mount-reader.ts';
import { volumeName } from './places.ts';

/** A folder that looks like the storage of a device. */
export interface Recognised {
  /** Undefined if its recordings have to name the maker. */
  readonly maker: Maker | undefined;
  readonly recordings: readonly string[];
  readonly wellness: readonly string[];
}

/**
 * Recognises the storage of a device by its folders and the name of its volume.
 *
 * @throws NoAnswer
 */
export async function recognise(
  reader: MountReader,
  root: string,
): Promise<Recognised | undefined> {
  if ((await reader.names(root)) === undefined) return undefined;
  const words = volumeName(root).split(/[^\p{L}\p{N}]+/u);
  for (const maker of MAKERS) {
    const named = maker.volumes?.some((name) => words.includes(name)) === true;
    if (maker.knownBy === 'volume' && !named) continue;
    const found = await foldersOf(reader, root, maker);
    if (found.recordings.length + found.wellness.length > 0) return { maker, ...found };
  }
  const recordings = await withRecordings(reader, root, USUAL_FOLDERS);
  return recordings.length === 0 ? undefined : { maker: undefined, recordings, wellness: [] };
}

async function foldersOf(
  reader: MountReader,
  root: string,
  { recordings, wellness = [], knownBy }: Maker,
): Promise<Omit<Recognised, 'maker'>> {
  if (knownBy === 'volume') {
    return { recordings: await withRecordings(reader, root, recordings), wellness: [] };
  }
  return {
    recordings: await existing(reader, root, withOwn(recordings, root)),
    wellness: await existing(reader, root, withOwn(wellness, root)),
  };
}

/** Adds the paths from the maker's own folder: the user may name `GARMIN` itself. */
function withOwn(paths: readonly string[], root: string): readonly string[] {
  const own = `${basename(root).toLowerCase()}/`;
  const below = paths.filter((path) => path.toLowerCase().startsWith(own));
  return [...paths, ...below.map((path) => path.slice(own.length))];
}

async function existing(
  reader: MountReader,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const path of paths) folders.push(...(await foldersAt(reader, root, path)));
  return folders;
}

async function withRecordings(
  reader: MountReader,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const folder of await existing(reader, root, paths)) {
    if ((await reader.names(folder))?.some(isRecordingName) === true) folders.push(folder);
  }
  return folders;
}
