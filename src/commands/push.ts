import { type CommandModule, dryRun, zoneFlag } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { withLedger } from '../app/ledger.ts';
import { STDIN, namedInputs } from '../app/record-inputs.ts';
import {
  type SourceFlags,
  exportJson,
  exportText,
  mapFlag,
  sourceFlag,
  sourcesFor,
} from '../app/sources.ts';
import { zoneFor } from '../app/zone.ts';
import { ExitCode, SyncError, exitCodeOfDelivery, worstExitCode } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isUtc } from '../base/zone-name.ts';
import { requireBaseUrl } from '../config/config.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { MergeMode } from '../records/day-plan.ts';
import { type RecordItem, type RecordRequest, deliverRecords } from '../records/deliver.ts';
import { type PreparedInputs, type UnreadableInput, prepareInputs } from '../records/prepare.ts';
import { ReadZones } from '../records/read-zones.ts';
import type {
  InvalidRecord,
  PreparedRecord,
  RecordKind,
  RecordOptions,
  SourceOptions,
  Zone,
} from '../records/types.ts';
import { oneLine, plural } from '../terminal/words.ts';
import { jobsFlag, jobsOf } from '../app/jobs-flag.ts';

interface PushFlags extends SourceFlags {
  readonly tz?: string;
  readonly force?: boolean;
  readonly strict?: boolean;
  readonly raw?: boolean;
  readonly unknownFields?: boolean;
  readonly jobs?: string;
  readonly dryRun?: boolean;
  readonly add?: boolean;
  readonly replaceDay?: boolean;
  readonly assumeArrived?: boolean;
}

export const pushWellness: CommandModule = {
  declare: (command) =>
    command
      .argument(
        '<file...>',
        'exports that `sync sources` lists, JSON or NDJSON; folders, .zip archives; - for stdin',
      )
      .addOption(sourceFlag())
      .addOption(mapFlag())
      .addOption(zoneFlag())
      .option('--force', 'also send days that have not changed')
      .option('--strict', STRICT)
      .option('--raw', 'also send the record as it was read, in the field rawJson')
      .option('--unknown-fields', 'also send fields that the platform does not know')
      .addOption(jobsFlag('days at once'))
      .addOption(dryRun()),
  examples: [
    'sync push wellness morning.json',
    'sync push wellness export.ndjson --tz Europe/Berlin --dry-run',
    'collect-wellness | sync push wellness -',
  ],
  documents: ['records.md', 'dates.md', 'sources.md'],
  run: (context, files: readonly string[], flags: PushFlags) =>
    push('wellness', context, files, flags),
};

