import { type CommandModule, dryRun, zoneFlag } from '../../app/command.ts';
import { configFor, quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { type ActivityView, activityView } from '../../app/activity-words.ts';
import { DATE_FORMS, dateFlag } from '../../app/date-flag.ts';
import { pushItemJson, pushItemText } from '../../app/day-words.ts';
import { FailureGroups } from '../../app/failure-groups.ts';
import { wholeNumber } from '../../app/flags.ts';
import { withLedger } from '../../app/ledger.ts';
import { uploadItemJson, uploadItemText } from '../../app/upload-words.ts';
import { withProgress } from '../../app/with-progress.ts';
import { zoneFor } from '../../app/zone.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../../base/errors.ts';
import { inParallel } from '../../base/parallel.ts';
import { linesOf, type Text, phrase, renderText, sync } from '../../base/phrase.ts';
import { type Config, type SettingOverrides, requireBaseUrl } from '../../config/config.ts';
import { endpointUrl } from '../../config/endpoints.ts';
import { errorReport, errorText } from '../../terminal/error.ts';
import type { Progress } from '../../terminal/progress.ts';
import { plural } from '../../terminal/words.ts';
import { jobsFlag, jobsOf } from '../../app/jobs-flag.ts';
import {
  MAX_DAYS,
  type SeedAccount,
  readSeedAccounts,
  refuseRealAccount,
  tokensOf,
  withVariablesOf,
} from './accounts.ts';
import {
  AccountFiller,
  type FillOptions,
  type SeedFiles,
  type SeedItem,
  type SeedSummary,
  writeSeedFiles,
} from './fill.ts';

interface SeedFlags {
  readonly days?: string;
  readonly seed?: string;
  readonly until?: string;
  readonly tz?: string;
  readonly out?: string;
  readonly accounts?: string;
  readonly force?: boolean;
  readonly jobs?: string;
  readonly dryRun?: boolean;
}

const DEFAULT_DAYS = 30;
const DEFAULT_SEED = 1;
/** Accounts that are filled at once, each with `--jobs` requests. */
const ACCOUNTS_AT_ONCE = 2;

export const seed: CommandModule = {
  declare: (command) =>
    command
      .option('--days <n>', `how many days, up to --until (default: ${DEFAULT_DAYS})`)
      .option(
        '--seed <n>',
        `which athlete: the same number gives the same data (default: ${DEFAULT_SEED})`,
      )
      .option('--until <date>', `the last day: ${DATE_FORMS} (default: today)`)
      .addOption(zoneFlag())
      .option('--out <dir>', 'write files to this folder instead of sending')
      .option('--accounts <file>', 'fill several accounts, which a JSON file lists')
      .option('--force', 'also send what was sent before')
      .addOption(jobsFlag('requests at once'))
      .addOption(dryRun()),
  examples: [
    'sync seed --days 90 --seed 7',
    'sync seed --out season        # recordings, wellness.json, nutrition.json',
    'sync seed --accounts test-accounts.json',
  ],
  documents: ['ci.md'],

  async run(context, flags: SeedFlags) {
    const { clock, output, signal } = context;
    const overrides = flags.tz === undefined ? {} : { timezone: flags.tz };
    const config = configFor(context, overrides);
    const { name: zone } = await zoneFor(config, context);
    const { days, seed: number, until = 'today', jobs } = flags;
    const options = {
      days: days === undefined ? DEFAULT_DAYS : wholeNumber('--days', days, 1, MAX_DAYS),
      seed:
        number === undefined
          ? DEFAULT_SEED
          : wholeNumber('--seed', number, 0, Number.MAX_SAFE_INTEGER),
      until: await dateFlag('--until', until, () => zone, clock.now()),
      zone,
    };
    if (flags.out !== undefined) {
      const files = await writeSeedFiles(options, flags.out, signal);
      output.result({ type: 'files', ...files }, filesText(files));
      output.say(filesHint(files));
      return ExitCode.ok;
    }
    const sending = {
      ...options,
      jobs: jobsOf(jobs),
      force: flags.force ?? false,
      dryRun: flags.dryRun ?? false,
    };
    if (flags.accounts === undefined) return await fillAccount(context, config, sending);
    return await fillAccounts(context, flags.accounts, sending, overrides);
  },
};

type SendOptions = Omit<FillOptions, 'nutrition'>;

/** Fills the accounts of a `--accounts` file. One account's error does not stop the others. */
async function fillAccounts(
  context: AppContext,
  file: string,
  options: SendOptions,
  overrides: SettingOverrides,
): Promise<ExitCode> {
  const { output } = context;
  const codes: ExitCode[] = [];
  await inParallel(readSeedAccounts(file), ACCOUNTS_AT_ONCE, async (account) => {
    try {
      const own = contextOf(account, context);
      const { days = options.days, seed = options.seed } = account;
      const config = configOf(account, own, overrides);
      codes.push(await fillAccount(own, config, { ...options, days, seed }, account.name));
    } catch (error) {
      if (!(error instanceof SyncError) || error.code === 'INTERRUPTED') throw error;
      codes.push(exitCodeOf(error.code));
      const own = errorOf(account, error, context.flags);
      const { verbose } = context.flags;
      output.error(
        { ...errorReport(own), account: account.name },
        phrase`${account.name}: ${errorText(own, { verbose })}`,
      );
    }
  });
  const complete = codes.filter((code) => code === ExitCode.ok).length;
  output.result(
    { type: 'summary', accounts: codes.length, complete, incomplete: codes.length - complete },
    `${complete} of ${plural(codes.length, 'account')} complete.`,
  );
  return worstExitCode(codes);
}

/** Fills one account. @param name of the account, if there are several */
async function fillAccount(
  context: AppContext,
  config: Config,
  options: SendOptions,
  name?: string,
): Promise<ExitCode> {
  const { clock, io, output, version } = context;
  const baseUrl = requireBaseUrl(config);
  if (!options.dryRun) refuseRealAccount(config, baseUrl);
  const view = activityView(io, clock.now(), options.zone);
  const failures = new FailureGroups();
  const report = (item: SeedItem) => {
    const isCounted = failures.add(item) || QUIET.includes(item.outcome);
    output.result(seedItemJson(item, name), isCounted ? undefined : seedItemText(item, view, name));
  };
  return await withLedger(
    context,
    config,
    { connections: options.jobs, offline: options.dryRun },
    async (connection, { uploads, known, records }) => {
      const client = () => connection.client();
      const url = (endpoint: 'uploadFit' | 'wellness' | 'nutrition') =>
        endpointUrl(baseUrl, config.endpoints[endpoint]);
      const fill = async (progress: Pick<Progress, 'update'>) => {
        const filler = new AccountFiller(
          context,
          { ...options, nutrition: config.get('nutritionDelivery') },
          {
            upload: {
              appVersion: version,
              ledger: uploads,
              known,
              client,
              uploadUrl: () => url('uploadFit'),
            },
            records: { ledger: records, client, url },
            report,
            progress: ({ day, days, date }) =>
              progress.update({
                noun: 'day',
                done: day - 1,
                total: days,
                current: `${prefix(name)}${date}`,
              }),
          },
        );
        await filler.run();
        return filler;
      };
      let filler: AccountFiller;
      try {
        filler = await withProgress(output, fill);
      } finally {
        failures.print(output, prefix(name));
      }
      const { summary, exitCode } = filler;
      output.result(seedSummaryJson(summary, name), seedSummaryText(summary, name));
      return exitCode;
    },
  );
}

/** Returns a context for one account: its profile, and its name before every message. */
function contextOf(account: SeedAccount, context: AppContext): AppContext {
  const { name, profile } = account;
  const { flags, output } = context;
  const own = profile === undefined ? flags : { ...flags, profile };
  const render = (text: Text) => prefix(name) + renderText(text, own.profile);
  const warn = (text: Text) => output.warn(linesOf(withVariablesOf(account, render(text))));
  const say = (text: Text) => output.say(linesOf(render(text)));
  return {
    ...context,
    flags: own,
    output: { ...output, warn, say },
    warn,
  };
}

/** Returns an account's configuration: with its own tokens, or else with its stored login. */
function configOf(account: SeedAccount, context: AppContext, overrides: SettingOverrides): Config {
  const tokens = tokensOf(account, context.env);
  const config = quietConfigFor(context, overrides);
  return {
    ...config,
    environmentTokens: tokens ?? { access: undefined, refresh: undefined },
    ...(tokens === undefined ? {} : { account: undefined }),
  };
}

/** Returns an error with the account's variables and profile in its words. */
function errorOf(account: SeedAccount, error: SyncError, flags: AppContext['flags']): SyncError {
  const { code, message, hint, cause, details } = error;
  return new SyncError(code, withVariablesOf(account, message), {
    ...(hint === undefined
      ? {}
      : {
          hint: linesOf(
            withVariablesOf(account, renderText(hint, account.profile ?? flags.profile)),
          ),
        }),
    cause,
    details,
  });
}

function prefix(account: string | undefined): string {
  return account === undefined ? '' : `${account}: `;
}

function seedItemJson(item: SeedItem, account: string | undefined): Record<string, unknown> {
  const json = 'path' in item ? uploadItemJson(item) : pushItemJson(item);
  return account === undefined ? json : { account, ...json };
}

/** Outcomes that are only counted: a seed has hundreds of them. */
const QUIET: readonly SeedItem['outcome'][] = ['uploaded', 'duplicate', 'pushed', 'skipped'];

function seedItemText(
  item: SeedItem,
  view: ActivityView,
  account: string | undefined,
): Text | undefined {
  const text = 'path' in item ? uploadItemText(item, view) : pushItemText(item, view.zone);
  return text === undefined ? undefined : phrase`${prefix(account)}${text}`;
}

function seedSummaryJson(
  { outcomes, ...summary }: SeedSummary,
  account: string | undefined,
): Record<string, unknown> {
  const named = account === undefined ? {} : { account };
  return { type: 'summary', ...named, ...summary, ...outcomes };
}

/** Words for what happened to recordings and records. */
const OUTCOME_WORDS: Readonly<Record<SeedItem['outcome'], string>> = {
  uploaded: 'sent',
  pushed: 'sent',
  'would-upload': 'would be sent',
  'would-push': 'would be sent',
  duplicate: 'already at the service',
  skipped: 'sent before',
  invalid: 'not usable',
  rejected: 'refused',
  conflict: 'to be corrected in the platform',
  failed: 'not sent',
};

function seedSummaryText(summary: SeedSummary, account: string | undefined): string {
  const { from, until, recordings, records, outcomes } = summary;
  const counts = new Map<string, number>();
  for (const [outcome, count] of Object.entries(outcomes)) {
    const words = OUTCOME_WORDS[outcome as SeedItem['outcome']];
    counts.set(words, (counts.get(words) ?? 0) + count);
  }
  const counted = [...counts].map(([words, count]) => `${count} ${words}`);
  return `${prefix(account)}${from} to ${until}: ${plural(recordings, 'recording')}, ${plural(records, 'record')}; ${counted.join(', ')}.`;
}

function filesText({ dir, recordings, days }: SeedFiles): string {
  return `${dir}: ${plural(recordings, 'recording')}, and ${plural(days, 'day')} in wellness.json and nutrition.json.`;
}

function filesHint({ dir }: SeedFiles): Text {
  return phrase`Send them with ${sync('upload', dir)}, ${sync('push', 'wellness', `${dir}/wellness.json`)} and ${sync('push', 'nutrition', `${dir}/nutrition.json`)}.`;
}
