import { lstatSync } from 'node:fs';
import { SyncError, messageOf } from '../base/errors.ts';
import { type KnownFiles, sameStamp } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Clock } from '../base/time.ts';
import type { InvalidReason, UploadItem } from '../upload/report.ts';
import { Uploader } from '../upload/uploader.ts';
import { Wakeup } from './wakeup.ts';
import {
  REMEMBERS_NOTHING,
  isAtRest,
  isGivenUp,
  patientClient,
  restingLedger,
} from './refusal-backoff.ts';
import type { Failure, CircuitBreaker } from './circuit-breaker.ts';
import type { Outbox } from './outbox.ts';
import { Queue, type QueueItem } from './queue.ts';
import type { WatchNotice } from './report.ts';
import { type ReadBuffer, ReadBuffers, type Sent, stashFile, stashSent } from './stash.ts';

/** Requests under way at once. */
export const AT_ONCE = 2;
/** A single run ends after so many failures in a row, or where it would have to wait longer than this, in ms. */
const GIVE_UP_AFTER = 3;
const LONGEST_WAIT_MS = 60_000;
/**
 * Recordings on disks that stay are kept as well if they changed within this time, in ms: those are the
 * ones that an app may overwrite. A whole archive is not copied because the service is away.
 */
const FRESH_MS = 7 * 86_400_000;
/** Reads without sending take so long at a time, in ms. */
const SLICE_MS = 20;
/**
 * A recording that has waited for longer than this, or been sent for longer, is stashed in the outbox, in
 * ms: a service that hangs must not cost those that are overwritten or deleted meanwhile.
 */
const STASH_AFTER_MS = 5_000;
/**
 * Share of the time that this may take while the service answers: thousands of recordings that come at
 * once are sent rather than copied. It answers if it did within {@link STASH_AFTER_MS}.
 */
const STASH_SHARE = 1 / 10;

export interface SenderNeeds {
  readonly appVersion: string;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly outbox: Outbox;
  readonly breaker: CircuitBreaker;
  /** Else nothing is sent, whatever the breaker says: recordings are only taken in. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  readonly clock: Clock;
  readonly report: (event: WatchNotice) => void;
  /** A file that was taken for a recording is not whole (any more). */
  readonly onIncomplete: (item: QueueItem, reason: InvalidReason, detail: string) => void;
  /** Something to tell of has changed: the queue, the breaker. */
  readonly onChange: () => void;
}

/** An upload under way. */
interface Sending {
  readonly readBuffer: ReadBuffer;
  /** Of the monotonic clock, in ms. */
  readonly since: number;
  /** What is sent; absent while the file is read. */
  sent?: Sent;
  /** Its bytes were stashed meanwhile, or that was tried. */
  stashed: boolean;
}

/**
 * Sends what waits: oldest first, at most two at a time, as long as the breaker is open. While it is
 * closed, and after some seconds in any case, recordings whose place may vanish are copied to the outbox.
 */
export class Sender {
  readonly #needs: SenderNeeds;
  readonly #queue = new Queue();
  readonly #readBuffers = new ReadBuffers();
  /** Under way. */
  readonly #active = new Map<QueueItem, Sending>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #wakeup: Wakeup;
  readonly #hardStop = new AbortController();
  readonly #dryRun: boolean;
  /** Waits in its place, and since when (monotonic clock, ms); the longest first. */
  readonly #toTakeIn = new Map<string, { readonly item: QueueItem; readonly since: number }>();
  /** Nothing that waits for its turn is stashed before this (monotonic clock, ms). */
  #stashAgainAt = -Infinity;
  /** When the service last answered (monotonic clock, ms). */
  #answeredAt = -Infinity;
  #retryAfterMs = 0;
  #stopping = false;
  lastSuccessAt: number | undefined;

  constructor(options: { readonly dryRun: boolean }, needs: SenderNeeds) {
    this.#needs = needs;
    this.#dryRun = options.dryRun;
    this.#wakeup = new Wakeup(needs.clock);
  }

