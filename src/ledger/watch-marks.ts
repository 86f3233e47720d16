import { identityOf, type FileStamp } from './known-files.ts';
import { type Database, transaction } from './sql.ts';

export type WatchMarks = ReturnType<typeof watchMarks>;

/**
 * Returns marks that the watcher puts on files. A mark holds while the file keeps its size and modification
 * time; a changed owner or mode does not make an old ride a new one.
 */
export function watchMarks(database: Database, account: string, now: () => number) {
  const put = (filePath: string, fileStamp: FileStamp, mark: string) => {
    const { path, stamp } = identityOf(filePath, fileStamp);
    database.run`
      INSERT OR REPLACE INTO watch_marks (account, path, size, mtime_ms, mark, marked_at)
      VALUES (${account}, ${path}, ${stamp.size}, ${stamp.mtimeMs}, ${mark}, ${now()})`;
  };
  const markOf = (filePath: string, fileStamp: FileStamp) => {
    const { path, stamp } = identityOf(filePath, fileStamp);
    const row = database.get`
      SELECT mark FROM watch_marks WHERE account = ${account} AND path = ${path}
        AND size = ${stamp.size} AND mtime_ms = ${stamp.mtimeMs}`;
    return (row as { mark: string } | undefined)?.mark;
  };
  return {
    isSeen: (path: string, stamp: FileStamp) =>
      ['seen', 'moved'].includes(markOf(path, stamp) ?? ''),
    /**
     * Returns whether a seen file was renamed, moved or copied to this one, or touched: it has that file's size, and its
     * path or its time, which no other seen file has. Its recording was over when that file was seen.
     *
     * @param endedAt of the recording (ms since the epoch)
     */
    isSeenElsewhere(filePath: string, fileStamp: FileStamp, endedAt: number): boolean {
      const { path, stamp } = identityOf(filePath, fileStamp);
      const { size, mtimeMs } = stamp;
      const row = database.get`
        SELECT 1 FROM watch_marks
        WHERE account = ${account} AND mark = 'seen' AND size = ${size} AND marked_at > ${endedAt}
          AND (path = ${path} OR (mtime_ms = ${mtimeMs} AND 1 = (
            SELECT count(*) FROM watch_marks
            WHERE account = ${account} AND mark = 'seen' AND mtime_ms = ${mtimeMs})))`;
      return row !== undefined;
    },
    isReported: (path: string, stamp: FileStamp) => markOf(path, stamp) === 'unfinished',
    /** Marks files that were there before: they are not sent. One transaction. */
    markSeen(
      files: readonly { readonly path: string; readonly stamp: FileStamp }[],
      mark: 'seen' | 'moved' = 'seen',
    ) {
      if (files.length === 0) return;
      transaction(database, () => {
        for (const { path, stamp } of files) put(path, stamp, mark);
      });
    },
    markReported(path: string, stamp: FileStamp) {
      put(path, stamp, 'unfinished');
    },
    newOnly: (folder: string, before?: string) =>
      newOnlyFolder(database, account, folder, now(), before),
  };
}

export type NewOnly = ReturnType<typeof newOnlyFolder>;

/**
 * Opens a folder of which only new files are sent: new since that was first asked for. Writes nothing yet.
 *
 * @param before what stands for the folder until it was scanned once, such as all devices
 */
function newOnlyFolder(
  database: Database,
  account: string,
  folder: string,
  now: number,
  before?: string,
) {
  const find = (name: string) =>
    database.get`
      SELECT since, done FROM new_only_folders
      WHERE account = ${account} AND folder = ${name}` as
      { since: number; done: number } | undefined;
  const own = find(folder);
  const row = own ?? (before === undefined ? undefined : find(before));
  return {
    /**
     * Checks if this file was there before. After the first complete scan every other file is new, with any
     * times. If the device was away at the time, or that scan was interrupted, files recorded since are new.
     */
    isOld: ({ mtimeMs }: FileStamp) => row === undefined || (row.done === 0 && mtimeMs < row.since),
    /**
     * Records the time from which on files are new, also for a folder that does not exist yet, and if
     * this process is killed before its first scan ends.
     */
    begin() {
      if (own !== undefined) return;
      database.run`
        INSERT OR IGNORE INTO new_only_folders (account, folder, since, done)
        VALUES (${account}, ${folder}, ${row?.since ?? now}, 0)`;
    },
    /** Records that the first scan is complete. */
    done() {
      if (own?.done === 1) return;
      database.run`
        INSERT INTO new_only_folders (account, folder, since, done)
        VALUES (${account}, ${folder}, ${now}, 1)
        ON CONFLICT (account, folder) DO UPDATE SET done = 1`;
    },
  };
}

export interface ReportedFile {
  readonly path: string;
  /** Its size when it was reported (bytes), and when that was (ms since the epoch). */
  readonly size: number;
  readonly reportedAt: number;
  /** The fault as a sentence, if the file was read to its end. */
  readonly detail: string | undefined;
}

/** Returns the files that a watcher of this account reported; some may be gone by now. */
export function reportedFiles(database: Database, account: string): readonly ReportedFile[] {
  const rows = database.all`
    SELECT m.path, m.size, m.marked_at AS reportedAt, k.detail FROM watch_marks m
    LEFT JOIN known_files k ON k.path = m.path AND k.size = m.size AND k.mtime_ms = m.mtime_ms
    WHERE m.account = ${account} AND m.mark = 'unfinished' ORDER BY m.path`;
  return (rows as (Omit<ReportedFile, 'detail'> & { detail: string | null })[]).map(
    ({ detail, ...file }) => ({ ...file, detail: detail ?? undefined }),
  );
}
