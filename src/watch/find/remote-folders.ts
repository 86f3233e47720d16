import { dirname } from 'node:path';
import { PEEK_BYTES } from '../../fit/envelope.ts';
import { ChildError } from '../../system/child-call.ts';
import { isOnMtp } from '../../system/mtp-path.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { sameStamp } from '../../ledger/known-files.ts';
import {
  MAX_RECORDING_BYTES,
  STILL_WRITTEN,
  reusedBuffer,
  unpackFile,
} from '../../upload/read-recording.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import { isBelow } from '../../system/mounts.ts';
import type { NewOnly } from '../../ledger/watch-marks.ts';
import type { Observation } from '../events.ts';
import type { WatchParts } from '../parts.ts';
import type { FoundFile, Intake } from '../send/intake.ts';
import { type Classifier, problemOfHead, recordingTime } from './classify.ts';
import { isAboutDevice, isUnplugged, nameOf, partial, reasonOf } from './remote-failure.ts';
import { RemoteListing } from './remote-listing.ts';
import { POLL_MS } from './watched-folder.ts';

/** Shortest interval between two probes of a folder (ms). */
const PROBE_MS = 5_000;
/** First pause after a device failed, and the longest (ms). */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Largest share of the time that listing takes: other programs use the device, too. */
const LISTING_SHARE = 1 / 10;
/** Interval at which the sizes of all files are read again (ms). */
const SIZES_MS = 10 * 60_000;
/** Files that fail one after another before the device counts as failing. */
const ENOUGH_FAILURES = 3;
const NOT_COPIED = 'It could not be copied for sending.';

/** What is known of one watched folder. Times in ms of the monotonic clock. */
interface RemoteFolderState {
  readonly listing: RemoteListing;
  isBusy: boolean;
  wasThere: boolean;
  /** How long the last listing took (ms). */
  listingMs: number;
  /** Recordings that the last rescan found open, and that are not read yet. */
  readonly left: Set<FoundFile>;
  /** Files without a stated size that were read and are not whole; the ledger does not know them. */
  readonly tried: Set<string>;
  /** Probes and rescans in a row that failed. */
  failures: number;
  /** Probes before this time get the last observation. */
  probeAgainAt: number;
  last: Observation | undefined;
  identity: string;
  sizesReadAt: number;
  /** Which files `--new-only` leaves out, as the last rescan found it before it began. */
  newOnly: NewOnly | undefined;
}

type RemoteFoldersParts = Pick<
  WatchParts,
  | 'clock'
  | 'dryRun'
  | 'filesystemType'
  | 'incomplete'
  | 'known'
  | 'marks'
  | 'names'
  | 'newOnly'
  | 'pollMs'
  | 'readers'
  | 'report'
  | 'signal'
>;

/**
 * Probes and rescans watched folders on devices, networks and FUSE mounts. A child process for each mount makes every
 * call, since any call may hang. A file is read once: its recording goes to the outbox, and the ledger remembers
 * every file.
 */
export class RemoteFolders {
  readonly #parts: RemoteFoldersParts;
  readonly #classifier: Classifier;
  readonly #intake: Intake;
  readonly #states = new Map<string, RemoteFolderState>();

  constructor(parts: RemoteFoldersParts, classifier: Classifier, intake: Intake) {
    this.#parts = parts;
    this.#classifier = classifier;
    this.#intake = intake;
  }

  /** Probes a folder. @returns undefined while it is rescanned, which shows more */
  async probe(path: string): Promise<Observation | undefined> {
    const { clock, readers, signal } = this.#parts;
    const state = this.#stateOf(path);
    if (state.isBusy) return undefined;
    if (clock.monotonic() < state.probeAgainAt) return state.last;
    try {
      // The final part of the path may be a link.
      const [found] = await readers.of(path).stat([`${path}/.`], signal);
      if (found === undefined) return this.#missing(path, state);
      if (found.kind !== 'folder') return this.#missing(path, state, 'It is a file.');
      if (!isOnMtp(path)) await readers.of(path).open(path, signal);
      state.wasThere = true;
      state.probeAgainAt = clock.monotonic() + PROBE_MS;
      state.identity = isOnMtp(path) ? 'mtp' : found.identity;
      return (state.last = { identity: state.identity });
    } catch (error) {
      if (signal.aborted) return undefined;
      return this.#failed(path, state, error);
    }
  }

