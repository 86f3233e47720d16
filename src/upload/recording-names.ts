import { type Dirent, readdirSync } from 'node:fs';

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

/** Why a file with such a name is not sent, in words. */
export const ODD_NAME = 'Its name is not valid UTF-8, so that it cannot be opened: rename it.';

/** What stands in a name for bytes that are no UTF-8: no file can be opened by it. */
const REPLACED = '\ufffd';

/** The names in a folder that cannot be used. */
export interface OddNames {
  /** As Node reads them. */
  readonly read: ReadonlySet<string>;
  /** Those of recordings and of folders that would be searched, the odd bytes as `\xfc`. */
  readonly shown: readonly string[];
}

const NONE: OddNames = { read: new Set(), shown: [] };

/**
 * The entries of a folder whose names are no valid UTF-8 (written by an old program, or on a disk
 * mounted with another character set).
 *
 * @param entries what is in the folder
 * @throws what the file system throws
 */
export function oddNames(folder: string, entries: readonly Dirent[]): OddNames {
  if (!entries.some(({ name }) => name.includes(REPLACED))) return NONE;
  const odd = (readdirSync(folder, { encoding: 'buffer' }) as Buffer[])
    .map((bytes) => ({ bytes, name: bytes.toString() }))
    .filter(({ bytes, name }) => name.includes(REPLACED) && !Buffer.from(name).equals(bytes));
  const folders = new Set(entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])));
  return {
    read: new Set(odd.map(({ name }) => name)),
    shown: odd
      .filter(({ name }) => (folders.has(name) ? isSearchedFolder(name) : isRecordingName(name)))
      .map(({ bytes }) => escaped(bytes))
      .sort(),
  };
}

/** Latin-1 shows each byte as one character; those of ASCII are themselves. */
function escaped(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[^ -~]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
