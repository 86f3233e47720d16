import type { Failure } from '../api/batch-breaker.ts';
import type { ServiceRecording } from '../api/wire.ts';

/**
 * Why a recording was not sent, where nothing is wrong with that. `refused-before`: the watcher leaves
 * a recording alone for a while that the service did not take.
 */
export type SkipReason = 'already-uploaded' | 'not-an-activity' | 'refused-before';
/** Why a file cannot be sent. `not-an-activity` where somebody named it by hand. */
export type InvalidReason = 'not-fit' | 'incomplete' | 'corrupt' | 'not-an-activity' | 'unreadable';

/** What became of one file. `path` is as the user wrote it, or the folder's with the rest. */
export type UploadItem = { readonly path: string } & (
  | ({
      readonly outcome: 'uploaded' | 'duplicate';
      readonly service: ServiceRecording;
      /** What of the request the service did not follow. */
      readonly note?: string;
    } & Sent)
  | {
      readonly outcome: 'skipped';
      readonly reason: SkipReason;
      readonly sha256?: string;
      readonly detail?: string;
    }
  | { readonly outcome: 'invalid'; readonly reason: InvalidReason; readonly detail: string }
  | ({ readonly outcome: 'rejected'; readonly status?: number; readonly message: string } & Sent)
  | ({ readonly outcome: 'failed' } & Failure & Partial<Sent>)
  /** `--dry-run`: what would be sent. */
  | ({ readonly outcome: 'would-upload'; readonly request: UploadRequest } & Omit<Sent, 'attempts'>)
);

interface Sent {
  readonly sha256: string;
  /** Bytes of the recording (unpacked). */
  readonly size: number;
  /** Requests made in this run. */
  readonly attempts: number;
}

/** A request in words that can be compared with what a service received. */
export interface UploadRequest {
  readonly method: 'POST';
  readonly url: string;
  readonly parts: readonly (
    | {
        readonly name: string;
        readonly filename: string;
        readonly size: number;
        readonly sha256: string;
      }
    | { readonly name: string; readonly value: string }
  )[];
}

export type UploadOutcome = UploadItem['outcome'];

/** How far a run is, for a progress line. */
export interface UploadProgress {
  /** Files dealt with, of those that have to be looked at. */
  readonly done: number;
  readonly total: number;
  /** Bytes handed to the service so far, of whole recordings. */
  readonly sentBytes: number;
  /** The file taken up last. */
  readonly current: string;
}