  /**
   * Reads the files in a folder that the ledger leaves open, one after another.
   *
   * @returns the number of files, and the time until the next rescan (ms); undefined if an earlier one still runs
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescan(path: string) {
    const { clock, signal } = this.#parts;
    const state = this.#stateOf(path);
    if (state.isBusy) return undefined;
    state.isBusy = true;
    try {
      const startedAt = clock.monotonic();
      const found = await this.#list(path, state);
      const listingMs = clock.monotonic() - startedAt;
      // A single slow listing was a file system that hung.
      const pauseMs = this.#pauseAfter(Math.min(listingMs, state.listingMs));
      state.listingMs = listingMs;
      state.wasThere = true;
      await this.#readOpen(path, state, found);
      state.failures = 0;
      const observation: Observation = { identity: state.identity };
      return { observation, files: found.length, pauseMs };
    } catch (error) {
      signal.throwIfAborted();
      // Until the device is back.
      return { observation: this.#failed(path, state, error), files: 0, pauseMs: Infinity };
    } finally {
      state.isBusy = false;
    }
  }

  /** Forgets that the folder of a device that was unplugged is missing: plugged in again, it is probed at once. */
  forget(path: string): void {
    const state = this.#states.get(path);
    if (state !== undefined) state.probeAgainAt = -Infinity;
  }

  /** Returns how many recordings the last rescan left on the device. */
  leftOn(path: string): number {
    return this.#states.get(path)?.left.size ?? 0;
  }

  /**
   * Reads the recordings that waited for others to be sent, for `--once`.
   *
   * @returns whether it read any. The others cannot be copied
   */
  async readLeft(): Promise<boolean> {
    let isRead = false;
    for (const [path, state] of this.#states) {
      const before = [...state.left];
      if (before.length === 0) continue;
      try {
        await this.#readFiles(path, state, before);
      } catch (error) {
        this.#parts.signal.throwIfAborted();
        if (!(error instanceof ChildError)) throw error;
      }
      isRead ||= state.left.size < before.length;
    }
    return isRead;
  }

  /** Notes the recordings that {@link RemoteFolders.readLeft} could not read. */
  noteLeft(): void {
    for (const { left } of this.#states.values()) {
      for (const file of left) this.#parts.incomplete.note(file, 'unreadable', NOT_COPIED);
    }
  }

