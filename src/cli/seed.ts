import { connect } from '../app/connect.ts';
import { openLedger } from '../app/open-ledger.ts';
import { type SeedItem, type SeedReport, runSeed, writeSeed } from '../commands/seed.ts';
import {
  MAX_DAYS,
  type SeedAccount,
  inWordsOf,
  readSeedAccounts,
  refuseRealAccount,
  tokensOf,
} from '../commands/seed-accounts.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../base/errors.ts';
import { inParallel } from '../base/parallel.ts';
import { namingProfile } from '../terminal/profile-hint.ts';
import { errorReport, errorText } from '../terminal/error.ts';
import {
  seedAccountsReport,
  seedAccountsText,
  seedFilesHint,
  seedFilesText,
  seedItemReport,
  seedItemText,
  seedSummaryReport,
  seedSummaryText,
} from '../render/seed.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { DEFAULT_JOBS } from '../upload/pipeline.ts';
import {
  type Invocation,
  configFor,
  connectOptions,
  wholeNumber,
  zoneFor,
} from '../app/invocation.ts';

export interface SeedFlags {
  readonly days?: string;
  readonly seed?: string;
  readonly until?: string;
  readonly tz?: string;
  readonly out?: string;
  readonly accounts?: string;
  readonly force: boolean;
  readonly jobs?: string;
  readonly dryRun: boolean;
}

const DEFAULT_DAYS = 30;
const DEFAULT_SEED = 1;
/** Accounts that are filled at once; each has its own requests under way. */
const ACCOUNTS_AT_ONCE = 2;

export async function seed(invocation: Invocation, flags: SeedFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const overrides = flags.tz === undefined ? {} : { timezone: flags.tz };
  const config = configFor(invocation, overrides);
  const zone = zoneFor(config, deps).name;
  const options = {
    days: flags.days === undefined ? DEFAULT_DAYS : wholeNumber('--days', flags.days, 1, MAX_DAYS),
    seed:
      flags.seed === undefined
        ? DEFAULT_SEED
        : wholeNumber('--seed', flags.seed, 0, Number.MAX_SAFE_INTEGER),
    until: untilDate(flags.until, zone, deps.clock.now()),
    zone,
  };
  if (flags.out !== undefined) {
    const files = await writeSeed(options, flags.out, deps.signal);
    output.result({ type: 'files', ...files }, seedFilesText(files));
    output.say(seedFilesHint(files));
    return ExitCode.ok;
  }
  const jobs = flags.jobs === undefined ? DEFAULT_JOBS : wholeNumber('--jobs', flags.jobs, 1, 32);
  const sending = { ...options, jobs, force: flags.force, dryRun: flags.dryRun };
  if (flags.accounts === undefined) {
    const { summary, exitCode } = await seedOne(invocation, config, sending, undefined);
    output.result(seedSummaryReport(summary, undefined), seedSummaryText(summary, undefined));
    return exitCode;
  }

  const accounts = readSeedAccounts(flags.accounts);
  const codes: ExitCode[] = [];
  await inParallel(accounts, ACCOUNTS_AT_ONCE, async (account) => {
    try {
      const own = configOf(account, invocation, overrides);
      const wanted = {
        ...sending,
        days: account.days ?? options.days,
        seed: account.seed ?? options.seed,
      };
      const { summary, exitCode } = await seedOne(invocation, own, wanted, account);
      codes.push(exitCode);
      output.result(
        seedSummaryReport(summary, account.name),
        seedSummaryText(summary, account.name),
      );
    } catch (error) {
      // What is wrong with one account costs the others nothing.
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      codes.push(exitCodeOf(error.code));
      const own = ownError(error, account);
      const { verbose } = invocation.flags;
      output.error(
        { ...errorReport(own), account: account.name },
        `${account.name}: ${errorText(own, { verbose })}`,
      );
    }
  });
  output.result(seedAccountsReport(codes), seedAccountsText(codes));
  return worstExitCode(codes);
}

async function seedOne(
  invocation: Invocation,
  config: Config,
  options: Parameters<typeof runSeed>[0] extends infer O ? Omit<O, 'nutrition'> : never,
  account: SeedAccount | undefined,
): Promise<SeedReport> {
  const { deps, output, version } = invocation;
  const name = account?.name;
  const prefix = name === undefined ? '' : `${name}: `;
  const baseUrl = requireBaseUrl(config);
  if (!options.dryRun) refuseRealAccount(config, baseUrl);
  const usual = connectOptions(invocation, options.jobs);
  const connection = connect(config, deps, {
    ...usual,
    onWarning: (text) =>
      usual.onWarning(account === undefined ? text : prefix + inWordsOf(account, text)),
    onPause: (text) => usual.onPause(prefix + text),
  });
  const { clock, signal } = deps;
  const progress = output.progress();
  const text = itemTexts(name);
  let ledger: ReturnType<typeof openLedger> | undefined;
  try {
    ledger = openLedger(config, await connection.ledgerAccount({ offline: options.dryRun }), clock);
    const client = () => connection.client();
    const at = (name: 'uploadFit' | 'wellness' | 'nutrition') =>
      endpointUrl(baseUrl, config.endpoints[name]);
    return await runSeed(
      { ...options, nutrition: config.get('nutritionDelivery') },
      {
        context: { clock, signal },
        upload: {
          appVersion: version,
          ledger: ledger.uploads,
          known: ledger.known,
          client,
          uploadUrl: () => at('uploadFit'),
        },
        records: { ledger: ledger.records, client, url: at, clock, signal },
        report: (item) => output.result(seedItemReport(item, name), text(item)),
        progress: ({ day, days, date }) => {
          progress.update(() => `${prefix}day ${day} of ${days}, ${date}`);
        },
      },
    );
  } finally {
    progress.stop();
    ledger?.close();
    await connection.close();
  }
}

/** The text of each item for people. A reason that keeps hundreds of them is told once. */
function itemTexts(name: string | undefined): (item: SeedItem) => string | undefined {
  const told = new Set<string>();
  return (item) => {
    if (item.outcome === 'failed') {
      if (told.has(item.message)) return undefined;
      told.add(item.message);
    }
    return seedItemText(item, name);
  };
}

function ownError({ code, message, hint, ...rest }: SyncError, account: SeedAccount): SyncError {
  return new SyncError(code, inWordsOf(account, message), {
    ...(hint === undefined
      ? {}
      : { hint: namingProfile(inWordsOf(account, hint), account.profile) }),
    cause: rest.cause,
    details: rest.details,
  });
}

/** An account's own configuration; a stored login is not shadowed by tokens of the environment. */
function configOf(
  account: SeedAccount,
  invocation: Invocation,
  overrides: Parameters<typeof configFor>[1],
): Config {
  const { profile } = account;
  const tokens = tokensOf(account, invocation.deps.env);
  const flags = profile === undefined ? invocation.flags : { ...invocation.flags, profile };
  const config = configFor({ ...invocation, flags }, overrides);
  return {
    ...config,
    environmentTokens: tokens ?? { access: undefined, refresh: undefined },
    ...(tokens === undefined ? {} : { account: undefined }),
  };
}

/** `--until`: a date, `today`, or nothing, which is today too, in the athlete's zone. */
function untilDate(text: string | undefined, zone: string, now: number): string {
  if (text !== undefined && text !== 'today') return text;
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now);
}
