import { basename, join } from 'node:path';
import { type Activity, describeActivity } from '../fit/activity.ts';
import { HEAD_BYTES, readFileId } from '../fit/file-id.ts';
import { readSummary } from '../fit/summary.ts';
import { isRecordingName, isSearchedFolder } from '../inputs/recording-names.ts';
import type { MountReader } from './mount-reader.ts';
import type { Device, FoundRecording, SurveyedDevice } from './types.ts';

/** Levels of folders in a folder with recordings, such as year and month. */
const MAX_DEPTH = 3;
/** Calls in work at once on a disk. */
const AT_ONCE = 16;
/** Number of the latest files by time, and of the last by name, that are asked when they began. */
const CANDIDATES = 3;
/** Largest recording that is read to describe it (bytes). */
const MAX_RECORDING = 64 * 1024 * 1024;

/** Lists the files of a device. Over MTP, reads only the names. @throws NoAnswer */
export async function survey(reader: MountReader, device: Device): Promise<SurveyedDevice> {
  const files: FoundRecording[] = [];
  let tcxFiles = 0;
  for (const folder of device.recordings) {
    const names = (await reader.names(folder)) ?? [];
    tcxFiles += names.filter((name) => /\.tcx$/i.test(name)).length;
    files.push(
      ...(device.access === 'mtp'
        ? await namesIn(reader, folder)
        : await recordingsBelow(reader, folder, device.owners)),
    );
  }
  let wellnessFiles = 0;
  for (const folder of device.wellness) wellnessFiles += (await namesIn(reader, folder)).length;
  const newest = device.access === 'mtp' ? lastByName(files) : await findNewest(reader, files);
  return { ...device, files, ...(newest === undefined ? {} : { newest }), wellnessFiles, tcxFiles };
}

async function namesIn(reader: MountReader, folder: string): Promise<FoundRecording[]> {
  const names = (await reader.names(folder)) ?? [];
  return names.filter(isRecordingName).map((name) => ({ path: join(folder, name) }));
}

async function recordingsBelow(
  reader: MountReader,
  folder: string,
  owners: Device['owners'],
  depth = 1,
): Promise<FoundRecording[]> {
  const names = ((await reader.names(folder)) ?? []).filter(
    (name) => isRecordingName(name) || isSearchedFolder(name),
  );
  const found: FoundRecording[] = [];
  const folders: string[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const paths = names.slice(at, at + AT_ONCE).map((name) => join(folder, name));
    const all = await Promise.all(
      paths.map(async (path) => ({ path, stats: await reader.stats(path) })),
    );
    for (const { path, stats } of all) {
      if (stats?.isDirectory() === true) folders.push(path);
      else if (stats?.isFile() === true && isRecordingName(path)) {
        if (owners?.includes(stats.uid) === false) continue;
        const { size, mtimeMs, ctimeMs } = stats;
        found.push({ path, stamp: { size, mtimeMs, ctimeMs } });
      }
    }
  }
  if (depth < MAX_DEPTH) {
    for (const below of folders)
      found.push(...(await recordingsBelow(reader, below, owners, depth + 1)));
  }
  return found;
}

/** Returns the last of the recordings with the date in their names. */
function lastByName(files: readonly FoundRecording[]): { path: string } | undefined {
  const dated = files.filter(({ path }) => /^20\d\d-?[01]\d-?[0-3]\d/.test(basename(path)));
  const [last] = dated.toSorted((a, b) => (basename(a.path) < basename(b.path) ? 1 : -1));
  return last === undefined ? undefined : { path: last.path };
}

/**
 * Finds the recording that was made last. Copied files have the time of the copy, and not every name
 * begins with a date: so the `file_id` of a few decides.
 */
async function findNewest(
  reader: MountReader,
  files: readonly FoundRecording[],
): Promise<{ path: string; activity: Activity } | undefined> {
  const time = ({ stamp }: FoundRecording) => stamp?.mtimeMs ?? 0;
  const candidates = new Set([
    ...files.toSorted((a, b) => time(b) - time(a)).slice(0, CANDIDATES),
    ...files.toSorted((a, b) => (a.path < b.path ? 1 : -1)).slice(0, CANDIDATES),
  ]);
  let newest: { readonly file: FoundRecording; readonly created: number } | undefined;
  for (const file of candidates) {
    const head = await reader.head(file.path, HEAD_BYTES);
    const created = head === undefined ? undefined : readFileId(head)?.timeCreated?.getTime();
    if (created !== undefined && created > (newest?.created ?? -Infinity)) {
      newest = { file, created };
    }
  }
  if (newest === undefined || (newest.file.stamp?.size ?? 0) > MAX_RECORDING) return undefined;
  const { path } = newest.file;
  const bytes = await reader.head(path, MAX_RECORDING);
  if (bytes === undefined) return undefined;
  return { path, activity: describeActivity(readSummary(bytes)) };
}
