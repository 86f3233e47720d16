import { messageOf } from '../../base/errors.ts';
import { unpackFile } from '../../upload/read-recording.ts';
import type { WatchParts } from '../parts.ts';
import type { Queue, QueueItem } from './queue.ts';
import {
  type ReadBuffer,
  type ReadBuffers,
  type StashOutcome,
  stashContents,
  stashFile,
} from './stash.ts';

/**
 * Recordings on fixed disks are stashed only if they changed within this time (ms): an app may
 * overwrite them. An outage of the service does not copy a whole archive.
 */
const FRESH_MS = 7 * 86_400_000;
/** Longest slice of stashing before other events are handled (ms). */
const SLICE_MS = 20;
/**
 * A recording that has waited, or been in flight, for longer than this is stashed in the outbox (ms).
 * If the service hangs, recordings that are overwritten or deleted meanwhile are not lost.
 */
const STASH_AFTER_MS = 5_000;
/**
 * Largest share of the time that stashing takes while the service answers, so that thousands of new
 * recordings are sent rather than copied. The service answers if it did within
 * {@link STASH_AFTER_MS}.
 */
const STASH_SHARE = 1 / 10;

export interface Sending {
  readonly readBuffer: ReadBuffer;
  /** ms of the monotonic clock */
  readonly since: number;
  /** The recording, once it is claimed. */
  sent?: { readonly sha256: string; readonly bytes: Buffer };
  /** A copy in the outbox was made, or attempted. */
  stashed: boolean;
}

/**
 * Copies recordings that may disappear to the outbox: at once while nothing can be sent, otherwise after
 * some seconds in the queue or in flight.
 */
export class Stasher {
  readonly #parts: WatchParts;
  readonly #queue: Queue;
  readonly #active: ReadonlyMap<QueueItem, Sending>;
  readonly #readBuffers: ReadBuffers;
  /** Queued files without a copy, the longest waiting first. `since`: monotonic clock (ms). */
  readonly #unstashed = new Map<string, { readonly item: QueueItem; readonly since: number }>();
  /** No queued recording is stashed before this (monotonic clock, ms). */
  #stashAgainAt = -Infinity;
  /** When the service last answered (monotonic clock, ms). */
  #answeredAt = -Infinity;

  /** @param active the in-flight uploads */
  constructor(
    parts: WatchParts,
    queue: Queue,
    active: ReadonlyMap<QueueItem, Sending>,
    readBuffers: ReadBuffers,
  ) {
    this.#parts = parts;
    this.#queue = queue;
    this.#active = active;
    this.#readBuffers = readBuffers;
  }

  /** Notes when a recording was queued. */
  queued(item: QueueItem): void {
    this.#unstashed.delete(item.key);
    const since = this.#parts.clock.monotonic();
    if (item.kept === undefined) this.#unstashed.set(item.key, { item, since });
  }

  answered(): void {
    this.#answeredAt = this.#parts.clock.monotonic();
  }

  /**
   * Copies recordings that have waited long enough to the outbox, in slices.
   *
   * @param blocked nothing can be sent now
   * @returns ms until there is more to copy
   */
  step(blocked: boolean): number {
    if (this.#parts.dryRun) return Infinity;
    const queue = this.#queue;
    if (queue.size === 0) this.#unstashed.clear();
    const now = this.#parts.clock.monotonic();
    const waits: number[] = [];
    for (const [item, sending] of this.#active) {
      if (item.kept !== undefined || sending.stashed) continue;
      const waitMs = sending.since + STASH_AFTER_MS - now;
      if (waitMs > 0) waits.push(waitMs);
      else this.stashSent(item, sending);
    }
    const began = performance.now();
    for (const [key, { item, since }] of this.#unstashed) {
      const waitMs = Math.max(since + STASH_AFTER_MS, this.#stashAgainAt) - now;
      if (!blocked && waitMs > 0) {
        waits.push(waitMs);
        break;
      }
      this.#unstashed.delete(key);
      if (!queue.has(key) || !this.#isFresh(item)) continue;
      queue.remove(key);
      if (!this.#stash(item, (readBuffer) => stashFile(this.#parts, item, readBuffer))) {
        queue.add(item);
        if (!blocked) {
          this.#unstashed.set(key, { item, since: now });
          this.#stashAgainAt = now + STASH_AFTER_MS;
        }
      }
      const tookMs = performance.now() - began;
      if (tookMs < SLICE_MS) continue;
      if (!blocked && now - this.#answeredAt < STASH_AFTER_MS) {
        const pauseMs = tookMs / STASH_SHARE;
        this.#stashAgainAt = Math.max(this.#stashAgainAt, now + pauseMs);
        waits.push(pauseMs);
      } else setImmediate(() => this.#parts.events.post({ type: 'sender-work' }));
      break;
    }
    return Math.min(Infinity, ...waits);
  }

  /** Stashes an in-flight recording: its file may be gone if the upload fails. */
  stashSent(item: QueueItem, sending: Sending): void {
    if (sending.sent === undefined || item.kept !== undefined || this.#parts.dryRun) return;
    const { sent, stashed } = sending;
    const { path, recordedAt } = item;
    sending.stashed = true;
    try {
      const { outbox, report } = this.#parts;
      const hasRoom = outbox.keep({ ...sent, path, recordedAt, beyondRoom: false });
      const isKept = hasRoom && outbox.itemOf(sent.sha256) !== undefined;
      if (isKept && !stashed) report({ event: 'kept', path, sha256: sent.sha256 });
    } catch (error) {
      this.#cannotKeep(item, error);
    }
  }

  #isFresh({ stamp: { mtimeMs, ctimeMs } }: QueueItem): boolean {
    return Math.max(mtimeMs, ctimeMs) > this.#parts.clock.now() - FRESH_MS;
  }

  /**
   * Copies a recording after its file was read. Only while nothing can be sent may a folder fill the disk: its device
   * may leave before the service is back.
   *
   * @returns false if the outbox cannot take it
   */
  stashBytes(item: QueueItem, bytes: Buffer): boolean {
    const { breaker, delivers } = this.#parts;
    const isBlocked = breaker.state.state !== 'closed' || !delivers;
    return this.#stash(item, ({ buffers }) =>
      stashContents(this.#parts, item, unpackFile(bytes, item.stamp, buffers), isBlocked),
    );
  }

  #stash(item: QueueItem, stash: (readBuffer: ReadBuffer) => StashOutcome): boolean {
    const { events, incomplete, onSettled, report } = this.#parts;
    const readBuffer = this.#readBuffers.take();
    try {
      const result = stash(readBuffer);
      switch (result.stash) {
        case 'kept':
          this.#queue.add({ ...result.item, failures: item.failures });
          events.post({ type: 'sender-work' });
          report({ event: 'kept', path: item.path, sha256: result.item.key });
          return true;
        case 'incomplete':
          incomplete.note(item, result.reason, result.detail);
          return true;
        case 'settled':
          if (result.item !== undefined) onSettled?.(result.item);
          return true;
        case 'no-room':
          return false;
      }
    } catch (error) {
      this.#cannotKeep(item, error);
      return false;
    } finally {
      this.#readBuffers.giveBack(readBuffer);
      this.#readBuffers.trim();
    }
  }

  #cannotKeep(item: QueueItem, error: unknown): void {
    const message = `It could not be copied for later: ${messageOf(error)}`;
    this.#parts.report({ event: 'problem', path: item.path, message });
  }
}
