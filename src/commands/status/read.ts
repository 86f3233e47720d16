import type { AppContext } from '../../app/context.ts';
import { readDisk } from '../../app/disk-state.ts';
import { type OpenLedger, openExistingLedger } from '../../app/ledger.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { type LoginFacts, exitCodeOfLogin, readLogin } from '../../app/login-state.ts';
import { type WatcherFacts, readWatchers } from '../../app/watchers.ts';
import { ExitCode, type Failure, SyncError, exitCodeOf } from '../../base/errors.ts';
import {
  type Account,
  type Config,
  requireBaseUrl,
  hasEnvironmentTokens,
} from '../../config/config.ts';
import { onlyAccepts } from '../../config/platforms.ts';
import { registeredOn } from '../../credentials/clients.ts';
import { openStore } from '../../credentials/open-store.ts';
import { countKept } from '../../ledger/outbox.ts';
import type { LedgerUpload } from '../../ledger/upload-rows.ts';
import { dateAt } from '../../records/days/local-date.ts';
import { type DayMarks, marksOfDays } from './strip.ts';
import { type Waiting, findWaiting } from './waiting.ts';
import { type ZoneFacts, readZone } from '../../app/zone-facts.ts';

export interface StatusReport extends LoginFacts, WatcherFacts {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string | undefined;
  /** The date on which this computer registered the client; undefined if it did not. */
  readonly registeredOn?: string | undefined;
  /** Undefined if the athlete is still unknown: `status` does not ask the service. */
  readonly account: Account | undefined;
  readonly store: { readonly kind: 'keychain' | 'file' | 'environment'; readonly where: string };
  /** Why the disk of the state folder takes no data. */
  readonly disk: Failure | undefined;
  readonly zone: ZoneFacts;
  readonly ledger: LedgerFacts;
}

export interface LedgerFacts {
  /** Why it cannot be read. The other facts are then those of an empty ledger. */
  readonly problem?: Failure;
  readonly uploads: Readonly<Record<LedgerUpload['state'], number>>;
  /** The platform never named a recording that it took. */
  readonly accepted: boolean;
  /** The time of the last confirmed upload; ms since 1970. */
  readonly lastUploadAt: number | undefined;
  /** The confirmed recordings that began last, the newest first. */
  readonly recent: readonly LedgerUpload[];
  readonly days: readonly DayMarks[];
  readonly waiting: Waiting;
}

const RECENT = 3;

/**
 * Collects the facts on this machine; sends requests only with `check`.
 *
 * @throws SyncError `CONFIG`, `STORAGE`
 */
export async function readStatus(
  context: AppContext,
  config: Config,
  check: boolean,
): Promise<StatusReport> {
  const service = requireBaseUrl(config).href.replace(/\/+$/, '');
  const { key, account } = await knownAccount(config);
  const zone = await readZone(context, config);
  const login = await readLogin(context, config, check);
  const disk = readDisk(config).fault;
  return {
    profile: config.profile,
    service,
    clientId: config.get('clientId'),
    registeredOn: registeredOn(config),
    account,
    store: storeOf(context, config),
    ...login,
    disk,
    zone,
    ...readWatchers(config, context.clock.now(), disk),
    ledger: readLedger(context, config, key, zone),
  };
}

/** Returns 0 if login, disk and ledger are good, else the exit code of the first failure. */
export function exitCodeFor(report: StatusReport): ExitCode {
  const { disk, ledger, watching } = report;
  if (disk !== undefined) return exitCodeOf(disk.code);
  const isLedgerGood =
    ledger.problem === undefined && watching.every((watcher) => watcher.ledger === undefined);
  return isLedgerGood ? exitCodeOfLogin(report) : ExitCode.unavailable;
}

function storeOf(context: AppContext, config: Config): StatusReport['store'] {
  if (hasEnvironmentTokens(config)) return { kind: 'environment', where: 'the environment' };
  const store = openStore(config, { ...context, attended: false });
  return { kind: store.kind, where: store.describe() };
}

function readLedger(
  { clock }: AppContext,
  config: Config,
  key: string,
  { days }: ZoneFacts,
): LedgerFacts {
  const today = dateAt(clock.now(), days);
  const { stateDir } = config.paths;
  const empty = () => ({
    uploads: { pending: 0, confirmed: 0, rejected: 0, undoing: 0, undone: 0, held: 0 },
    accepted: false,
    lastUploadAt: undefined,
    recent: [],
    days: marksOfDays(undefined, today, days.name),
    waiting: { recordings: [], records: [], ...countKept(stateDir, key), unusable: [] },
  });
  let ledger: OpenLedger | undefined;
  try {
    ledger = openExistingLedger(config, key, clock);
    if (ledger === undefined) return empty();
    const { uploads } = ledger;
    return {
      uploads: uploads.counts(),
      accepted: onlyAccepts('uploadFit', uploads.platform),
      lastUploadAt: uploads.lastConfirmedAt(),
      recent: uploads.latest(RECENT),
      days: marksOfDays(ledger, today, days.name),
      waiting: findWaiting(ledger, stateDir, key),
    };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    const { code, message, hint } = error;
    return { ...empty(), problem: { code, message, hint } };
  } finally {
    ledger?.close();
  }
}
