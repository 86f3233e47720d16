import { SyncError, messageOf, systemCode } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type FileStamp, type KnownFile, sameStamp } from '../../ledger/known-files.ts';
import { MANY_BYTES } from '../../ledger/outbox.ts';
import { isTrackName } from '../../inputs/recording-names.ts';
import { isBelow } from '../../system/mounts.ts';
import { sha256 as hashOf } from '../../system/this-process.ts';
import { trackKind } from '../../tracks/kind.ts';
import { readSummary } from '../../fit/summary.ts';
import { identify, knownFileOf } from '../../upload/identify.ts';
import { noTrack, notAnActivity, settledOutcome } from '../../upload/known-outcome.ts';
import {
  type FileContents,
  type RecordingContents,
  type Unreadable,
  readFile,
  reusedBuffer,
} from '../../upload/read-recording.ts';
import { type FoundRecording, recordingsOf } from '../../upload/recordings-of.ts';
import type { InvalidReason, UploadItem } from '../../upload/report.ts';
import type { WatchParts } from '../parts.ts';
import { type WaitingRecording, announce, waitingRecording } from './outbox.ts';
import { isSettled } from './refusal-backoff.ts';
import { KEPT_BYTES, type Sender, asFailure } from './sender.ts';

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
/** Returns the reason to skip a track of an app that records every walk. */
const ofPhone = (path: string) =>
  phrase`Google Fit or Apple Health wrote it for a walk with the phone. ${sync('upload', path)} sends it.`;
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

/** The outcome of a recording. `taken`: it has a copy, or needs none now. `open`: it is to be copied. */
type Standing = UploadItem | 'taken' | 'open';

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
  | 'marks'
  | 'newOnly'
  | 'outbox'
  | 'report'
  | 'signal'
  | 'tally'
>;

/**
 * Copies whole recordings to the outbox, each once, unless the ledger settles them. From then on a recording outlives
 * its file. The ledger learns of the file after its copy is complete.
 */
