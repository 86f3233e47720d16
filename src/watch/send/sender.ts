import { type Failure, SyncError, messageOf } from '../../base/errors.ts';
import { unlessAborted, within } from '../../base/tasks.ts';
import {
  type BufferSource,
  LARGE_BYTES,
  type RecordingContents,
  type Unreadable,
  reusedBuffer,
} from '../../upload/read-recording.ts';
import { readSummary } from '../../fit/summary.ts';
import { fileOf } from '../../inputs/recording-names.ts';
import type { UploadItem } from '../../upload/report.ts';
import { alreadyUploaded } from '../../upload/known-outcome.ts';
import { Uploader } from '../../upload/uploader.ts';
import { unreadableItem } from '../../upload/batch-sender.ts';
import { isSettled, isGivenUp, patientClient } from './refusal-backoff.ts';
import type { WatchParts } from '../parts.ts';
import type { WaitingRecording } from './outbox.ts';

/** In-flight uploads at once. */
export const AT_ONCE = 2;
/** Buffers up to this size are kept from one recording to the next: a day's ride has less (bytes). */
export const KEPT_BYTES = 1024 * 1024;
/** `--once` gives up after this many failures in a row, or before a longer wait (ms). */
const GIVE_UP_AFTER = 3;
const LONGEST_WAIT_MS = 60_000;
/** Pause before a recording that would replace a longer one is copied again (ms). */
const SHORTER_MS = 3_600_000;
/** Conversions of one batch share what they know of the platform's workouts for this long (ms). */
const WORKOUTS_MS = 5 * 60_000;

type SenderParts = Pick<
  WatchParts,
  | 'breaker'
  | 'changed'
  | 'client'
  | 'clock'
  | 'delivers'
  | 'dryRun'
  | 'events'
  | 'filePart'
  | 'ledger'
  | 'tally'
  | 'outbox'
  | 'report'
  | 'sameRide'
  | 'signal'
  | 'tasks'
  | 'url'
>;

