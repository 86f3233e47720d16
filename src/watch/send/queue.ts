import { type FileStamp, sameStamp } from '../../ledger/known-files.ts';
import { isBelow } from '../../system/mounts.ts';

/** A file that may be a recording to send. */
export interface QueueItem {
  /** Identifies the item: a file's path, or the hash of a kept recording. */
  readonly key: string;
  readonly path: string;
  readonly absolute: string;
  readonly stamp: FileStamp;
  /** Its bytes are kept in the outbox under this hash. */
  readonly kept: string | undefined;
  /** A child process reads its file. */
  readonly removable: boolean;
  /** Best known recording time (ms since the epoch). */
  readonly recordedAt: number;
  readonly failures: number;
  /** It unpacks to more than `LARGE_BYTES`. */
  readonly isLarge?: boolean;
}

/**
 * Queues recordings: oldest first, and failed ones after all others, so that a recording that the
 * service cannot take blocks no other.
 */
export class Queue {
  /** Sorted backwards: the next one is the last. */
  #sorted: QueueItem[] = [];
  #unsorted = false;
  readonly #items = new Map<string, QueueItem>();
  /** How many items have a path: a file and its copy have the same. */
  readonly #paths = new Map<string, number>();

  get size(): number {
    return this.#items.size;
  }

  /** Returns the number of recordings, by their paths, including those of other items. */
  countWith(others: Iterable<Pick<QueueItem, 'path'>>): number {
    const more = new Set<string>();
    for (const { path } of others) if (!this.#paths.has(path)) more.add(path);
    return this.#paths.size + more.size;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  /**
   * Adds an item. It replaces an item with the same key, and takes over its count of failures.
   *
   * @returns false if an equal item is queued: every rescan finds queued files again
   */
  add(item: QueueItem): boolean {
    const before = this.#items.get(item.key);
    const failures = Math.max(item.failures, before?.failures ?? 0);
    const added = { ...item, failures };
    if (before !== undefined && isSame(before, added)) return false;
    this.remove(item.key);
    this.#items.set(item.key, added);
    this.#paths.set(item.path, (this.#paths.get(item.path) ?? 0) + 1);
    // Sorted by `take`: one rescan adds thousands.
    this.#sorted.push(added);
    this.#unsorted = true;
    if (this.#sorted.length > 2 * this.#items.size + 64) this.#sorted = [...this.#items.values()];
    return true;
  }

  remove(key: string): void {
    const path = this.#items.get(key)?.path;
    if (path === undefined) return;
    this.#items.delete(key);
    const left = (this.#paths.get(path) ?? 0) - 1;
    if (left > 0) this.#paths.set(path, left);
    else this.#paths.delete(path);
  }

  /** Removes the items that are sent from a file in a folder, at any depth. @returns how many */
  removeBelow(folder: string): number {
    const below = [...this.#items.values()].filter(
      ({ absolute, kept }) => kept === undefined && isBelow(absolute, folder),
    );
    for (const { key } of below) this.remove(key);
    return below.length;
  }

  take(): QueueItem | undefined {
    if (this.#unsorted) {
      this.#sorted.sort(lastFirst);
      this.#unsorted = false;
    }
    for (let item = this.#sorted.pop(); item !== undefined; item = this.#sorted.pop()) {
      // Replaced and removed items stay in the list until they are met.
      if (this.#items.get(item.key) === item) {
        this.remove(item.key);
        return item;
      }
    }
    return undefined;
  }
}

function isSame(a: QueueItem, b: QueueItem): boolean {
  return (
    a.absolute === b.absolute &&
    a.failures === b.failures &&
    a.recordedAt === b.recordedAt &&
    sameStamp(a.stamp, b.stamp)
  );
}

function lastFirst(a: QueueItem, b: QueueItem): number {
  return b.failures - a.failures || b.recordedAt - a.recordedAt || (a.path < b.path ? 1 : -1);
}
