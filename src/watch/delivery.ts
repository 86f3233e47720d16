import { SyncError } from '../errors.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { ServiceClient } from '../service/client.ts';

/**
 * Refusals that are about the recording itself. All others (404: a wrong address; 403: a closed
 * account) would befall every recording: those wait until it is mended.
 */
const ABOUT_THE_RECORDING = [400, 409, 411, 413, 415, 422];

/**
 * The client as the watcher uses it: nobody is there to send a recording again that was refused
 * for a reason of the service's, so such a refusal counts as a failure that passes.
 *
 * @param onRetryAfter told how long the service asks to be left alone, in ms.
 */
export function patientClient(
  client: ServiceClient,
  onRetryAfter: (ms: number) => void,
): Pick<ServiceClient, 'uploadRecording'> & ServiceClient {
  return {
    ...client,
    async uploadRecording(upload, signal) {
      try {
        return await client.uploadRecording(upload, signal);
      } catch (error) {
        if (!(error instanceof SyncError)) throw error;
        const { status, retryAfterMs } = error.details;
        if (typeof retryAfterMs === 'number') onRetryAfter(retryAfterMs);
        if (error.code !== 'REJECTED' || ABOUT_THE_RECORDING.includes(Number(status))) throw error;
        throw new SyncError('SERVICE_ANSWER', error.message, {
          hint: error.hint,
          cause: error,
          details: error.details,
        });
      }
    },
  };
}

/** The ledger as the watcher uses it: what was refused once is not offered again by itself. */
export function settledLedger(ledger: UploadLedger): UploadLedger {
  return {
    ...ledger,
    claim(recording, force) {
      const upload = ledger.find(recording.sha256);
      return upload?.state === 'rejected'
        ? { claim: 'confirmed', upload }
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
