import { existsSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Failure, SyncError, systemCode } from '../../base/errors.ts';
import {
  type Copy,
  type CopyLabel,
  LABEL,
  abandonedFor,
  copiesIn,
  namesIn,
  outboxFolder,
} from '../../ledger/outbox.ts';
import { fileOf } from '../../inputs/recording-names.ts';
import { freeBytes } from '../../system/disk.ts';
import { isFolder, readPlainFile } from '../../system/plain-file.ts';
import type { ProcessMark } from '../../system/processes.ts';
import { sha256 as hashOf } from '../../system/this-process.ts';
import { makeFolder, storageError } from '../../system/storage.ts';
import {
  type BufferSource,
  type FileContents,
  type Unreadable,
  readFile,
} from '../../upload/read-recording.ts';
import type { WatchNotice } from '../report.ts';

/** Free space that copies leave to the ledger: on a full disk, nothing could be sent (bytes). */
const LEDGER_BYTES = 32 * 1024 * 1024;
/** The bytes of a copy while they are written. */
const UNFINISHED = '.unfinished';

/** A recording that this process has to send. */
export interface WaitingRecording extends Omit<CopyLabel, 'account'> {
  readonly sha256: string;
  /** Further files with the same bytes. */
  readonly otherPaths: Set<string>;
  failures: number;
  /** The last one. */
  failure?: Failure;
  /** Its copy was reported. */
  isAnnounced: boolean;
  /** The service refused it, and the pause before the next offer has not passed. */
  isResting: boolean;
}

/**
 * The recordings that wait for the service, with their bytes: they outlive the device they came from,
 * the file, this process, and the ledger. The label of a copy is written before its bytes, and deleted
 * after them, so that complete bytes always have one.
 */
export class Outbox {
  readonly #stateDir: string;
  readonly #account: string;
  readonly #mark: ProcessMark;
  #recordings = new Map<string, WaitingRecording>();

  /** @param stateDir of this program; the bytes are in `outbox/` below it, for its owner alone */
  constructor(stateDir: string, account: string, mark: ProcessMark) {
    this.#stateDir = stateDir;
    this.#account = account;
    this.#mark = mark;
  }

