import { SyncError } from '../base/errors.ts';
import { ChildCaller, ChildError } from '../system/child-call.ts';
import { appVariables } from './apps.ts';
import { CALL_LIMIT_MS, type SearchAnswer, type SearchRequest } from './protocol.ts';
import type { Device, FoundDevices, Places, SurveyedDevice } from './types.ts';

/** Threads of the child: each call that hangs keeps one. */
const THREADS = 64;
/** Longest silence of the child beyond the limit of its calls (ms): many slow mounts, on a busy machine. */
const CHILD_LIMIT_MS = 120_000;

/**
 * Finds the devices and apps that are connected or installed now. A mount that gives no answer in time is
 * `silent`, and delays no other.
 *
 * @throws the signal's reason; SyncError `STORAGE` if the child process fails
 */
export function findDevices(places: Places, signal: AbortSignal): Promise<FoundDevices> {
  return searchInChild(places, false, signal);
}

/** Finds them, and lists their files. Throws as {@link findDevices} does. */
export function surveyDevices(places: Places, signal: AbortSignal) {
  return searchInChild<SurveyedDevice>(places, true, signal);
}

async function searchInChild<D extends Device>(
  { childPath, limitMs = CALL_LIMIT_MS, ...places }: Places,
  survey: boolean,
  signal: AbortSignal,
): Promise<FoundDevices<D>> {
  const env = appVariables(places.env);
  const request: SearchRequest = { ...places, env, limitMs, survey };
  const options = { childPath, env: places.env, threads: THREADS };
  const search = new ChildCaller<SearchRequest, SearchAnswer>(options);
  const devices: D[] = [];
  const silent: string[] = [];
  const take = (answer: SearchAnswer) => {
    if (answer.state === 'found') devices.push(answer.device as D);
    if (answer.state === 'silent') silent.push(answer.folder);
    if (answer.state === 'failed') return new ChildError('EIO', answer.message);
    return answer.state === 'done';
  };
  try {
    await search.ask({ request, take, silenceMs: () => limitMs + CHILD_LIMIT_MS }, signal);
    return { devices, silent };
  } catch (cause) {
    if (!(cause instanceof ChildError)) throw cause;
    throw new SyncError('STORAGE', `Cannot search for devices: ${cause.message}`, { cause });
  } finally {
    // A thread that hangs in the kernel outlives the kill: nothing waits for the child.
    search.close();
  }
}
