import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Env } from '../base/env.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { readCredentials, writeCredentials } from './credentials-text.ts';
import { hashOf } from './chunks.ts';
import { classify, keychainError } from './keychain-failure.ts';
import { type KeychainRequest, readAnswer } from './keychain-protocol.ts';
import type { CredentialStore } from './store.ts';

/** Under this name a profile's login is found in the keychain. */
const KEYCHAIN_SERVICE = 'athlete-sync';

/** How long a keychain may take where nobody sits, in ms. */
export const UNATTENDED_LIMIT_MS = 3_000;
/** How long a person may take to answer an unlock prompt, in ms. */
const ATTENDED_LIMIT_MS = 60_000;
/** How long the child tries to save tokens that the program stopped waiting for, in ms. */
const LATE_SAVE_LIMIT_MS = 10 * 60_000;
/** How long the child itself may take to start, on a machine that is busy, in ms. */
const START_LIMIT_MS = 20_000;

/**
 * Windows keeps at most 2,560 bytes an entry (CRED_MAX_CREDENTIAL_BLOB_SIZE), and counts two for a
 * character.
 */
const WINDOWS_MAX_UNITS = 1_200;

export interface KeychainOptions {
  /** The account in the keychain: see `keychainEntryName`. */
  readonly account: string;
  /** The built `keychain-child`. */
  readonly childPath: string;
  /** The child finds the keychain by it (`DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`, `HOME`). */
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** A person is there who can answer a prompt to unlock the keychain. */
  readonly attended: boolean;
  /** Time limit for each call (ms); absent: what `attended` calls for. */
  readonly limitMs?: number | undefined;
  /** Time limit for saving tokens, which may be the only ones left (ms); absent: the longest. */
  readonly saveLimitMs?: number | undefined;
  /** The longest text one entry takes, in UTF-16 units, if not the platform's. */
  readonly maxUnits?: number | undefined;
}

/** Credentials in the operating system's keychain. */
export function keychainStore(options: KeychainOptions): CredentialStore {
  const { platform } = options;
  const name = keychainName(platform);
  const maxUnits = options.maxUnits ?? (platform === 'win32' ? WINDOWS_MAX_UNITS : undefined);
  const request = (
    task: KeychainRequest['do'],
    value?: string,
    replaces?: string,
  ): KeychainRequest => ({
    do: task,
    service: KEYCHAIN_SERVICE,
    account: options.account,
    value,
    replaces,
    mayPrompt: options.attended,
    maxUnits,
    limitMs: task === 'save' ? LATE_SAVE_LIMIT_MS : usualLimit(options),
  });
  const call = async (what: KeychainRequest, signal: AbortSignal) =>
    await callChild(what, options, name, signal);

  return {
    kind: 'keychain',
    describe: () => name,
    async load(signal) {
      const { value } = await call(request('load'), signal);
      return value === null ? undefined : readCredentials(value, name);
    },
    async save(credentials, signal) {
      await call(request('save', writeCredentials(credentials)), signal);
    },
    async prepareSave(credentials, signal) {
      const text = writeCredentials(credentials);
      await call(request('prepare', text), signal);
      return {
        async commit(next) {
          await call(request('save', writeCredentials(next), hashOf(text)), NEVER);
        },
        discard: () => undefined,
      };
    },
    async delete(signal) {
      return (await call(request('delete'), signal)).existed;
    },
    async probe(signal) {
      await call(request('probe'), signal);
    },
  };
}

const NEVER = new AbortController().signal;

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

/**
 * Asks the keychain in a process of its own, and ends that process when it is done, when its time
 * is up, or when the signal is aborted. A save whose time is up is left to finish by itself.
 */
async function callChild(
  request: KeychainRequest,
  { childPath, env, platform, ...limits }: KeychainOptions,
  name: string,
  signal: AbortSignal,
): Promise<{ value: string | null; existed: boolean }> {
  signal.throwIfAborted();
  const limitMs =
    request.do === 'save' ? (limits.saveLimitMs ?? ATTENDED_LIMIT_MS) : usualLimit(limits);
  const fail = (message: string, trouble = classify(message)) =>
    keychainError(trouble, { keychain: capitalised(name), message, platform });

  // A group of its own: Ctrl-C at the terminal goes to the program, which decides.
  const child = spawn(process.execPath, [childPath], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const seen = { ready: false, leftAlone: false };
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      const within = (ms: number, what: string) => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          seen.leftAlone = seen.ready && request.do === 'save';
          reject(fail(what, 'not-answering'));
        }, ms);
      };
      within(START_LIMIT_MS, 'the child process did not start in time');

      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        complaint = (complaint + chunk).slice(0, 2_000);
      });
      createInterface({ input: child.stdout }).on('line', (line) => {
        const answer = readAnswer(line);
        switch (answer?.state) {
          case 'ready':
            seen.ready = true;
            within(limitMs, `no answer within ${String(limitMs)} ms`);
            break;
          case 'done':
            resolve(answer);
            break;
          case 'failed':
            reject(fail(answer.message));
            break;
          case undefined:
            break;
        }
      });
      child.once('error', (cause) =>
        reject(
          new SyncError('STORAGE', `The keychain's helper cannot be started: ${messageOf(cause)}`, {
            cause,
          }),
        ),
      );
      child.once('close', (code, killedBy) => {
        const end = killedBy ?? `code ${String(code)}`;
        reject(fail(`the child process ended (${end}) ${complaint}`.trim()));
      });
      // A child that died already: its end says more than the broken pipe does.
      child.stdin.on('error', () => undefined);
      child.stdin.end(JSON.stringify(request));
    });
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    if (seen.leftAlone) {
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
    } else if (child.pid !== undefined) {
      child.kill('SIGKILL');
      await ended;
    }
  }
}

function usualLimit({ limitMs, attended }: Pick<KeychainOptions, 'limitMs' | 'attended'>): number {
  return limitMs ?? (attended ? ATTENDED_LIMIT_MS : UNATTENDED_LIMIT_MS);
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
