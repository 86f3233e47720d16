import { type Database, transaction } from './sql.ts';
import type { UploadStanding } from './upload-rows.ts';
import { isOnMtp, lastingPath } from '../system/mtp-path.ts';

/** Identifies an unchanged file: from `lstat`, times as raw floats. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The content of a file. `verdict` is `activity`, or the reason why it is not sent. */
export interface KnownFile {
  readonly sha256: string | undefined;
  readonly verdict: string;
  readonly detail: string;
  /** It holds wellness and no activity. */
  readonly wellness?: boolean;
}

export interface KnownFileStatus extends KnownFile {
  /** Undefined if the recording was never sent for this account. */
  readonly upload: UploadStanding | undefined;
}

/**
 * A file that changed within this time before it was read is read again (ms): file systems of devices
 * (FAT) count time in steps of 2 s, so a further change might not show.
 */
export const UNCERTAIN_MS = 2_000;

const BATCH = 128;

export type KnownFiles = ReturnType<typeof knownFiles>;

/** Remembers files that were read, so that a file with the same stamp is not read again. */
export function knownFiles(database: Database, account: string, now: () => number) {
  const unsaved = new Map<string, () => void>();
  /** Files read with a stamp from the future, and when that was first (ms since the epoch). */
  const ahead = new Map<string, { readonly stamp: FileStamp; readonly at: number }>();
  return {
    flush,
    /** Returns the recorded findings of a file, if it was read before and is unchanged. */
    find(filePath: string, fileStamp: FileStamp): KnownFileStatus | undefined {
      const { path, stamp } = identityOf(filePath, fileStamp);
      if (unsaved.has(path)) flush();
      const { size, mtimeMs, ctimeMs } = stamp;
      const row = database.get`
        SELECT k.sha256, k.verdict, k.detail, k.wellness,
          u.state, u.attempts, u.refusals, u.changed_at AS changedAt
        FROM known_files k LEFT JOIN uploads u ON u.account = ${account} AND u.sha256 = k.sha256
        WHERE k.path = ${path}
          AND k.size = ${size} AND k.mtime_ms = ${mtimeMs} AND k.ctime_ms = ${ctimeMs}` as
        KnownFileRow | undefined;
      if (row === undefined) return undefined;
      const { sha256, verdict, detail, wellness, state, attempts, refusals, changedAt } = row;
      return {
        sha256: sha256 ?? undefined,
        verdict,
        detail,
        ...(wellness === 1 ? { wellness: true } : {}),
        upload: state === null ? undefined : { state, attempts, refusals, changedAt },
      };
    },
    /**
     * Returns the hash of the recording in an unchanged file, if its upload was found with it when it was
     * remembered. For nearly every file of a folder without new recordings, this is the only look-up: one
     * column. {@link find} knows the others.
     */
    uploaded(filePath: string, fileStamp: FileStamp): string | undefined {
      const { path, stamp } = identityOf(filePath, fileStamp);
      if (unsaved.size > 0 && unsaved.has(path)) flush();
      const { size, mtimeMs, ctimeMs } = stamp;
      const row = database.get`
        SELECT u.sha256 FROM known_files k JOIN uploads u ON u.id = k.upload
        WHERE k.path = ${path}
          AND k.size = ${size} AND k.mtime_ms = ${mtimeMs} AND k.ctime_ms = ${ctimeMs}
          AND u.account = ${account} AND u.sha256 = k.sha256 AND u.state = 'confirmed'`;
      return (row as { readonly sha256: string } | undefined)?.sha256;
    },
    /** Records a file, at the latest with {@link flush}: after a crash it is read again. */
    remember(
      filePath: string,
      fileStamp: FileStamp,
      { sha256, verdict, detail, wellness = false }: KnownFile,
    ): void {
      const { path, stamp } = identityOf(filePath, fileStamp);
      if (!isCertain(path, stamp)) return;
      const { size, mtimeMs, ctimeMs } = stamp;
      unsaved.set(
        path,
        () =>
          database.run`
            INSERT OR REPLACE INTO known_files
              (path, size, mtime_ms, ctime_ms, sha256, verdict, detail, wellness, upload)
            VALUES (${path}, ${size}, ${mtimeMs}, ${ctimeMs}, ${sha256}, ${verdict}, ${detail},
              ${wellness ? 1 : 0},
              (SELECT id FROM uploads WHERE account = ${account} AND sha256 = ${sha256}))`,
      );
      if (unsaved.size >= BATCH) flush();
    },
    /** Runs many look-ups in one read transaction. They see one state of the ledger. */
    reading<T>(task: () => T): T {
      flush();
      return transaction(database, task, 'DEFERRED');
    },
  };

  /** Writes the files that are only remembered so far. */
  function flush(): void {
    if (unsaved.size === 0) return;
    const writes = [...unsaved.values()];
    unsaved.clear();
    transaction(database, () => {
      for (const write of writes) write();
    });
  }

  /**
   * Checks that a change after this reading would show. The clock that stamped the file may be ahead of
   * ours (a device in another zone); then the stamp does not tell its age. But it is old enough if the
   * file was read with this stamp {@link UNCERTAIN_MS} ago: that clock has moved on since.
   */
  function isCertain(path: string, stamp: FileStamp): boolean {
    const newest = Math.max(stamp.mtimeMs, stamp.ctimeMs);
    const at = now();
    const before = ahead.get(path);
    ahead.delete(path);
    if (newest <= at - UNCERTAIN_MS) return true;
    if (newest <= at) return false;
    const met = before !== undefined && sameStamp(before.stamp, stamp) ? before.at : at;
    if (met <= at - UNCERTAIN_MS) return true;
    ahead.set(path, { stamp, at: met });
    return false;
  }
}

/** Checks that two stamps of a file show no change. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

interface KnownFileRow extends Omit<UploadStanding, 'state'> {
  readonly sha256: string | null;
  readonly verdict: string;
  readonly detail: string;
  readonly wellness: 0 | 1;
  /** null if it was never uploaded: then the other fields of the upload are null, too. */
  readonly state: UploadStanding['state'] | null;
}

/**
 * Returns the path and stamp under which the ledger knows a file. On an MTP mount, the device, the
 * path on it and the size identify a file: it has no inode, and its times are missing, now, or in an
 * unknown zone (system/mtp-path.ts). Devices name recordings by their start, so that no two share a name.
 */
export function identityOf(path: string, stamp: FileStamp): { path: string; stamp: FileStamp } {
  if (!isOnMtp(path)) return { path, stamp };
  return { path: lastingPath(path), stamp: { size: stamp.size, mtimeMs: 0, ctimeMs: 0 } };
}
