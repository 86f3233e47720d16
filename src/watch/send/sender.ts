import { type ErrorCode, type Failure, SyncError, messageOf } from '../../base/errors.ts';
import { Tasks, within } from '../../base/tasks.ts';
import { sameStamp } from '../../ledger/known-files.ts';
import { LARGE_BYTES, NeedsRoom, unpackFile } from '../../upload/read-recording.ts';
import type { UploadItem } from '../../upload/report.ts';
import { Uploader } from '../../upload/uploader.ts';
import { isAtRest, isGivenUp, patientClient } from './refusal-backoff.ts';
import { Queue, type QueueItem } from './queue.ts';
import type { WatchParts } from '../parts.ts';
import { ReadBuffers } from './stash.ts';
import { type Sending, Stasher } from './stasher.ts';

/** In-flight uploads at once. */
export const AT_ONCE = 2;
/** `--once` gives up after this many failures in a row, or before a longer wait (ms). */
const GIVE_UP_AFTER = 3;
const LONGEST_WAIT_MS = 60_000;
/** Failures that pass. Their hints ask the user to try again, which the watcher does. */
const RETRIED: readonly ErrorCode[] = ['NETWORK', 'SERVICE_UNAVAILABLE'];

/** An upload that ended: with a result, or because it threw. */
type FinishedUpload = { readonly item: QueueItem; readonly sending: Sending } & (
  { readonly result: UploadItem } | { readonly error: unknown }
);

/**
 * Sends queued recordings, oldest first, two at a time, while the circuit breaker is closed. Stashes
 * recordings that may disappear: at once while the breaker is open, otherwise after some seconds.
 *
 * The sender has no loop: the watcher calls {@link Sender.step} when there may be work.
 */
