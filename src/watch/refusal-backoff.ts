import { SyncError } from '../base/errors.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger, UploadStanding } from '../ledger/uploads.ts';
import type { FramedUpload, ServiceClient } from '../api/client.ts';

/**
 * The client as the watcher uses it.
 *
 * @param onRetryAfter told how long the service asks to be left alone, in ms.
 * @param onUpload told of each upload before it leaves
 */
export function patientClient(
  client: ServiceClient,
  onRetryAfter: (ms: number) => void,
  onUpload: (upload: FramedUpload) => void,
): Pick<ServiceClient, 'uploadRecording'> & ServiceClient {
  return {
    ...client,
    async uploadRecording(upload, signal) {
      onUpload(upload);
      try {
        return await client.uploadRecording(upload, signal);
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        const { retryAfterMs } = error.details;
        if (typeof retryAfterMs === 'number') onRetryAfter(retryAfterMs);
        throw notItsLogin(error);
      }
    },
  };
}

/**
 * Only the token endpoint says that a login has ended. A service that does not take a token which it
 * has just renewed is in trouble, or somebody else answers in its place: that passes.
 */
export function notItsLogin(error: SyncError): SyncError {
  if (error.code !== 'AUTH_EXPIRED' || error.details['status'] !== 401) return error;
  return new SyncError('SERVICE_ANSWER', 'The service does not take the login that it renewed.', {
    hint: 'If that lasts, run `sync login`.',
    cause: error,
    details: error.details,
  });
}

/** A recording that was refused is left alone for so long, then twice, four times as long ..., in ms. */
const FIRST_REST_MS = 86_400_000;
const LONGEST_REST_MS = 32 * FIRST_REST_MS;
/** The bytes of one that is refused so often are not kept any longer. */
const ENOUGH_REFUSALS = 6;

/**
 * Is there nothing to do about a recording? One that the service refused is offered again now and
 * then: a full account, or what the service could not read in those days, need not stay so.
 */
export function isAtRest({ state, refusals, changedAt }: UploadStanding, now: number): boolean {
  if (state !== 'rejected') return state === 'confirmed';
  // A refusal far in the future was written down by a clock that was wrong: it holds nothing up.
  return Math.abs(now - changedAt) < Math.min(FIRST_REST_MS * 2 ** (refusals - 1), LONGEST_REST_MS);
}

/** Has the service had enough chances to take it? */
export function isGivenUp({ state, refusals }: UploadStanding): boolean {
  return state === 'rejected' && refusals >= ENOUGH_REFUSALS;
}

/**
 * The ledger as the watcher uses it: what was refused is offered again only in its time.
 *
 * @param onClaim told of what is to be sent before that begins
 */
export function restingLedger(
  ledger: UploadLedger,
  now: () => number,
  onClaim: (recording: { readonly sha256: string; readonly size: number }) => void,
): UploadLedger {
  return {
    find: (sha256) => ledger.find(sha256),
    confirm: (...outcome) => ledger.confirm(...outcome),
    reject: (...outcome) => ledger.reject(...outcome),
    release: (...outcome) => ledger.release(...outcome),
    countFault: (...fault) => ledger.countFault(...fault),
    confirmed: (which) => ledger.confirmed(which),
    markVerified: (hashes) => ledger.markVerified(hashes),
    counts: () => ledger.counts(),
    lastConfirmedAt: () => ledger.lastConfirmedAt(),
    claim(recording, force) {
      onClaim(recording);
      const upload = ledger.find(recording.sha256);
      return upload?.state === 'rejected' && isAtRest(upload, now())
        ? { claim: 'refused', upload }
        : ledger.claim(recording, force);
    },
  };
}

/** For files that are this program's own copies: nothing about them is worth remembering. */
export const REMEMBERS_NOTHING: KnownFiles = {
  find: () => undefined,
  remember: () => undefined,
  flush: () => undefined,
  reading: (task) => task(),
};
