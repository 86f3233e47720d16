import { lstatSync } from 'node:fs';
import type { OpenLedger } from '../../app/ledger.ts';
import { countKept } from '../../ledger/outbox.ts';
import {
  KINDS,
  type RecordKind,
  type RecordLedger,
  type UndeliveredDay,
} from '../../ledger/records.ts';
import { type ReportedFile, reportedFiles } from '../../ledger/watch-marks.ts';
import { mayHang } from '../../system/mounts.ts';

export type Waiting = ReturnType<typeof findWaiting>;

const LISTED = 20;

/** @param account the ledger's key of the account */
export function findWaiting(
  { uploads, records, database }: OpenLedger,
  stateDir: string,
  account: string,
) {
  return {
    /** Recordings that the service has not confirmed, or refused; the latest change first. */
    recordings: uploads.undelivered(LISTED),
    /** Days that the service has not confirmed with the sent values, or refused. */
    records: KINDS.flatMap((kind) => undeliveredDays(records, kind).map((d) => ({ kind, ...d }))),
    ...countKept(
      stateDir,
      account,
      (hash, { track }) => uploads.find(hash, track?.digest)?.state === 'confirmed',
    ),
    /** Files that the watcher found incomplete or damaged, and that are still there. */
    unusable: reportedFiles(database, account)
      .filter(isUnchanged)
      .slice(0, LISTED)
      .map(({ path, size, detail }) => ({ path, size, detail })),
  };
}

function undeliveredDays(records: RecordLedger, kind: RecordKind): readonly UndeliveredDay[] {
  const days = records.undelivered(kind);
  if (kind === 'wellness') return days;
  const known = new Set(days.map(({ date }) => date));
  const open = records.nutrition.dates('open').filter((date) => !known.has(date));
  const further = open.map((date) => ({ date, state: 'pending' }) as const);
  return [...days, ...further].sort((one, other) => (one.date < other.date ? -1 : 1));
}

function isUnchanged({ path, size, reportedAt }: ReportedFile): boolean {
  // A call there may hang.
  if (mayHang(path)) return false;
  try {
    // A whole copy over it often has its size, and may have its modification time.
    const now = lstatSync(path);
    return now.size === size && now.ctimeMs <= reportedAt;
  } catch {
    // It is gone, perhaps with its device.
    return false;
  }
}
