import { existsSync } from 'node:fs';
import { type Config, accountKey, hasEnvironmentTokens, tokenKeyPrefix } from '../config/config.ts';
import { moveAccount } from '../ledger/accounts.ts';
import { openDatabase } from '../ledger/database.ts';
import { type KnownFiles, knownFiles } from '../ledger/known-files.ts';
import { markProcess } from '../system/processes.ts';
import { recordLedger } from '../ledger/records.ts';
import { moveCopies } from '../ledger/outbox.ts';
import { uploadLedger } from '../ledger/uploads.ts';
import type { Clock } from '../base/time.ts';
import type { DeliveryTarget } from '../records/deliver.ts';
import type { Output } from '../terminal/output.ts';
import type { UploadTarget } from '../upload/uploader.ts';
import { ledgerPath } from './config.ts';
import { type Connection, type Service, withConnection } from './connection.ts';
import type { AppContext } from './context.ts';
import type { ConnectOptions } from './open-connection.ts';

export type OpenLedger = ReturnType<typeof openLedgerAt>;

export interface Targets {
  readonly upload: UploadTarget & { readonly known: KnownFiles };
  readonly records: Omit<DeliveryTarget, 'report'>;
}

/** @param output says that an item waits for another process; absent: nothing does */
export function targetsOf(
  service: Service,
  ledger: Pick<OpenLedger, 'uploads' | 'known' | 'records'>,
  output?: Pick<Output, 'say'>,
): Targets {
  const { uploads, known, records } = ledger;
  const { client, url, filePart, kind } = service;
  const onLongWait = output && ((text: string) => output.say(text));
  return {
    upload: { ledger: uploads, known, client, url, filePart, onLongWait },
    records: { ledger: records, client, url, kind, onLongWait },
  };
}

/** Opens the ledger for one account. @throws SyncError `STORAGE` */
export function openLedger(config: Config, account: string, clock: Clock): OpenLedger {
  const { stateDir } = config.paths;
  // A profile has one account: work recorded before the athlete was known belongs to this athlete.
  const hasTokens = hasEnvironmentTokens(config);
  const isNamed = config.account !== undefined && !hasTokens;
  const former = isNamed ? accountKey(config, undefined) : undefined;
  const otherTokens = hasTokens ? tokenKeyPrefix(config) : undefined;
  return openLedgerAt({ stateDir, account, former, otherTokens }, clock);
}

/** Opens the ledger for one account if there is one, for commands that only read. @throws SyncError `STORAGE` */
export function openExistingLedger(
  config: Config,
  account: string,
  clock: Clock,
): OpenLedger | undefined {
  return existsSync(ledgerPath(config.paths)) ? openLedger(config, account, clock) : undefined;
}

/** Opens the ledger in a state folder. @throws SyncError `STORAGE` */
export function openLedgerAt(
  {
    stateDir,
    account,
    former,
    otherTokens,
  }: {
    /** Holds the locks of processes, too. */
    readonly stateDir: string;
    readonly account: string;
    /** Another key for the same account: its rows become the account's. */
    readonly former?: string | undefined;
    /** Prefix of the keys of unnamed tokens. Each may belong to this account, or to another one. */
    readonly otherTokens?: string | undefined;
  },
  clock: Clock,
) {
  const path = ledgerPath({ stateDir });
  const database = openDatabase(path);
  if (former !== undefined) {
    moveCopies(stateDir, former, account);
    moveAccount(database, former, account);
  }
  const mark = markProcess(stateDir);
  const now = () => clock.now();
  const known = knownFiles(database, account, now);
  let open = true;
  return {
    path,
    database,
    mark,
    uploads: uploadLedger(database, account, mark, now),
    known,
    records: recordLedger(database, account, mark, now, otherTokens),
    close() {
      if (!open) return;
      open = false;
      try {
        if (!database.isReplaced()) known.flush();
      } finally {
        database.close();
        mark.release();
      }
    },
  };
}

/**
 * Runs a task with a connection to the service and the ledger of its account, and closes both.
 *
 * @param options `offline`: ask the service nothing, not even who the athlete is
 */
export async function withLedger<T>(
  context: AppContext,
  config: Config,
  options: ConnectOptions & { readonly offline: boolean },
  task: (connection: Connection, ledger: OpenLedger) => Promise<T>,
): Promise<T> {
  return await withConnection(context, config, options, async (connection) => {
    const account = await connection.ledgerAccount(options);
    const ledger = openLedger(config, account, context.clock);
    try {
      return await task(connection, ledger);
    } finally {
      ledger.close();
    }
  });
}
