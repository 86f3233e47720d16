import { dirname } from 'node:path';
import type { Context } from '../../base/context.ts';
import { MtpError } from '../../devices/mtp/protocol.ts';
import type { MtpReaders } from '../../devices/mtp/reader.ts';
import type { KnownFiles } from '../../ledger/known-files.ts';
import type { WatchMarks } from '../../ledger/watch-marks.ts';
import { mtpMountOf } from '../../system/mtp-path.ts';
import { describeFileError } from '../../system/plain-file.ts';
import { MAX_RECORDING_BYTES } from '../../upload/read-recording.ts';
import { isBelow } from '../below.ts';
import { type Classifier, type FoundFile, recordingTime } from './classify.ts';
import type { IncompleteFiles } from './incomplete-files.ts';
import { MtpListing } from './mtp-listing.ts';
import type { QueueItem } from '../send/queue.ts';
import { POLL_MS, type RescanOptions } from './rescan.ts';
import type { Sighting } from './watched-folder.ts';

/** Shortest interval between two looks at a folder (ms). */
const LOOK_MS = 5_000;
/** First pause after a device failed, and the longest (ms). */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Largest share of the time that listing takes: other programs use the device, too. */
const LISTING_SHARE = 1 / 10;
/** Interval at which the sizes of all files are read again (ms). */
const SIZES_MS = 10 * 60_000;
/** Files that fail one after another before the device counts as failing. */
const ENOUGH_FAILURES = 3;

/** The end of a rescan of a folder on an MTP device. */
export interface MtpRescan {
  /** Whether the folder is still there. */
  readonly sighting: Sighting;
  /** Time until the next rescan; Infinity: when the device is back (ms). */
  readonly pauseMs: number;
}

/** The readers of the devices, the ledger, and the calls that the rescans make. */
export interface MtpFoldersTarget {
  readonly readers: MtpReaders;
  readonly known: KnownFiles;
  readonly marks: WatchMarks;
  readonly classifier: Classifier;
  readonly incomplete: IncompleteFiles;
  /** Takes over a file that was read. @returns false if it cannot be kept now */
  readonly onRead: (item: QueueItem, bytes: Buffer) => Promise<boolean>;
}

/** What is known of one watched folder. Times in ms of the monotonic clock. */
interface FolderState {
  readonly listing: MtpListing;
  isBusy: boolean;
  wasThere: boolean;
  /** Recordings that the last rescan found open and did not read. */
  left: number;
  /** Files without a stated size that were read and are not whole; the ledger does not know them. */
  readonly tried: Set<string>;
  /** Looks and rescans in a row that failed. */
  failures: number;
  /** Looks before this time get the last sighting. */
  lookAgainAt: number;
  last: Sighting | undefined;
  sizesReadAt: number;
}

/**
 * Looks at and rescans watched folders on devices over MTP (system/mtp-path.ts). A child process makes
 * every call, since any call may hang. A file is read once: its recording goes to the outbox, and the
 * ledger remembers every file.
 */
export class MtpFolders {
  readonly #context: Pick<Context, 'clock' | 'signal'>;
  readonly #options: RescanOptions;
  readonly #target: MtpFoldersTarget;
  readonly #states = new Map<string, FolderState>();

  constructor(
    context: Pick<Context, 'clock' | 'signal'>,
    options: RescanOptions,
    target: MtpFoldersTarget,
  ) {
    this.#context = context;
    this.#options = options;
    this.#target = target;
  }

  /** Looks at a folder. @returns undefined while it is rescanned, which shows more */
  async lookAt(path: string): Promise<Sighting | undefined> {
    const { clock, signal } = this.#context;
    const state = this.#stateOf(path);
    if (state.isBusy) return undefined;
    if (clock.monotonic() < state.lookAgainAt) return state.last;
    try {
      const [found] = await this.#target.readers.of(path).stat([path], signal);
      if (found === undefined) return this.#missing(path, state);
      if (found.kind !== 'folder') return this.#missing(path, state, 'It is a file.');
      state.wasThere = true;
      state.lookAgainAt = clock.monotonic() + LOOK_MS;
      return (state.last = { identity: 'mtp' });
    } catch (error) {
      if (signal.aborted) return undefined;
      return this.#failed(path, state, error);
    }
  }

