import { lstatSync } from 'node:fs';
import type { OpenLedger } from '../../app/ledger.ts';
import { countKept } from '../../ledger/outbox.ts';
import type { RecordKind } from '../../ledger/records.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { type ReportedFile, reportedFiles } from '../../ledger/watch-marks.ts';
import { mayHang } from '../../system/mounts.ts';

export interface Waiting {
  /** Recordings that the service has not confirmed, or refused; the latest change first. */
  readonly recordings: readonly LedgerUpload[];
  readonly records: readonly WaitingRecord[];
  readonly kept: number;
  /** Number of other copies there that no running process sends. */
  readonly keptForOthers: number;
  /** Files that the watcher found incomplete or damaged, and that are still there. */
  readonly unusable: readonly ReportedFile[];
}

/** A day that the service has not confirmed with the sent values. */
export interface WaitingRecord {
  readonly kind: RecordKind;
  readonly date: string;
}

const LISTED = 20;

/** @param account the ledger's key of the account */
export function findWaiting(
  { uploads, records, database }: OpenLedger,
  stateDir: string,
  account: string,
): Waiting {
  const { nutrition } = records;
  const nutritionDays = [
    ...new Set([...records.pendingDays('nutrition'), ...nutrition.dates('open')]),
  ];
  return {
    recordings: uploads.undelivered(LISTED),
    records: [
      ...records.pendingDays('wellness').map((date) => ({ kind: 'wellness', date }) as const),
      ...nutritionDays.sort().map((date) => ({ kind: 'nutrition', date }) as const),
    ],
    ...countKept(stateDir, account),
    unusable: reportedFiles(database, account).filter(isUnchanged).slice(0, LISTED),
  };
}

function isUnchanged({ path, size }: ReportedFile): boolean {
  // Looking at it may hang.
  if (mayHang(path)) return false;
  try {
    return lstatSync(path).size === size;
  } catch {
    // It is gone, perhaps with its device.
    return false;
  }
}
