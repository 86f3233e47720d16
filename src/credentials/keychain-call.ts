import { SyncError, messageOf } from '../base/errors.ts';
import { ChildCaller, ChildError, type ChildOptions } from '../system/child-call.ts';
import { classify, keychainError } from './keychain-failure.ts';
import type { KeychainAnswer, KeychainRequest } from './keychain-protocol.ts';
import { capital } from '../terminal/words.ts';

/** Time limit for the child to start, on a busy machine (ms). */
const START_LIMIT_MS = 20_000;

/** `env`: `DBUS_SESSION_BUS_ADDRESS`, `XDG_RUNTIME_DIR`, `HOME` lead to the keychain. */
export interface KeychainCall extends ChildOptions {
  readonly name: string;
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
  { name, platform, attended, limitMs, ...child }: KeychainCall,
  signal: AbortSignal,
): Promise<{ value: string | null; existed: boolean }> {
  const fail = (message: string, trouble = classify(message)) =>
    keychainError(trouble, { keychain: capital(name), message, platform, attended });
  const keychain = new ChildCaller<KeychainRequest, KeychainAnswer>(child);
  let isReady = false;
  let result = { value: null as string | null, existed: false };
  try {
    await keychain.ask(
      {
        request,
        take(answer) {
          if (answer.state === 'failed') return fail(answer.message);
          isReady = true;
          if (answer.state === 'done') result = answer;
          return answer.state === 'done';
        },
        silenceMs: () => (isReady ? limitMs : START_LIMIT_MS),
        continues: () => isReady && request.do === 'save',
      },
      signal,
    );
    return { value: result.value, existed: result.existed };
  } catch (error) {
    if (!(error instanceof ChildError)) throw error;
    const { code, message } = error;
    if (code === 'ECHILD') {
      const what = `Cannot start the keychain's child process: ${messageOf(error)}`;
      throw new SyncError('STORAGE', what, { cause: error });
    }
    throw code === 'ETIMEDOUT' ? fail(message, 'not-answering') : fail(message);
  } finally {
    keychain.close();
    await keychain.ended();
  }
}
