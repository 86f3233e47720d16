import type { WalkResult } from '../../inputs/find-files.ts';
import type { Observation } from '../events.ts';

/** Most files in a batch: the ledger looks them up in one transaction. */
export const BATCH = 1_000;

/**
 * Makes the calls on one folder: in this process if they return at once (`LocalFolder`), and otherwise in a child
 * process, since each may hang (`RemoteFolder`).
 */
export interface FolderReader {
  /** Problems that were reported, as `path: message`. */
  readonly reported: Set<string>;

  /**
   * Checks whether the folder exists, and whether it is the same: another one may be mounted. An unreadable folder
   * counts as missing.
   *
   * @returns undefined if there is no news: an earlier call has not returned, or the device was asked just now
   */
  probe(): Promise<Observation | undefined>;

  /**
   * Lists the files named like recordings, at any depth, in batches. Other events are handled between batches.
   *
   * @param again files whose size may have changed
   * @throws ChildError if the file system fails; the signal's reason if it is aborted
   */
  list(again: ReadonlySet<string>, signal: AbortSignal): AsyncIterable<readonly WalkResult[]>;
}
