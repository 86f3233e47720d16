import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Env } from '../base/env.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { childEnv } from '../system/environment.ts';
import { thisProcess } from '../system/this-process.ts';
import { readCredentials, writeCredentials } from './credentials-text.ts';
import { hashOf } from './chunks.ts';
import { classify, keychainError } from './keychain-failure.ts';
import { type KeychainRequest, readAnswer } from './keychain-protocol.ts';
import type { CredentialStore } from './store.ts';

/** The service name of all entries in the keychain. */
const KEYCHAIN_SERVICE = 'athlete-sync';

/** Time limit for a keychain call in an unattended process (ms). */
export const UNATTENDED_LIMIT_MS = 3_000;
/** Time limit for a person to answer an unlock prompt (ms). */
const ATTENDED_LIMIT_MS = 60_000;
/** Time limit for the child to save tokens after the program stopped waiting (ms). */
const LATE_SAVE_LIMIT_MS = 10 * 60_000;
/** Time limit for the child to start, on a busy machine (ms). */
const START_LIMIT_MS = 20_000;

/**
 * Longest text of one entry on Windows, in UTF-16 units. An entry has at most 2,560 bytes
 * (CRED_MAX_CREDENTIAL_BLOB_SIZE), two for each unit.
 */
const WINDOWS_MAX_UNITS = 1_200;

export interface KeychainOptions {
  /** The account in the keychain: see `keychainEntryName`. */
  readonly account: string;
  /** The built `keychain-child`. */
  readonly childPath: string;
  /** For the child: `DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`, `HOME` lead to the keychain. */
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** A person can answer a prompt to unlock the keychain. */
  readonly attended: boolean;
  /** Time limit for each call (ms); absent: depends on `attended`. */
  readonly limitMs?: number | undefined;
  /** Time limit for saving tokens, which may be the only valid ones (ms); absent: the longest. */
  readonly saveLimitMs?: number | undefined;
  /** Longest text of one entry, in UTF-16 units; absent: the platform's limit. */
  readonly maxUnits?: number | undefined;
}

/** Returns a store that keeps credentials in the operating system's keychain. */
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
 * Calls the keychain in a child process. Kills the child after its answer, after the time limit, or
 * when the signal is aborted. A save that exceeds the time limit continues in the child.
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
    keychainError(trouble, {
      keychain: capitalised(name),
      message,
      platform,
      attended: limits.attended,
    });

  // In another process group: Ctrl-C at the terminal reaches only the program, which decides.
  const child = spawn(thisProcess.nodePath, [childPath], {
    env: childEnv(env, 'no-passwords'),
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
          new SyncError(
            'STORAGE',
            `Cannot start the keychain's child process: ${messageOf(cause)}`,
            {
              cause,
            },
          ),
        ),
      );
      child.once('close', (code, killedBy) => {
        const end = killedBy ?? `code ${String(code)}`;
        reject(fail(`the child process ended (${end}) ${complaint}`.trim()));
      });
      // If the child already ended, its exit code says more than the broken pipe.
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
