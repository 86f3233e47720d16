import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { BatchBreaker } from '../api/batch-breaker.ts';
import type { Context } from '../base/context.ts';
import { systemCode } from '../base/errors.ts';
import { inParallel } from '../base/parallel.ts';
import type { Shape } from '../fit/recorded.ts';
import type { SearchedFolder } from '../inputs/find-files.ts';
import type { SendOptions } from './known-outcome.ts';
import { type BufferSource, LARGE_BYTES, reusedBuffer } from './read-recording.ts';
import type { UploadItem, UploadProgress } from './report.ts';
import type { Sendable, SendableContents, UnreadableMember } from './sendable.ts';
import { type Amount, UploadTimes } from './upload-times.ts';
import { Uploader, type UploadTarget } from './uploader.ts';

export interface RunTarget extends UploadTarget {
  readonly report: (item: UploadItem) => void;
  readonly progress?: ((progress: UploadProgress) => void) | undefined;
  /** Called before the batch waits for recordings that other processes are sending. */
  readonly onBusy?: ((count: number) => void) | undefined;
}

/** Sends the recordings of one run, several at once. Reports each of them once, in no fixed order. */
export class BatchSender {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #jobs: number;
  readonly #isOffline: boolean;
  readonly #target: RunTarget;
  readonly #total: Amount | undefined;
  readonly #uploader: Uploader;
  readonly #breaker = new BatchBreaker();
  readonly #buffers: BufferSource[] = [];
  readonly #totals = { done: 0, sentBytes: 0 };
  #doneBytes = 0;
  /** Estimates the remaining time; undefined for a single recording or an unknown total. */
  readonly #times: UploadTimes | undefined;
  /** The recording started last. */
  #current = '';

