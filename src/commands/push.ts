import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import {
  type CommandModule,
  type SendFlags,
  dryRun,
  jobsFlag,
  sendOptions,
  zoneFlag,
} from '../app/command.ts';
import { configFor } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { pushSummaryJson, pushSummaryText, warnOfZone } from '../app/words/days.ts';
import { DayReport } from '../app/words/day-report.ts';
import { storedWeight } from '../app/profile-update.ts';
import { namedPaths, STDIN_PATH } from '../inputs/find-files.ts';
import { targetsOf, withLedger } from '../app/ledger.ts';
import { withProgress } from '../terminal/progress.ts';
import { type NamedInputs, namedInputs } from '../import/record-inputs.ts';
import {
  type SourceFlags,
  exportJson,
  exportsText,
  sourceFlag,
  sourcesFor,
  unitAsker,
  unitFlag,
} from '../app/sources.ts';
import { zoneFor } from '../app/zone.ts';
import { type ExitCode, SyncError } from '../base/errors.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import { type DeliveryOptions, type RecordItem, deliverRecords } from '../records/deliver.ts';
import { rankBy } from '../records/prefer.ts';
import { SOURCES } from '../records/sources/all.ts';
import { type PreparedInputs, prepareInputs } from '../records/prepare.ts';
import { requestBody } from '../records/prepared-record.ts';
import type { WellnessLedger } from '../ledger/wellness.ts';
import { ReadZones } from '../records/days/read-zones.ts';
import type {
  MergeMode,
  PreparedRecord,
  RecordKind,
  RecordOptions,
  SourceOptions,
} from '../records/types.ts';

interface PushFlags extends SourceFlags, SendFlags {
  readonly tz?: string;
  readonly strict?: boolean;
  readonly add?: boolean;
  readonly replaceDay?: boolean;
  readonly origin?: string;
  readonly user?: string;
}

export const pushWellness: CommandModule = {
  declare: (command) =>
    declarePush(command, 'also send days that have not changed')
      .option(
        '--user <number>',
        'send the weights of this user of a scale, if its FIT files have several',
      )
      .option(
        '--origin <name>',
        'a name for what is sent: `sync explain` shows it in place of the file',
        originOf,
      ),
  examples: [
    'sync push wellness morning.json',
    'sync push wellness /media/ada/GARMIN/GARMIN   # resting heart rate, VO2max, HRV, weight',
    'sync push wellness export.ndjson --tz Europe/Berlin --dry-run',
    'collect-wellness | sync push wellness -',
  ],
  documents: ['records.md', 'dates.md', 'sources.md'],
  run: (context, files: readonly string[], flags: PushFlags) =>
    push('wellness', context, files, flags),
};

export const pushNutrition: CommandModule = {
  declare: (command) =>
    declarePush(
      command,
      'also check days that have not changed, and overwrite what was changed in the platform',
    )
      .option('--add', 'keep items that were sent before, even if the input lacks them now')
      .option('--replace-day', 'remove items that were sent before and are not in the input')
      .option(
        '--origin <name>',
        'a name for what is sent: a later push with this name replaces it',
        originOf,
      ),
  examples: [
    'sync push nutrition meals.json',
    'sync push nutrition today.json --replace-day   # the file is the whole day',
    'sync push nutrition meals.json --dry-run',
  ],
  documents: ['nutrition.md', 'records.md', 'dates.md', 'sources.md'],
  run: (context, files: readonly string[], flags: PushFlags) =>
    push('nutrition', context, files, flags),
};

/** @param force what `--force` does */
function declarePush(command: Command, force: string): Command {
  return command
    .argument(
      '<file...>',
      'exports that `sync sources` lists, JSON or NDJSON, FIT; folders, .zip archives; - for stdin',
    )
    .addOption(sourceFlag())
    .addOption(unitFlag())
    .addOption(zoneFlag())
    .option('--force', force)
    .option('--strict', 'refuse unknown fields, days far ahead, and values that need adapting')
    .addOption(jobsFlag('days at once'))
    .addOption(dryRun('the values of each day, with --verbose the requests'));
}

async function push(
  kind: RecordKind,
  context: AppContext,
  files: readonly string[],
  flags: PushFlags,
): Promise<ExitCode> {
  const { output } = context;
  const config = configFor(context, { timezone: flags.tz });
  // A file can be checked without an account.
  const baseUrl = flags.dryRun === true ? config.get('baseUrl') : requireBaseUrl(config);
  if (files.filter((file) => file === STDIN_PATH).length > 1) {
    throw new SyncError('USAGE', 'stdin (-) can be read once.');
  }
  const run = {
    kind,
    files,
    zone: await zoneFor(config, context),
    strict: flags.strict ?? false,
    user: userOf(flags.user),
    sources: sourcesFor(context, flags),
    ...sendOptions(flags),
    merge: mergeMode(flags),
    origin: flags.origin,
    rank: rankBy(config.get('prefer'), SOURCES),
  };
  const report = new DayReport(output, run.zone);
  const tally = report.tallies[kind];
  output.summarise(() => pushSummaryJson(tally));
  if (baseUrl === undefined) {
    for (const record of await readFiles(context, run, report)) {
      report.add(plannedRequest(record, config.endpoints[kind]));
    }
    report.print();
  } else await send(context, config, run, report);
  output.result(pushSummaryJson(tally), pushSummaryText(kind, tally));
  warnOfZone(context, config, report.zones ?? run, tally.zoneUsed);
  return tally.exitCode;
}

