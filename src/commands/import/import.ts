import { tmpdir } from 'node:os';
import {
  type CommandModule,
  type RecordingFlags,
  collect,
  dryRun,
  sameRideFlag,
  recordingOptions,
  zoneFlag,
} from '../../app/command.ts';
import { configFor } from '../../app/config.ts';
import { activityView } from '../../app/words/activities.ts';
import { DATE_FORMS, sinceFlag } from '../../app/flags/date.ts';
import { pushSummaryText, warnOfZone } from '../../app/words/days.ts';
import { DayReport } from '../../app/words/day-report.ts';
import { namedPaths } from '../../inputs/find-files.ts';
import {
  recordingProgress,
  uploadItemJson,
  uploadItemText,
  uploadSummaryText,
} from '../../app/words/uploads.ts';
import { withProgress } from '../../terminal/progress.ts';
import { sourcesFor, unitFlag } from '../../app/sources.ts';
import { zoneFor } from '../../app/zone.ts';
import { ReadZones } from '../../records/days/read-zones.ts';
import type { AppContext } from '../../app/context.ts';
import { confirmed } from '../../app/confirm.ts';
import { type OpenLedger, targetsOf, withLedger } from '../../app/ledger.ts';
import { Tally } from '../../app/outcomes.ts';
import type { Connection } from '../../app/connection.ts';
import { Archives } from '../../archive/archives.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../../base/errors.ts';
import { joinTexts } from '../../base/phrase.ts';
import { type Config, requireBaseUrl } from '../../config/config.ts';
import { type Scan, type ScanOptions, sendScan, scanInputs } from '../../import/scan.ts';
import { PHONE_TRACKS } from '../../import/take-tracks.ts';
import { KINDS } from '../../ledger/records.ts';
import {
  type DeliveryOptions,
  type DeliveryTarget,
  type RecordItem,
  deliverRecords,
} from '../../records/deliver.ts';
import type { SendOptions } from '../../upload/known-outcome.ts';
import type { UnreadableFile } from '../../archive/archives.ts';
import { rankBy } from '../../records/prefer.ts';
import { SOURCES } from '../../records/sources/all.ts';
import { hearSignals } from '../../system/signals.ts';
import type { UploadItem } from '../../upload/report.ts';
import { rowJson, tableText, summaryJson, toSendText, unreadableText } from './words.ts';

interface ImportFlags extends RecordingFlags {
  readonly yes?: boolean;
  readonly include?: readonly string[];
  readonly since?: string;
  readonly tz?: string;
  readonly unit?: readonly string[];
  readonly strict?: boolean;
}

export const importExport: CommandModule = {
  declare: (command) =>
    command
      .argument('<path...>', 'exports, archives, folders and files of any kind')
      .option('--yes', 'send without asking')
      .option('--include <kind>', `send what --yes leaves out: ${PHONE_TRACKS}`, collect)
      .addOption(sameRideFlag())
      .addOption(dryRun('the table and the sums, with --verbose the requests'))
      .option('--since <date>', `send only what is from this day on: ${DATE_FORMS}`)
      .addOption(zoneFlag())
      .addOption(unitFlag())
      .option('--strict', 'refuse unknown fields, days far ahead, and values that need adapting'),
  examples: [
    'sync import export.zip           # shows a table, asks, then sends',
    'sync import ~/Downloads/garmin --since 2026-01-01 --yes',
    'sync import export.zip --dry-run # needs no login',
  ],
  documents: ['import.md'],

  async run(context, paths: readonly string[], flags: ImportFlags) {
    const { clock, signal } = context;
    const config = configFor(context, { timezone: flags.tz });
    const heard = hearSignals();
    const zone = await zoneFor(config, context);
    const rank = rankBy(config.get('prefer'), SOURCES);
    const options = {
      zone,
      rank,
      strict: flags.strict ?? false,
      now: clock.now(),
      since: flags.since === undefined ? undefined : sinceFlag(flags.since, zone.name, clock.now()),
      sources: sourcesFor(context, flags),
      include: includedKinds(flags),
    };
    const sending = { ...recordingOptions(config, flags), rank };
    const archives = new Archives(signal, tmpdir());
    try {
      const named = namedPaths(paths, context.cwd);
      // Reading may print a result before the first request.
      await heard;
      return await new Import(context, config, archives, options, sending).run(named, flags.yes);
    } finally {
      await archives.close();
    }
  },
};

/** @throws SyncError `USAGE` for a kind that is not sent so */
function includedKinds({ include = [] }: ImportFlags): readonly string[] {
  for (const kind of include) {
    if (kind === PHONE_TRACKS) continue;
    throw new SyncError('USAGE', `--include ${kind}: there is no such kind.`, {
      hint: `It takes ${PHONE_TRACKS}.`,
    });
  }
  return include;
}

type Sending = SendOptions & DeliveryOptions & { readonly jobs: number };

/** One run: scans, asks, sends. */
class Import {
  readonly #context: AppContext;
  readonly #config: Config;
  readonly #archives: Archives;
  readonly #options: ScanOptions;
  readonly #sending: Sending;
  readonly #uploads = new Tally('recording');
  readonly #report: DayReport;

