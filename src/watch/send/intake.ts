import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { type FileStamp, sameStamp } from '../../ledger/known-files.ts';
import { MANY_BYTES } from '../../ledger/outbox.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import { isBelow } from '../../system/mounts.ts';
import { sha256 } from '../../system/this-process.ts';
import { trackKind } from '../../tracks/kind.ts';
import { identify, knownFileOf } from '../../upload/identify.ts';
import { noTrack, notAnActivity, settledOutcome } from '../../upload/known-outcome.ts';
import {
  type FileContents,
  type Unreadable,
  readFile,
  reusedBuffer,
} from '../../upload/read-recording.ts';
import type { UploadItem } from '../../upload/report.ts';
import type { WatchParts } from '../parts.ts';
import { type WaitingRecording, announce, isTrack, waitingRecording } from './outbox.ts';
import { isSettled } from './refusal-backoff.ts';
import { KEPT_BYTES, type Sender, asFailure, decidedBy } from './sender.ts';

/** Files that changed within this time are copied before others, and without a bound: apps overwrite them (ms). */
const FRESH_MS = 7 * 86_400_000;
/** Older files wait while recordings of this size wait for the service: an archive is not copied as a whole. */
const ENOUGH_BYTES = 64 * 1024 * 1024;
/** No recording has more records: the channels of a track come before its points. */
const MOST_RECORDS = 1e7;
/** Longest slice of reading before other events are handled (ms). */
const SLICE_MS = 20;
/** Pause after the last change before GPX and TCX files are sent: a program may still unpack recordings of the same rides (ms). */
const QUIET_MS = 3_000;
/** How far the time of a file may be ahead of the clock: devices write local times (ms). */
const AHEAD_MS = 86_400_000;
/** Pause before a file is read again that could neither be copied nor sent (ms). */
const RETRY_MS = 5_000;

export interface FoundFile {
  readonly path: string;
  readonly stamp: FileStamp;
  /** A child process reads it. */
  readonly removable: boolean;
}

/** A file that may be a recording. */
export interface UnreadFile extends FoundFile {
  /** Best known time of the recording (ms since the epoch). */
  readonly recordedAt: number;
}

type IntakeParts = Pick<
  WatchParts,
  | 'breaker'
  | 'clock'
  | 'delivers'
  | 'dryRun'
  | 'events'
  | 'incomplete'
  | 'known'
  | 'ledger'
  | 'outbox'
  | 'report'
  | 'signal'
>;

