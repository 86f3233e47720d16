import { lstatSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { systemCode } from '../../base/errors.ts';
import type { OutboxRow, OutboxRows } from '../../ledger/outbox.ts';
import { makeFolder, storageError } from '../../system/storage.ts';
import type { QueueItem } from './queue.ts';

/** Largest total size of recordings from fixed disks (bytes). */
const ROOM_BYTES = 512 * 1024 * 1024;
/** Age from which bytes without a row were left by a process that died (ms). */
const LEFTOVER_MS = 60 * 60_000;

/** A recording to keep. */
export interface Keepsake extends OutboxRow {
  readonly bytes: Uint8Array;
  /** From a removable device: kept even if the room is used up. */
  readonly removable: boolean;
}

/**
 * Recordings that wait for the service, with their bytes: they outlive the device they came from, the
 * file, and this process. A kept recording is a file under the state folder and a row in the
 * ledger; the file is there first, and goes last.
 */
export interface Outbox {
  has(sha256: string): boolean;
  /** Where the bytes of a kept recording are. */
  pathOf(sha256: string, path: string): string;
  /** @returns false if there is no room. @throws SyncError `STORAGE` */
  keep(recording: Keepsake): boolean;
  /** Returns whether it is kept, and this process has to send it. */
  owns(sha256: string): boolean;
  /** Nothing happens if it is not there. */
  drop(sha256: string): void;
  /**
   * Adopts recordings that no living process owns. Drops rows without bytes.
   *
   * @returns all recordings that this process has to send, and recordings that others sent or dropped
   */
  review(): { readonly items: readonly QueueItem[]; readonly gone: readonly string[] };
  /** How many recordings this process keeps. */
  readonly count: number;
}

/** @param stateDir of this program; the bytes are in `outbox/` below it, for its owner alone. */
export function openOutbox(stateDir: string, rows: OutboxRows, now: () => number): Outbox {
  const root = join(stateDir, 'outbox');
  const folderOf = (sha256: string) => join(root, sha256);
  const keptPath = (sha256: string, path: string) => join(folderOf(sha256), keptName(path));
  /** What this process is to send. */
  let known = new Map<string, OutboxRow>();
  let room = ROOM_BYTES;
  removeLeftovers(root, rows, now());

  function drop(sha256: string): void {
    const row = known.get(sha256);
    if (row === undefined && !rows.has(sha256)) return;
    rows.remove(sha256);
    known.delete(sha256);
    room += row?.size ?? 0;
    // Another account's watcher may wait with the same recording.
    if (!rows.everyHash().has(sha256)) rmSync(folderOf(sha256), { recursive: true, force: true });
  }

  return {
    // Another watcher of this account may have kept it, or delivered it.
    has: (sha256) => rows.has(sha256),
    pathOf: (sha256, path) => keptPath(sha256, known.get(sha256)?.path ?? path),
    owns: (sha256) => known.has(sha256),
    get count() {
      return known.size;
    },
    keep({ bytes, removable, ...row }) {
      if (rows.has(row.sha256)) return true;
      if (!removable && bytes.length > room) return false;
      const folder = folderOf(row.sha256);
      const path = keptPath(row.sha256, row.path);
      const unfinished = join(folder, `.${randomUUID()}`);
      try {
        makeFolder(folder, 0o700);
        writeFileSync(unfinished, bytes, { mode: 0o600, flush: true });
        renameSync(unfinished, path);
      } catch (cause) {
        rmSync(unfinished, { force: true });
        throw storageError(folder, cause, 'SYNC_STATE_DIR');
      }
      // Another watcher may have been faster.
      if (rows.add(row)) {
        known.set(row.sha256, row);
        room -= row.size;
      }
      return true;
    },
    drop,
    review() {
      const { own, totalSize } = rows.adopt();
      const before = known;
      known = new Map(own.map((row) => [row.sha256, row]));
      room = ROOM_BYTES - totalSize;
      const items: QueueItem[] = [];
      for (const { sha256, path, recordedAt } of own) {
        const absolute = keptPath(sha256, path);
        try {
          const stamp = lstatSync(absolute);
          const kept = { kept: sha256, removable: false, failures: 0 };
          items.push({ key: sha256, path, absolute, stamp, recordedAt, ...kept });
        } catch (error) {
          if (systemCode(error) !== 'ENOENT') throw error;
          drop(sha256);
        }
      }
      return { items, gone: [...before.keys()].filter((sha256) => !known.has(sha256)) };
    },
  };
}

/** The service sees this name: the recording's own, unpacked. */
function keptName(path: string): string {
  return basename(path).replace(/\.gz$/i, '');
}

function removeLeftovers(root: string, rows: OutboxRows, now: number): void {
  let names: string[];
  try {
    names = readdirSync(root);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  const wanted = rows.everyHash();
  for (const name of names) {
    if (wanted.has(name)) continue;
    const folder = join(root, name);
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && made < now - LEFTOVER_MS) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
