import { lstatSync } from 'node:fs';
import { SyncError, messageOf } from '../errors.ts';
import type { KnownFiles } from '../ledger/known-files.ts';
import type { UploadLedger } from '../ledger/uploads.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../time.ts';
import type { InvalidReason, UploadItem } from '../upload/report.ts';
import { type Uploader, createUploader } from '../upload/uploader.ts';
import { Bell } from './bell.ts';
import {
  REMEMBERS_NOTHING,
  isAtRest,
  isGivenUp,
  patientClient,
  restingLedger,
} from './delivery.ts';
import type { Failure, Gate } from './gate.ts';
import type { Outbox } from './outbox.ts';
import { Queue, type QueueItem } from './queue.ts';
import type { WatchEvent } from './report.ts';
import { type Slot, Slots } from './slots.ts';
import { keepFromBuffer, takeIn } from './take-in.ts';

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

export interface PumpNeeds {
  readonly appVersion: string;
  readonly ledger: UploadLedger;
  readonly known: KnownFiles;
  readonly outbox: Outbox;
  readonly gate: Gate;
  /** Else nothing is sent, whatever the gate says: recordings are only taken in. */
  readonly delivers: boolean;
  readonly client: () => Promise<ServiceClient>;
  readonly uploadUrl: () => URL;
  readonly clock: Clock;
  readonly report: (event: WatchEvent) => void;
  /** A file that was taken for a recording is not whole (any more). */
  readonly onUnwhole: (item: QueueItem, reason: InvalidReason, detail: string) => void;
  /** Something to tell of has changed: the queue, the gate. */
  readonly onChange: () => void;
}

/**
 * Sends what waits: oldest first, at most two at a time, as long as the gate is open. While it is
 * closed, recordings whose place may vanish are copied to the outbox.
 */
export class Pump {
  readonly #needs: PumpNeeds;
  readonly #queue = new Queue();
  readonly #slots = new Slots();
  /** Under way. */
  readonly #active = new Set<QueueItem>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #bell: Bell;
  readonly #hardStop = new AbortController();
  readonly #fromFolder: Uploader;
  readonly #fromOutbox: Uploader;
  readonly #dryRun: boolean;
  /** Not looked at yet while nothing can be sent. */
  #toTakeIn: QueueItem[] = [];
  #retryAfterMs = 0;
  #stopping = false;
  lastSuccessAt: number | undefined;