/**
 * Copies whole recordings to the outbox, each once, unless the ledger settles them. From then on a recording outlives
 * its file. The ledger learns of the file after its copy is complete.
 */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #sender: Sender;
  /** Local files that may be recordings, by path. */
  readonly #unread = new Map<string, UnreadFile>();
  /** The same, the next one last, and files that were read or replaced meanwhile. */
  #sorted: UnreadFile[] = [];
  #isSorted = true;
  #isReading = false;
  readonly #buffers = reusedBuffer(KEPT_BYTES);
  /** No file is read before this (monotonic clock, ms). */
  #retryAt = -Infinity;
  /** It was reported that recordings cannot be copied. */
  #saidNotCopied = false;
  #saidMany = false;
  /** When the last file that changed just before was found (monotonic clock, ms). */
  #changedAt = -Infinity;

  constructor(parts: IntakeParts, sender: Sender) {
    this.#parts = parts;
    this.#sender = sender;
  }

  /** Files that wait to be read, without those that are read again although there is a copy. */
  get unread(): number {
    const copied = new Set(this.#parts.outbox.waiting.map(({ path }) => path));
    return [...this.#unread.keys()].filter((path) => !copied.has(path)).length;
  }

  /** ms until {@link Intake.work} is due without an event. */
  get retryInMs(): number {
    const inMs = this.#retryAt - this.#parts.clock.monotonic();
    return inMs > 0 && this.#unread.size > 0 ? inMs : Infinity;
  }

  /** ms until GPX and TCX files may be sent; Infinity while recordings that may cover them are unread. */
  get tracksInMs(): number {
    const { clock, dryRun } = this.#parts;
    if (dryRun) return 0;
    for (const path of this.#unread.keys()) if (!isTrackName(path)) return Infinity;
    return Math.max(0, this.#changedAt + QUIET_MS - clock.monotonic());
  }

  /** Returns whether a recording, or a GPX or TCX file, has a copy or needs none now. */
  isTaken(sha256: string): boolean {
    return this.#sender.isHeld(sha256) || this.#parts.outbox.has(sha256);
  }

  /** Returns the outcome of a GPX or TCX file that was read before, by the SHA-256 of its bytes. */
  settledTracks(path: string, sha256: string): UploadItem | undefined {
    const { clock, ledger } = this.#parts;
    const decidedBy = ledger.uploads.settledTracks.find(sha256);
    if (decidedBy === undefined) return undefined;
    if (decidedBy === 'not-an-activity') return noTrack(path, false, '');
    const upload = ledger.uploads.find(decidedBy);
    if (upload === undefined) return { path, outcome: 'covered', by: [], sha256 };
    return isSettled(upload, clock.now()) ? settledOutcome(upload, path, upload.sha256) : undefined;
  }

  /** Adds a local file to those that are read. Every rescan finds unread files again. */
  add(file: UnreadFile): void {
    const before = this.#unread.get(file.path);
    if (before !== undefined && sameStamp(before.stamp, file.stamp)) return;
    this.#unread.set(file.path, file);
    const { clock } = this.#parts;
    if (changedMs(file.stamp) > clock.now() - QUIET_MS) this.#changedAt = clock.monotonic();
    // Sorted when the next one is read: one rescan adds thousands.
    this.#sorted.push(file);
    this.#isSorted = false;
    this.#parts.events.post({ type: 'sender-work' });
  }

  /** Forgets the unread files in a folder that disappeared. @returns how many */
  forgetBelow(folder: string): number {
    const below = [...this.#unread.keys()].filter((path) => isBelow(path, folder));
    for (const path of below) this.#unread.delete(path);
    return below.length;
  }

  /** Forgets and returns the paths of the unread files, for the end of a run with `--once`. */
  giveUp(): readonly string[] {
    const paths = [...this.#unread.keys()];
    this.#unread.clear();
    return paths;
  }

  /** Returns whether a file may be copied now: others of its age wait until some were sent. */
  hasRoomFor({ path, stamp }: FoundFile, isOnDevice: boolean): boolean {
    const { clock, dryRun, outbox } = this.#parts;
    if (isOnDevice || dryRun || isRecent(stamp, clock.now())) return true;
    // Copies of GPX and TCX files wait for recordings, which must not wait for these.
    const before = outbox.waiting.filter((copy) => isTrackName(path) || !isTrack(copy));
    return before.reduce((sum, { size }) => sum + size, 0) < ENOUGH_BYTES;
  }

  /** Reads the files that may be read now, fresh ones first, the oldest recording first. */
  async work(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await this.#readAll();
    } catch (error) {
      if (this.#parts.signal.aborted) return;
      if (!(error instanceof SyncError) && systemCode(error) === undefined) throw error;
      this.#retryLater();
      this.#parts.breaker.failed(asFailure(error));
    } finally {
      this.#isReading = false;
    }
  }

  #retryLater(): void {
    this.#retryAt = this.#parts.clock.monotonic() + RETRY_MS;
    // The file is still unread.
    this.#isSorted = false;
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#parts;
    let sliceEnd = performance.now() + SLICE_MS;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (!(await this.take(next, readFile(next.path, this.#buffers)))) {
        this.#retryLater();
        break;
      }
      if (this.#unread.get(next.path) === next) this.#unread.delete(next.path);
      if (performance.now() < sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) break;
      sliceEnd = performance.now() + SLICE_MS;
    }
    this.#flush();
  }

  #next(): UnreadFile | undefined {
    const { clock } = this.#parts;
    if (clock.monotonic() < this.#retryAt) return undefined;
    if (!this.#isSorted) this.#sorted = [...this.#unread.values()].sort(lastFirst(clock.now()));
    this.#isSorted = true;
    for (let next = this.#sorted.at(-1); next !== undefined; next = this.#sorted.at(-1)) {
      const isUnread = this.#unread.get(next.path) === next;
      if (isUnread && !this.hasRoomFor(next, false)) return undefined;
      this.#sorted.pop();
      if (isUnread) return next;
    }
    return undefined;
  }

  /** Writes down the files that were read; a failure costs a second reading. */
  #flush(): void {
    try {
      this.#parts.known.flush();
    } catch (error) {
      this.#parts.report({ event: 'problem', message: messageOf(error) });
    }
  }

  /**
   * Copies the recording in a file that was read, or finds out that it needs no sending.
   *
   * @returns false if it can be neither copied nor sent now
   * @throws ledger errors
   */
  async take(file: UnreadFile, contents: FileContents | Unreadable): Promise<boolean> {
    const { dryRun, incomplete, known } = this.#parts;
    const { path } = file;
    if ('problem' in contents) {
      incomplete.note(file, contents.reason, contents.problem);
      return true;
    }
    if (isTrackName(path) && trackKind(contents.bytes) !== undefined) {
      return await this.#takeTracks(file, contents);
    }
    const identity = identify(contents.bytes);
    const content = knownFileOf(identity);
    const isWhole = 'sha256' in identity;
    if (!isWhole) incomplete.note(file, identity.verdict, identity.detail);
    else if (identity.verdict !== 'activity') {
      this.#sender.skipped(notAnActivity(path, false, content));
    } else if (!(await this.#takeActivity(identity.sha256, file, contents))) {
      return false;
    }
    // A device that states no size may have sent a part of the file.
    const isCertain = isWhole || contents.stamp.size > 0;
    if (isCertain && !dryRun) known.remember(path, contents.stamp, content);
    return true;
  }

  /** @returns false if it can be neither copied nor sent now */
  async #takeActivity(
    sha256: string,
    { path, recordedAt, removable }: UnreadFile,
    contents: FileContents,
  ): Promise<boolean> {
    const { clock, ledger } = this.#parts;
    const upload = ledger.uploads.find(sha256);
    if (upload !== undefined && isSettled(upload, clock.now())) {
      this.#sender.skipped(settledOutcome(upload, path, sha256));
      return true;
    }
    if (this.#isTakenAs(sha256, path)) return true;
    const recording = waitingRecording({ sha256, path, recordedAt, size: contents.bytes.length });
    return await this.#takeNew(recording, contents, removable);
  }

  /**
   * Copies a GPX or TCX file with an activity to send. The copy has the bytes of the file.
   *
   * @returns false if it can be neither copied nor sent now
   */
  async #takeTracks(file: FoundFile, contents: FileContents): Promise<boolean> {
    const { clock, dryRun, incomplete, known, ledger } = this.#parts;
    const { path, removable } = file;
    const { bytes, stamp } = contents;
    const hash = sha256(bytes);
    if (!dryRun) known.remember(path, stamp, { sha256: hash, verdict: 'activity', detail: '' });
    const settled = this.settledTracks(path, hash);
    if (settled !== undefined) this.#sender.skipped(settled);
    if (settled !== undefined || this.#isTakenAs(hash, path)) return true;
    const named = { path, absolute: path, stamp, named: true };
    const source = { ...named, file: named, read: () => Promise.resolve(contents) };
    const { entries, items } = await this.#sender.tracksIn(source, dryRun ? undefined : known);
    for (const item of items) {
      if (item.outcome === 'invalid') incomplete.note(file, item.reason, item.detail);
      else this.#sender.skipped(item);
    }
    const [best] = entries;
    if (best !== undefined) {
      const { channels, records, startedAt } = best.shape;
      const about = { sha256: hash, path, recordedAt: startedAt, size: bytes.length };
      const richness = channels.length * MOST_RECORDS + records;
      const digest = entries.length === 1 ? best.key : undefined;
      const recording = waitingRecording({ ...about, richness, digest });
      return await this.#takeNew(recording, contents, removable);
    }
    const isWhole = !items.some(({ outcome }) => outcome === 'invalid');
    // A clock that is behind makes plans of activities.
    const isClockBehind = changedMs(stamp) > clock.now() + AHEAD_MS;
    if (isWhole && !isClockBehind && !dryRun)
      ledger.uploads.settledTracks.add(hash, decidedBy(items));
    return true;
  }

  /** Returns whether {@link Intake.isTaken}, and notes the path of another file with these bytes. */
  #isTakenAs(sha256: string, path: string): boolean {
    if (!this.isTaken(sha256)) return false;
    const copy = this.#parts.outbox.find(sha256);
    if (copy !== undefined && copy.path !== path) copy.otherPaths.add(path);
    return true;
  }

  /** @returns false if it can be neither copied nor sent now */
  async #takeNew(
    recording: WaitingRecording,
    contents: FileContents,
    removable: boolean,
  ): Promise<boolean> {
    const { breaker, delivers, dryRun, events, report } = this.#parts;
    if (dryRun || !this.#copy(recording, contents.bytes)) {
      return await this.#sender.sendFromMemory(recording, contents);
    }
    const mustWait = breaker.state.state !== 'closed' || !delivers;
    if (removable || mustWait) announce(recording, report);
    events.post({ type: 'sender-work' });
    return true;
  }

  /** @returns false if there is no disk space, or the disk is read-only */
  #copy(recording: WaitingRecording, bytes: Uint8Array): boolean {
    const { outbox, report } = this.#parts;
    try {
      outbox.keep(recording, bytes);
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      const { message, hint } = error;
      if (!this.#saidNotCopied) report({ event: 'not-copied', message, hint });
      this.#saidNotCopied = true;
      return false;
    }
    this.#saidNotCopied = false;
    const { all, folder } = outbox;
    const size = all.reduce((sum, each) => sum + each.size, 0);
    if (size > MANY_BYTES && !this.#saidMany) {
      this.#saidMany = true;
      report({ event: 'many-copies', folder, copies: all.length, bytes: size });
    }
    return true;
  }
}

/** Sorts fresh files to the end, of those FIT recordings, and of those the oldest. */
function lastFirst(now: number): (a: UnreadFile, b: UnreadFile) => number {
  const isFresh = ({ stamp }: UnreadFile) => Number(isRecent(stamp, now));
  const isFit = ({ path }: UnreadFile) => Number(!isTrackName(path));
  return (a, b) =>
    isFresh(a) - isFresh(b) ||
    isFit(a) - isFit(b) ||
    b.recordedAt - a.recordedAt ||
    (a.path < b.path ? 1 : -1);
}

function isRecent(stamp: FileStamp, now: number): boolean {
  return changedMs(stamp) > now - FRESH_MS;
}

function changedMs({ mtimeMs, ctimeMs }: FileStamp): number {
  return Math.max(mtimeMs, ctimeMs);
}
