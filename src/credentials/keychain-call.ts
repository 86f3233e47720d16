import { createInterface } from 'node:readline';
import type { Env } from '../base/env.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { complaintOf, startOwnChild } from '../system/own-child.ts';
import { classify, keychainError } from './keychain-failure.ts';
import { type KeychainRequest, readAnswer } from './keychain-protocol.ts';

/** Time limit for the child to start, on a busy machine (ms). */
const START_LIMIT_MS = 20_000;

export interface KeychainCall {
  /** Names the keychain for people. */
  readonly name: string;
  readonly childPath: string;
  /** For the child: `DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`, `HOME` lead to the keychain. */
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** A person can answer a prompt to unlock the keychain. */
  readonly attended: boolean;
  /** Time limit for the answer of a child that has started (ms). */
  readonly limitMs: number;
}

/**
 * Calls the keychain in a child process. Kills the child after its answer, after the time limit, or
 * when the signal is aborted. A save that exceeds the time limit continues in the child.
 */
export async function callKeychain(
  request: KeychainRequest,
  { name, childPath, env, platform, attended, limitMs }: KeychainCall,
  signal: AbortSignal,
): Promise<{ value: string | null; existed: boolean }> {
  signal.throwIfAborted();
  const fail = (message: string, trouble = classify(message)) =>
    keychainError(trouble, {
      keychain: capitalised(name),
      message,
      platform,
      attended,
    });

  const child = startOwnChild(childPath, env);
  const complaint = complaintOf(child);
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
            { cause },
          ),
        ),
      );
      child.once('close', (code, killedBy) => {
        const end = killedBy ?? `code ${String(code)}`;
        reject(fail(`the child process ended (${end}) ${complaint()}`.trim()));
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

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
