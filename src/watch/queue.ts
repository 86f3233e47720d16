import { type FileStamp, sameStamp } from '../ledger/known-files.ts';

/** A file that may be a recording to send. */
export interface QueueItem {
  /** What makes it the same item: a file's path, or the hash of a kept recording. */
  readonly key: string;
  /** As people are told of it. */
  readonly path: string;
  /** Where its bytes are. */
  readonly absolute: string;
  readonly stamp: FileStamp;
  /** Its bytes are kept in the outbox under this hash. */
  readonly kept: string | undefined;
  /** Its place can be gone at any time. */
  readonly removable: boolean;
  /** When it was recorded, as far as is known; ms since the epoch. */
  readonly recordedAt: number;
  /** Failed deliveries so far. */
  readonly failures: number;
}

/**
 * What waits to be sent: oldest first, and what has failed after what has not, so that a recording
 * that the service cannot take stands in nobody's way.
 */
export class Queue {
  /** Sorted backwards: the next one is the last. */
  #sorted: QueueItem[] = [];
  #unsorted = false;
  readonly #items = new Map<string, QueueItem>();

  get size(): number {
    return this.#items.size;
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  /**
   * Adds an item; one with the same key gives way, and leaves its count of failures.
   *
   * @returns false: it is there already, just like that. Sweeps find what waits again and again.
   */
  add(item: QueueItem): boolean {
    const before = this.#items.get(item.key);
    const failures = Math.max(item.failures, before?.failures ?? 0);
    const added = { ...item, failures };
    if (before !== undefined && isSame(before, added)) return false;
    this.#items.set(item.key, added);
    // Sorted when somebody takes: thousands come from one rescan.
    this.#sorted.push(added);
    this.#unsorted = true;
    if (this.#sorted.length > 2 * this.#items.size + 64) this.#sorted = [...this.#items.values()];
    return true;
  }

  remove(key: string): void {
    this.#items.delete(key);
  }

  /** The next one, which is then no longer here. */
  take(): QueueItem | undefined {
    if (this.#unsorted) {
      this.#sorted.sort(lastFirst);
      this.#unsorted = false;
    }
    for (let item = this.#sorted.pop(); item !== undefined; item = this.#sorted.pop()) {
      // Replaced and removed items stay in the list until they are met.
      if (this.#items.get(item.key) === item) {
        this.#items.delete(item.key);
        return item;
      }
    }
    return undefined;
  }

  values(): Iterable<QueueItem> {
    return this.#items.values();
  }

  clear(): void {
    this.#items.clear();
    this.#sorted = [];
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
