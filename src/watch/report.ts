import type { ErrorCode } from '../base/errors.ts';
import type { FolderState, Obstacle } from '../daemon/registry.ts';
import type { InvalidReason, UploadItem } from '../upload/report.ts';

/** What the watcher tells of, as it happens. */
export type WatchNotice =
  | { readonly event: 'started'; readonly folders: readonly string[] }
  | {
      readonly event: 'folder';
      readonly folder: string;
      readonly state: FolderState;
      /** Why it is polled, in a sentence. */
      readonly reason?: string;
    }
  /** Every folder that is there is watched from now on, and was looked through. */
  | { readonly event: 'ready'; readonly files: number; readonly queued: number }
  /** A recording and what became of it. */
  | { readonly event: 'upload'; readonly item: UploadItem }
  /** Its bytes are kept here until the service has it. */
  | { readonly event: 'kept'; readonly path: string; readonly sha256: string }
  /** A file that has not become a whole recording for long; told once. */
  | {
      readonly event: 'unfinished';
      readonly path: string;
      readonly reason: InvalidReason;
      readonly detail: string;
    }
  /** Nothing can be delivered now; told once until it can. */
  | {
      readonly event: 'obstacle';
      readonly obstacle: Obstacle;
      readonly message: string;
      readonly hint?: string;
      readonly queued: number;
    }
  /** Delivery goes on. */
  | { readonly event: 'delivering' }
  /** Only `sync login` helps; told once. Nothing is sent until then. */
  | {
      readonly event: 'login-needed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint?: string;
    }
  | { readonly event: 'login-renewed' }
  /** The login ends soon, and could not be made to last longer. */
  | { readonly event: 'login-ending'; readonly endsAt: string; readonly daysLeft: number }
  /** The service took it an hour ago or earlier, and has no workout of it; told once. */
  | {
      readonly event: 'missing';
      readonly path: string;
      readonly sha256: string;
      /** ISO 8601 */
      readonly uploadedAt: string;
    }
  /** Uploads cannot be verified with the scopes of this login; told once. */
  | { readonly event: 'unverified'; readonly message: string; readonly hint?: string }
  /** Something that stops nothing: a folder that may not be read. */
  | { readonly event: 'problem'; readonly message: string; readonly path?: string }
  | { readonly event: 'stopped'; readonly queued: number };
