/* eslint-disable @typescript-eslint/require-await -- the failures of a store are rejections */
import { closeSync, readFileSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { shellWord } from '../base/printable.ts';
import { phrase, sync } from '../base/phrase.ts';
import { findDistrust, refuseDistrusted } from '../system/folder-trust.ts';
import { type PlainFile, openPlainFile } from '../system/plain-file.ts';
import { thisProcess } from '../system/this-process.ts';
import {
  type Replacement,
  TEMPORARY,
  beginReplacement,
  makeFolder,
  storageError,
} from '../system/storage.ts';
import { readCredentials, writeCredentials } from './credentials-text.ts';
import type { CredentialStore } from './store.ts';

/** Space to reserve for a refreshed login, beyond twice the size of the current one (bytes). */
const RESERVED_BYTES = 8_192;

/** `login` holds the tokens of a profile, `pending` a login that waits for its second command. */
type LoginFile = 'login' | 'pending';

export function tokenFilePath(
  stateDir: string,
  profile: string,
  kind: LoginFile = 'login',
): string {
  return join(stateDir, 'logins', `${kind}-${nameInFile(profile)}.json`);
}

/**
 * Writes a capital as `=` and the small letter: on case-insensitive file systems, two profiles must not share
 * a file.
 */
export function nameInFile(profile: string): string {
  return profile.replace(/[A-Z]/g, (letter) => `=${letter.toLowerCase()}`);
}

/** Returns the profiles with a file of this kind. @throws SyncError `STORAGE` */
export function storedProfiles(stateDir: string, kind: LoginFile = 'login'): readonly string[] {
  const folder = dirname(tokenFilePath(stateDir, ''));
  try {
    return readdirSync(folder).flatMap((name) => {
      const written = /^([a-z]+)-(.+)\.json$/.exec(name);
      if (written?.[1] !== kind) return [];
      return written[2]?.replace(/=([a-z])/g, (_, letter: string) => letter.toUpperCase()) ?? [];
    });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw storageError(folder, error, 'SYNC_STATE_DIR');
  }
}

/**
 * Returns a store that keeps credentials in a file that only its owner may read. Used only if the
 * user chose it: everyone who can read the disk, or a backup of it, can read them.
 */
export function fileStore(path: string, platform: NodeJS.Platform): CredentialStore {
  const describe = () => `the file ${path}`;
  return {
    kind: 'file',
    describe,
    async load(signal) {
      signal.throwIfAborted();
      refuseUntrusted(dirname(path));
      const text = readOwn(path, platform);
      return text === undefined ? undefined : readCredentials(text, describe());
    },
    async save(credentials, signal) {
      signal.throwIfAborted();
      removeLeftovers(path);
      write(path, writeCredentials(credentials));
    },
    async prepareSave(credentials, signal) {
      signal.throwIfAborted();
      const text = writeCredentials(credentials);
      removeLeftovers(path);
      const replacement = begin(path, 2 * text.length + RESERVED_BYTES);
      try {
        write(path, text);
      } catch (error) {
        replacement.discard();
        throw error;
      }
      return {
        async commit(next) {
          try {
            replacement.commit(`${writeCredentials(next)}\n`);
          } catch (cause) {
            throw unusable(dirname(path), path, 'written', cause);
          }
        },
        discard: () => replacement.discard(),
      };
    },
    async delete(signal) {
      signal.throwIfAborted();
      removeLeftovers(path);
      return remove(path);
    },
    async probe(signal) {
      signal.throwIfAborted();
      begin(path, RESERVED_BYTES).discard();
    },
  };
}

function readOwn(path: string, platform: NodeJS.Platform): string | undefined {
  let opened: PlainFile;
  try {
    opened = openPlainFile(path);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw unusable(path, path, 'read', cause);
  }
  try {
    // Checks the open file, not its name, which another process could replace.
    const { mode, uid } = opened.stats;
    if (platform !== 'win32') refuseIfShared(path, mode, uid);
    return readFileSync(opened.descriptor, 'utf8');
  } catch (cause) {
    if (cause instanceof SyncError) throw cause;
    throw unusable(path, path, 'read', cause);
  } finally {
    closeSync(opened.descriptor);
  }
}

/** Refuses tokens that others may have read, as ssh does with private keys. */
function refuseIfShared(path: string, mode: number, owner: number): void {
  if (owner !== thisProcess.userId) {
    throw new SyncError('CONFIG', `${path} contains a login, and belongs to another user.`, {
      hint: phrase`Remove it and run ${sync('login')}.`,
      details: { path },
    });
  }
  if ((mode & 0o077) !== 0) {
    throw new SyncError(
      'CONFIG',
      `${path} contains a login, and users other than its owner can open it ` +
        `(mode ${(mode & 0o777).toString(8).padStart(4, '0')}).`,
      {
        hint: phrase`Run \`chmod 600 ${shellWord(path)}\`. If others use this machine, run ${sync('login')} as well.`,
        details: { path },
      },
    );
  }
}

function write(path: string, text: string): void {
  const replacement = begin(path, 0);
  try {
    replacement.commit(`${text}\n`);
  } catch (cause) {
    throw unusable(dirname(path), path, 'written', cause);
  }
}

function begin(path: string, reservedBytes: number): Replacement {
  const folder = dirname(path);
  try {
    makeFolder(folder, 0o700);
  } catch (cause) {
    throw unusable(folder, path, 'written', cause);
  }
  refuseUntrusted(folder);
  try {
    return beginReplacement(path, reservedBytes, { secret: true });
  } catch (cause) {
    throw unusable(folder, path, 'written', cause);
  }
}

/** Refuses a folder that other users can change: they could replace the file. */
function refuseUntrusted(folder: string): void {
  refuseDistrusted(findDistrust(folder), `Cannot keep logins in ${folder}`, 'SYNC_STATE_DIR');
}

function remove(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return false;
    throw unusable(path, path, 'removed', cause);
  }
}

/** Removes files of a process that was killed while it wrote: they contain tokens as well. */
function removeLeftovers(path: string): void {
  const base = basename(path);
  try {
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(base) && TEMPORARY.test(name.slice(base.length))) {
        rmSync(join(dirname(path), name), { force: true });
      }
    }
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw unusable(path, path, 'removed', cause);
  }
}

/** @param at the file or folder that the operation failed on */
function unusable(at: string, path: string, done: string, cause: unknown): SyncError {
  const message = `${path} cannot be ${done}: ${messageOf(cause)}`;
  return storageError(at, cause, 'SYNC_STATE_DIR', { message });
}
