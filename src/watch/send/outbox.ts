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
import { isFolder } from '../../system/disk.ts';
import { readPlainFile } from '../../system/plain-file.ts';
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

export type Outbox = Readonly<ReturnType<typeof openOutbox>>;

/**
 * Opens the recordings that wait for the service, with their bytes: they outlive the device they came from,
 * the file, this process, and the ledger. The label of a copy is written before its bytes, and deleted
 * after them, so that complete bytes always have one.
 *
 * @param stateDir of this program; the bytes are in `outbox/` below it, for its owner alone
 */
export function openOutbox(
  stateDir: string,
  account: string,
  mark: ProcessMark,
  roomBytes = ROOM_BYTES,
) {
  const root = outboxFolder(stateDir);
  const ownFolder = (sha256: string) => join(root, sha256, mark.id);
  let known = new Map<string, CopyLabel>();
  let room = roomBytes;

  /** Returns the copies of a recording for this account, of any process. */
  const copiesOf = (sha256: string) =>
    [...copiesIn(stateDir, [sha256])].filter(({ label }) => label?.account === account);

  function drop(sha256: string): void {
    remove(sha256, ...copiesOf(sha256));
    room += known.get(sha256)?.size ?? 0;
    known.delete(sha256);
  }

  /** Takes over the copy of a dead process, or removes its remains. @returns false if it stays */
  function adopt({ sha256, folder, label }: Copy): boolean {
    if (label !== undefined && label.account !== account) return false;
    // Two watchers kept it at the same moment: both copies go when it is delivered.
    if (label !== undefined && existsSync(ownFolder(sha256))) return true;
    try {
      const names = namesIn(folder).filter((name) => name !== LABEL);
      const whole = names.find((name) => hashOf(readPlainFile(join(folder, name))) === sha256);
      if (whole !== undefined && label !== undefined) {
        renameSync(join(folder, whole), join(folder, keptName(label.path)));
        renameSync(folder, ownFolder(sha256));
        known.set(sha256, label);
        return true;
      }
      if (whole === undefined && isFolder(folder) && names.every((name) => name === UNFINISHED)) {
        remove(sha256, { folder });
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

  /** Removes copies. The label goes last: bytes without one would be kept for ever. */
  function remove(sha256: string, ...copies: readonly Pick<Copy, 'folder'>[]): void {
    for (const { folder } of copies) {
      const bytes = namesIn(folder).filter((name) => name !== LABEL);
      for (const name of bytes) rmSync(join(folder, name), { force: true });
      rmSync(folder, { recursive: true, force: true });
    }
    try {
      rmdirSync(join(root, sha256));
    } catch (error) {
      // Another account's watcher may wait with the same recording, or remove the folder now.
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(systemCode(error) ?? '')) throw error;
    }
  }

  return {
    // Another watcher of this account may have kept it, or delivered it.
    has: (sha256: string) => copiesOf(sha256).length > 0,
    /** Returns where the bytes of a kept recording are. */
    pathOf: (sha256: string, path: string) =>
      join(ownFolder(sha256), keptName(known.get(sha256)?.path ?? path)),
    /** Returns whether it is kept, and this process has to send it. */
    owns: (sha256: string) => known.has(sha256),
    get count(): number {
      return known.size;
    },
    /** @returns false if there is no room. @throws SyncError `STORAGE` */
    keep({ sha256, bytes, beyondRoom, path, recordedAt }: Keepsake): boolean {
      if (copiesOf(sha256).length > 0) return true;
      if (!beyondRoom && bytes.length > room) return false;
      const folder = ownFolder(sha256);
      const label: CopyLabel = { account, path, size: bytes.length, recordedAt };
      const unfinished = join(folder, UNFINISHED);
      try {
        makeFolder(folder, 0o700);
        writeFileSync(join(folder, LABEL), JSON.stringify(label), { mode: 0o600, flush: true });
        writeFileSync(unfinished, bytes, { mode: 0o600, flush: true });
        renameSync(unfinished, join(folder, keptName(path)));
      } catch (cause) {
        remove(sha256, { folder });
        throw storageError(folder, cause, 'SYNC_STATE_DIR');
      }
      known.set(sha256, label);
      room -= bytes.length;
      return true;
    },
    /** Nothing happens if it is not there. */
    drop,
    /**
     * Adopts recordings that no living process owns. Removes copies that were not finished.
     *
     * @returns all recordings that this process has to send, recordings that others sent or dropped, and
     *   how many copies no process sends: another account's, and damaged ones
     */
    review() {
      const before = known;
      known = new Map();
      room = roomBytes;
      let forOthers = 0;
      const isAbandoned = abandonedFor(mark);
      for (const copy of copiesIn(stateDir)) {
        const { sha256, owner, label } = copy;
        if (label?.account === account) room -= label.size;
        if (owner === mark.id) {
          if (label?.account === account) known.set(sha256, label);
        } else if (isAbandoned(owner) && !adopt(copy)) forOthers += 1;
      }
      const items: QueueItem[] = [];
      for (const [sha256, { path, size, recordedAt }] of known) {
        const absolute = join(ownFolder(sha256), keptName(path));
        try {
          const stamp = lstatSync(absolute);
          const kept = { kept: sha256, removable: false, failures: 0 };
          items.push({ key: sha256, path, absolute, stamp, recordedAt, ...kept });
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') throw error;
          room += size;
          known.delete(sha256);
          remove(sha256, { folder: ownFolder(sha256) });
        }
      }
      const gone = [...before.keys()].filter((sha256) => !known.has(sha256));
      return { items, gone, forOthers };
    },
  };
}

/** The service sees this name: the recording's own, unpacked. */
function keptName(path: string): string {
  return basename(path).replace(/\.gz$/i, '');
}