  #pauseAfter(listingMs: number): number {
    const { pollMs = POLL_MS } = this.#parts;
    return Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, listingMs / LISTING_SHARE));
  }

  #stateOf(path: string): RemoteFolderState {
    const before = this.#states.get(path);
    if (before !== undefined) return before;
    const state: RemoteFolderState = {
      listing: new RemoteListing(path, this.#parts.readers.of(path), (problem) =>
        this.#parts.report({ event: 'problem', ...problem }),
      ),
      isBusy: false,
      wasThere: false,
      listingMs: 0,
      left: new Set(),
      tried: new Set(),
      failures: 0,
      probeAgainAt: -Infinity,
      last: undefined,
      identity: 'mtp',
      sizesReadAt: -Infinity,
      newOnly: undefined,
    };
    this.#states.set(path, state);
    return state;
  }

  async #list(path: string, state: RemoteFolderState): Promise<readonly FoundFile[]> {
    const { clock, incomplete, names, signal } = this.#parts;
    const now = clock.monotonic();
    if (now - state.sizesReadAt >= SIZES_MS) {
      state.listing.forget();
      state.sizesReadAt = now;
    }
    const below = incomplete.all().filter((file) => isBelow(file.path, path));
    const again = new Set(below.map((file) => file.path));
    const found = await state.listing.read(again, names.owners.get(path), signal);
    const paths = new Set(found.map((file) => file.path));
    for (const file of below) {
      if (!paths.has(file.path)) incomplete.forget(file.path);
    }
    return found;
  }

  async #readOpen(
    path: string,
    state: RemoteFolderState,
    found: readonly FoundFile[],
  ): Promise<void> {
    const { dryRun, marks, newOnly } = this.#parts;
    state.newOnly = newOnly ? marks.newOnly(path) : undefined;
    if (!dryRun) state.newOnly?.begin();
    const open = found.filter(
      // Without a time of the file, only reading it shows if it is older than an absent device's first rescan.
      (file) =>
        !(file.stamp.size === 0 && state.tried.has(file.path)) &&
        this.#classifier.isOpen(file) &&
        !this.#isOld(path, file, Infinity, state),
    );
    // What covers a GPX or TCX file is copied before it.
    const tracksLast = open.toSorted(
      (a, b) => Number(isTrackName(a.path)) - Number(isTrackName(b.path)),
    );
    await this.#readFiles(path, state, tracksLast);
    if (!dryRun && state.left.size === 0) state.newOnly?.done();
  }

  async #readFiles(
    path: string,
    state: RemoteFolderState,
    files: readonly FoundFile[],
  ): Promise<void> {
    const { dryRun, known } = this.#parts;
    const { left } = state;
    left.clear();
    for (const file of files) left.add(file);
    const isOnDevice = this.#parts.filesystemType(path).isShared !== true;
    let failures = 0;
    for (const file of files) {
      if (!this.#intake.hasRoomFor(file, isOnDevice)) continue;
      const failure = await this.#read(path, file, state);
      // Flush after each file: reading one again over MTP takes longer.
      if (!dryRun) known.flush();
      if (failure === 'not-copied') return;
      failures = failure === undefined ? 0 : failures + 1;
      if (failure !== undefined && failures >= ENOUGH_FAILURES) throw failure;
      left.delete(file);
    }
  }

  /** Returns whether `--new-only` leaves a file out. */
  #isOld(folder: string, file: FoundFile, recordedAt: number, state: RemoteFolderState): boolean {
    const { dryRun, marks } = this.#parts;
    const stamp = isOnMtp(folder) ? { ...file.stamp, mtimeMs: recordedAt } : file.stamp;
    if (state.newOnly?.isOld(stamp) !== true) return false;
    if (!dryRun) marks.markSeen([file]);
    return true;
  }

  /**
   * Reads one file, and passes it on.
   *
   * @returns why it cannot be read, if other files may be; undefined if it was read
   * @throws ChildError if the device failed
   */
  async #read(
    folder: string,
    file: FoundFile,
    state: RemoteFolderState,
  ): Promise<ChildError | 'not-copied' | undefined> {
    const { clock, incomplete, readers, signal } = this.#parts;
    const { path, stamp } = file;
    let bytes: Buffer;
    try {
      const problem = await this.#problemOfHead(file);
      if (problem !== undefined) {
        incomplete.note(file, problem.reason, problem.detail);
        return undefined;
      }
      bytes = await readers.of(path).read(path, MAX_RECORDING_BYTES, signal);
      if (stamp.size > 0 && bytes.length !== stamp.size) throw partial(bytes.length, stamp.size);
      if (!isOnMtp(path)) {
        const [after] = await readers.of(path).stat([path], signal);
        if (after !== undefined && !sameStamp(after, stamp)) {
          incomplete.note(file, 'incomplete', STILL_WRITTEN);
          return undefined;
        }
      }
    } catch (error) {
      if (!(error instanceof ChildError) || isAboutDevice(error)) throw error;
      // If the device was unplugged, its folder is gone too.
      const [parent] = await readers.of(path).stat([dirname(path)], signal);
      if (parent === undefined) throw new ChildError('ENOENT', error.message);
      if (error.code === 'ENOENT') return undefined;
      incomplete.note(file, 'unreadable', describeFileError(error));
      return error;
    }
    incomplete.forget(path);
    const now = clock.now();
    const recordedAt = recordingTime(bytes, now) ?? now;
    if (this.#isOld(folder, file, recordedAt, state)) return undefined;
    if (stamp.size === 0) state.tried.add(path);
    const contents = unpackFile(bytes, stamp, reusedBuffer());
    const isTaken = await this.#intake.take({ ...file, recordedAt }, contents);
    return isTaken ? undefined : 'not-copied';
  }

  /** Looks at the beginning of a file that may grow: it is not read in full each time. */
  async #problemOfHead({ path, stamp }: FoundFile): Promise<ReturnType<typeof problemOfHead>> {
    // A device over MTP may give out whole files only, which do not grow.
    if (isOnMtp(path)) return undefined;
    const { readers, signal } = this.#parts;
    const head = await readers.of(path).peek(path, PEEK_BYTES, signal);
    return problemOfHead(path, head, Math.max(head.length, stamp.size));
  }

  /** Records that the folder is missing. @param reason absent: the device was unplugged */
  #missing(path: string, state: RemoteFolderState, reason?: string, isSilent = false): Observation {
    const { clock, dryRun, marks, newOnly } = this.#parts;
    if (newOnly && !dryRun && !state.wasThere) marks.newOnly(path).begin();
    state.probeAgainAt = clock.monotonic() + PROBE_MS;
    state.listing.forget();
    state.tried.clear();
    const neverThere =
      state.wasThere || !isOnMtp(path) ? undefined : `${nameOf(path)} is not plugged in.`;
    return (state.last = { missing: reason ?? neverThere, ...(isSilent ? { isSilent } : {}) });
  }

  /** Records a failure of the device. Pauses grow: a call on a device that hangs costs a process. */
  #failed(path: string, state: RemoteFolderState, error: unknown): Observation {
    if (!(error instanceof ChildError)) throw error;
    if (isUnplugged(error)) return this.#missing(path, state);
    const isSilent = error.code === 'ETIMEDOUT';
    const observation = this.#missing(path, state, reasonOf(error, nameOf(path)), isSilent);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** state.failures, LONGEST_PAUSE_MS);
    state.probeAgainAt = this.#parts.clock.monotonic() + pauseMs;
    state.failures++;
    return observation;
  }
}
