import { SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { UploadStanding } from '../../ledger/upload-rows.ts';
import type { ServiceClient } from '../../api/client.ts';

/** Pause of the days, or of the checks of uploads, after the service failed on one (ms). */
export const FAILED_PAUSE_MS = 5 * 60_000;

/**
 * Wraps the client for the watcher.
 *
 * @param onRetryAfter called with the service's `Retry-After` (ms)
 */
export function patientClient(
  client: ServiceClient,
  onRetryAfter: (ms: number) => void,
): ServiceClient {
  const noted = async <T>(request: Promise<T>): Promise<T> => {
    try {
      return await request;
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const { retryAfterMs } = error.details;
      if (typeof retryAfterMs === 'number') onRetryAfter(retryAfterMs);
      throw notItsLogin(error);
    }
  };
  return {
    ...client,
    uploadRecording: (...upload) => noted(client.uploadRecording(...upload)),
    push: (...record) => noted(client.push(...record)),
  };
}

/**
 * Only the token endpoint ends a login. If the service rejects a token that it has just renewed, this is
 * an outage of the service or of something in front of it.
 */
export function notItsLogin(error: SyncError): SyncError {
  if (error.code !== 'AUTH_EXPIRED' || error.details['status'] !== 401) return error;
  return error.with({
    code: 'SERVICE_ANSWER',
    message: 'The platform does not take the login that it renewed.',
    hint: phrase`If that lasts, run ${sync('login')}.`,
  });
}

/** Pause after the first refusal of a recording (ms); it doubles with each further refusal. */
const FIRST_REST_MS = 86_400_000;
const LONGEST_REST_MS = 32 * FIRST_REST_MS;
/** Refusals after which a copy is dropped. */
const ENOUGH_REFUSALS = 6;

/**
 * Returns whether a recording needs no sending now. A refused recording is sent again later: the account
 * may have been full, or the service may have learned to read it.
 */
export function isSettled({ state, refusals, changedAt }: UploadStanding, now: number): boolean {
  if (state !== 'rejected') return state !== 'pending';
  // A refusal in the far future was recorded by a wrong clock: it delays nothing.
  return Math.abs(now - changedAt) < Math.min(FIRST_REST_MS * 2 ** (refusals - 1), LONGEST_REST_MS);
}

/** Returns whether the service refused the recording too often to keep its copy. */
export function isGivenUp({ state, refusals }: UploadStanding): boolean {
  return state === 'rejected' && refusals >= ENOUGH_REFUSALS;
}
