import type { FitSample } from '../fit/wellness.ts';
import { UNCERTAIN_MS, identityOf, type FileStamp } from './known-files.ts';
import { type Database, transaction } from './sql.ts';

/** The value of a field that was sent last. */
export interface SentField {
  readonly value: number | string;
  /** The program that states it: a source's name, or `platform` for records in the platform's form. */
  readonly source: string;
  /** When the file of the source was written (ms since the epoch): an older one does not replace the value. */
  readonly asOf?: number | null;
  /** The value before it. */
  readonly before?: Pick<SentField, 'value' | 'source'> | null;
  /** The value that the user took back. */
  readonly undone?: number | string | null;
  /** Values of other programs, and the platform's (`there`), that differ, and that a note has named. */
  readonly reported?: Readonly<Record<string, number | string>>;
}

export interface MeasuredFile {
  /** Absolute. */
  readonly path: string;
  readonly samples: readonly FitSample[];
}

/** Lifetime of what an answer has shown about a field (ms): a later day finds out if the service learned it. */
const DROPPED_VALID_MS = 86_400_000;

export type WellnessLedger = ReturnType<typeof wellnessLedger>;

/**
 * The wellness of one account: the measurements in its devices' files, as an outbox of days, and the fields that were
 * sent of each day.
 */
