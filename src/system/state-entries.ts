import { dirname } from 'node:path';
import { attempt } from '../base/errors.ts';
import { parseObject } from '../base/json.ts';
import { readPlainFile } from './plain-file.ts';
import { makeStateFolder, replaceFile, storageError } from './storage.ts';

/*
 * A JSON object in the state folder with what this machine knows of each platform or account. A missing or damaged
 * file counts as empty: it can be learnt again.
 */

/** Returns what a file holds for a key; undefined: nothing. */
export function readEntry(path: string, key: string): unknown {
  return readAll(path)[key];
}

/** Records an entry; undefined removes it. @throws SyncError `STORAGE` */
export function writeEntry(path: string, key: string, entry: object | undefined): void {
  makeStateFolder(dirname(path));
  // JSON omits undefined values.
  const all = { ...readAll(path), [key]: entry };
  try {
    replaceFile(path, `${JSON.stringify(all)}\n`);
  } catch (cause) {
    throw storageError(path, cause, 'SYNC_STATE_DIR');
  }
}

function readAll(path: string): Readonly<Record<string, unknown>> {
  return attempt(() => parseObject(readPlainFile(path).toString())) ?? {};
}
