import { statSync } from 'node:fs';
import { systemCode } from '../base/errors.ts';
import type { UploadItem } from './report.ts';

/** A folder of a command line. It may be on a device that is unplugged during the run. */
export interface SearchedFolder {
  /** Path in reports. */
  readonly path: string;
  readonly absolute: string;
  /** Number of the file system that held the folder when it was searched. */
  readonly device: number;
}

/** Returns the outcome of a recording with a folder that is gone; undefined if the folder is there. */
export function goneItem(path: string, folder: SearchedFolder): UploadItem | undefined {
  if (!isGone(folder)) return undefined;
  return {
    path,
    outcome: 'failed',
    code: 'FOLDER_GONE',
    message: `${folder.path} is gone (unplugged?).`,
    hint: 'Run the same command again to continue.',
  };
}

function isGone({ absolute, device }: SearchedFolder): boolean {
  try {
    // The mount point of an unplugged device may remain, as a folder of another file system.
    return statSync(absolute).dev !== device;
  } catch (error) {
    return systemCode(error) !== 'EACCES';
  }
}