/**
 * Sends the recordings in the outbox, oldest first, two at a time, while the circuit breaker is closed. It reads
 * copies, never the files that these were made from.
 *
 * The sender has no loop: the watcher calls {@link Sender.step} when there may be work.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #uploader: Uploader;
  readonly #hardStop = new AbortController();
  /** In-flight recordings, also those without a copy. */
  readonly #active = new Set<WaitingRecording>();
  readonly #buffers: BufferSource[] = [];
  #retryAfterMs = 0;
  /** Hashes of recordings that would replace a longer one, until they are copied again (monotonic clock, ms). */
  readonly #tooShortUntil = new Map<string, number>();
  /** The times from which the platform's workouts are known (ms since the epoch), and when they were read (monotonic). */
  #workouts: { readonly from: number; readonly to: number; readonly readAt: number } | undefined;
  /** Files that need no sending and were reported. */
  readonly #otherFiles = new Set<string>();
  /** Copies that nothing sends, when they were last reported. */
  #forOthers = 0;
  lastSuccessAt: number | undefined;

  constructor(parts: SenderParts) {
    const { clock, client, dryRun, filePart, ledger, sameRide, url } = parts;
    const options = { dryRun, sameRide };
    this.#parts = parts;
    if (sameRide !== 'first' && !dryRun) ledger.uploads.releaseHeld();
    this.#uploader = new Uploader({ clock, signal: this.#hardStop.signal }, options, {
      url,
      filePart,
      ledger: ledger.uploads,
      client: async () =>
        patientClient(await client(), (ms) => {
          this.#retryAfterMs = Math.max(this.#retryAfterMs, ms);
        }),
    });
  }

  get sending(): number {
    return this.#active.size;
  }

  /** Returns whether a recording would replace a longer one, as the service or the ledger showed lately. */
  isTooShort(sha256: string): boolean {
    return (this.#tooShortUntil.get(sha256) ?? -Infinity) > this.#parts.clock.monotonic();
  }

  /** Adopts copies that no living process owns, and offers refused recordings again after their pause. */
  adopt(): void {
    const { clock, events, ledger, outbox, report } = this.#parts;
    const forOthers = outbox.review();
    if (forOthers > this.#forOthers) report({ event: 'kept-for-others', copies: forOthers });
    this.#forOthers = forOthers;
    for (const recording of outbox.all) {
      if (this.#active.has(recording)) continue;
      const { sha256, track } = recording;
      const upload = ledger.uploads.find(sha256, track?.digest);
      if (upload?.state === 'confirmed') {
        outbox.drop(sha256);
        continue;
      }
      recording.isResting = upload?.state === 'rejected' && isSettled(upload, clock.now());
    }
    events.post({ type: 'sender-work' });
  }

  /**
   * Starts the uploads that may start now. Conversions go after FIT recordings, one at a time, so that each is compared
   * with earlier recordings.
   *
   * @param tracksInMs returns the ms until conversions may be sent
   * @returns ms until the next step is due without the event `sender-work`; Infinity: never
   */
  step(tracksInMs: () => number): number {
    const { breaker, delivers, outbox, signal, tasks } = this.#parts;
    while (delivers && !signal.aborted && breaker.mayStart(this.#active.size, AT_ONCE)) {
      const takesTracks = this.#active.size === 0 && tracksInMs() === 0;
      const recording = outbox.next(this.#active, takesTracks);
      if (recording === undefined || !this.#hasRoomFor(recording)) break;
      const read = (buffers: BufferSource) => outbox.read(recording, buffers);
      tasks.run(async () => {
        await this.#deliver(recording, read);
      });
    }
    if (!delivers || this.#active.size > 0 || outbox.sendable.length === 0) return Infinity;
    const isTracksOnly = outbox.next(this.#active, false) === undefined;
    return Math.max(breaker.waitMs, isTracksOnly ? tracksInMs() : 0);
  }

  /** Returns why the rest cannot be sent in a run with `--once`; undefined if another try may help. */
  get hopeless(): Failure | undefined {
    const { breaker } = this.#parts;
    const { state } = breaker;
    if (this.#active.size > 0 || state.state === 'closed') return undefined;
    const isHopeless =
      state.state === 'login-needed' ||
      breaker.failures >= GIVE_UP_AFTER ||
      breaker.waitMs > LONGEST_WAIT_MS;
    return isHopeless ? state.failure : undefined;
  }

  /**
   * Sends a recording that has no copy, since it cannot be copied or this is a dry run: while no other one is sent.
   *
   * @returns false if it is still to be sent
   * @throws the signal's reason if it is aborted
   */
  async sendFromMemory(recording: WaitingRecording, contents: RecordingContents): Promise<boolean> {
    const { breaker, delivers, signal, tasks } = this.#parts;
    if (!delivers || signal.aborted || !breaker.mayStart(this.#active.size, 1)) return false;
    const delivered = this.#deliver(recording, () => contents);
    tasks.run(async () => {
      await delivered;
    });
    return await unlessAborted(delivered, signal);
  }

  /** Closes the breaker: nothing waits any more, so that a failure may be stale. The workouts are, too. */
  idle(): void {
    this.#workouts = undefined;
    if (this.#parts.delivers) this.#parts.breaker.idle();
  }

  /**
   * Waits for the tasks of the watcher, after the signal was aborted. Uploads that exceed the grace period are
   * aborted; the next run sends them again.
   *
   * @param graceMs grace period (ms)
   */
  async stop(graceMs: number): Promise<void> {
    const { clock, tasks } = this.#parts;
    const ended = tasks.settled();
    await within(clock, graceMs, ended);
    this.#hardStop.abort(new SyncError('INTERRUPTED', 'The watcher was stopped.'));
    await ended;
  }

  /** Reports a file that needs no sending, once: a file that was just written is read again later. */
  skipped(item: UploadItem): void {
    const { ledger, tally, report } = this.#parts;
    const { path } = item;
    const sha256 = 'sha256' in item ? item.sha256 : undefined;
    const upload = sha256 === undefined ? undefined : ledger.uploads.find(sha256);
    const isItsFile = upload !== undefined && fileOf(upload.path) === fileOf(path);
    if (isItsFile || this.#otherFiles.has(path)) {
      tally?.(item);
      return;
    }
    this.#otherFiles.add(path);
    report({ event: 'upload', item });
  }

  /** A large recording is sent while no other one is, which bounds the memory. */
  #hasRoomFor(recording: WaitingRecording): boolean {
    const others = [...this.#active];
    return others.length === 0 || ![...others, recording].some(({ size }) => size > LARGE_BYTES);
  }

  /** @returns false if the recording is still to be sent */
  async #deliver(
    recording: WaitingRecording,
    read: (buffers: BufferSource) => RecordingContents | Unreadable,
  ): Promise<boolean> {
    const { changed, dryRun, events } = this.#parts;
    const { path, recordedAt, track } = recording;
    const buffers = this.#buffers.pop() ?? reusedBuffer(KEPT_BYTES);
    this.#active.add(recording);
    changed();
    try {
      if (track !== undefined && !dryRun) await this.#readWorkouts(recordedAt);
      const contents = read(buffers);
      const first = track && 'bytes' in contents ? this.#waitsFor(contents.bytes) : undefined;
      if (first !== undefined) {
        // Its turn comes after that of the FIT recording.
        recording.failures = Math.max(recording.failures, first.failures);
        return false;
      }
      const item =
        'problem' in contents
          ? unreadableItem(path, contents)
          : await this.#uploader.uploadContents({ path, track }, contents);
      return this.#takeResult(recording, item);
    } catch (error) {
      const failure = asFailure(error);
      // The end of the watcher is no failure.
      const isOver = this.#hardStop.signal.aborted || failure.code === 'INTERRUPTED';
      if (!isOver) this.#failed(recording, failure);
      return false;
    } finally {
      this.#active.delete(recording);
      this.#buffers.push(buffers);
      changed();
      events.post({ type: 'sender-work' });
    }
  }

  /**
   * Returns a FIT recording that may cover a conversion, once it is sent: it came just before, or it failed and is of
   * the same time.
   */
  #waitsFor(bytes: Uint8Array): WaitingRecording | undefined {
    const { ledger, outbox } = this.#parts;
    const rides = ledger.uploads.rides(readSummary(bytes).shape).map(({ sha256 }) => sha256);
    return outbox.sendable.find(
      ({ sha256, track }) =>
        track === undefined &&
        (rides.includes(sha256) || ledger.uploads.find(sha256) === undefined),
    );
  }

  /**
   * Reads the platform's workouts from the time of a conversion, and of those that wait, unless this batch has read
   * them.
   *
   * @param startedAt ms since the epoch
   */
  async #readWorkouts(startedAt: number): Promise<void> {
    const { clock, client, outbox } = this.#parts;
    const now = clock.monotonic();
    const { from, to, readAt } = this.#workouts ?? { from: 0, to: -1, readAt: 0 };
    const isRead = from <= startedAt && startedAt <= to;
    if (isRead && now - readAt < WORKOUTS_MS) return;
    const waiting = outbox.sendable.filter(({ track }) => track !== undefined);
    const batch = [startedAt, ...waiting.map((each) => each.recordedAt)];
    const context = { clock, signal: this.#hardStop.signal };
    await this.#uploader.rides.readPlatform(context, batch, client);
    this.#workouts = { from: Math.min(...batch), to: Math.max(...batch), readAt: now };
  }

  /**
   * Reports the outcome of a recording. Drops its copy unless it is still needed.
   *
   * @returns false if the recording is still to be sent
   */
  #takeResult(recording: WaitingRecording, item: UploadItem): boolean {
    const { dryRun, ledger, outbox } = this.#parts;
    const { sha256 } = recording;
    if (item.outcome === 'failed') {
      this.#failed(recording, item);
      return false;
    }
    const wasThere = outbox.has(sha256);
    const upload = item.outcome === 'rejected' ? ledger.uploads.find(sha256) : undefined;
    // The copy of a refused recording may be the only one: it is sent again later.
    if (upload !== undefined && !isGivenUp(upload)) recording.isResting = true;
    else if (!dryRun) outbox.drop(sha256);
    this.#reportResult(recording, item, wasThere);
    return true;
  }

  /** @param wasThere the copy was still there: otherwise, another watcher has delivered it */
  #reportResult(
    recording: WaitingRecording,
    item: Exclude<UploadItem, { readonly outcome: 'failed' }>,
    wasThere: boolean,
  ): void {
    const { breaker, clock, dryRun, ledger, report } = this.#parts;
    const { sha256, path, otherPaths } = recording;
    switch (item.outcome) {
      case 'uploaded':
      case 'duplicate':
        this.lastSuccessAt = clock.now();
        breaker.succeeded();
        report({ event: 'upload', item });
        for (const other of otherPaths) this.skipped(alreadyUploaded(other, sha256));
        return;
      case 'rejected':
        // It may have been the longer one.
        this.#tooShortUntil.clear();
        breaker.succeeded();
        report({ event: 'upload', item });
        return;
      case 'skipped':
        if (item.reason === 'shorter') {
          this.#tooShortUntil.set(sha256, clock.monotonic() + SHORTER_MS);
        }
        this.skipped(item);
        return;
      case 'covered':
        if (!dryRun) ledger.uploads.trackFiles.cover(sha256);
        this.#otherFiles.add(path);
        report({ event: 'upload', item });
        return;
      case 'held':
      case 'would-upload':
        report({ event: 'upload', item });
        return;
      case 'invalid':
        // A rescan finds the file again, if it still exists.
        if (wasThere) report({ event: 'problem', path, message: item.detail });
        return;
    }
  }

  #failed(recording: WaitingRecording, failure: Failure): void {
    recording.failures += 1;
    recording.failure = failure;
    const retryAfterMs = this.#retryAfterMs;
    this.#retryAfterMs = 0;
    this.#parts.breaker.failed(failure, retryAfterMs);
  }
}

export function asFailure(error: unknown): Failure {
  if (error instanceof SyncError) return error;
  return { code: 'STORAGE', message: messageOf(error), hint: undefined };
}
