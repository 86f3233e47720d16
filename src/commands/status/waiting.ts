import { lstatSync } from 'node:fs';
import type { OpenLedger } from '../../app/ledger.ts';
import { countKept } from '../../ledger/outbox.ts';
import { KINDS } from '../../ledger/records.ts';
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
  const days = {
    wellness: records.pendingDays('wellness'),
    nutrition: [...records.pendingDays('nutrition'), ...records.nutrition.dates('open')].sort(),
  };
  return {
    /** Recordings that the service has not confirmed, or refused; the latest change first. */
    recordings: uploads.undelivered(LISTED),
    /** Days that the service has not confirmed with the sent values. */
    records: KINDS.flatMap((kind) => [...new Set(days[kind])].map((date) => ({ kind, date }))),
    ...countKept(stateDir, account),
    /** Files that the watcher found incomplete or damaged, and that are still there. */
    unusable: reportedFiles(database, account).filter(isUnchanged).slice(0, LISTED),
  };
}

function isUnchanged({ path, size }: ReportedFile): boolean {
  // A call there may hang.
  if (mayHang(path)) return false;
  try {
    return lstatSync(path).size === size;
  } catch {
    // It is gone, perhaps with its device.
    return false;
  }
}
