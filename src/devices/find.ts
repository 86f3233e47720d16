import { createInterface } from 'node:readline';
import { SyncError, messageOf } from '../base/errors.ts';
import { complaintOf, startOwnChild } from '../system/own-child.ts';
import { appVariables } from './apps.ts';
import { CALL_LIMIT_MS, type SearchAnswer, type SearchRequest } from './protocol.ts';
import type { Device, FoundDevices, Places, SurveyedDevice } from './types.ts';

/** Threads of the child: each call that hangs keeps one. */
const THREADS = '64';
/** Time limit for the child beyond that of its calls (ms): many slow mounts, on a busy machine. */
const CHILD_LIMIT_MS = 120_000;

/**
 * Finds the devices and apps that are connected or installed now. A mount that gives no answer in time is
 * `silent`, and delays no other.
 *
 * @throws the signal's reason; SyncError `STORAGE` if the child process fails
 */
export async function findDevices(places: Places, signal: AbortSignal): Promise<FoundDevices> {
  return await searchInChild(places, false, signal);
}

/** Finds them, and lists their files. Throws as {@link findDevices} does. */
export async function surveyDevices(
  places: Places,
  signal: AbortSignal,
): Promise<FoundDevices<SurveyedDevice>> {
  return await searchInChild(places, true, signal);
}

async function searchInChild<D extends Device>(
  { childPath, limitMs = CALL_LIMIT_MS, ...places }: Places,
  survey: boolean,
  signal: AbortSignal,
): Promise<FoundDevices<D>> {
  signal.throwIfAborted();
  const child = startOwnChild(childPath, { ...places.env, UV_THREADPOOL_SIZE: THREADS });
  const complaint = complaintOf(child);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      const fail = (what: string, cause?: unknown) =>
        reject(new SyncError('STORAGE', `Cannot search for devices: ${what}`, { cause }));
      timer = setTimeout(() => fail('the search did not end in time.'), limitMs + CHILD_LIMIT_MS);
      const devices: D[] = [];
      const silent: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => {
        const answer = JSON.parse(line) as SearchAnswer;
        switch (answer.state) {
          case 'found':
            devices.push(answer.device as D);
            break;
          case 'silent':
            silent.push(answer.folder);
            break;
          case 'failed':
            fail(answer.message);
            break;
          case 'done':
            resolve({ devices, silent });
        }
      });
      child.once('error', (cause) => fail(messageOf(cause), cause));
      child.once('close', (code, killedBy) =>
        fail(
          `the child process ended (${killedBy ?? `code ${String(code)}`}) ${complaint()}`.trim(),
        ),
      );
      // If the child already ended, its exit code says more than the broken pipe.
      child.stdin.on('error', () => undefined);
      const env = appVariables(places.env);
      const request: SearchRequest = { ...places, env, limitMs, survey };
      child.stdin.end(JSON.stringify(request));
    });
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    // A thread that hangs in the kernel outlives the kill: nothing waits for the child.
    child.kill('SIGKILL');
    child.stdout.destroy();
    child.stderr.destroy();
    child.unref();
  }
}
