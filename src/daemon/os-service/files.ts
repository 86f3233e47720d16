import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import { makeFolder, replaceFile, storageError } from '../../system/storage.ts';
import { MARK, type ServiceDefinition, WITHOUT_SERVICE } from './definition.ts';
import { type Ran, commandText } from './runner.ts';

/** A file of a service. */
export interface OwnFile {
  readonly path: string;
  /** UTF-16 is written with its byte order mark. */
  readonly encoding: 'utf8' | 'utf16le';
  /** @throws Error if the system's format cannot hold the definition */
  readonly generate: (definition: ServiceDefinition) => string | Promise<string>;
}

/**
 * Writes a file of this program.
 *
 * @returns what restores the earlier file
 * @throws SyncError `STORAGE` if another program's file is there
 */
export function writeOwnFile({
  path,
  encoding,
  text,
}: Pick<OwnFile, 'path' | 'encoding'> & { readonly text: string }): () => void {
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

/** Removes a file of this program, if it is there. @throws SyncError `STORAGE` if it is another's */
export function removeOwnFile(path: string): void {
  if (readOwnFile(path) !== undefined) rmSync(path, { force: true });
}

/** @throws SyncError `STORAGE` if it is another program's, or cannot be read */
export function readOwnFile(path: string): Buffer | undefined {
  let bytes: Buffer;
  try {
    bytes = readPlainFile(path);
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

/** Generates the text of a file. @throws SyncError `CONFIG` */
export async function generated(
  { generate }: OwnFile,
  definition: ServiceDefinition,
): Promise<string> {
  try {
    return await generate(definition);
  } catch (cause) {
    if (cause instanceof SyncError) throw cause;
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
