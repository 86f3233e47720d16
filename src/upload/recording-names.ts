/**
 * Which names in a folder can be recordings. A name proves nothing (`fit/envelope.ts` does); this
 * only keeps away from what is surely none of ours: other files are never opened.
 */

/** Left by Zwift while a ride goes on, and after a crash. */
const SCRATCH_FILES = new Set(['inprogressactivity.fit']);
/** On Garmin devices: scratch, and what waits for the device to read it. */
const SCRATCH_FOLDERS = new Set(['tempfit', 'newfiles']);

export function isRecordingName(name: string): boolean {
  return (
    /\.fit(?:\.gz)?$/i.test(name) && !name.startsWith('.') && !SCRATCH_FILES.has(name.toLowerCase())
  );
}

export function isSearchedFolder(name: string): boolean {
  return !name.startsWith('.') && !SCRATCH_FOLDERS.has(name.toLowerCase());
}