export class Sender {
  readonly queue = new Queue();
  readonly readBuffers = new ReadBuffers();
  /** In-flight uploads. */
  readonly active = new Map<QueueItem, Sending>();
  /** Uploads that ended, until {@link Sender.settle}. */
  readonly #finished: FinishedUpload[] = [];
  readonly #parts: WatchParts;
  readonly #stasher: Stasher;
  readonly #uploads: Tasks;
  readonly #hardStop = new AbortController();
  #retryAfterMs = 0;
  #stopping = false;
  /** Hashes of recordings that this process delivered, with their paths: a copy or its file, whichever was first. */
  readonly #delivered = new Map<string, string>();
  /** Files that need no sending and were reported. */
  readonly #otherFiles = new Set<string>();
  /** Copies that nothing sends, when they were last reported. */
  #forOthers = 0;
  lastSuccessAt: number | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#uploads = new Tasks((error) => parts.events.post({ type: 'failed', error }));
    this.#stasher = new Stasher(parts, this.queue, this.active, this.readBuffers);
  }

  /** Returns an uploader for one recording, which records its bytes in `sending`. */
  #uploader(kept: boolean, sending: Sending): Uploader {
    const { clock, ledger, known, url, filePart, client, dryRun } = this.#parts;
    const options = { force: false, anyType: false, metadata: {}, dryRun };
    return new Uploader({ clock, signal: this.#hardStop.signal }, options, {
      url,
      filePart,
      known: kept ? undefined : known,
      ledger: ledger.uploads,
      isSettled: (upload) => isAtRest(upload, clock.now()),
      onClaim: (sha256, bytes) => (sending.sent = { sha256, bytes }),
      client: async () =>
        patientClient(await client(), (ms) => {
          this.#retryAfterMs = Math.max(this.#retryAfterMs, ms);
        }),
    });
  }

  /** Queued and in-flight recordings; a file and its copy are one. */
  get waiting(): number {
    return this.queue.countWith(this.active.keys());
  }

  add(item: QueueItem): void {
    // A rescan finds in-flight files, too.
    for (const { key, stamp } of this.active.keys()) {
      if (key === item.key && sameStamp(stamp, item.stamp)) return;
    }
    this.#enqueue(item);
  }

  /**
   * Takes over a recording whose file was read before: stashes it for sending, or reports what would be
   * sent (`--dry-run`).
   *
   * @returns false if the outbox cannot take it
   */
  async addBytes(item: QueueItem, bytes: Buffer): Promise<boolean> {
    if (!this.#parts.dryRun) return this.#stasher.stashBytes(item, bytes);
    const readBuffer = this.readBuffers.take();
    try {
      const { path, stamp } = item;
      const contents = unpackFile(bytes, stamp, readBuffer.buffers);
      if ('problem' in contents) {
        this.#parts.incomplete.note(item, contents.reason, contents.problem);
        return true;
      }
      const sending = { readBuffer, since: this.#parts.clock.monotonic(), stashed: false };
      const result = await this.#uploader(true, sending).uploadContents(path, contents);
      this.#parts.report({ event: 'upload', item: result });
      return true;
    } finally {
      this.readBuffers.giveBack(readBuffer);
    }
  }

  #postWork(): void {
    this.#parts.events.post({ type: 'sender-work' });
  }

  #enqueue(item: QueueItem): void {
    if (!this.queue.add(item)) return;
    this.#stasher.queued(item);
    this.#postWork();
  }

  /**
   * Queues stashed recordings that no living process owns, and refused ones after their pause.
   */
  adopt(): void {
    const { clock, outbox, ledger, report } = this.#parts;
    const { items, gone, forOthers } = outbox.review();
    if (forOthers > this.#forOthers) report({ event: 'kept-for-others', copies: forOthers });
    this.#forOthers = forOthers;
    for (const sha256 of gone) this.queue.remove(sha256);
    const beingSent = [...this.active.values()].map(({ sent }) => sent?.sha256);
    for (const item of items) {
      if (beingSent.includes(item.key)) continue;
      const upload = ledger.uploads.find(item.key);
      if (upload?.state !== 'rejected' || !isAtRest(upload, clock.now())) this.add(item);
    }
  }

  /**
   * Starts the uploads that may start now, and stashes a slice of the recordings that have waited.
   *
   * @returns ms until the next step is due without the event `sender-work`; Infinity: never
   */
  step(): number {
    const { breaker, delivers } = this.#parts;
    this.#startUploads();
    const stashInMs = this.#stasher.step(breaker.state.state !== 'closed' || !delivers);
    if (this.waiting === 0) this.#rest();
    return Math.min(stashInMs, this.#retryInMs());
  }

  /**
   * {@link Sender.step} for `--once`: stashes only recordings that waited, since the run ends soon, and gives
   * up recordings that cannot be sent.
   */
  stepOnce(): number {
    const { breaker } = this.#parts;
    this.#startUploads();
    const { state } = breaker;
    if (this.active.size === 0 && this.queue.size > 0 && state.state !== 'closed') {
      const isHopeless =
        breaker.state.state === 'login-needed' ||
        breaker.failures >= GIVE_UP_AFTER ||
        breaker.waitMs > LONGEST_WAIT_MS;
      if (isHopeless) this.#giveUp(state.failure);
    }
    return Math.min(this.#stasher.step(false), this.#retryInMs());
  }

  #retryInMs(): number {
    const { breaker, delivers } = this.#parts;
    if (!delivers || this.active.size > 0 || this.queue.size === 0) return Infinity;
    return breaker.waitMs;
  }

  /**
   * Starts no more uploads, and waits for those in flight. Uploads that exceed the grace period are
   * aborted; the next run sends them again.
   *
   * @param graceMs grace period (ms)
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const ended = this.#uploads.settled();
    await within(this.#parts.clock, graceMs, ended);
    this.#hardStop.abort(new SyncError('INTERRUPTED', 'The watcher was stopped.'));
    await ended;
    this.settle();
  }

  #startUploads(): void {
    const { breaker, delivers } = this.#parts;
    if (!delivers) return;
    while (!this.#stopping && breaker.mayStart(this.active.size, AT_ONCE)) {
      if ([...this.active.keys()].some(isLarge)) return;
      const item = this.queue.take();
      if (item === undefined) return;
      if (isLarge(item) && this.active.size > 0) {
        this.queue.add(item);
        return;
      }
      this.#uploads.run(() => this.#send(item));
    }
  }

  /** Runs when the queue is empty. Writes down the files that were read; a failure costs a second read. */
  #rest(): void {
    if (this.#parts.delivers && this.#parts.breaker.idle()) this.#parts.changed();
    try {
      this.#parts.known.flush();
    } catch (error) {
      this.#parts.report({ event: 'problem', message: messageOf(error) });
    }
  }

  async #send(item: QueueItem): Promise<void> {
    const readBuffer = this.readBuffers.take();
    const { path, absolute, stamp, kept } = item;
    const sending: Sending = { readBuffer, since: this.#parts.clock.monotonic(), stashed: false };
    const uploader = this.#uploader(kept !== undefined, sending);
    this.active.set(item, sending);
    this.#parts.changed();
    try {
      const file = { path, absolute, stamp, named: false };
      const room = isLarge(item) ? undefined : LARGE_BYTES;
      const result = await uploader.upload(file, readBuffer.buffers, room);
      this.#finished.push({ item, sending, result });
    } catch (error) {
      this.#finished.push({ item, sending, error });
    }
    this.#parts.events.post({ type: 'upload-finished' });
  }

  /** Takes over the outcomes of the uploads that ended. */
  settle(): void {
    const upload = this.#finished.shift();
    if (upload === undefined) return;
    try {
      this.#settleOne(upload);
    } finally {
      this.settle();
    }
  }

  #settleOne(upload: FinishedUpload): void {
    const { item, sending } = upload;
    this.active.delete(item);
    try {
      if ('result' in upload) this.#settle(item, upload.result, sending);
      else if (upload.error instanceof NeedsRoom) this.#enqueue({ ...item, isLarge: true });
      else if (this.#hardStop.signal.aborted) this.#interrupted(item, sending);
      else this.#failed(item, sending, asFailure(upload.error));
    } catch (error) {
      // The ledger or the outbox refused: the recording is sent again, and found to be a duplicate.
      this.#failed(item, sending, asFailure(error));
    } finally {
      this.readBuffers.giveBack(sending.readBuffer);
      if (this.queue.size + this.active.size === 0) this.readBuffers.trim();
      this.#parts.changed();
      this.#postWork();
    }
  }

  #settle(item: QueueItem, result: UploadItem, sending: Sending): void {
    const { clock, outbox, breaker, ledger, onSettled, report } = this.#parts;
    if (result.outcome !== 'failed') this.#stasher.answered();
    switch (result.outcome) {
      case 'uploaded':
      case 'duplicate':
        this.lastSuccessAt = clock.now();
        this.#delivered.set(result.sha256, result.path);
        this.#drop(result.sha256);
        if (breaker.succeeded()) report({ event: 'delivering' });
        report({ event: 'upload', item: result });
        return;
      case 'rejected': {
        // The stashed copy may be the only one: it is kept, and sent again later.
        const upload = ledger.uploads.find(result.sha256);
        if (upload !== undefined && isGivenUp(upload)) this.#drop(result.sha256);
        if (breaker.succeeded()) report({ event: 'delivering' });
        report({ event: 'upload', item: result });
        return;
      }
      case 'skipped':
        if (result.sha256 !== undefined && result.reason !== 'refused-before')
          this.#drop(result.sha256);
        if (this.#delivered.get(result.sha256 ?? '') === result.path) return;
        if (this.#isNews(result)) report({ event: 'upload', item: result });
        else onSettled?.(result);
        return;
      case 'would-upload':
        report({ event: 'upload', item: result });
        return;
      case 'invalid':
        if (item.kept !== undefined) {
          const wasThere = outbox.has(item.kept);
          outbox.drop(item.kept);
          // Another watcher has delivered it.
          if (!wasThere) return;
          // The copy was damaged or removed. A rescan finds the source again, if it still exists.
          report({ event: 'problem', path: item.path, message: result.detail });
        } else {
          this.#parts.incomplete.note(item, result.reason, result.detail);
        }
        return;
      case 'failed':
        this.#failed(item, sending, result);
    }
  }

  /** Returns whether this file was not reported before: a file that was just written is read again later. */
  #isNews({ path, sha256 }: Extract<UploadItem, { outcome: 'skipped' }>): boolean {
    const upload = sha256 === undefined ? undefined : this.#parts.ledger.uploads.find(sha256);
    if (upload !== undefined) return upload.path !== path;
    if (this.#otherFiles.has(path)) return false;
    this.#otherFiles.add(path);
    return true;
  }

  /** Keeps an aborted upload for the next run, which sends it again: it counts as queued. */
  #interrupted(item: QueueItem, sending: Sending): void {
    this.#stasher.stashSent(item, sending);
    this.queue.add(item);
  }

  #drop(sha256: string): void {
    if (this.#parts.dryRun) return;
    this.queue.remove(sha256);
    this.#parts.outbox.drop(sha256);
  }

  #failed(item: QueueItem, sending: Sending, failure: Failure): void {
    this.#stasher.stashSent(item, sending);
    const sha256 = sending.sent?.sha256;
    const failures = item.failures + 1;
    if (item.kept !== undefined || sha256 === undefined || !this.#parts.outbox.has(sha256)) {
      this.#enqueue({ ...item, failures });
    } else {
      const kept = this.#parts.outbox.itemOf(sha256);
      if (kept !== undefined) this.#enqueue({ ...kept, failures });
    }
    this.hinder(failure);
  }

  /** Records a delivery failure; reports it if the breaker's state changed. */
  hinder(failure: Failure, retryAfterMs = this.#retryAfterMs): void {
    const { breaker, report } = this.#parts;
    this.#retryAfterMs = 0;
    const isNews = breaker.failed(failure, retryAfterMs);
    this.#parts.changed();
    this.#postWork();
    if (!isNews) return;
    const { code, message } = failure;
    const hint = RETRIED.includes(code) ? undefined : failure.hint;
    const { state } = breaker;
    if (state.state === 'login-needed') report({ event: 'login-needed', code, message, hint });
    else if (state.state === 'open') {
      const { obstacle } = state;
      report({ event: 'obstacle', obstacle, message, hint, queued: this.waiting });
    }
  }

  #giveUp({ code, message, hint }: Failure): void {
    const said = { code, message, ...(hint === undefined ? {} : { hint }) };
    for (let item = this.queue.take(); item !== undefined; item = this.queue.take()) {
      const result: UploadItem = { path: item.path, outcome: 'failed', ...said };
      this.#parts.report({ event: 'upload', item: result });
    }
  }
}

/** A large recording is sent while no other one is, which bounds the memory. */
function isLarge({ isLarge: unpacksToLarge = false, stamp }: QueueItem): boolean {
  return unpacksToLarge || stamp.size > LARGE_BYTES;
}

function asFailure(error: unknown): Failure {
  if (error instanceof SyncError) return error;
  return { code: 'STORAGE', message: messageOf(error), hint: undefined };
}
