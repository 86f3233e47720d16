import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { BatchBreaker } from '../api/batch-breaker.ts';
import type { Context } from '../base/context.ts';
import { systemCode } from '../base/errors.ts';
import { inParallel } from '../base/parallel.ts';
import type { ServiceClient } from '../api/client.ts';
import type { Shape } from '../fit/recorded.ts';
import type { RecordingFile, SearchedFolder } from '../inputs/find-files.ts';
import type { SendOptions } from './known-outcome.ts';
import {
  type BufferSource,
  LARGE_BYTES,
  NeedsRoom,
  type RecordingContents,
  reusedBuffer,
} from './read-recording.ts';
import type { TrackIdentity } from './recordings-of.ts';
import type { UnreadableMember } from './read-member.ts';
import type { UploadItem, UploadProgress } from './report.ts';
import { type Amount, UploadTimes } from './upload-times.ts';
import { type Examined, Uploader, type UploadTarget } from './uploader.ts';

export interface RunTarget extends UploadTarget {
  readonly report: (item: UploadItem) => void;
  readonly progress?: ((progress: UploadProgress) => void) | undefined;
  /** Called before the batch waits for recordings that other processes are sending. */
  readonly onBusy?: ((count: number) => void) | undefined;
}

export interface MemberRecording {
  readonly path: string;
  /** As in {@link RecordingFile}. */
  readonly title?: string;
  readonly read: () => Promise<SendableContents | UnreadableMember>;
}

/** `track`: it was GPX or TCX. */
export type SendableContents = RecordingContents & { readonly track?: TrackIdentity | undefined };

/** Sends the recordings of one run, several at once. Reports each of them once, in no fixed order. */
export class BatchSender {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #jobs: number;
  readonly #isOffline: boolean;
  readonly #target: RunTarget;
  readonly #total: Amount | undefined;
  readonly #uploader: Uploader;
  readonly #breaker = new BatchBreaker();
  readonly #large = { buffers: reusedBuffer(), queue: Promise.resolve() as Promise<unknown> };
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
   * Sends files. Recordings that another process is sending come last, so that they delay no other.
   *
   * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
   */
  async sendFiles(files: readonly RecordingFile[]): Promise<void> {
    const busy = await this.#sendAll(files, (each) => this.#uploader.deliverUnlessBusy(each));
    if (busy.length === 0) return;
    const { sentElsewhere } = this.#uploader;
    if (sentElsewhere.size > 0) this.#target.onBusy?.(sentElsewhere.size);
    await this.#sendAll(busy, (each) => this.#uploader.deliver(each));
  }

  /**
   * Sends the recordings of archives. Reads one at a time; the next one after a large recording is read
   * when that is sent.
   *
   * @throws SyncError `STORAGE` if the ledger fails; the signal's reason if it is aborted.
   */
  async sendMembers(
    members: AsyncIterable<MemberRecording> | Iterable<MemberRecording>,
  ): Promise<void> {
    await inParallel(this.#startMembers(members), this.#jobs, async ({ sent }) => await sent);
  }

  /**
   * Reads the platform's workouts of the days of recordings, which may cover these.
   *
   * @throws SyncError if the platform cannot be asked now
   */
  async readPlatform(
    recordings: readonly { readonly shape: Shape }[],
    client: () => Promise<ServiceClient>,
  ): Promise<void> {
    const starts = recordings.map(({ shape }) => shape.startedAt);
    if (this.#isOffline) return;
    await this.#uploader.rides.readPlatform(this.#context, starts, client);
  }

  async *#startMembers(
    members: AsyncIterable<MemberRecording> | Iterable<MemberRecording>,
  ): AsyncGenerator<{ readonly sent: Promise<void> }, void, undefined> {
    for await (const member of members) {
      const { path } = member;
      this.#progress(path);
      const given = this.#given(path);
      if (given !== undefined) {
        this.#report(given);
        continue;
      }
      const contents = await member.read();
      const sent = this.#sendMember(member, contents);
      yield { sent };
      const isLarge = 'bytes' in contents && contents.bytes.length > LARGE_BYTES;
      if (isLarge) await sent.catch(() => undefined);
    }
  }

  async #sendMember(
    { path, title }: MemberRecording,
    contents: SendableContents | UnreadableMember,
  ): Promise<void> {
    this.#context.signal.throwIfAborted();
    if ('problem' in contents) {
      this.#report(unreadableItem(path, contents));
      return;
    }
    const startedAt = this.#context.clock.monotonic();
    const origin = { path, title, track: contents.track };
    const item = await this.#uploader.uploadContents(origin, contents);
    this.#countFailure(item);
    this.#report(item, contents.bytes.length, startedAt);
  }

  async #sendAll(files: readonly RecordingFile[], deliver: Deliver): Promise<RecordingFile[]> {
    const busy: RecordingFile[] = [];
    const buffers = Array.from({ length: this.#jobs }, reusedBuffer);
    await inParallel(files, this.#jobs, async (file, slot) => {
      this.#progress(file.path);
      const startedAt = this.#context.clock.monotonic();
      const item = await this.#sendFile(deliver, file, buffers[slot] ?? reusedBuffer());
      if (item === undefined) busy.push(file);
      else this.#report(item, file.stamp.size, startedAt);
      // Files that need no request would leave no time for a signal.
      if (item === undefined || !('attempts' in item)) await setImmediate();
    });
    return busy;
  }

  async #sendFile(deliver: Deliver, file: RecordingFile, buffers: BufferSource) {
    const send = async (source: BufferSource, room?: number) =>
      this.#given(file.path) ??
      this.#explained(file, await deliver(this.#uploader.examine(file, source, room)));
    if (file.stamp.size <= LARGE_BYTES) {
      try {
        return await send(buffers, LARGE_BYTES);
      } catch (error) {
        if (!(error instanceof NeedsRoom)) throw error;
      }
    }
    const sent = this.#large.queue.then(() => send(this.#large.buffers));
    this.#large.queue = sent.catch(() => undefined);
    return await sent;
  }

  /** Returns the outcome of a file: a folder that is gone explains why it could not be read. */
  #explained(file: RecordingFile, item: UploadItem | undefined): UploadItem | undefined {
    if (item === undefined) return undefined;
    if (item.outcome === 'invalid' && item.reason === 'unreadable' && file.folder !== undefined) {
      const gone = goneItem(file.path, file.folder);
      if (gone !== undefined) return gone;
    }
    this.#countFailure(item);
    return item;
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

/** Returns undefined for a recording that is being sent elsewhere. */
type Deliver = (examined: Examined) => Promise<UploadItem | undefined>;

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