  /** For one recording: what is sent is noted in `sending`. */
  #uploader(kept: boolean, sending: Sending): Uploader {
    const { appVersion, ledger, known, uploadUrl, clock, client } = this.#needs;
    const options = { force: false, anyType: false, metadata: {}, dryRun: this.#dryRun };
    return new Uploader({ clock, signal: this.#hardStop.signal }, options, {
      ...{ appVersion, uploadUrl },
      known: kept ? REMEMBERS_NOTHING : known,
      ledger: restingLedger(
        ledger,
        () => clock.now(),
        ({ sha256, size }) => (sending.sent = { sha256, size }),
      ),
      client: async () =>
        patientClient(
          await client(),
          (ms) => (this.#retryAfterMs = Math.max(this.#retryAfterMs, ms)),
          (framed) => {
            if (sending.sent !== undefined) sending.sent = { ...sending.sent, framed };
          },
        ),
    });
  }

  /** Recordings that wait, those under way included. */
  get waiting(): number {
    return this.#queue.size + this.#active.size;
  }

  get sending(): number {
    return this.#active.size;
  }

  add(item: QueueItem): void {
    // A rescan finds what is being sent.
    for (const { key, stamp } of this.#active.keys()) {
      if (key === item.key && sameStamp(stamp, item.stamp)) return;
    }
    this.#enqueue(item);
  }

  #enqueue(item: QueueItem): void {
    if (!this.#queue.add(item)) return;
    this.#toTakeIn.delete(item.key);
    const since = this.#needs.clock.monotonic();
    if (item.kept === undefined) this.#toTakeIn.set(item.key, { item, since });
    this.#wakeup.notify();
  }

  /** The breaker may have opened. */
  wake(): void {
    this.#wakeup.notify();
  }

  /**
   * Takes up what is kept and no living process is to send; what was refused and kept, when its time has
   * come.
   */
  adopt(): void {
    const { outbox, ledger, clock } = this.#needs;
    const { items, gone } = outbox.review();
    for (const sha256 of gone) this.#queue.remove(sha256);
    const beingSent = [...this.#active.values()].map(({ sent }) => sent?.sha256);
    for (const item of items) {
      if (beingSent.includes(item.key)) continue;
      const upload = ledger.find(item.key);
      if (upload?.state !== 'rejected' || !isAtRest(upload, clock.now())) this.add(item);
    }
  }

  /** Sends what comes until {@link Sender.stop}. */
  async run(): Promise<void> {
    while (!this.#stopping) {
      this.#startWhatMay();
      const { breaker, delivers } = this.#needs;
      const blocked = breaker.state.state !== 'closed' || !delivers;
      const stashInMs = this.#stash(blocked);
      if (this.waiting === 0) this.#rest();
      const due = blocked && delivers && this.#active.size === 0 && this.#queue.size > 0;
      await this.#wakeup.wait(Math.min(stashInMs, (due ? breaker.waitMs : undefined) ?? Infinity));
    }
  }

  /** Sends what is there, and ends: also when it can't be sent; then it says so of each. */
  async drain(): Promise<void> {
    const { breaker } = this.#needs;
    while (!this.#stopping) {
      this.#startWhatMay();
      if (this.#active.size === 0) {
        if (this.#queue.size === 0) return;
        const { state } = breaker;
        const hopeless =
          state.state === 'login-needed' ||
          breaker.failures >= GIVE_UP_AFTER ||
          (breaker.waitMs ?? 0) > LONGEST_WAIT_MS;
        if (state.state !== 'closed' && hopeless) {
          this.#giveUp(state.failure);
          return;
        }
      }
      const tryInMs = this.#active.size === 0 ? breaker.waitMs : undefined;
      await this.#wakeup.wait(Math.min(this.#stash(false), tryInMs ?? Infinity));
    }
  }

  /**
   * Takes up nothing more, and gives what is under way so many ms to come to its end; what does not
   * is broken off, and sent again by the next run.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#wakeup.notify();
    const ended = Promise.allSettled(this.#tasks);
    const late = new AbortController();
    const timeout = this.#needs.clock.sleep(graceMs, late.signal).catch(() => undefined);
    await Promise.race([ended, timeout]);
    late.abort();
    this.#hardStop.abort(new SyncError('INTERRUPTED', 'The watcher was stopped.'));
    await ended;
  }

  #startWhatMay(): void {
    const { breaker, delivers } = this.#needs;
    if (!delivers) return;
    while (!this.#stopping && breaker.mayStart(this.#active.size, AT_ONCE)) {
      const item = this.#queue.take();
      if (item === undefined) return;
      if (item.removable && item.kept === undefined && !this.#dryRun && this.#stashFile(item))
        continue;
      const task = this.#send(item);
      this.#tasks.add(task);
      void task.finally(() => this.#tasks.delete(task));
    }
  }

  /** Nothing waits. What was read is remembered; where that fails, it is read once more. */
  #rest(): void {
    if (this.#needs.delivers && this.#needs.breaker.idle()) this.#needs.onChange();
    try {
      this.#needs.known.flush();
    } catch (error) {
      this.#needs.report({ event: 'problem', message: messageOf(error) });
    }
  }

  /**
   * Copies what must not wait any longer to the outbox: a slice of it, the rest after whatever else is to
   * be done.
   *
   * @param blocked nothing can be sent: nothing waits for its turn
   * @returns ms until there is more to copy
   */
  #stash(blocked: boolean): number {
    if (this.#dryRun) return Infinity;
    if (this.#queue.size === 0) this.#toTakeIn.clear();
    const now = this.#needs.clock.monotonic();
    const waits: number[] = [];
    for (const [item, sending] of this.#active) {
      if (item.kept !== undefined || sending.stashed) continue;
      const waitMs = sending.since + STASH_AFTER_MS - now;
      if (waitMs > 0) waits.push(waitMs);
      else this.#stashSent(item, sending);
    }
    const began = performance.now();
    for (const [key, { item, since }] of this.#toTakeIn) {
      const waitMs = Math.max(since + STASH_AFTER_MS, this.#stashAgainAt) - now;
      if (!blocked && waitMs > 0) {
        waits.push(waitMs);
        break;
      }
      this.#toTakeIn.delete(key);
      if (!this.#queue.has(key) || !(item.removable || this.#isFresh(item))) continue;
      this.#queue.remove(key);
      // Only a device that may vanish before the service is back may fill the disk.
      if (!this.#stashFile(item, blocked && item.removable)) {
        this.#queue.add(item);
        if (!blocked) {
          this.#toTakeIn.set(key, { item, since: now });
          this.#stashAgainAt = now + STASH_AFTER_MS;
        }
      }
      const tookMs = performance.now() - began;
      if (tookMs < SLICE_MS) continue;
      if (!blocked && now - this.#answeredAt < STASH_AFTER_MS) {
        const pauseMs = tookMs / STASH_SHARE;
        this.#stashAgainAt = Math.max(this.#stashAgainAt, now + pauseMs);
        waits.push(pauseMs);
      } else setImmediate(() => this.#wakeup.notify());
      break;
    }
    return Math.min(Infinity, ...waits);
  }

  /** Keeps what is being sent: its file may be gone when that fails. */
  #stashSent(item: QueueItem, sending: Sending): void {
    if (sending.sent === undefined || item.kept !== undefined || this.#dryRun) return;
    const { sent, readBuffer, stashed } = sending;
    sending.stashed = true;
    try {
      const { outbox, report } = this.#needs;
      const kept = stashSent(item, sent, readBuffer, outbox) && outbox.owns(sent.sha256);
      if (kept && !stashed) report({ event: 'kept', path: item.path, sha256: sent.sha256 });
    } catch (error) {
      this.#cannotKeep(item, error);
    }
  }

  #isFresh({ stamp: { mtimeMs, ctimeMs } }: QueueItem): boolean {
    return Math.max(mtimeMs, ctimeMs) > this.#needs.clock.now() - FRESH_MS;
  }

  /** @returns false: it has to be sent from where it is */
  #stashFile(item: QueueItem, removable = item.removable): boolean {
    const readBuffer = this.#readBuffers.take();
    try {
      const result = stashFile(item, readBuffer, this.#needs, removable);
      switch (result.stash) {
        case 'kept':
          this.add(this.#keptItem(item, result.sha256));
          this.#needs.report({ event: 'kept', path: item.path, sha256: result.sha256 });
          return true;
        case 'incomplete':
          this.#needs.onIncomplete(item, result.reason, result.detail);
          return true;
        case 'settled':
          return true;
        case 'no-room':
          return false;
      }
    } catch (error) {
      this.#cannotKeep(item, error);
      return false;
    } finally {
      this.#readBuffers.giveBack(readBuffer);
    }
  }

  async #send(item: QueueItem): Promise<void> {
    const readBuffer = this.#readBuffers.take();
    const { path, absolute, stamp, kept } = item;
    const sending: Sending = { readBuffer, since: this.#needs.clock.monotonic(), stashed: false };
    const uploader = this.#uploader(kept !== undefined, sending);
    this.#active.set(item, sending);
    this.#needs.onChange();
    try {
      const result = await uploader.upload(
        { path, absolute, stamp, named: false },
        readBuffer.buffers,
      );
      this.#active.delete(item);
      this.#settle(item, result, sending);
    } catch (error) {
      this.#active.delete(item);
      if (this.#hardStop.signal.aborted) this.#stashSent(item, sending);
      else this.#failed(item, sending, asFailure(error));
    } finally {
      this.#readBuffers.giveBack(readBuffer);
      this.#needs.onChange();
      this.#wakeup.notify();
    }
  }

  #settle(item: QueueItem, result: UploadItem, sending: Sending): void {
    const { outbox, breaker, clock, report } = this.#needs;
    if (result.outcome !== 'failed') this.#answeredAt = clock.monotonic();
    switch (result.outcome) {
      case 'uploaded':
      case 'duplicate':
        this.lastSuccessAt = clock.now();
        this.#drop(result.sha256);
        if (breaker.succeeded()) report({ event: 'delivering' });
        report({ event: 'upload', item: result });
        return;
      case 'rejected': {
        // Bytes that are kept are the only ones there are, perhaps: they are offered again.
        const upload = this.#needs.ledger.find(result.sha256);
        if (upload !== undefined && isGivenUp(upload)) this.#drop(result.sha256);
        if (breaker.succeeded()) report({ event: 'delivering' });
        report({ event: 'upload', item: result });
        return;
      }
      case 'skipped':
        if (result.sha256 !== undefined && result.reason !== 'refused-before')
          this.#drop(result.sha256);
        report({ event: 'upload', item: result });
        return;
      case 'would-upload':
        report({ event: 'upload', item: result });
        return;
      case 'invalid':
        if (item.kept !== undefined) {
          const wasThere = outbox.has(item.kept);
          outbox.drop(item.kept);
          // Another watcher delivered it meanwhile.
          if (!wasThere) return;
          // Somebody damaged or removed our copy. Its source, if it is still there, is found again.
          report({ event: 'problem', path: item.path, message: result.detail });
        } else {
          this.#needs.onIncomplete(item, result.reason, result.detail);
        }
        return;
      case 'failed':
        this.#failed(item, sending, result);
    }
  }

  /** The recording is where it should be: nothing waits with it any more. */
  #drop(sha256: string): void {
    if (this.#dryRun) return;
    this.#queue.remove(sha256);
    this.#needs.outbox.drop(sha256);
  }

  #failed(item: QueueItem, sending: Sending, failure: Failure): void {
    this.#stashSent(item, sending);
    const sha256 = sending.sent?.sha256;
    const failures = item.failures + 1;
    if (item.kept !== undefined || sha256 === undefined || !this.#needs.outbox.has(sha256)) {
      this.#enqueue({ ...item, failures });
    } else if (this.#needs.outbox.owns(sha256)) {
      this.#enqueue({ ...this.#keptItem(item, sha256), failures });
    }
    this.hinder(failure);
  }

  /** Nothing can be delivered for now, whoever found out; it is told if that is news. */
  hinder(failure: Failure): void {
    const { breaker, report } = this.#needs;
    const retryAfterMs = this.#retryAfterMs;
    this.#retryAfterMs = 0;
    const isNews = breaker.failed(failure, retryAfterMs);
    this.#needs.onChange();
    if (!isNews) return;
    const { code, message, hint } = failure;
    const said = { message, ...(hint === undefined ? {} : { hint }) };
    if (breaker.state.state === 'login-needed') report({ event: 'login-needed', code, ...said });
    else if (breaker.state.state === 'open') {
      report({
        event: 'obstacle',
        obstacle: breaker.state.obstacle,
        ...said,
        queued: this.waiting,
      });
    }
  }

  #keptItem(item: QueueItem, sha256: string): QueueItem {
    const { path, recordedAt, failures } = item;
    const absolute = this.#needs.outbox.pathOf(sha256, path);
    const stamp = lstatSync(absolute);
    return {
      key: sha256,
      path,
      absolute,
      stamp,
      kept: sha256,
      removable: false,
      recordedAt,
      failures,
    };
  }

  #cannotKeep(item: QueueItem, error: unknown): void {
    const message = `It could not be copied for later: ${messageOf(error)}`;
    this.#needs.report({ event: 'problem', path: item.path, message });
  }

  #giveUp({ code, message, hint }: Failure): void {
    const said = { code, message, ...(hint === undefined ? {} : { hint }) };
    for (let item = this.#queue.take(); item !== undefined; item = this.#queue.take()) {
      const result: UploadItem = { path: item.path, outcome: 'failed', ...said };
      this.#needs.report({ event: 'upload', item: result });
    }
  }
}

function asFailure(error: unknown): Failure {
  if (error instanceof SyncError) return error;
  return { code: 'STORAGE', message: messageOf(error), hint: undefined };
}
