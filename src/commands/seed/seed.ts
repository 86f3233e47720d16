import { Option } from 'commander';
import type { Service } from '../../app/connection.ts';
import { type ActivityView, activityView } from '../../app/words/activities.ts';
import {
  type CommandModule,
  type SendFlags,
  dryRun,
  jobsFlag,
  sendOptions,
  wholeNumber,
  zoneFlag,
} from '../../app/command.ts';
import { configFor, quietConfigFor } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { DATE_FORMS, dateFlag } from '../../app/flags/date.ts';
import { FailureGroups } from '../../app/words/failure-groups.ts';
import { type OpenLedger, targetsOf, withLedger } from '../../app/ledger.ts';
import { Tally } from '../../app/outcomes.ts';
import { withProgress } from '../../terminal/progress.ts';
import { zoneFor } from '../../app/zone.ts';
import { ExitCode, SyncError, exitCodeOfDelivery, worstExitCode } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type Config, requireBaseUrl } from '../../config/config.ts';
import { isLoopback } from '../../config/settings.ts';
import { MOST_DAYS, profileOf, synthesize } from '../../seed/synthesize.ts';
import { forEachAccount } from './accounts.ts';
import { spanOf } from './days.ts';
import { type FillOptions, type SeedItem, fillWithSeed } from './fill.ts';
import { writeSeedFiles } from './files.ts';
import { failedFields, fillProfile } from './profile.ts';
import { removeSeed } from './remove.ts';
import * as words from './words.ts';

interface SeedFlags extends SendFlags {
  readonly days?: string;
  readonly seed?: string;
  readonly until?: string;
  readonly tz?: string;
  readonly out?: string;
  readonly accounts?: string;
  readonly remove?: boolean;
}

const DEFAULT_DAYS = '30';
const DEFAULT_SEED = '1';

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
      .addOption(
        new Option('--out <dir>', 'write files to this folder instead of sending').conflicts([
          'accounts',
          'remove',
          'dryRun',
        ]),
      )
      .option('--accounts <file>', 'fill several accounts, which a JSON file lists')
      .addOption(
        new Option('--remove', 'remove what was sent, as far as the platform allows').conflicts(
          'force',
        ),
      )
      .option('--force', 'also send what was sent before')
      .addOption(jobsFlag('requests at once'))
      .addOption(dryRun()),
  examples: [
    'sync seed --days 90 --seed 7',
    'sync seed --days 90 --seed 7 --remove',
    'sync seed --out season        # recordings, wellness.json, nutrition.json',
    'sync seed --accounts test-accounts.json',
  ],
  documents: ['ci.md'],

  async run(context, flags: SeedFlags) {
    const { clock, output, signal } = context;
    if (flags.out === undefined) output.summarise();
    const overrides = { timezone: flags.tz };
    const config = configFor(context, overrides);
    const { name: zone } = await zoneFor(config, context);
    const { days = DEFAULT_DAYS, seed: number = DEFAULT_SEED, until = 'today' } = flags;
    const options = {
      days: wholeNumber('--days', days, 1, MOST_DAYS),
      seed: wholeNumber('--seed', number, 0, Number.MAX_SAFE_INTEGER),
      until: dateFlag('--until', until, zone, clock.now()),
      zone,
      now: clock.now(),
    };
    // Refuses wrong options before anything is sent.
    synthesize(options);
    if (flags.out !== undefined) {
      const files = await writeSeedFiles(options, flags.out, signal);
      output.result({ type: 'files', ...files }, words.filesText(files));
      output.say(words.filesHint(files));
      return ExitCode.ok;
    }
    const sending = { ...options, ...sendOptions(flags) };
    const task = flags.remove === true ? clearAccount : fillAccount;
    if (flags.accounts === undefined) return await withAccount(context, config, sending, task);
    return await forEachAccount(context, flags.accounts, async (own, account) => {
      const { days: ownDays = options.days, seed: ownSeed = options.seed } = account;
      const ownOptions = { ...sending, days: ownDays, seed: ownSeed };
      const ownConfig = quietConfigFor(own, overrides);
      return await withAccount(own, ownConfig, ownOptions, task, account.name);
    });
  },
};

/** An account of the service, and the ledger that records what it got. */
interface SeedTarget {
  readonly context: AppContext;
  readonly options: FillOptions;
  readonly ledger: OpenLedger;
  readonly service: Service;
  readonly view: ActivityView;
}

async function withAccount(
  context: AppContext,
  config: Config,
  options: FillOptions,
  task: (account: SeedTarget) => Promise<ExitCode>,
  athleteName?: string,
): Promise<ExitCode> {
  const { clock, io } = context;
  const baseUrl = requireBaseUrl(config);
  if (!options.dryRun) refuseRealAccount(config, baseUrl);
  return await withLedger(
    context,
    config,
    { connections: options.jobs, offline: options.dryRun, athleteName },
    (connection, ledger) =>
      task({
        context,
        options,
        ledger,
        service: connection,
        view: activityView(io, clock.now(), options.zone),
      }),
  );
}

/**
 * Keeps synthetic health data out of real accounts.
 *
 * @throws SyncError `CONFIG` unless the service runs on this machine or the profile is marked
 */
function refuseRealAccount(config: Config, baseUrl: URL): void {
  if (isLoopback(baseUrl) || config.get('testAccount')) return;
  throw new SyncError(
    'CONFIG',
    `Profile "${config.profile}" may be a real account at ${baseUrl.host}: no synthetic data is sent there.`,
    {
      hint: phrase`If it is a test account, mark it: ${sync('config', 'set', 'testAccount', 'true')}. --dry-run and --out need no mark.`,
      details: { profile: config.profile },
    },
  );
}

async function fillAccount({ context, options, ledger, service, view }: SeedTarget) {
  const { output, signal } = context;
  const { dryRun } = options;
  const failures = new FailureGroups();
  const report = {
    ...spanOf(options),
    recordings: new Tally('recording'),
    records: new Tally('day'),
  };
  const add = (item: SeedItem) => {
    ('path' in item ? report.recordings : report.records).add(item);
    const text = failures.add(item) ? undefined : words.seedItemText(item, view);
    output.result(words.seedItemJson(item), text);
  };
  const profile = await fillProfile(profileOf(options), service, { signal, dryRun });
  output.result({ type: 'seed-profile', ...profile }, words.profileItemText(profile));
  const failed = failedFields(profile);
  for (const failure of failed.slice(0, 1)) failures.addUnsent('profile', failure);
  await withProgress(output, options, (progress) =>
    fillWithSeed(context, options, { ...targetsOf(service, ledger), report: add, progress }),
  ).finally(() => {
    failures.print(output);
  });
  output.result(words.seedSummaryJson(report), words.seedSummaryText(report));
  return worstExitCode([
    ...failed.map(({ code }) => exitCodeOfDelivery(code)),
    report.recordings.exitCode,
    report.records.exitCode,
  ]);
}

async function clearAccount({ context, options, ledger, service, view }: SeedTarget) {
  const { output } = context;
  const removed = await removeSeed(context, options, {
    ledger,
    records: service,
    report: (item) => output.result(words.removalItemJson(item), words.removalItemText(item, view)),
  });
  output.result(words.removalSummaryJson(removed), words.removalSummaryText(removed));
  return removed.exitCode;
}