  constructor(
    context: AppContext,
    config: Config,
    archives: Archives,
    options: ScanOptions,
    sending: Sending,
  ) {
    this.#context = context;
    this.#config = config;
    this.#archives = archives;
    this.#options = options;
    this.#sending = sending;
    context.output.summarise(() => summaryJson(this.#uploads, Object.values(this.#report.tallies)));
    this.#report = new DayReport(context.output, options.zone);
  }

  /** Shows the table, asks for a confirmation unless `yes` is set, and sends. A dry run without an account only shows it. */
  async run(paths: readonly string[], yes = false): Promise<ExitCode> {
    const [context, config] = [this.#context, this.#config];
    const { dryRun, jobs } = this.#sending;
    if (dryRun && config.get('baseUrl') === undefined) await this.#scan(paths);
    else {
      requireBaseUrl(config);
      const options = { connections: jobs, offline: dryRun };
      await withLedger(context, config, options, async (connection, ledger) => {
        const { scan, isEmpty, toSend } = await this.#scan(paths, connection, ledger);
        if (isEmpty) return;
        // Days that were sent before need no question; each is reported as unchanged.
        const sends =
          dryRun ||
          yes ||
          toSend === '' ||
          (await confirmed(context, 'send it', 'Nothing was sent'));
        if (!sends) return;
        if (!dryRun) this.#report.zones?.remember();
        await this.#send(scan, connection, ledger);
      });
    }
    const tallies = [this.#uploads, ...Object.values(this.#report.tallies)];
    return worstExitCode(tallies.map(({ exitCode }) => exitCode));
  }

  /** Reports what was found, and what of it would be sent: without an account, all of it. */
  async #scan(paths: readonly string[], connection?: Connection, ledger?: OpenLedger) {
    const { cwd, io, output, flags } = this.#context;
    const zones = ledger && new ReadZones(this.#options.zone, ledger.records.zones);
    this.#report.zones = zones;
    const zone = zones?.zone ?? this.#options.zone;
    const progress = output.progress();
    let scan: Scan;
    try {
      scan = await scanInputs(
        this.#context,
        paths,
        { ...this.#options, zone },
        {
          cwd,
          archives: this.#archives,
          known: ledger,
          report: (item) => this.#reportUpload(item),
          reportUnreadable: (inputFile) => this.#reportUnreadable(inputFile),
          progress: (done, current) => progress.update({ noun: 'file', done, current }),
        },
      );
    } finally {
      progress.stop();
      this.#report.failures.print(output);
    }
    const { rows, records } = scan;
    const read = [records.wellness, records.nutrition];
    const warnings = new Set(read.flatMap((ofKind) => ofKind.warnings));
    for (const note of records.wellness.notes) output.say(note);
    for (const warning of warnings) output.warn(warning);
    for (const { unreadable, invalid } of read) {
      for (const item of [...unreadable, ...invalid]) this.#report.add(item);
    }
    if (output.json) for (const row of rows) output.result(rowJson(row));
    else if (rows.length > 0) output.text(tableText(rows, io, flags.profile));
    this.#report.print();
    const all = {
      wellness: records.wellness.records.length,
      nutrition: records.nutrition.records.length,
    };
    const target = connection && ledger && targetsOf(connection, ledger).records;
    const toSend = toSendText(scan, target === undefined ? all : await this.#unsent(scan, target));
    output.say(toSend === '' ? 'There is nothing to send.' : `To send: ${toSend}.`);
    return { scan, toSend, isEmpty: toSendText(scan, all) === '' };
  }

  /** Counts the days of a scan that need a request: the sender decides. */
  async #unsent({ records }: Scan, target: Omit<DeliveryTarget, 'report'>) {
    const unsent = { wellness: 0, nutrition: 0 };
    const options = { ...this.#sending, dryRun: true };
    const report = ({ kind, outcome }: RecordItem) => {
      if (outcome === 'would-push') unsent[kind]++;
    };
    for (const kind of KINDS) {
      await deliverRecords(this.#context, records[kind].records, options, { ...target, report });
    }
    return unsent;
  }

  async #send(scan: Scan, connection: Connection, ledger: OpenLedger): Promise<void> {
    const { output } = this.#context;
    const { upload, records } = targetsOf(connection, ledger, output);
    const total = scan.records.wellness.records.length + scan.records.nutrition.records.length;
    try {
      await withProgress(output, this.#sending, async (progress) => {
        await sendScan(
          this.#context,
          scan,
          this.#sending,
          {
            ...upload,
            report: (item) => this.#reportUpload(item),
            progress: (now) => progress.update(recordingProgress(now)),
          },
          { ...records, report: this.#report.counting(progress, total) },
        );
      });
    } finally {
      this.#report.print();
    }
    this.#summarise();
  }

  #summarise(): void {
    const { output } = this.#context;
    const { tallies: days, zones } = this.#report;
    const uploads = this.#uploads;
    const texts = [
      ...(uploads.counts.total > 0 ? [uploadSummaryText(uploads)] : []),
      ...KINDS.filter((kind) => days[kind].counts.total > 0).map((kind) =>
        pushSummaryText(kind, days[kind]),
      ),
    ];
    output.result(summaryJson(uploads, Object.values(days)), joinTexts(texts));
    const zoneUsed = KINDS.some((kind) => days[kind].zoneUsed);
    warnOfZone(this.#context, this.#config, zones ?? this.#options, zoneUsed);
  }

  #reportUpload(item: UploadItem): void {
    this.#uploads.add(item);
    const { clock, io, output } = this.#context;
    const view = activityView(io, clock.now(), this.#options.zone.name);
    const isGrouped = this.#report.failures.add(item);
    const isSilent = isGrouped || (item.outcome === 'would-upload' && !output.verbose);
    output.result(uploadItemJson(item), isSilent ? undefined : uploadItemText(item, view));
  }

  #reportUnreadable(inputFile: UnreadableFile): void {
    const { path, reason, problem: detail } = inputFile;
    const code = reason === 'no-room' ? exitCodeOf('STORAGE') : ExitCode.invalidInput;
    this.#uploads.addExitCode(code);
    const line = { type: 'import-unreadable', path, reason, detail };
    this.#context.output.result(line, unreadableText(inputFile));
  }
}