export class Intake {
  /** Files that this run found, and `--new-only` leaves out. */
  leftOut = 0;
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
    const copied = new Set(this.#parts.outbox.sendable.map(({ path }) => path));
    return [...this.#unread.keys()].filter((path) => !copied.has(path)).length;
  }

  /** ms until {@link Intake.work} is due without an event. */
  get retryInMs(): number {
    const inMs = this.#retryAt - this.#parts.clock.monotonic();
    return inMs > 0 && this.#unread.size > 0 ? inMs : Infinity;
  }

  /** ms until GPX and TCX files may be sent; Infinity while recordings that may cover them are unread. */
  get tracksInMs(): number {
    const { clock, dryRun, incomplete } = this.#parts;
    if (dryRun) return 0;
    for (const path of this.#unread.keys()) if (!isTrackName(path)) return Infinity;
    const changedAt = Math.max(this.#changedAt, incomplete.changedAt);
    return Math.max(0, changedAt + QUIET_MS - clock.monotonic());
  }

  /**
   * Returns how far a recording is, by its SHA-256, or a GPX or TCX file that was read before, by that of its bytes.
   *
   * @param digest of a conversion: identifies its points
   */
  standingOf(path: string, sha256: string, digest?: string): Standing {
    const { clock, ledger, outbox } = this.#parts;
    const { trackFiles } = ledger.uploads;
    const recordings = trackFiles.find(sha256);
    if (recordings !== undefined) {
      const standings = recordings.map((recording) => this.standingOf(path, recording));
      return standings.sort(byUrgency)[0] ?? noTrack(path, false, '');
    }
    const upload = ledger.uploads.find(sha256, digest);
    if (upload !== undefined && isSettled(upload, clock.now())) {
      return settledOutcome(upload, path, upload.sha256);
    }
    if (this.#sender.isTooShort(sha256) || outbox.has(sha256)) return 'taken';
    return trackFiles.isCovered(sha256) ? { path, outcome: 'covered', by: [], sha256 } : 'open';
  }

  /** Adds a local file to the unread ones. Every rescan finds unread files again. */
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

  /** Leaves out files that were there before `--new-only`, from now on. */
  leaveOut(files: readonly FoundFile[], mark?: 'moved'): void {
    const { dryRun, marks, tally } = this.#parts;
    if (!dryRun) marks.markSeen(files, mark);
    this.leftOut += files.length;
    for (const { path } of files) tally?.(notNew(path));
  }

  /** Forgets and returns the unread files, for the end of a run with `--once`. */
  giveUp(): readonly UnreadFile[] {
    const files = [...this.#unread.values()];
    this.#unread.clear();
    return files;
  }

  /** Returns whether a file may be copied now: others of its age wait until some were sent. */
  hasRoomFor({ path, stamp }: FoundFile, isOnDevice: boolean): boolean {
    const { clock, dryRun, outbox } = this.#parts;
    if (isOnDevice || dryRun || isRecent(stamp, clock.now())) return true;
    // Conversions wait for recordings, which must not wait for these.
    const before = outbox.sendable.filter(({ track }) => isTrackName(path) || track === undefined);
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
    const { bytes, stamp } = contents;
    const isTrackFile = isTrackName(path) && trackKind(bytes) !== undefined;
    const found = { ...file, stamp };
    const content = await (isTrackFile
      ? this.#takeTracks(found, contents)
      : this.#takeFit(found, contents));
    if (content === undefined) return false;
    const { verdict, detail } = content;
    const isWhole = verdict === 'activity' || verdict === 'not-an-activity';
    if (!isWhole) incomplete.note(file, verdict as InvalidReason, detail);
    // A device that states no size may have sent a part of the file.
    const isCertain = isWhole || stamp.size > 0;
    if (isCertain && !dryRun) known.remember(path, stamp, content);
    return true;
  }

  /** @returns what the file holds; undefined if that can be neither copied nor sent now */
  async #takeFit(file: UnreadFile, contents: FileContents): Promise<KnownFile | undefined> {
    const { path, recordedAt } = file;
    const identity = identify(contents.bytes);
    const content = knownFileOf(identity);
    if (identity.verdict === 'not-an-activity') {
      this.#sender.skipped(notAnActivity(path, false, content));
    }
    if (identity.verdict !== 'activity') return content;
    const about = { sha256: identity.sha256, path, recordedAt, size: contents.bytes.length };
    const isTaken = await this.#takeRecording(waitingRecording(about), contents, file);
    return isTaken ? content : undefined;
  }

  /** Takes the recordings that a GPX or TCX file becomes. @returns as {@link Intake.#takeFit} */
  async #takeTracks(file: FoundFile, { bytes }: FileContents): Promise<KnownFile | undefined> {
    const { clock, dryRun, ledger, signal } = this.#parts;
    const { path, stamp } = file;
    const whole = { sha256: hashOf(bytes), verdict: 'activity', detail: '' };
    const before = this.standingOf(path, whole.sha256);
    if (typeof before !== 'string') {
      this.#sender.skipped(before);
      return whole;
    }
    const parts: KnownFile[] = [];
    const recordings: string[] = [];
    for await (const found of recordingsOf(path, { bytes }, { now: clock.now(), signal })) {
      if ('problem' in found) {
        const { problem: detail, reason: verdict } = found;
        const part = { sha256: undefined, verdict, detail };
        if (verdict !== 'not-an-activity') return part;
        parts.push(part);
        this.#sender.skipped(noTrack(found.path, true, detail));
      } else if (found.track?.isPhone === true) {
        parts.push(whole);
        this.#sender.skipped(noTrack(found.path, true, ofPhone(path)));
      } else {
        const recording = conversionOf(found);
        if (!(await this.#takeRecording(recording, found.contents, file))) return undefined;
        const upload = ledger.uploads.find(recording.sha256, recording.track?.digest);
        recordings.push(upload?.sha256 ?? recording.sha256);
        parts.push({ ...whole, sha256: recordings.at(-1) });
      }
    }
    const [only = whole, ...others] = parts;
    // A clock that is behind makes plans of activities.
    const isClockBehind = changedMs(stamp) > clock.now() + AHEAD_MS;
    if (recordings.length === 0 && isClockBehind) return whole;
    if (!dryRun) ledger.uploads.trackFiles.add(whole.sha256, recordings);
    return others.length > 0 ? whole : only;
  }

  /** @returns false if it can be neither copied nor sent now */
  async #takeRecording(
    recording: WaitingRecording,
    contents: RecordingContents,
    file: FoundFile,
  ): Promise<boolean> {
    const { breaker, delivers, dryRun, events, marks, newOnly, outbox, report } = this.#parts;
    const { path, sha256, track } = recording;
    const standing = this.standingOf(path, sha256, track?.digest);
    if (standing === 'taken') {
      const copy = outbox.find(sha256);
      if (copy !== undefined && copy.path !== path) copy.otherPaths.add(path);
      return true;
    }
    if (standing !== 'open') {
      this.#sender.skipped(standing);
      return true;
    }
    if (newOnly && marks.isSeenElsewhere(file.path, file.stamp, lastTime(contents.bytes))) {
      this.leaveOut([file], 'moved');
      return true;
    }
    if (dryRun || !this.#copy(recording, contents.bytes)) {
      return await this.#sender.sendFromMemory(recording, contents);
    }
    const mustWait = breaker.state.state !== 'closed' || !delivers;
    if (file.removable || mustWait) announce(recording, report);
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

/** Returns the outcome of a file that was there before `--new-only`. */
export function notNew(path: string): UploadItem {
  return { path, outcome: 'skipped', reason: 'not-new' };
}

/** Returns the conversion of a GPX or TCX activity. */
function conversionOf({ path, contents, track }: FoundRecording): WaitingRecording {
  const { bytes } = contents;
  const { channels, records, startedAt } = readSummary(bytes).shape;
  const richness = channels.length * MOST_RECORDS + records;
  const about = { sha256: hashOf(bytes), path, recordedAt: startedAt, size: bytes.length };
  return waitingRecording({ ...about, track: track && { ...track, richness } });
}

/** Returns when a recording ended (ms since the epoch); Infinity if it has no times. */
function lastTime(bytes: Uint8Array): number {
  const { startedAt, endedAt } = readSummary(bytes).shape;
  return Math.max(startedAt, endedAt);
}

/** Compares the standings of two recordings in a file: the first one decides about the file. */
function byUrgency(a: Standing, b: Standing): number {
  return urgency(b) - urgency(a);
}

function urgency(standing: Standing): number {
  if (standing === 'open') return 3;
  if (standing === 'taken') return 2;
  return 'reason' in standing && standing.reason === 'refused-before' ? 1 : 0;
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