  get folder(): string {
    return outboxFolder(this.#stateDir);
  }

  get all(): readonly WaitingRecording[] {
    return [...this.#recordings.values()];
  }

  /** The recordings that are being sent or may be sent, in no order. */
  get sendable(): readonly WaitingRecording[] {
    return this.all.filter(({ isResting }) => !isResting);
  }

  /** Returns whether there is a copy. Another watcher of this account may have made it. */
  has(sha256: string): boolean {
    return this.#recordings.has(sha256) || this.#copiesOf(sha256).length > 0;
  }

  /** Returns the recording if this process has to send it. */
  find(sha256: string): WaitingRecording | undefined {
    return this.#recordings.get(sha256);
  }

  /**
   * Returns the recording to send next: the oldest, and failed ones after all others, so that a recording that the
   * service cannot take delays no other. Conversions come after FIT recordings, those with more channels first.
   *
   * @param sending those that are being sent
   * @param takesTracks whether it may be a conversion
   */
  next(sending: ReadonlySet<WaitingRecording>, takesTracks: boolean): WaitingRecording | undefined {
    let next: WaitingRecording | undefined;
    for (const recording of this.#recordings.values()) {
      if (recording.isResting || sending.has(recording)) continue;
      if (!takesTracks && recording.track !== undefined) continue;
      if (next === undefined || compare(recording, next) < 0) next = recording;
    }
    return next;
  }

  /** Copies a recording. @throws SyncError `STORAGE` */
  keep(recording: WaitingRecording, bytes: Uint8Array): void {
    const { sha256, path, size, recordedAt, track } = recording;
    const folder = this.#ownFolder(sha256);
    if ((freeBytes(this.#stateDir) ?? Infinity) < size + LEDGER_BYTES) {
      throw new SyncError('STORAGE', `The disk of ${this.#stateDir} is nearly full.`, {
        hint: 'Free some space there.',
      });
    }
    const label: CopyLabel = { account: this.#account, path, size, recordedAt, track };
    const unfinished = join(folder, UNFINISHED);
    try {
      makeFolder(folder, 0o700);
      writeFileSync(join(folder, LABEL), JSON.stringify(label), { mode: 0o600, flush: true });
      writeFileSync(unfinished, bytes, { mode: 0o600, flush: true });
      renameSync(unfinished, this.#fileOf(recording));
    } catch (cause) {
      this.#tryToRemove(sha256, folder);
      throw storageError(folder, cause, 'SYNC_STATE_DIR');
    }
    this.#recordings.set(sha256, recording);
  }

  /** @returns the bytes, valid until `buffers` is used again, or why the copy cannot be read */
  read(recording: WaitingRecording, buffers: BufferSource): FileContents | Unreadable {
    return readFile(this.#fileOf(recording), buffers);
  }

  drop(sha256: string): void {
    this.#recordings.delete(sha256);
    this.#remove(sha256, ...this.#copiesOf(sha256));
  }

  /**
   * Adopts recordings that no living process owns, and forgets those that others sent or dropped. Removes copies
   * that were not finished.
   *
   * @returns how many copies no process sends: another account's, and damaged ones
   */
  review(): number {
    const found = new Map<string, WaitingRecording>();
    let forOthers = 0;
    const isAbandoned = abandonedFor(this.#mark);
    for (const copy of copiesIn(this.#stateDir)) {
      const { sha256, owner, folder, label } = copy;
      if (owner === this.#mark.id) {
        if (label?.account !== this.#account) continue;
        const recording = this.#recordings.get(sha256) ?? adopted(sha256, label);
        if (existsSync(this.#fileOf(recording))) found.set(sha256, recording);
        else this.#remove(sha256, { folder });
      } else if (isAbandoned(owner) && !this.#adopt(copy, found)) forOthers += 1;
    }
    this.#recordings = found;
    return forOthers;
  }

  /** Takes over the copy of a dead process, or removes its remains. @returns false if it stays */
  #adopt({ sha256, folder, label }: Copy, into: Map<string, WaitingRecording>): boolean {
    if (label !== undefined && label.account !== this.#account) return false;
    // Two watchers kept it at the same moment: both copies go when it is delivered.
    if (label !== undefined && existsSync(this.#ownFolder(sha256))) return true;
    try {
      const names = namesIn(folder).filter((name) => name !== LABEL);
      const whole = names.find((name) => hashOf(readPlainFile(join(folder, name))) === sha256);
      if (whole !== undefined && label !== undefined) {
        renameSync(join(folder, whole), join(folder, keptName(label.path)));
        renameSync(folder, this.#ownFolder(sha256));
        into.set(sha256, adopted(sha256, label));
        return true;
      }
      if (whole === undefined && isFolder(folder) && names.every((name) => name === UNFINISHED)) {
        this.#remove(sha256, { folder });
        return true;
      }
      // Other bytes than it had: it counts as damaged from now on.
      if (label !== undefined) renameSync(join(folder, LABEL), join(folder, `damaged-${LABEL}`));
      return false;
    } catch (error) {
      // Another watcher was faster, or it is no copy that this program made.
      return systemCode(error) === 'ENOENT';
    }
  }

  /** Returns the copies of a recording for this account, of any process. */
  #copiesOf(sha256: string): readonly Copy[] {
    const copies = [...copiesIn(this.#stateDir, [sha256])];
    return copies.filter(({ label }) => label?.account === this.#account);
  }

  #tryToRemove(sha256: string, folder: string): void {
    try {
      this.#remove(sha256, { folder });
    } catch {
      // The disk is read-only. A later process removes the remains.
    }
  }

  /** Removes copies. The label goes last: bytes without one would be kept for ever. */
  #remove(sha256: string, ...copies: readonly Pick<Copy, 'folder'>[]): void {
    for (const { folder } of copies) {
      const bytes = namesIn(folder).filter((name) => name !== LABEL);
      for (const name of bytes) rmSync(join(folder, name), { force: true });
      rmSync(folder, { recursive: true, force: true });
    }
    try {
      rmdirSync(join(this.folder, sha256));
    } catch (error) {
      // Another account's watcher may wait with the same recording, or remove the folder now.
      const code = systemCode(error) ?? '';
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(code)) throw error;
    }
  }

  #ownFolder(sha256: string): string {
    return join(this.folder, sha256, this.#mark.id);
  }

  #fileOf({ sha256, path }: WaitingRecording): string {
    return join(this.#ownFolder(sha256), keptName(path));
  }
}

export function waitingRecording(
  about: Pick<WaitingRecording, 'sha256' | 'path' | 'size' | 'recordedAt' | 'track'>,
): WaitingRecording {
  const fresh = { failures: 0, isAnnounced: false, isResting: false };
  return { ...about, otherPaths: new Set<string>(), ...fresh };
}

function adopted(sha256: string, label: CopyLabel): WaitingRecording {
  const { path, size, recordedAt, track } = label;
  return { ...waitingRecording({ sha256, path, size, recordedAt, track }), isAnnounced: true };
}

/** Reports a copy, once. */
export function announce(recording: WaitingRecording, report: (notice: WatchNotice) => void): void {
  const { path, sha256, isAnnounced } = recording;
  recording.isAnnounced = true;
  if (!isAnnounced) report({ event: 'kept', path, sha256 });
}

function compare(a: WaitingRecording, b: WaitingRecording): number {
  return (
    a.failures - b.failures ||
    Number(a.track !== undefined) - Number(b.track !== undefined) ||
    (b.track?.richness ?? 0) - (a.track?.richness ?? 0) ||
    a.recordedAt - b.recordedAt ||
    (a.path < b.path ? -1 : 1)
  );
}

/** Returns the file's own name, unpacked, without the number of an activity: with it, a name may be too long. */
function keptName(path: string): string {
  return basename(fileOf(path)).replace(/\.gz$/i, '');
}
