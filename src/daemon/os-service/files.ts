import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { makeFolder, replaceFile, storageError } from '../../system/storage.ts';
import { MARK, type ServiceDefinition, WITHOUT_SERVICE } from './definition.ts';
import type { Ran } from './runner.ts';
import { commandText } from './runner.ts';

/** Restores the earlier file. */
export type Undo = () => void;

/**
 * Writes a file of this program.
 *
 * @param encoding UTF-16 is written with its byte order mark
 * @throws SyncError `STORAGE` if another program's file is there
 */
export function writeOwnFile(path: string, text: string, encoding: 'utf8' | 'utf16le'): Undo {
  const before = readOwnFile(path);
  const bytes = encoding === 'utf8' ? Buffer.from(text) : Buffer.from(`\ufeff${text}`, 'utf16le');
  try {
    makeFolder(dirname(path), 0o700);
    replaceFile(path, bytes);
  } catch (cause) {
    const message = `${path} cannot be written: ${messageOf(cause)}`;
    throw storageError(path, cause, undefined, { message });
  }
  return () => {
    if (before === undefined) rmSync(path, { force: true });
    else replaceFile(path, before);
  };
}

/** @returns false if there was none. @throws SyncError `STORAGE` if it is another program's */
export function removeOwnFile(path: string): boolean {
  if (readOwnFile(path) === undefined) return false;
  rmSync(path, { force: true });
  return true;
}

/** @throws SyncError `STORAGE` if it is another program's, or cannot be read */
export function readOwnFile(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw new SyncError('STORAGE', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
  if (bytes.includes(MARK) || bytes.includes(Buffer.from(MARK, 'utf16le'))) return bytes;
  throw new SyncError('STORAGE', `${path} is there already, and was not written by sync.`, {
    hint: 'Move it away, then try again.',
    details: { path },
  });
}

/** Generates a definition in the system's format. @throws SyncError `CONFIG` */
export function written(
  generate: (definition: ServiceDefinition) => string,
  definition: ServiceDefinition,
): string {
  try {
    return generate(definition);
  } catch (cause) {
    throw new SyncError('CONFIG', `No service can be made of this: ${messageOf(cause)}.`, {
      cause,
      hint: phrase`Rename the folder, or start ${WITHOUT_SERVICE} yourself.`,
    });
  }
}

/** Returns the failure of a program of the system. */
export function refused(program: string, args: readonly string[], ran: Ran): SyncError {
  const said = (ran.stderr.trim() || ran.stdout.trim()).split('\n').slice(0, 5).join(' ');
  const end = ran.code === 'missing' ? 'there is no such program' : `exit code ${ran.code}`;
  const words = said === '' ? '' : ` ${said}`;
  return new SyncError('STORAGE', `${commandText(program, args)} failed (${end}).${words}`, {
    hint: phrase`Fix that, then try again. ${WITHOUT_SERVICE} works without it.`,
  });
}
