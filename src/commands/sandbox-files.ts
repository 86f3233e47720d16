import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { toJson } from '../base/printable.ts';
import { diskFault } from '../system/disk.ts';
import { readPlainFile } from '../system/plain-file.ts';
import { replaceFile, storageError } from '../system/storage.ts';
import { EXPORT } from '../sandbox/export-line.ts';
import type { RequestRecord } from '../sandbox/types.ts';

/**
 * Removes the ready file of an earlier run, which could not remove it itself.
 * @throws SyncError `USAGE` if the file is another one, `STORAGE`
 */
export function clearReadyFile(given: string): void {
  const path = resolve(given);
  let found: string;
  try {
    found = readPlainFile(path).toString('utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return;
    throw notWritable('--wait-ready', path, cause);
  }
  if (!found.startsWith(EXPORT)) {
    throw new SyncError('USAGE', `--wait-ready ${path}: this file is not of a sandbox.`, {
      hint: 'Name a file that need not be there yet; the sandbox writes and removes it.',
      details: { path },
    });
  }
  rmSync(path, { force: true });
}

/** Returns a file that exists while the sandbox answers requests (`--wait-ready`). */
export function readyFile(given: string, line: string) {
  const path = resolve(given);
  const content = `${line}\n`;
  return {
    /** Writes it as a whole. @throws SyncError `STORAGE` */
    write() {
      try {
        replaceFile(path, content);
      } catch (cause) {
        throw notWritable('--wait-ready', path, cause);
      }
    },
    /** Removes it, unless another sandbox wrote it since. */
    remove() {
      try {
        if (readPlainFile(path).toString('utf8') === content) rmSync(path, { force: true });
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error;
      }
    },
  };
}

/**
 * Opens a file to which requests are appended, one JSON object a line (`--log`). Only its owner can read it if
 * it is new: bodies are an athlete's data.
 *
 * @param onFailure called once if a line cannot be written; the following requests are not written
 * @throws SyncError `USAGE`, `STORAGE`
 */
export function openRequestFile(given: string, onFailure: (error: SyncError) => void) {
  const path = resolve(given);
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'a', 0o600);
  } catch (cause) {
    throw notWritable('--log', path, cause);
  }
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    append(record: RequestRecord) {
      if (descriptor === undefined) return;
      try {
        writeSync(descriptor, `${toJson(record)}\n`);
      } catch (cause) {
        close();
        onFailure(notWritable('--log', path, cause));
      }
    },
    close,
  };
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `there is no folder ${dirname(path)}.`,
  ENOTDIR: (path) => `${dirname(path)} is not a folder.`,
  EISDIR: () => 'this is a folder.',
  EACCES: () => 'this user may not write it.',
  EPERM: () => 'this user may not write it.',
};

function notWritable(flag: string, path: string, cause: unknown): SyncError {
  if (diskFault(path, cause) !== undefined) return storageError(path, cause);
  const reason = REASONS[systemCode(cause) ?? '']?.(path) ?? messageOf(cause);
  return new SyncError('USAGE', `${flag} ${path}: ${reason}`, {
    cause,
    hint: 'Name a file in a folder that you may write to.',
    details: { path },
  });
}