  constructor(options: { readonly dryRun: boolean }, needs: PumpNeeds) {
    this.#needs = needs;
    this.#dryRun = options.dryRun;
    this.#bell = new Bell(needs.clock);
    const uploadOptions = { force: false, anyType: false, metadata: {}, ...options };
    const uploaderNeeds = {
      appVersion: needs.appVersion,
      ledger: restingLedger(needs.ledger, () => needs.clock.now()),
      uploadUrl: needs.uploadUrl,
      clock: needs.clock,
      signal: this.#hardStop.signal,
      client: async () =>
        patientClient(await needs.client(), (ms) => {
          this.#retryAfterMs = Math.max(this.#retryAfterMs, ms);
        }),
    };
    this.#fromFolder = createUploader(uploadOptions, { ...uploaderNeeds, known: needs.known });
    this.#fromOutbox = createUploader(uploadOptions, {
      ...uploaderNeeds,
      known: REMEMBERS_NOTHING,
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
    if (!this.#queue.add(item)) return;
    if (item.kept === undefined) this.#toTakeIn.push(item);
    this.#bell.ring();
  }

  /** The gate may have opened. */
  wake(): void {
    this.#bell.ring();
  }

  /** Takes up what is kept; what was refused when its time has come. Once, at the beginning. */
  addKept(): void {
    const { outbox, ledger } = this.#needs;
    for (const item of outbox.items()) {
      if (ledger.find(item.key)?.state !== 'rejected') this.add(item);
    }
    this.offerAgain();
  }

  /** Takes up what was refused and kept, as far as its time has come. */
  offerAgain(): void {
    const { outbox, ledger, clock } = this.#needs;
    for (const item of outbox.items()) {
      const upload = ledger.find(item.key);
      if (upload?.state === 'rejected' && !isAtRest(upload, clock.now())) this.add(item);
    }
  }

  /** Sends what comes until {@link Pump.stop}. */
  async run(): Promise<void> {
    while (!this.#stopping) {
      this.#startWhatMay();
      const { gate, delivers } = this.#needs;
      const blocked = gate.state.state !== 'open' || !delivers;
      if (blocked) this.#takeInSome();
      if (this.#queue.size === 0) this.#toTakeIn = [];
      if (this.waiting === 0) this.#rest();
      const due = blocked && delivers && this.#active.size === 0 && this.#queue.size > 0;
      await this.#bell.wait(due ? gate.waitMs : undefined);
    }
  }

  /** Sends what is there, and ends: also when it can't be sent; then it says so of each. */
  async drain(): Promise<void> {
    const { gate } = this.#needs;
    while (!this.#stopping) {
      this.#startWhatMay();
      if (this.#active.size === 0) {
        if (this.#queue.size === 0) return;
        const { state } = gate;
        const hopeless =
          state.state === 'login' ||
          gate.failures >= GIVE_UP_AFTER ||
          (gate.waitMs ?? 0) > LONGEST_WAIT_MS;
        if (state.state !== 'open' && hopeless) {
          this.#giveUp(state.failure);
          return;
        }
      }
      await this.#bell.wait(this.#active.size === 0 ? gate.waitMs : undefined);
    }
  }

  /**
   * Takes up nothing more, and gives what is under way so many ms to come to its end; what does not
   * is broken off, and sent again by the next run.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#bell.ring();
    const ended = Promise.allSettled(this.#tasks);
    const late = new AbortController();
    const timeout = this.#needs.clock.sleep(graceMs, late.signal).catch(() => undefined);
    await Promise.race([ended, timeout]);
    late.abort();
    this.#hardStop.abort(new SyncError('INTERRUPTED', 'The watcher was stopped.'));
    await ended;
  }

  #startWhatMay(): void {
    const { gate, delivers } = this.#needs;
    if (!delivers) return;
    while (!this.#stopping && gate.mayStart(this.#active.size, AT_ONCE)) {
      const item = this.#queue.take();
      if (item === undefined) return;
      if (item.removable && item.kept === undefined && !this.#dryRun && this.#takeIn(item))
        continue;
      const task = this.#send(item);
      this.#tasks.add(task);
      void task.finally(() => this.#tasks.delete(task));
    }
  }

  /** Nothing waits. What was read is remembered; where that fails, it is read once more. */
  #rest(): void {
    if (this.#needs.delivers && this.#needs.gate.idle()) this.#needs.onChange();
    try {
      this.#needs.known.flush();
    } catch (error) {
      this.#needs.report({ event: 'problem', message: messageOf(error) });
    }
  }

  /** A slice of it; the rest after whatever else is to be done. */
  #takeInSome(): void {
    if (this.#dryRun) return;
    const end = performance.now() + SLICE_MS;
    for (let item = this.#toTakeIn.pop(); item !== undefined; item = this.#toTakeIn.pop()) {
      if (!this.#queue.has(item.key) || !(item.removable || this.#isFresh(item))) continue;
      this.#queue.remove(item.key);
      if (!this.#takeIn(item)) this.#queue.add(item);
      if (performance.now() >= end) {
        setImmediate(() => this.#bell.ring());
        return;
      }
    }
  }

  #isFresh({ stamp: { mtimeMs, ctimeMs } }: QueueItem): boolean {
    return Math.max(mtimeMs, ctimeMs) > this.#needs.clock.now() - FRESH_MS;
  }

  /** @returns false: it has to be sent from where it is */
  #takeIn(item: QueueItem): boolean {
    const slot = this.#slots.take();
    try {
      const result = takeIn(item, slot, this.#needs);
      switch (result.taken) {
        case 'kept':
          this.add(this.#keptItem(item, result.sha256));
          return true;
        case 'unwhole':
          this.#needs.onUnwhole(item, result.reason, result.detail);
          return true;
        case 'settled':
          return true;
        case 'not-kept':
          return false;
      }
    } catch (error) {
      this.#cannotKeep(item, error);
      return false;
    } finally {
      this.#slots.giveBack(slot);
    }
  }

  async #send(item: QueueItem): Promise<void> {
    const slot = this.#slots.take();
    const { path, absolute, stamp, kept } = item;
    const uploader = kept === undefined ? this.#fromFolder : this.#fromOutbox;
    this.#active.add(item);
    this.#needs.onChange();
    try {
      const result = await uploader.upload({ path, absolute, stamp, named: false }, slot.buffers);
      this.#active.delete(item);
      this.#settle(item, result, slot);
    } catch (error) {
      this.#active.delete(item);
      if (!this.#hardStop.signal.aborted) this.#failed(item, asFailure(error));
    } finally {
      this.#slots.giveBack(slot);
      this.#needs.onChange();
      this.#bell.ring();
    }
  }

  #settle(item: QueueItem, result: UploadItem, slot: Slot): void {
    const { outbox, gate, clock, report } = this.#needs;
    switch (result.outcome) {
      case 'uploaded':
      case 'duplicate':
        this.lastSuccessAt = clock.now();
        this.#drop(result.sha256);
        if (gate.succeeded()) report({ event: 'delivering' });
        report({ event: 'upload', item: result });
        return;
      case 'rejected': {
        // Bytes that are kept are the only ones there are, perhaps: they are offered again.
        const upload = this.#needs.ledger.find(result.sha256);
        if (item.kept === undefined || (upload !== undefined && isGivenUp(upload)))
          this.#drop(result.sha256);
        if (gate.succeeded()) report({ event: 'delivering' });
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
          if (!outbox.has(item.kept)) return;
          // Somebody damaged or removed our copy. Its source, if it is still there, is found again.
          outbox.drop(item.kept);
          report({ event: 'problem', path: item.path, message: result.detail });
        } else {
          this.#needs.onUnwhole(item, result.reason, result.detail);
        }
        return;
      case 'failed': {
        const { sha256, size } = result;
        let next = item;
        if (item.kept === undefined && sha256 !== undefined && size !== undefined) {
          next = this.#keptAfterFailure(item, { sha256, size }, slot) ?? item;
        }
        this.#failed(next, result);
      }
    }
  }

  /** The recording is where it should be: nothing waits with it any more. */
  #drop(sha256: string): void {
    if (this.#dryRun) return;
    this.#queue.remove(sha256);
    this.#needs.outbox.drop(sha256);
  }

  #failed(item: QueueItem, failure: Failure): void {
    this.#queue.add({ ...item, failures: item.failures + 1 });
    this.hinder(failure);
  }

  /** Nothing can be delivered for now, whoever found out; it is told if that is news. */
  hinder(failure: Failure): void {
    const { gate, report } = this.#needs;
    const retryAfterMs = this.#retryAfterMs;
    this.#retryAfterMs = 0;
    const isNews = gate.failed(failure, retryAfterMs);
    this.#needs.onChange();
    if (!isNews) return;
    const { code, message, hint } = failure;
    const said = { message, ...(hint === undefined ? {} : { hint }) };
    if (gate.state.state === 'login') report({ event: 'login-needed', code, ...said });
    else if (gate.state.state === 'closed') {
      report({ event: 'obstacle', obstacle: gate.state.obstacle, ...said, queued: this.waiting });
    }
  }

  #keptAfterFailure(
    item: QueueItem,
    sent: { sha256: string; size: number },
    slot: Slot,
  ): QueueItem | undefined {
    if (this.#dryRun) return undefined;
    try {
      return keepFromBuffer(item, sent, slot, this.#needs.outbox)
        ? this.#keptItem(item, sent.sha256)
        : undefined;
    } catch (error) {
      this.#cannotKeep(item, error);
      return undefined;
    }
  }

  #keptItem(item: QueueItem, sha256: string): QueueItem {
    const { path, recordedAt, failures } = item;
    const absolute = this.#needs.outbox.pathOf(sha256, path);
    this.#needs.report({ event: 'kept', path, sha256 });
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
