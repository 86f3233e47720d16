import { Option } from 'commander';
import { activityView } from '../../app/words/activities.ts';
import { type CommandModule, dryRun, zoneFlag } from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { DATE_FORMS, dateFlag } from '../../app/flags/date.ts';
import { FailureGroups } from '../../app/words/failure-groups.ts';
import { wholeNumber } from '../../app/flags/numbers.ts';
import { jobsFlag, jobsOf } from '../../app/flags/jobs.ts';
import { targetsOf, withLedger } from '../../app/ledger.ts';
import { withProgress } from '../../app/with-progress.ts';
import { zoneFor } from '../../app/zone.ts';
import { ExitCode, worstExitCode } from '../../base/errors.ts';
import { type Config, requireBaseUrl } from '../../config/config.ts';
import { profileOf } from '../../seed/synthesize.ts';
import type { Progress } from '../../terminal/progress.ts';
import { MAX_DAYS, refuseRealAccount } from './accounts.ts';
import { forEachAccount } from './each-account.ts';
import { AccountFiller, type FillOptions, type SeedItem } from './fill.ts';
import { writeSeedFiles } from './files.ts';
import { exitCodeOfProfile, failedFields, fillProfile } from './profile.ts';
import { AccountClearer } from './remove.ts';
import * as words from './words.ts';

interface SeedFlags {
  readonly days?: string;
  readonly seed?: string;
  readonly until?: string;
  readonly tz?: string;
  readonly messy?: boolean;
  readonly out?: string;
  readonly accounts?: string;
  readonly remove?: boolean;
  readonly force?: boolean;
  readonly jobs?: string;
  readonly dryRun?: boolean;
}

const DEFAULT_DAYS = 30;
const DEFAULT_SEED = 1;

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
      .option(
        '--messy',
        'add what real accounts have: duplicates, a broken file, days without data',
      )
      .addOption(
        new Option('--out <dir>', 'write files to this folder instead of sending').conflicts([
          'accounts',
          'remove',
          'dryRun',
        ]),
      )
      .option('--accounts <file>', 'fill several accounts, which a JSON file lists')
      .addOption(
        new Option('--remove', 'remove what was sent, as far as the service allows').conflicts(
          'force',
        ),
      )
      .option('--force', 'also send what was sent before')
      .addOption(jobsFlag('requests at once'))
      .addOption(dryRun()),
  examples: [
    'sync seed --days 90 --seed 7',
    'sync seed --days 90 --seed 7 --remove',
    'sync seed --messy',
    'sync seed --out season        # recordings, wellness.json, nutrition.json',
    'sync seed --accounts test-accounts.json',
  ],
  documents: ['ci.md'],

  async run(context, flags: SeedFlags) {
    const { clock, output, signal } = context;
    const overrides = flags.tz === undefined ? {} : { timezone: flags.tz };
    const config = configFor(context, overrides);
    const { name: zone } = await zoneFor(config, context);
    const { days, seed: number, until = 'today', messy = false, jobs } = flags;
    const options = {
      days: days === undefined ? DEFAULT_DAYS : wholeNumber('--days', days, 1, MAX_DAYS),
      seed:
        number === undefined
          ? DEFAULT_SEED
          : wholeNumber('--seed', number, 0, Number.MAX_SAFE_INTEGER),
      until: await dateFlag('--until', until, () => zone, clock.now()),
      zone,
      messy,
    };
    if (flags.out !== undefined) {
      const files = await writeSeedFiles(options, flags.out, signal);
      output.result({ type: 'files', ...files }, words.filesText(files));
      output.say(words.filesHint(files));
      return ExitCode.ok;
    }
    const sending = {
      ...options,
      jobs: jobsOf(jobs),
      force: flags.force ?? false,
      dryRun: flags.dryRun ?? false,
    };
    const task = flags.remove === true ? clearAccount : fillAccount;
    if (flags.accounts === undefined) return await task(context, config, sending);
    return await forEachAccount(context, flags.accounts, overrides, async ({ account, ...own }) => {
      const { name, days: ownDays = options.days, seed: ownSeed = options.seed } = account;
      const ownOptions = { ...sending, days: ownDays, seed: ownSeed };
      return await task(own.context, own.config, ownOptions, name);
    });
  },
};

type SendOptions = Omit<FillOptions, 'nutrition'>;

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
    const isGrouped = !words.isBroken(item) && failures.add(item);
    const text = isGrouped ? undefined : words.seedItemText(item, view, name);
    output.result(words.seedItemJson(item, name), text);
  };
  return await withLedger(
    context,
    config,
    { connections: options.jobs, offline: options.dryRun },
    async (connection, ledger) => {
      const { dryRun } = options;
      const profile = await fillProfile(profileOf(options), connection, {
        signal: context.signal,
        dryRun,
      });
      output.result(words.profileItemJson(profile, name), words.profileItemText(profile, name));
      for (const failure of failedFields(profile).slice(0, 1))
        failures.addUnsent('profile', failure);
      const fill = async (progress: Pick<Progress, 'update'>) => {
        const filler = new AccountFiller(
          context,
          { ...options, nutrition: config.get('nutritionDelivery') },
          {
            ...targetsOf(version, connection, ledger),
            report,
            progress: ({ day, days, date }) =>
              progress.update({
                noun: 'day',
                done: day - 1,
                total: days,
                current: `${words.prefix(name)}${date}`,
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
        failures.print(output, words.prefix(name));
      }
      const { summary, exitCode } = filler;
      output.result(words.seedSummaryJson(summary, name), words.seedSummaryText(summary, name));
      return worstExitCode([exitCodeOfProfile(profile), exitCode]);
    },
  );
}

/** Removes a seed from one account. @param name of the account, if there are several */
async function clearAccount(
  context: AppContext,
  config: Config,
  options: SendOptions,
  name?: string,
): Promise<ExitCode> {
  const { clock, io, output } = context;
  const baseUrl = requireBaseUrl(config);
  if (!options.dryRun) refuseRealAccount(config, baseUrl);
  const view = activityView(io, clock.now(), options.zone);
  return await withLedger(
    context,
    config,
    { connections: options.jobs, offline: options.dryRun },
    async (connection, ledger) => {
      const clearer = new AccountClearer(
        context,
        { ...options, nutrition: config.get('nutritionDelivery') },
        {
          ledger,
          records: connection,
          report: (item) =>
            output.result(
              words.removalItemJson(item, name),
              words.removalItemText(item, view, name),
            ),
        },
      );
      await clearer.run();
      const { summary, exitCode } = clearer;
      output.result(
        words.removalSummaryJson(summary, name),
        words.removalSummaryText(summary, name),
      );
      return exitCode;
    },
  );
}
