import type { Failure } from '../base/errors.ts';
import type { Text } from '../base/phrase.ts';
import type { FolderState, Obstacle } from '../daemon/health.ts';
import type { RecordItem } from '../records/deliver.ts';
import type { JsonObject } from '../records/types.ts';
import type { InvalidReason, UploadItem } from '../upload/report.ts';

/** An event that the watcher reports to the user. */
export type WatchNotice =
  | { readonly event: 'started'; readonly folders: readonly string[]; readonly devices?: boolean }
  | {
      readonly event: 'folder';
      readonly folder: string;
      readonly state: FolderState;
      /** Why it is polled, as a sentence. */
      readonly reason?: string;
      /** Recordings that were not sent when it disappeared with its device; absent: none is known. */
      readonly left?: number;
    }
  /** A known device was plugged in, or left. */
  | {
      readonly event: 'device';
      /** Identifies it at any mount point (`Device.key`). */
      readonly device: string;
      /** For people: `Garmin Edge 840`. */
      readonly title: string;
      readonly state: 'plugged-in' | 'away';
      /** Where it is mounted, while it is plugged in. */
      readonly root?: string;
      /** Recordings on it that are not sent; absent: none is known. */
      readonly left?: number;
    }
  /** A device was plugged in that the user's settings exclude; reported once until it leaves. */
  | {
      readonly event: 'device-ignored';
      readonly device: string;
      readonly title: string;
      readonly root: string;
    }
  /** Every existing folder was rescanned, and is watched from now on. */
  | {
      readonly event: 'ready';
      readonly files: number;
      readonly queued: number;
      /** Files that `--new-only` leaves out from now on; absent if there are none. */
      readonly leftOut?: number;
      /** Recordings of which a part is missing; absent if there are none. */
      readonly incomplete?: number;
    }
  | { readonly event: 'upload'; readonly item: UploadItem }
  /** The outcome of a wellness day, and the fields of its record. */
  | { readonly event: 'day'; readonly item: RecordItem; readonly fields: JsonObject }
  /** Days cannot be sent now; reported once until they can. */
  | (Failure & { readonly event: 'days-waiting'; readonly days: number })
  /** A recording was copied that is on a device, or cannot be sent now. */
  | { readonly event: 'kept'; readonly path: string; readonly sha256: string }
  /** Recordings are sent without copies, one at a time; reported once, until a copy succeeds. */
  | { readonly event: 'not-copied'; readonly message: string; readonly hint?: Text | undefined }
  /** The copies became many; reported once. `folder` holds those of all accounts. */
  | {
      readonly event: 'many-copies';
      readonly folder: string;
      readonly copies: number;
      readonly bytes: number;
    }
  /** Copies that nothing sends: another account's, or without a readable label; reported once. */
  | { readonly event: 'kept-for-others'; readonly copies: number }
  /** A file has been incomplete for long; reported once. */
  | {
      readonly event: 'unfinished';
      readonly path: string;
      readonly reason: InvalidReason;
      readonly detail: string;
    }
  /** Nothing can be delivered now; reported once for a cause, until it can. */
  | {
      readonly event: 'obstacle';
      readonly obstacle: Obstacle;
      readonly message: string;
      readonly hint?: Text | undefined;
      readonly queued: number;
    }
  | { readonly event: 'delivering' }
  /** Nothing is sent before the next `sync login`; reported once. */
  | (Failure & { readonly event: 'login-needed' })
  | { readonly event: 'login-renewed' }
  /** The login ends soon, and could not be renewed. */
  | { readonly event: 'login-ending'; readonly endsAt: string; readonly daysLeft: number }
  /** The service accepted it at least an hour ago, and has no workout for it; reported once. */
  | {
      readonly event: 'missing';
      readonly path: string;
      readonly sha256: string;
      /** ISO 8601 */
      readonly uploadedAt: string;
    }
  /** Uploads cannot be verified with the scopes of this login; reported once. */
  | { readonly event: 'unverified'; readonly message: string; readonly hint?: Text | undefined }
  /** The scale's users are several: no weight is sent. Reported once a run. */
  | { readonly event: 'weights-left'; readonly message: string; readonly hint: Text }
  /** Measurements of the files read now are out of range, or of a wrong clock: they are not sent. */
  | { readonly event: 'values-left'; readonly message: string }
  /** A problem that stops nothing, such as an unreadable folder. */
  | { readonly event: 'problem'; readonly message: string; readonly path?: string }
  /** The watcher ended: its counts, and how many recordings the next start sends. */
  | {
      readonly event: 'stopped';
      readonly uploaded: number;
      readonly duplicate: number;
      readonly rejected: number;
      /** Wellness days that were sent; absent if none were to be sent. */
      readonly days?: number;
      readonly queued: number;
      /** As in `ready`. */
      readonly incomplete?: number;
    };
