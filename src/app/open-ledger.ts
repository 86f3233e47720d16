import { join } from 'node:path';
import { type Config, accountKey } from '../config/config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { adoptAccount } from '../ledger/accounts.ts';
import { openDatabase, type Database } from '../ledger/database.ts';
import { type KnownFiles, knownFiles } from '../ledger/known-files.ts';
import { type ProcessMark, markProcess } from '../system/processes.ts';
import { RecordLedger } from '../ledger/records.ts';
import { type UploadLedger, uploadLedger } from '../ledger/uploads.ts';
import type { Clock } from '../base/time.ts';

/** The ledger, open for one account. */
export interface OpenLedger {
  readonly database: Database;
  readonly mark: ProcessMark;
  readonly uploads: UploadLedger;
  readonly known: KnownFiles;
  readonly records: RecordLedger;
  /** May be called twice. */
  close(): void;
}

/** The ledger's file; one for all accounts. */
export function ledgerPath(config: Config): string {
  return join(config.paths.stateDir, 'ledger.db');
}

/** @throws SyncError `STORAGE` */
export function openLedger(config: Config, account: string, clock: Clock): OpenLedger {
  const database = openDatabase(ledgerPath(config));
  // A profile is one account: what was filed while nobody could say whose, is this athlete's.
  if (!hasEnvironmentTokens(config)) {
    adoptAccount(database, accountKey(config, undefined), account);
  }
  const mark = markProcess(config.paths.stateDir);
  const now = () => clock.now();
  const known = knownFiles(database, account, now);
  let open = true;
  return {
    database,
    mark,
    uploads: uploadLedger(database, account, mark, now),
    known,
    records: new RecordLedger(database, account, mark, now),
    close() {
      if (!open) return;
      open = false;
      try {
        known.flush();
      } finally {
        database.close();
        mark.release();
      }
    },
  };
}
