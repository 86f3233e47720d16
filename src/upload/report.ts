import type { Failure } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import type { ServiceRecording } from '../api/wire.ts';
import type { Activity } from '../fit/activity.ts';

/**
 * Why a recording was skipped. `refused-before`: the service rejected it, and the watcher waits before
 * it tries again. `before-since`: it began before the first day to send. `not-new`: its file was there before
 * `--new-only`. `undone`: its workout was taken back from here; `undoing`: perhaps, since `sync undo upload` was
 * interrupted. `shorter`: it would replace the workout of a longer recording.
 */
export type SkipReason =
  | 'already-uploaded'
  | 'not-an-activity'
  | 'refused-before'
  | 'before-since'
  | 'not-new'
  | 'undoing'
  | 'undone'
  | 'shorter';
/** Why a file is invalid. `not-an-activity`: only for files that the user named. */
export type InvalidReason = 'not-fit' | 'incomplete' | 'corrupt' | 'not-an-activity' | 'unreadable';

/** The outcome of one file. `path`: see `RecordingFile`. */
export type UploadItem = { readonly path: string } & (
  | ({
      readonly outcome: 'uploaded' | 'duplicate';
      readonly service: ServiceRecording;
      /** Says whether an existing workout got the name of `--name`, or that another one is replaced. */
      readonly note?: string;
      /** Recordings of the same ride that were sent before, and when (ms since 1970). */
      readonly sameRideAs?: readonly { readonly path: string; readonly sentAt: number }[];
    } & SentFile)
  /** Not sent: `covered`, since recordings of the same ride have all of it; `held`, since one was sent. */
  | {
      readonly outcome: 'covered' | 'held';
      /** Their paths, or titles of workouts. */
      readonly by: readonly string[];
      readonly sha256: string;
    }
  | {
      readonly outcome: 'skipped';
      readonly reason: SkipReason;
      readonly sha256?: string;
      readonly detail?: Text;
      readonly wellness?: boolean;
    }
  | {
      readonly outcome: 'invalid';
      readonly reason: InvalidReason;
      readonly detail: string;
      readonly wellness?: boolean;
    }
  | ({
      readonly outcome: 'rejected';
      readonly status?: number;
      readonly message: string;
    } & SentFile)
  | ({ readonly outcome: 'failed' } & Failure & Partial<SentFile>)
  /** The request that `--dry-run` did not send. */
  | ({ readonly outcome: 'would-upload'; readonly request: UploadRequest } & Omit<
      SentFile,
      'attempts'
    >)
);

interface SentFile {
  readonly activity: Activity;
  readonly sha256: string;
  /** Bytes of the recording (unpacked). */
  readonly size: number;
  readonly attempts: number;
}

/** A description of a request, comparable with the request that a service receives. */
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

export interface UploadProgress {
  /** Finished files, out of `total` files without a known outcome. */
  readonly done: number;
  /** Undefined if archives are read, whose recordings are not counted yet. */
  readonly total: number | undefined;
  /** Share of the time that the finished files took, from 0 to 1; undefined with `total`. */
  readonly share: number | undefined;
  readonly sentBytes: number;
  /** The file started last. */
  readonly current: string;
}