  /**
   * Reads the files in a folder that the ledger leaves open, one after another.
   *
   * @returns undefined if an earlier rescan still runs
   * @throws the signal's reason when it is aborted; ledger errors
   */
  async rescan(path: string): Promise<MtpRescan | undefined> {
    const { clock, signal } = this.#context;
    const state = this.#stateOf(path);
    if (state.isBusy) return undefined;
    state.isBusy = true;
    try {
      const startedAt = clock.monotonic();
      const found = await this.#list(path, state);
      const pauseMs = this.#pauseAfter(clock.monotonic() - startedAt);
      state.wasThere = true;
      await this.#readOpen(path, state, found);
      state.failures = 0;
      return { sighting: { identity: 'mtp' }, pauseMs };
    } catch (error) {
      signal.throwIfAborted();
      return { sighting: this.#failed(path, state, error), pauseMs: Infinity };
    } finally {
      state.isBusy = false;
    }
  }

  /** Returns how many recordings the last rescan left on the device. */
  leftOn(path: string): number {
    return this.#states.get(path)?.left ?? 0;
  }

  #pauseAfter(listingMs: number): number {
    const { pollMs = POLL_MS } = this.#options;
    return Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, listingMs / LISTING_SHARE));
  }

  #stateOf(path: string): FolderState {
    const before = this.#states.get(path);
    if (before !== undefined) return before;
    const state: FolderState = {
      listing: new MtpListing(path, this.#target.readers.of(path)),
      ...{ isBusy: false, wasThere: false, left: 0, tried: new Set(), failures: 0 },
      ...{ lookAgainAt: -Infinity, last: undefined, sizesReadAt: -Infinity },
    };
    this.#states.set(path, state);
    return state;
  }

  async #list(path: string, state: FolderState): Promise<readonly FoundFile[]> {
    const { clock, signal } = this.#context;
    const { incomplete } = this.#target;
    const now = clock.monotonic();
    if (now - state.sizesReadAt >= SIZES_MS) {
      state.listing.forget();
      state.sizesReadAt = now;
    }
    const below = incomplete.all().filter((file) => isBelow(file.path, path));
    const found = await state.listing.read(new Set(below.map((file) => file.path)), signal);
    const paths = new Set(found.map((file) => file.path));
    for (const file of below) {
      if (!paths.has(file.path)) incomplete.forget(file.path);
    }
    return found;
  }

  async #readOpen(path: string, state: FolderState, found: readonly FoundFile[]): Promise<void> {
    const { known, marks, classifier } = this.#target;
    const { newOnly, dryRun } = this.#options;
    const firstLook = newOnly ? marks.newOnly(path) : undefined;
    if (!dryRun) firstLook?.begin();
    const isOld = (file: FoundFile, recordedAt: number) => {
      if (firstLook?.isOld({ ...file.stamp, mtimeMs: recordedAt }) !== true) return false;
      if (!dryRun) marks.markSeen([file]);
      return true;
    };
    const open = found.filter(
      // Without a time of the file, only reading it shows if it is older than an absent device's first look.
      (file) => !state.tried.has(file.path) && classifier.isOpen(file) && !isOld(file, Infinity),
    );
    state.left = open.length;
    let failures = 0;
    for (const file of open) {
      const failure = await this.#read(file, state, isOld);
      // Reading it again would take longer than this.
      if (!dryRun) known.flush();
      if (failure === 'no-room') return;
      failures = failure === undefined ? 0 : failures + 1;
      if (failure !== undefined && failures >= ENOUGH_FAILURES) throw failure;
      state.left--;
    }
    if (!dryRun) firstLook?.done();
  }

  /**
   * Reads one file, and passes it on.
   *
   * @returns why it cannot be read, if other files may be; undefined if it was read
   * @throws MtpError if the device failed
   */
  async #read(
    file: FoundFile,
    state: FolderState,
    isOld: (file: FoundFile, recordedAt: number) => boolean,
  ): Promise<MtpError | 'no-room' | undefined> {
    const { clock, signal } = this.#context;
    const { readers, classifier, incomplete, onRead } = this.#target;
    const { path, stamp, removable } = file;
    let bytes: Buffer;
    try {
      bytes = await readers.of(path).read(path, MAX_RECORDING_BYTES, signal);
      if (stamp.size > 0 && bytes.length !== stamp.size) throw partial(bytes.length, stamp.size);
    } catch (error) {
      if (!(error instanceof MtpError) || isAboutDevice(error)) throw error;
      // If the device was unplugged, its folder is gone too.
      const [folder] = await readers.of(path).stat([dirname(path)], signal);
      if (folder === undefined) throw new MtpError('ENOENT', error.message);
      if (error.code === 'ENOENT') return undefined;
      classifier.noteIncomplete(file, 'unreadable', describeFileError(error));
      return error;
    }
    incomplete.forget(path);
    const now = clock.now();
    const recordedAt = recordingTime(bytes, now) ?? now;
    if (isOld(file, recordedAt)) return undefined;
    if (stamp.size === 0) state.tried.add(path);
    const item = { key: path, path, absolute: path, stamp, removable, recordedAt };
    const isKept = await onRead({ ...item, kept: undefined, failures: 0 }, bytes);
    return isKept ? undefined : 'no-room';
  }

  /** Records that the folder is missing. @param reason absent: the device was unplugged */
  #missing(path: string, state: FolderState, reason?: string): Sighting {
    const { newOnly, dryRun } = this.#options;
    if (newOnly && !dryRun && !state.wasThere) this.#target.marks.newOnly(path).begin();
    state.lookAgainAt = this.#context.clock.monotonic() + LOOK_MS;
    state.listing.forget();
    state.tried.clear();
    const neverThere = state.wasThere ? undefined : `${nameOf(path)} is not plugged in.`;
    return (state.last = { missing: reason ?? neverThere });
  }

  /** Records a failure of the device. Pauses grow: a call on a device that hangs costs a process. */
  #failed(path: string, state: FolderState, error: unknown): Sighting {
    if (!(error instanceof MtpError)) throw error;
    if (isUnplugged(error)) return this.#missing(path, state);
    const sighting = this.#missing(path, state, reasonOf(error, nameOf(path)));
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** state.failures, LONGEST_PAUSE_MS);
    state.lookAgainAt = this.#context.clock.monotonic() + pauseMs;
    state.failures++;
    return sighting;
  }
}

function isUnplugged({ code }: MtpError): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ECONNABORTED'].includes(code);
}

/** Returns whether every other file would fail in the same way. */
function isAboutDevice(error: MtpError): boolean {
  const others = ['ETIMEDOUT', 'EBUSY', 'ENOTSUP', 'EOPNOTSUPP'];
  return others.includes(error.code) || (isUnplugged(error) && error.code !== 'ENOENT');
}

function reasonOf(error: MtpError, device: string): string {
  switch (error.code) {
    case 'ETIMEDOUT':
      return `${device} does not answer.`;
    case 'EBUSY':
      return `${device} is busy: another program uses it.`;
    case 'EACCES':
    case 'EPERM':
      return describeFileError(error);
    case 'ENOTSUP':
    case 'EOPNOTSUPP':
      return `${device} gives out whole files only: copy its recordings with the file manager, into a folder that is watched.`;
    default:
      return `${device} cannot be read (${error.message}).`;
  }
}

/** Returns the name of the device that a path is on, for the start of a sentence. */
function nameOf(path: string): string {
  const title = mtpMountOf(path)?.title ?? 'the device';
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

function partial(have: number, size: number): MtpError {
  return new MtpError('EIO', `The device sent ${have} of ${size} bytes.`);
}
