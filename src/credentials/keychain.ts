import { readCredentials, writeCredentials } from './credentials-text.ts';
import type { KeychainCall } from './keychain-call.ts';
import type { KeychainRequest } from './keychain-protocol.ts';
import type { CredentialStore } from './store.ts';
import { sha256 } from '../system/this-process.ts';
import { NEVER } from '../base/tasks.ts';

const KEYCHAIN_SERVICE = 'athlete-sync';

/** Time limit for a keychain call in an unattended process (ms). */
export const UNATTENDED_LIMIT_MS = 3_000;
/** Time limit for a person to answer an unlock prompt (ms). */
const ATTENDED_LIMIT_MS = 60_000;
/** Time limit for the child to save tokens after the program stopped waiting (ms). */
const LATE_SAVE_LIMIT_MS = 10 * 60_000;

/**
 * Longest text of one entry on Windows, in UTF-16 units. An entry has at most 2,560 bytes
 * (CRED_MAX_CREDENTIAL_BLOB_SIZE), two for each unit.
 */
const WINDOWS_MAX_UNITS = 1_200;

export interface KeychainOptions extends Omit<KeychainCall, 'name' | 'limitMs'> {
  /** The account in the keychain: see `keychainEntryName`. */
  readonly account: string;
  /** Time limit for each call (ms); absent: depends on `attended`. */
  readonly limitMs?: number | undefined;
  /** Time limit for saving tokens, which may be the only valid ones (ms); absent: the longest. */
  readonly saveLimitMs?: number | undefined;
  /** Longest text of one entry, in UTF-16 units; absent: the platform's limit. */
  readonly maxUnits?: number | undefined;
}

export function keychainStore(options: KeychainOptions): CredentialStore {
  const { platform } = options;
  const name = keychainName(platform);
  const maxUnits = options.maxUnits ?? (platform === 'win32' ? WINDOWS_MAX_UNITS : undefined);
  const { limitMs = options.attended ? ATTENDED_LIMIT_MS : UNATTENDED_LIMIT_MS } = options;
  const { saveLimitMs = ATTENDED_LIMIT_MS } = options;
  const call = async (
    task: KeychainRequest['do'],
    signal: AbortSignal,
    value?: string,
    replaces?: string,
  ) => {
    // Loaded here: a store that is only described starts no child process.
    const { callKeychain } = await import('./keychain-call.ts');
    const isSave = task === 'save';
    const request = {
      do: task,
      service: KEYCHAIN_SERVICE,
      account: options.account,
      value,
      replaces,
      mayPrompt: options.attended,
      maxUnits,
      limitMs: isSave ? LATE_SAVE_LIMIT_MS : limitMs,
    };
    const wait = { ...options, name, limitMs: isSave ? saveLimitMs : limitMs };
    return await callKeychain(request, wait, signal);
  };

  return {
    kind: 'keychain',
    describe: () => name,
    async load(signal) {
      const { value } = await call('load', signal);
      return value === null ? undefined : readCredentials(value, name);
    },
    async save(credentials, signal) {
      await call('save', signal, writeCredentials(credentials));
    },
    async prepareSave(credentials, signal) {
      const text = writeCredentials(credentials);
      await call('prepare', signal, text);
      return {
        async commit(next) {
          await call('save', NEVER, writeCredentials(next), sha256(text));
        },
        discard: () => undefined,
      };
    },
    async delete(signal) {
      return (await call('delete', signal)).existed;
    },
    async probe(signal) {
      await call('probe', signal);
    },
  };
}

function keychainName(platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return 'the macOS keychain';
    case 'win32':
      return "Windows' credential manager";
    default:
      return 'the keychain (Secret Service)';
  }
}