export const pushNutrition: CommandModule = {
  declare: (command) =>
    command
      .argument(
        '<file...>',
        'exports that `sync sources` lists, JSON or NDJSON; folders, .zip archives; - for stdin',
      )
      .addOption(sourceFlag())
      .addOption(mapFlag())
      .addOption(zoneFlag())
      .option(
        '--force',
        'also check days that have not changed, and overwrite edits made in the platform',
      )
      .option('--strict', STRICT)
      .option('--raw', 'also send the record as it was read, in the field rawJson')
      .option('--unknown-fields', 'also send fields that the platform does not know')
      .addOption(jobsFlag('days at once'))
      .addOption(dryRun())
      .option('--add', 'keep items that were sent before, even if the input lacks them now')
      .option('--replace-day', 'remove items that were sent before and are not in the input')
      .option(
        '--assume-arrived',
        'count items without an answer as arrived, after you looked at the platform',
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

const STRICT = 'refuse unknown fields, days far ahead, and values that need adapting';

/** Reads all inputs to their end, then sends one request a day. */
async function push(
  kind: RecordKind,
  context: AppContext,
  files: readonly string[],
  flags: PushFlags,
): Promise<ExitCode> {
  const { clock, output } = context;
  const config = configFor(context, flags.tz === undefined ? {} : { timezone: flags.tz });
  // A file can be checked without an account.
  const baseUrl = flags.dryRun === true ? config.get('baseUrl') : requireBaseUrl(config);
  if (files.filter((file) => file === STDIN).length > 1) {
    throw new SyncError('USAGE', 'stdin (-) can be read once.');
  }
  const jobs = jobsOf(flags.jobs);
  const options = {
    zone: await zoneFor(config, context),
    strict: flags.strict ?? false,
    raw: flags.raw ?? false,
    unknownFields: flags.unknownFields ?? false,
    sources: sourcesFor(context, flags),
    force: flags.force ?? false,
    dryRun: flags.dryRun ?? false,
    jobs,
    nutrition: config.get('nutritionDelivery'),
    merge: mergeMode(flags),
    assumeArrived: flags.assumeArrived ?? false,
  };
  const tally = new PushTally();
  const itemText = pushItemTexts();
  const report = (item: PushItem, zones?: ReadZones) => {
    tally.add(item);
    const { name, from } = options.zone;
    const zone = ('date' in item ? zones?.zoneOf(item.date) : undefined) ?? name;
    output.result(pushItemJson(item, { name: zone, from }), itemText(item, zone));
  };
  const read = async (zones?: ReadZones): Promise<PreparedRecord[]> => {
    const reading = { ...options, zone: zones?.zone ?? options.zone, now: clock.now() };
    const prepared = await prepareFiles(context, kind, files, reading);
    for (const found of prepared.exports) {
      if (output.json) output.result(exportJson(found));
      else output.say(exportText(found));
    }
    for (const name of prepared.empty) output.say(`${name} holds an empty list of records.`);
    for (const item of [...prepared.unreadable, ...prepared.invalid]) report(item, zones);
    return prepared.records;
  };
  const summarise = (): void => {
    output.result(pushSummaryJson(tally.summary), pushSummaryText(kind, tally.summary));
  };
  if (baseUrl === undefined) {
    for (const record of await read()) report(withoutAddress(record, config.endpoints[kind]));
    summarise();
    return tally.exitCode;
  }
  const progress = output.progress();
  return await withLedger(
    context,
    config,
    { connections: jobs, offline: options.dryRun },
    async (connection, { records: ledger }) => {
      const zones = new ReadZones(options.zone, ledger.zones);
      try {
        const records = await read(zones);
        if (!options.dryRun) zones.remember();
        let done = 0;
        await deliverRecords(context, records, options, {
          ledger,
          client: () => connection.client(),
          url: (of) => endpointUrl(baseUrl, config.endpoints[of]),
          report: (item) => {
            report(item, zones);
            done++;
            progress.update({ noun: 'day', done, total: records.length });
          },
        });
      } finally {
        progress.stop();
      }
      summarise();
      warnOfZone(context, zones, tally.zoneUsed);
      return tally.exitCode;
    },
  );
}

/** Returns the request of a day of which no service is known. @param path of the endpoint */
function withoutAddress(record: PreparedRecord, path: string): RecordItem {
  const { kind, date, sources, warnings, zoneUsed, body } = record;
  const request = { method: 'POST', url: path, body } as const;
  return { outcome: 'would-push', kind, date, sources, warnings, zoneUsed, request };
}

/** Reads the files, folders and archives of a command line to their end. */
async function prepareFiles(
  context: AppContext,
  kind: RecordKind,
  files: readonly string[],
  options: RecordOptions & { readonly sources: SourceOptions },
): Promise<PreparedInputs> {
  const named = await namedInputs(context, files, kind, options.sources);
  try {
    return await prepareInputs(kind, named.inputs, options, context.signal);
  } finally {
    await named.close();
  }
}

/** Warns, once a run, of a zone that may not be the athlete's. */
export function warnOfZone({ warn }: AppContext, zones: ReadZones, zoneUsed: boolean): void {
  const { name, from } = zones.zone;
  const [earlier] = zones.earlierZones;
  if (earlier !== undefined) {
    warn(
      phrase`Times that were read before are read in ${zones.earlierZones.join(', ')}, as then, although this machine is in ${name}: ${sync('config', 'set', 'timezone', name)} reads all of them in ${name}.`,
    );
  } else if (zoneUsed && from === 'machine' && isUtc(name)) {
    warn(
      phrase`Days are counted in ${name}, this machine's zone: ${sync('config', 'set', 'timezone', 'Europe/Berlin')} if you live elsewhere.`,
    );
  }
}

function mergeMode({ add = false, replaceDay = false }: PushFlags): MergeMode {
  if (add && replaceDay) {
    throw new SyncError('USAGE', '--add and --replace-day exclude each other.', {
      hint: '--add keeps what was sent before; --replace-day removes what is not in the input.',
    });
  }
  return replaceDay ? 'replace-day' : add ? 'add' : 'same-input';
}

/** The outcome of a day, of a record that cannot be sent, or of an input that cannot be read. */
export type PushItem = RecordItem | InvalidRecord | UnreadableInput;
export type PushOutcome = PushItem['outcome'];

/** Counts days (and unusable records) by their outcome. */
export type PushSummary = {
  readonly total: number;
  readonly warnings: number;
  /** Failed days that no run retries: only a person can find out whether they arrived. */
  readonly unclear: number;
} & Readonly<Record<PushOutcome, number>>;

/** Adds up the outcomes of a push. */
export class PushTally {
  readonly #codes = new Set<ExitCode>();
  /** The zone decided about a day or an offset. */
  zoneUsed = false;
  readonly #counts = {
    total: 0,
    warnings: 0,
    unclear: 0,
    pushed: 0,
    skipped: 0,
    invalid: 0,
    rejected: 0,
    conflict: 0,
    failed: 0,
    'would-push': 0,
  };

  add(item: PushItem): void {
    this.#counts.total++;
    this.#counts[item.outcome]++;
    if ('warnings' in item) this.#counts.warnings += item.warnings.length;
    if ('zoneUsed' in item) this.zoneUsed ||= item.zoneUsed;
    if (item.outcome === 'failed' && item.code === 'FATE_UNKNOWN') this.#counts.unclear++;
    this.#codes.add(exitCodeOfPush(item));
  }

  get summary(): PushSummary {
    return this.#counts;
  }

  get exitCode(): ExitCode {
    return worstExitCode(this.#codes);
  }
}

/** Returns the exit code for one day, record or input alone. */
export function exitCodeOfPush(item: PushItem): ExitCode {
  switch (item.outcome) {
    case 'pushed':
    case 'skipped':
    case 'would-push':
      return ExitCode.ok;
    case 'invalid':
      return ExitCode.invalidInput;
    case 'rejected':
    case 'conflict':
      return ExitCode.refused;
    case 'failed':
      return exitCodeOfDelivery(item.code);
  }
}

/**
 * Returns a day, or an unusable record, as JSON. `source` is the first of its `sources`; the `zone` is
 * there if it decided about the date or an offset.
 */
export function pushItemJson(item: PushItem, zone?: Zone): Record<string, unknown> {
  if (item.outcome === 'invalid') {
    const { kind, ...rest } = item;
    if (!('hint' in rest)) return { type: kind, ...rest };
    const { source, ...whole } = rest;
    const { problem } = rest.problems[0];
    return { type: kind, source, reason: 'unreadable', problem, ...whole };
  }
  const { kind: type, date, outcome, sources, ...rest } = item;
  const where = item.zoneUsed && zone !== undefined ? { zone: zone.name, zoneFrom: zone.from } : {};
  return { type, date, outcome, source: sources[0], sources, ...rest, ...where };
}

export function pushSummaryJson(summary: PushSummary): Record<string, unknown> {
  const { 'would-push': wouldPush, unclear, ...counts } = summary;
  return {
    type: 'summary',
    ...counts,
    ...(unclear > 0 ? { unclear } : {}),
    ...(wouldPush > 0 ? { 'would-push': wouldPush } : {}),
  };
}

/**
 * Returns a function for each day's text. A reason that stops many days (no login, no connection) is
 * printed with the first of them only.
 */
export function pushItemTexts(): (item: PushItem, zone: string) => Text | undefined {
  const printed = new Set<string>();
  return (item, zone) => {
    if (item.outcome !== 'failed') return pushItemText(item, zone);
    if (printed.has(item.message)) return `${item.date}: not sent.`;
    printed.add(item.message);
    return pushItemText(item, zone);
  };
}

/** What happened to a day. */
const SENT = { pushed: 'sent', conflict: 'not all sent' };

/** Returns the text of a day; undefined if it is unchanged and has no notes. */
export function pushItemText(item: PushItem, zone: string, words = SENT): Text | undefined {
  if (item.outcome === 'invalid') {
    const problems = item.problems.map(({ field, problem }) =>
      field === undefined ? problem : `${field}: ${problem}`,
    );
    // The problem of an input is a sentence with the input's name in it.
    if ('hint' in item) return phrase`${oneLine(problems.join('; '))} ${item.hint}`;
    const line = item.line === undefined ? '' : ` (line ${item.line})`;
    return oneLine(`${item.source}${line}: not sent. ${problems.join('; ')}`);
  }
  const notes = item.warnings.map(({ source, field, message }) => {
    const place = oneLine([source, field].filter(Boolean).join(': '));
    return phrase`  note: ${place}: ${typeof message === 'string' ? oneLine(message) : message}`;
  });
  if (item.outcome === 'skipped' && notes.length === 0) return undefined;
  return joinTexts([...outcomeLines(item, zone, words), ...notes], '\n');
}

function outcomeLines(item: RecordItem, zone: string, words: typeof SENT): Text[] {
  const where = item.zoneUsed ? ` (dates in ${zone})` : '';
  const hint = 'hint' in item ? phrase` ${item.hint}` : '';
  switch (item.outcome) {
    case 'pushed':
      return [`${item.date}: ${words.pushed}${where}`];
    case 'skipped':
      return [`${item.date}: unchanged`];
    case 'rejected':
      return [phrase`${item.date}: refused by the service: ${oneLine(item.message)}${hint}`];
    case 'conflict':
      return [`${item.date}: ${words.conflict}. ${oneLine(`${item.message} ${item.hint}`)}`];
    case 'failed': {
      const state = item.code === 'FATE_UNKNOWN' ? 'unclear' : 'not sent';
      return [phrase`${item.date}: ${state}. ${item.message}${hint}`];
    }
    case 'would-push': {
      const { first, removals = [], request } = item;
      const head = `${item.date}: would be sent${where}`;
      if (first === undefined) return [head, ...requestLines(request)];
      return [
        head,
        '  to learn what the day holds:',
        ...requestLines(first),
        ...(removals.length === 0 ? [] : ['  then, if the service offers it:']),
        ...removals.flatMap(requestLines),
        '  then, without the items that it holds already:',
        ...requestLines(request),
      ];
    }
  }
}

function requestLines({ method, url, body }: RecordRequest): string[] {
  if (body === undefined) return [`  ${method} ${url}`];
  return [`  ${method} ${url}`, `  ${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}`];
}

export function pushSummaryText(kind: RecordKind, summary: PushSummary): string {
  if (summary.total === 0) return `No ${kind} records found.`;
  const parts = [
    [summary.pushed, 'sent'],
    [summary['would-push'], 'would be sent'],
    [summary.skipped, 'unchanged'],
    [summary.invalid, 'not usable'],
    [summary.rejected, 'refused'],
    [summary.conflict, 'to be corrected in the platform'],
    [summary.unclear, 'unclear; look at the platform first'],
    [summary.failed - summary.unclear, 'not delivered; the same command again continues'],
  ] as const;
  const counted = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  const noted = summary.warnings > 0 ? ` ${plural(summary.warnings, 'note')} above.` : '';
  return `${kind}: ${counted.join(', ')}.${noted}`;
}
