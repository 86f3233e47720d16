import { existsSync, lstatSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import {
  type Copy,
  type CopyLabel,
  LABEL,
  abandonedFor,
  copiesIn,
  namesIn,
  outboxFolder,
} from '../../ledger/outbox.ts';
import { isFolder, readPlainFile } from '../../system/plain-file.ts';
import type { ProcessMark } from '../../system/processes.ts';
import { sha256 as hashOf } from '../../system/this-process.ts';
import { makeFolder, storageError } from '../../system/storage.ts';
import type { QueueItem } from './queue.ts';

/** Largest total size of recordings from fixed disks (bytes). */
const ROOM_BYTES = 512 * 1024 * 1024;
/** The bytes of a copy while they are written. */
const UNFINISHED = '.unfinished';

export interface Keepsake extends Omit<CopyLabel, 'account' | 'size'> {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  /** Whether it is kept even if the room is used up. */
  readonly beyondRoom: boolean;
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
  readonly #roomBytes: number;
  /** The recordings that this process has to send. */
  #known = new Map<string, CopyLabel>();
  #room: number;

  /** @param stateDir of this program; the bytes are in `outbox/` below it, for its owner alone */
  constructor(stateDir: string, account: string, mark: ProcessMark, roomBytes = ROOM_BYTES) {
    this.#stateDir = stateDir;
    this.#account = account;
    this.#mark = mark;
    this.#roomBytes = roomBytes;
    this.#room = roomBytes;
  }

  get count(): number {
    return this.#known.size;
  }

  /** Another watcher of this account may have kept it, or delivered it. */
  has(sha256: string): boolean {
    return this.#copiesOf(sha256).length > 0;
  }

  /**
   * Returns the queue item of a recording that is kept, and that this process has to send; undefined for others.
   *
   * @throws system errors, `ENOENT` if its bytes are gone
   */
  itemOf(sha256: string): QueueItem | undefined {
    const label = this.#known.get(sha256);
    if (label === undefined) return undefined;
    const { path, recordedAt } = label;
    const absolute = join(this.#ownFolder(sha256), keptName(path));
    const kept = { kept: sha256, removable: false, failures: 0 };
    return { key: sha256, path, absolute, stamp: lstatSync(absolute), recordedAt, ...kept };
  }

  /** @returns false if there is no room. @throws SyncError `STORAGE` */
  keep({ sha256, bytes, beyondRoom, path, recordedAt }: Keepsake): boolean {
    if (this.has(sha256)) return true;
    const size = bytes.length;
    if (!beyondRoom && size > this.#room) return false;
    const folder = this.#ownFolder(sha256);
    const label: CopyLabel = { account: this.#account, path, size, recordedAt };
    const unfinished = join(folder, UNFINISHED);
    try {
      makeFolder(folder, 0o700);
      writeFileSync(join(folder, LABEL), JSON.stringify(label), { mode: 0o600, flush: true });
      writeFileSync(unfinished, bytes, { mode: 0o600, flush: true });
      renameSync(unfinished, join(folder, keptName(path)));
    } catch (cause) {
      this.#remove(sha256, { folder });
      throw storageError(folder, cause, 'SYNC_STATE_DIR');
    }
    this.#known.set(sha256, label);
    this.#room -= size;
    return true;
  }

  /** Nothing happens if it is not there. */
  drop(sha256: string): void {
    this.#remove(sha256, ...this.#copiesOf(sha256));
    this.#room += this.#known.get(sha256)?.size ?? 0;
    this.#known.delete(sha256);
  }

  /**
   * Adopts recordings that no living process owns. Removes copies that were not finished.
   *
   * @returns all recordings that this process has to send, recordings that others sent or dropped, and
   *   how many copies no process sends: another account's, and damaged ones
   */
  review() {
    const before = this.#known;
    const forOthers = this.#reviewCopies();
    const items: QueueItem[] = [];
    for (const [sha256, { size }] of this.#known) {
      try {
        const item = this.itemOf(sha256);
        if (item !== undefined) items.push(item);
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error;
        this.#room += size;
        this.#known.delete(sha256);
        this.#remove(sha256, { folder: this.#ownFolder(sha256) });
      }
    }
    const gone = [...before.keys()].filter((sha256) => !this.#known.has(sha256));
    return { items, gone, forOthers };
  }

  /** Finds out which copies this process has to send. @returns how many no process sends */
  #reviewCopies(): number {
    this.#known = new Map();
    this.#room = this.#roomBytes;
    let forOthers = 0;
    const isAbandoned = abandonedFor(this.#mark);
    for (const copy of copiesIn(this.#stateDir)) {
      const { sha256, owner, label } = copy;
      const isOwn = label?.account === this.#account;
      if (isOwn) this.#room -= label.size;
      if (owner === this.#mark.id) {
        if (isOwn) this.#known.set(sha256, label);
      } else if (isAbandoned(owner) && !this.#adopt(copy)) forOthers += 1;
    }
    return forOthers;
  }

  /** Takes over the copy of a dead process, or removes its remains. @returns false if it stays */
  #adopt({ sha256, folder, label }: Copy): boolean {
    if (label !== undefined && label.account !== this.#account) return false;
    // Two watchers kept it at the same moment: both copies go when it is delivered.
    if (label !== undefined && existsSync(this.#ownFolder(sha256))) return true;
    try {
      const names = namesIn(folder).filter((name) => name !== LABEL);
      const whole = names.find((name) => hashOf(readPlainFile(join(folder, name))) === sha256);
      if (whole !== undefined && label !== undefined) {
        renameSync(join(folder, whole), join(folder, keptName(label.path)));
        renameSync(folder, this.#ownFolder(sha256));
        this.#known.set(sha256, label);
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

  /** Removes copies. The label goes last: bytes without one would be kept for ever. */
  #remove(sha256: string, ...copies: readonly Pick<Copy, 'folder'>[]): void {
    for (const { folder } of copies) {
      const bytes = namesIn(folder).filter((name) => name !== LABEL);
      for (const name of bytes) rmSync(join(folder, name), { force: true });
      rmSync(folder, { recursive: true, force: true });
    }
    try {
      rmdirSync(join(outboxFolder(this.#stateDir), sha256));
    } catch (error) {
      // Another account's watcher may wait with the same recording, or remove the folder now.
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
    }
  }

  #ownFolder(sha256: string): string {
    return join(outboxFolder(this.#stateDir), sha256, this.#mark.id);
  }
}

/** The service sees this name: the recording's own, unpacked. */
function keptName(path: string): string {
  return basename(path).replace(/\.gz$/i, '');
}
