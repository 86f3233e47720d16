import { isZipName } from '../archive/zip-name.ts';

/**
 * Decides by name which files of a folder may be recordings; other files are never opened. The
 * content decides later (`fit/envelope.ts`).
 */

/** Zwift's file during a ride, which remains after a crash. */
const SCRATCH_FILES = new Set(['inprogressactivity.fit']);
/** Folders on Garmin devices: temporary files, and files for the device to read. */
const SCRATCH_FOLDERS = new Set(['tempfit', 'newfiles']);

/**
 * End of the name of a copy that `sync repair` wrote. `sync upload` and the watcher send it only if the
 * user names it; `sync import` sends it in place of its original.
 */
export const REPAIRED = '.repaired.fit';

export function isRecordingName(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    /\.fit(?:\.gz)?$/.test(lower) &&
    !name.startsWith('.') &&
    !isRepairedCopy(name) &&
    !SCRATCH_FILES.has(lower)
  );
}

export function isRepairedCopy(name: string): boolean {
  return !name.startsWith('.') && name.toLowerCase().endsWith(REPAIRED);
}

export function isSearchedFolder(name: string): boolean {
  return !name.startsWith('.') && !SCRATCH_FOLDERS.has(name.toLowerCase());
}

/** Returns whether a file may be GPX or TCX, which is converted. */
export function isTrackName(name: string): boolean {
  return /\.(?:gpx|tcx)(?:\.gz)?$/i.test(name) && !name.startsWith('.');
}

/** Returns whether a file may hold an activity to send, or to convert. */
export function isActivityName(name: string): boolean {
  return isRecordingName(name) || isTrackName(name);
}

/**
 * Returns the file that holds a recording, by the path that reports and the ledger give it: it may lead into a zip
 * archive, or end in the number of an activity (`rides.zip/1.fit`, `day.tcx#2`).
 */
export function fileOf(path: string): string {
  return /^.+?\.zip(?=[/\\])/i.exec(path)?.[0] ?? path.replace(/#\d+$/, '');
}

/** Returns whether `upload` sends a file of a folder, or names it. */
export function isUploadName(name: string): boolean {
  return isActivityName(name) || (isZipName(name) && !name.startsWith('.'));
}

/** Reason to skip a file whose name is not UTF-8. */
export const ODD_NAME = 'Its name is not valid UTF-8, so that it cannot be opened: rename it.';