  /** @param total if it is known, for the progress */
  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: SendOptions & { readonly jobs: number },
    target: RunTarget,
    total: Amount | undefined,
  ) {
    const runStartedAt = context.clock.now();
    this.#context = context;
    this.#jobs = options.jobs;
    this.#isOffline = options.dryRun;
    this.#target = target;
    this.#total = total;
    if (total !== undefined && total.count > 1) this.#times = new UploadTimes(total);
    this.#uploader = new Uploader(context, options, { ...target, runStartedAt });
  }

  /**
   * Sends recordings, reading one at a time. Those that another process is sending come last, so that they delay no
   * other.
   *
   * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
   */
  async send(recordings: Recordings): Promise<void> {
    const uploader = this.#uploader;
    const busy = await this.#sendAll(recordings, (...given) => uploader.uploadUnlessBusy(...given));
    if (busy.length === 0) return;
    const { sentElsewhere } = uploader;
    if (sentElsewhere.size > 0) this.#target.onBusy?.(sentElsewhere.size);
    sentElsewhere.clear();
    await this.#sendAll(busy, (...given) => uploader.uploadContents(...given));
  }

  /**
   * Reads the platform's workouts of the days of recordings, which may cover these.
   *
   * @throws SyncError if the platform cannot be asked now
   */
  async readPlatform(recordings: readonly { readonly shape: Shape }[]): Promise<void> {
    if (this.#isOffline) return;
    const starts = recordings.map(({ shape }) => shape.startedAt);
    await this.#uploader.rides.readPlatform(this.#context, starts, this.#target.client);
  }

  /** @returns the recordings that are being sent already */
  async #sendAll(recordings: Recordings, upload: Upload): Promise<Sendable[]> {
    const busy: Sendable[] = [];
    const started = this.#start(recordings, upload);
    await inParallel(started, this.#jobs, async ({ recording, isSent }) => {
      if (!(await isSent)) busy.push(recording);
    });
    return busy;
  }

  /** Starts the uploads. After a large recording, it reads the next one once that is sent: this bounds the memory. */
  async *#start(recordings: Recordings, upload: Upload) {
    for await (const recording of recordings) {
      // Lets a signal in: recordings that need no request wait for nothing else.
      await setImmediate();
      const { path, file } = recording;
      this.#progress(path);
      const given = this.#given(path);
      if (given !== undefined) {
        this.#report(given, file?.stamp.size);
        continue;
      }
      const buffers = this.#buffers.pop() ?? reusedBuffer(LARGE_BYTES);
      const contents = await recording.read(buffers);
      const sent = this.#sendOne(recording, contents, upload);
      const isSent = sent.finally(() => this.#buffers.push(buffers));
      yield { recording, isSent };
      const isLarge = 'bytes' in contents && contents.bytes.length > LARGE_BYTES;
      if (isLarge) await isSent.catch(() => undefined);
    }
  }

  /** @returns false if the recording is being sent already */
  async #sendOne(
    recording: Sendable,
    contents: SendableContents | UnreadableMember,
    upload: Upload,
  ): Promise<boolean> {
    this.#context.signal.throwIfAborted();
    const { path, file } = recording;
    if ('problem' in contents) {
      // A folder that is gone explains why its file could not be read.
      const gone = contents.reason === 'unreadable' ? file?.folder : undefined;
      this.#report(
        (gone && goneItem(path, gone)) ?? unreadableItem(path, contents),
        file?.stamp.size,
      );
      return true;
    }
    const startedAt = this.#context.clock.monotonic();
    const item = await upload({ ...recording, track: contents.track }, contents);
    if (item === undefined) return false;
    this.#countFailure(item);
    this.#report(item, file?.stamp.size ?? contents.bytes.length, startedAt);
    return true;
  }

  /**
   * Returns the outcome without an attempt, after repeated failures.
   *
   * @throws the signal's reason if it is aborted
   */
  #given(path: string): UploadItem | undefined {
    this.#context.signal.throwIfAborted();
    const { openedBy } = this.#breaker;
    return openedBy && { path, outcome: 'failed', ...openedBy };
  }

  /** Opens the circuit breaker after repeated failures. */
  #countFailure(item: UploadItem): void {
    if (item.outcome === 'failed') this.#breaker.failed(item);
    else if ('attempts' in item) this.#breaker.answered();
  }

  #progress(current: string): void {
    this.#current = current;
    this.#showProgress();
  }

  #showProgress(): void {
    const done = { count: this.#totals.done, bytes: this.#doneBytes };
    const share = this.#times?.share(done);
    const total = this.#total?.count;
    this.#target.progress?.({ ...this.#totals, total, share, current: this.#current });
  }

  /** @param startedAt of its upload (ms of the monotonic clock) */
  #report(item: UploadItem, bytes = 0, startedAt?: number): void {
    this.#totals.done++;
    this.#doneBytes += bytes;
    if (startedAt !== undefined) {
      this.#times?.add(this.#context.clock.monotonic() - startedAt, bytes);
    }
    if ('attempts' in item && 'size' in item) this.#totals.sentBytes += item.size ?? 0;
    this.#target.report(item);
    this.#showProgress();
  }
}

type Recordings = AsyncIterable<Sendable> | Iterable<Sendable>;
type Upload = Uploader['uploadUnlessBusy'];

/** Returns the outcome of an archive, or of a member of one, that cannot be read. */
export function unreadableItem(path: string, { problem, reason }: UnreadableMember): UploadItem {
  return reason === 'no-room'
    ? { path, outcome: 'failed', code: 'STORAGE', message: problem }
    : { path, outcome: 'invalid', reason, detail: problem };
}

/** Returns the outcome of a recording with a folder that is gone; undefined if the folder is there. */
export function goneItem(path: string, folder: SearchedFolder): UploadItem | undefined {
  if (!isGone(folder)) return undefined;
  return {
    path,
    outcome: 'failed',
    code: 'FOLDER_GONE',
    message: `${folder.path} is gone (unplugged?).`,
    hint: 'Run the same command again to continue.',
  };
}

function isGone({ absolute, device }: SearchedFolder): boolean {
  try {
    // The mount point of an unplugged device may remain, as a folder of another file system.
    return statSync(absolute).dev !== device;
  } catch (error) {
    return systemCode(error) !== 'EACCES';
  }
}
