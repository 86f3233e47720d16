import type { Database } from './database.ts';
import { transaction } from './guard.ts';
import type { UploadStanding } from './uploads.ts';

/** What tells whether a file is still the one that was read: from `lstat`, times as raw floats. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** What was found in a file. `verdict` is `activity`, or the reason why it is not sent. */
export interface KnownFile {
  readonly sha256: string | undefined;
  readonly verdict: string;
  readonly detail: string;
}

/** A known file, and whether its recording is where it should be. */
export interface KnownFileStatus extends KnownFile {
  /** How far its upload has come for this account. */
  readonly upload: UploadStanding | undefined;
}

/** Files that were read before: one that still has the same stamp need not be read again. */
export interface KnownFiles {
  /** What is known of an unchanged file; nothing if it was never read or has changed since. */
  find(path: string, stamp: FileStamp): KnownFileStatus | undefined;
  /** Written down with others, or by {@link KnownFiles.flush}: a crash costs a second reading. */
  remember(path: string, stamp: FileStamp, found: KnownFile): void;
  /** Writes down what is only remembered so far. */
  flush(): void;
  /** Runs many look-ups in one read transaction. They see one state of the ledger. */
  reading<T>(task: () => T): T;
}

/**
 * A file that changed within this time before it was read, in ms, is not remembered: file systems
 * of devices (FAT) count time in steps of 2 s, so that a further change might not show.
 */
const UNCERTAIN_MS = 2_000;
/** So many files are written down in one transaction. */
const BATCH = 128;

export function knownFiles(database: Database, account: string, now: () => number): KnownFiles {
  const select = database.prepare(
    `SELECT k.size, k.mtime_ms, k.ctime_ms, k.sha256, k.verdict, k.detail,
            u.state, u.attempts, u.refusals, u.changed_at
     FROM known_files k LEFT JOIN uploads u ON u.account = ? AND u.sha256 = k.sha256
     WHERE k.path = ?`,
  );
  const upsert = database.prepare(
    `INSERT OR REPLACE INTO known_files (path, size, mtime_ms, ctime_ms, sha256, verdict, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const unsaved = new Map<string, () => void>();
  /** What was read with a stamp from the future, and when that was first, in ms since the epoch. */
  const ahead = new Map<string, { readonly stamp: FileStamp; readonly at: number }>();

  /**
   * Would a change after this reading show? The clock that stamped the file may go ahead of ours (a
   * device that counts in another zone); then the stamp does not tell how old it is. But it is old
   * enough if the file was read with it before, so long ago: whatever that clock shows, it went on.
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

  function flush(): void {
    if (unsaved.size === 0) return;
    const writes = [...unsaved.values()];
    unsaved.clear();
    transaction(database, () => {
      for (const write of writes) write();
    });
  }

  return {
    flush,
    find(path, stamp) {
      if (unsaved.has(path)) flush();
      const row = select.get(account, path) as Row | undefined;
      if (
        row?.size !== stamp.size ||
        row.mtime_ms !== stamp.mtimeMs ||
        row.ctime_ms !== stamp.ctimeMs
      ) {
        return undefined;
      }
      return {
        sha256: row.sha256 ?? undefined,
        verdict: row.verdict,
        detail: row.detail,
        upload:
          row.state === null
            ? undefined
            : {
                state: row.state,
                attempts: row.attempts,
                refusals: row.refusals,
                changedAt: row.changed_at,
              },
      };
    },
    remember(path, stamp, { sha256, verdict, detail }) {
      if (!isCertain(path, stamp)) return;
      const { size, mtimeMs, ctimeMs } = stamp;
      unsaved.set(path, () =>
        upsert.run(path, size, mtimeMs, ctimeMs, sha256 ?? null, verdict, detail),
      );
      if (unsaved.size >= BATCH) flush();
    },
    reading(task) {
      flush();
      database.exec('BEGIN');
      try {
        return task();
      } finally {
        database.exec('COMMIT');
      }
    },
  };
}

/** Has nothing happened to the file between two looks at it, as far as they show? */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

type Row = {
  readonly size: number;
  readonly mtime_ms: number;
  readonly ctime_ms: number;
  readonly sha256: string | null;
  readonly verdict: string;
  readonly detail: string;
} & (
  | {
      readonly state: UploadStanding['state'];
      readonly attempts: number;
      readonly refusals: number;
      readonly changed_at: number;
    }
  | { readonly state: null }
);