export function wellnessLedger(database: Database, account: string, now: () => number) {
  return {
    /** Returns whether the file was read, and did not change since. */
    isRead(filePath: string, fileStamp: FileStamp): boolean {
      const { path, stamp } = identityOf(filePath, fileStamp);
      const { size, mtimeMs, ctimeMs } = stamp;
      const row = database.get`
        SELECT 1 FROM wellness_files WHERE account = ${account} AND path = ${path}
          AND size = ${size} AND mtime_ms = ${mtimeMs} AND ctime_ms = ${ctimeMs}`;
      return row !== undefined;
    },
    /**
     * Records the measurements of a file in place of earlier ones.
     *
     * @param stamp from before it was read
     */
    putFile({ path: filePath, samples }: MeasuredFile, fileStamp: FileStamp): void {
      const { path, stamp } = identityOf(filePath, fileStamp);
      const isCertain = Math.max(stamp.mtimeMs, stamp.ctimeMs) <= now() - UNCERTAIN_MS;
      const { size, mtimeMs, ctimeMs } = isCertain ? stamp : {};
      transaction(database, () => {
        database.run`
          INSERT OR REPLACE INTO wellness_files (account, path, size, mtime_ms, ctime_ms, open)
          VALUES (${account}, ${path}, ${size}, ${mtimeMs}, ${ctimeMs}, ${samples.length > 0 ? 1 : 0})`;
        database.run`
          DELETE FROM wellness_samples WHERE account = ${account} AND path = ${path}`;
        for (const [number, { at, ...sample }] of samples.entries()) {
          database.run`
            INSERT INTO wellness_samples (account, path, number, at, sample)
            VALUES (${account}, ${path}, ${number}, ${at}, ${JSON.stringify(sample)})`;
        }
      });
    },
    /** Returns the files with days that may have to be sent; times of measurements in s since the epoch. */
    openFiles(): readonly {
      readonly path: string;
      readonly first: number;
      readonly last: number;
    }[] {
      return database.all`
        SELECT f.path, min(s.at) AS first, max(s.at) AS last
        FROM wellness_files f JOIN wellness_samples s ON s.account = f.account AND s.path = f.path
        WHERE f.account = ${account} AND f.open = 1 GROUP BY f.path` as {
        path: string;
        first: number;
        last: number;
      }[];
    },
    /** Returns the measurements between two times (s since the epoch), by file. */
    measured(from: number, to: number): readonly MeasuredFile[] {
      const rows = database.all`
        SELECT path, at, sample FROM wellness_samples
        WHERE account = ${account} AND at BETWEEN ${from} AND ${to} ORDER BY path, number`;
      const files = new Map<string, FitSample[]>();
      for (const { path, at, sample } of rows as SampleRow[]) {
        const samples = files.get(path) ?? [];
        files.set(path, samples);
        samples.push({ ...(JSON.parse(sample) as Omit<FitSample, 'at'>), at });
      }
      return [...files].map(([path, samples]) => ({ path, samples }));
    },
    /** Returns the users of scales, also those in `fresh` files; undefined is a user without a number. */
    scaleUsers(fresh: readonly MeasuredFile[]): ReadonlySet<number | undefined> {
      const rows = database.all`
        SELECT DISTINCT json_extract(sample, '$.user') AS user FROM wellness_samples
        WHERE account = ${account} AND json_extract(sample, '$.field') = 'weight'`;
      const weights = fresh.flatMap(({ samples }) =>
        samples.filter(({ field }) => field === 'weight'),
      );
      return new Set([
        ...(rows as { user: number | null }[]).map(({ user }) => user ?? undefined),
        ...weights.map(({ user }) => user),
      ]);
    },
    settleFiles(paths: readonly string[]): void {
      if (paths.length === 0) return;
      transaction(database, () => {
        for (const path of paths) {
          database.run`
            UPDATE wellness_files SET open = 0 WHERE account = ${account} AND path = ${path}`;
        }
      });
    },
    /** Returns the sent fields of a day, the record that a watcher sent last, and the refused one. */
    day(date: string) {
      const row = database.get`
        SELECT sent, watched, refused, refusals, refused_at AS at FROM wellness_days
        WHERE account = ${account} AND date = ${date}` as DayRow | undefined;
      const { refused = null, refusals = 0, at } = row ?? {};
      return {
        sent: JSON.parse(row?.sent ?? '{}') as Readonly<Record<string, SentField>>,
        watched: row?.watched ?? undefined,
        /** The service's refusals of one record; `at`: of the last one (ms since the epoch). */
        refusal: refused === null ? undefined : { digest: refused, refusals, at: at ?? 0 },
      };
    },
    /** Returns the weight of the latest day that was sent with one (kg). */
    lastWeight(): number | undefined {
      const row = database.get`
        SELECT json_extract(sent, '$.weight.value') AS weight FROM wellness_days
        WHERE account = ${account} AND weight IS NOT NULL ORDER BY date DESC LIMIT 1`;
      return (row as { weight: number } | undefined)?.weight;
    },
    /** Returns the unit that the user named for a field of such tables. @param form their source and columns */
    unitOf(form: string, field: string): string | undefined {
      const row = database.get`
        SELECT unit FROM source_units
        WHERE account = ${account} AND form = ${form} AND field = ${field}`;
      return (row as { unit: string } | undefined)?.unit;
    },
    rememberUnit(form: string, field: string, unit: string): void {
      database.run`
        INSERT OR REPLACE INTO source_units (account, form, field, unit)
        VALUES (${account}, ${form}, ${field}, ${unit})`;
    },
    /** Records the fields that the service took; `null` deletes a member. */
    noteSent(date: string, sent: Readonly<Record<string, SentField>>): void {
      database.run`
        INSERT INTO wellness_days (account, date, sent)
        VALUES (${account}, ${date}, ${JSON.stringify(sent)})
        ON CONFLICT (account, date) DO UPDATE SET sent = json_patch(sent, excluded.sent)`;
    },
    /** Records which fields of a day the service kept, and which it dropped. */
    noteAnswer(kept: readonly string[], dropped: readonly string[]): void {
      const known = droppedFields();
      if (dropped.length === 0 && !kept.some((name) => name in known)) return;
      transaction(database, () => {
        const others = Object.entries(droppedFields()).filter(([name]) => !kept.includes(name));
        const fresh = dropped.map((name) => [name, now()] as const);
        database.run`
          INSERT OR REPLACE INTO wellness_services (account, dropped)
          VALUES (${account}, ${JSON.stringify(Object.fromEntries([...others, ...fresh]))})`;
      });
    },
    /** Checks if the service is known to drop every one of these fields. */
    drops(names: readonly string[]): boolean {
      const known = droppedFields();
      const oldest = now() - DROPPED_VALID_MS;
      return names.every((name) => (known[name] ?? -Infinity) > oldest);
    },
    noteWatched(date: string, digest: string): void {
      database.run`
        INSERT INTO wellness_days (account, date, watched) VALUES (${account}, ${date}, ${digest})
        ON CONFLICT (account, date) DO UPDATE SET watched = excluded.watched`;
    },
    noteRefusal(date: string, digest: string): void {
      database.run`
        INSERT INTO wellness_days (account, date, refused, refusals, refused_at)
        VALUES (${account}, ${date}, ${digest}, 1, ${now()})
        ON CONFLICT (account, date) DO UPDATE SET
          refusals = CASE refused WHEN excluded.refused THEN refusals + 1 ELSE 1 END,
          refused = excluded.refused, refused_at = excluded.refused_at`;
    },
  };

  function droppedFields(): Readonly<Record<string, number>> {
    const row = database.get`
      SELECT dropped FROM wellness_services WHERE account = ${account}` as
      { dropped: string } | undefined;
    return row === undefined ? {} : (JSON.parse(row.dropped) as Record<string, number>);
  }
}

interface SampleRow {
  readonly path: string;
  readonly at: number;
  readonly sample: string;
}

interface DayRow {
  readonly sent: string;
  readonly watched: string | null;
  readonly refused: string | null;
  readonly refusals: number;
  readonly at: number | null;
}