interface PushRun extends Omit<RecordOptions, 'now' | 'lastWeight'>, DeliveryOptions {
  readonly kind: RecordKind;
  readonly files: readonly string[];
  readonly sources: SourceOptions;
}

/** Reads all inputs to their end, then sends one request a day. */
async function send(
  context: AppContext,
  config: Config,
  run: PushRun,
  report: DayReport,
): Promise<void> {
  const { output, signal } = context;
  const { kind, dryRun, files, jobs } = run;
  const options = { connections: jobs, offline: dryRun };
  await withLedger(context, config, options, async (connection, ledger) => {
    const { wellness, zones } = ledger.records;
    report.zones = new ReadZones(run.zone, zones);
    const asks = kind === 'wellness' && !dryRun && files.some(isTableName);
    const weight =
      wellness.lastWeight() ?? (asks ? await storedWeight(connection.client, signal) : undefined);
    try {
      const records = await readFiles(context, run, report, weight, wellness);
      if (!dryRun) report.zones.remember();
      await withProgress(output, run, async (progress) => {
        const total = records.length;
        progress.update({ noun: 'day', done: 0, total });
        await deliverRecords(context, records, run, {
          ...targetsOf(connection, ledger, output).records,
          report: report.counting(progress, total),
        });
      });
    } finally {
      report.print();
    }
  });
}

/** Reads the inputs, and reports their records and what cannot be sent. */
async function readFiles(
  context: AppContext,
  run: PushRun,
  report: DayReport,
  lastWeight?: number,
  ledger?: WellnessLedger,
): Promise<readonly PreparedRecord[]> {
  const { clock, output } = context;
  const { kind, files } = run;
  const zone = report.zones?.zone ?? run.zone;
  const askUnit = run.strict ? undefined : unitAsker(context);
  const memory = ledger && {
    unitOf: (form: string, field: string) => ledger.unitOf(form, field),
    rememberUnit: (form: string, field: string, unit: string) => {
      if (!run.dryRun) ledger.rememberUnit(form, field, unit);
    },
  };
  const sources = { ...run.sources, memory, ...(askUnit && { askUnit }) };
  const reading = { ...run, sources, zone, now: clock.now(), lastWeight };
  const prepared = await prepareFiles(context, kind, files, reading);
  if (output.json) for (const found of prepared.exports) output.result(exportJson(found));
  else for (const text of exportsText(prepared.exports)) output.say(text);
  for (const note of prepared.notes) output.say(note);
  for (const warning of prepared.warnings) output.warn(warning);
  for (const { name, problem, hint } of prepared.empty) {
    if (!files.includes(name)) output.say(problem);
    else report.add({ outcome: 'invalid', kind, source: name, problems: [{ problem }], hint });
  }
  for (const item of [...prepared.unreadable, ...prepared.invalid]) report.add(item);
  return prepared.records;
}

/** The weights of a table may have no unit. */
function isTableName(file: string): boolean {
  return /\.(csv|tsv|txt)$/i.test(file);
}

/** Returns the request of a day of which no service is known. @param path of the endpoint */
function plannedRequest(record: PreparedRecord, path: string): RecordItem {
  const { kind, date, sources, warnings, zoneUsed } = record;
  const request = { method: 'POST', url: path, body: requestBody(record) } as const;
  return { outcome: 'would-push', kind, date, sources, warnings, zoneUsed, request };
}

/** Reads the files, folders and archives of a command line to their end. */
async function prepareFiles(
  context: AppContext,
  kind: RecordKind,
  files: readonly string[],
  options: RecordOptions & { readonly sources: SourceOptions },
): Promise<PreparedInputs> {
  const { cwd, io, output, signal, warn } = context;
  const paths = namedPaths(files, cwd);
  const progress = output.progress();
  let named: NamedInputs | undefined;
  try {
    named = await namedInputs(paths, kind, options.sources, {
      cwd,
      signal,
      warn,
      tempFolder: tmpdir(),
      readStdin: () => io.readStdin(signal),
      say: (text) => output.say(text),
      progress: (done, current) => progress.update({ noun: 'file', done, current }),
    });
    progress.stop();
    return await prepareInputs(kind, named.inputs, options, signal);
  } finally {
    progress.stop();
    await named?.close();
  }
}

/** @throws SyncError `USAGE` if it is empty */
function originOf(name: string): string {
  if (name.trim() !== '') return name.trim();
  throw new SyncError('USAGE', '--origin: a name is expected, such as kitchen.');
}

/** @throws SyncError `USAGE` if it is no number of a user */
function userOf(user: string | undefined): number | undefined {
  if (user === undefined) return undefined;
  if (!/^\d{1,4}$/.test(user)) {
    throw new SyncError('USAGE', `--user ${user}: a number from 0 is expected.`);
  }
  return Number(user);
}

function mergeMode({ add = false, replaceDay = false }: PushFlags): MergeMode {
  if (add && replaceDay) {
    throw new SyncError('USAGE', '--add and --replace-day exclude each other.', {
      hint: '--add keeps what was sent before; --replace-day removes what is not in the input.',
    });
  }
  return replaceDay ? 'replace-day' : add ? 'add' : 'same-input';
}
