import { tmpdir } from 'node:os';
import { type CommandModule, collect, dryRun } from '../app/command.ts';
import { configFor } from '../app/config.ts';
import { jobsFlag, jobsOf } from '../app/jobs-flag.ts';
import { withLedger } from '../app/ledger.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { type Text, joinTexts, phrase, sync } from '../base/phrase.ts';
import { isObject } from '../api/wire.ts';
import { requireBaseUrl } from '../config/config.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { bytes, oneLine, plural } from '../terminal/words.ts';
import { uploadBatch } from '../upload/pipeline.ts';
import type { UploadItem, UploadRequest } from '../upload/report.ts';
import { type UploadReport, UploadTally } from '../upload/tally.ts';

interface UploadFlags {
  readonly name?: string;
  readonly metadata?: readonly string[];
  readonly force?: boolean;
  readonly anyType?: boolean;
  readonly jobs?: string;
  readonly dryRun?: boolean;
}

export const upload: CommandModule = {
  declare: (command) =>
    command
      .argument('<path...>', '.fit files, .fit.gz files, .zip archives, folders')
      .option('--name <name>', 'name of the workout (default: from the recording)')
      .option('--metadata <json|key=value>', 'metadata for the platform; may be repeated', collect)
      .option('--force', 'also send recordings that are uploaded already')
      .option('--any-type', 'send FIT files that are not activities')
      .addOption(jobsFlag('uploads at once'))
      .addOption(dryRun()),
  examples: [
    'sync upload ride.fit',
    'sync upload ~/Downloads          # every recording in the folder',
    'sync upload export.zip           # every recording in the archive',
    'sync upload ride.fit --name "Morning ride" --dry-run',
  ],

  async run(context, paths: readonly string[], flags: UploadFlags) {
    const { cwd, output } = context;
    const config = configFor(context);
    const baseUrl = requireBaseUrl(config);
    const jobs = jobsOf(flags.jobs);
    const options = {
      jobs,
      force: flags.force ?? false,
      anyType: flags.anyType ?? false,
      dryRun: flags.dryRun ?? false,
      metadata: parseMetadata(flags.metadata ?? []),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    };
    const tally = new UploadTally();
    const progress = output.progress();
    return await withLedger(
      context,
      config,
      { connections: jobs, offline: options.dryRun },
      async (connection, { uploads, known }) => {
        try {
          await uploadBatch(context, paths, options, {
            cwd,
            tempFolder: tmpdir(),
            appVersion: context.version,
            ledger: uploads,
            known,
            client: () => connection.client(),
            uploadUrl: () => endpointUrl(baseUrl, config.endpoints.uploadFit),
            report: (item) => {
              tally.add(item);
              output.result(uploadItemJson(item), uploadItemText(item));
            },
            onOther: (file) => tally.addOther(file),
            onBusy: (count) =>
              output.say(
                `Another sync is sending ${plural(count, 'recording')} just now; waiting for it.`,
              ),
            progress: (now) => progress.update({ ...now, noun: 'recording' }),
          });
        } finally {
          progress.stop();
        }
        const { report } = tally;
        output.result(uploadSummaryJson(report), uploadSummaryText(report));
        return report.exitCode;
      },
    );
  },
};

/** Merges `--metadata` flags, each `KEY=VALUE` or a JSON object; later ones win. */
function parseMetadata(given: readonly string[]): Record<string, unknown> {
  return Object.assign({}, ...given.map(parseOneMetadata)) as Record<string, unknown>;
}

function parseOneMetadata(text: string): Record<string, unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value)) return value;
    } catch (cause) {
      throw wrongMetadata(text, messageOf(cause));
    }
  }
  const at = text.indexOf('=');
  if (at < 1) throw wrongMetadata(text, 'it has no =');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

function wrongMetadata(text: string, why: string): SyncError {
  return new SyncError('USAGE', `--metadata ${text}: ${why}.`, {
    hint: `Write KEY=VALUE, or a JSON object: --metadata '{"bike":"gravel"}'.`,
  });
}

export function uploadItemJson(item: UploadItem): Record<string, unknown> {
  return { type: 'upload', ...item };
}

/** The counts as JSON; `would-upload` only after a dry run, files of other kinds only if found. */
export function uploadSummaryJson({
  summary,
  others,
}: Pick<UploadReport, 'summary' | 'others'>): Record<string, unknown> {
  const { 'would-upload': wouldUpload, ...counts } = summary;
  const found = Object.entries(others).filter(([, paths]) => paths.length > 0);
  return {
    type: 'summary',
    ...counts,
    ...(wouldUpload > 0 ? { 'would-upload': wouldUpload } : {}),
    ...Object.fromEntries(found.map(([kind, paths]) => [kind, paths.length])),
  };
}

/** A file's outcome for people. Skipped files are only counted. */
export function uploadItemText(item: UploadItem): Text | undefined {
  const path = oneLine(item.path);
  switch (item.outcome) {
    case 'uploaded':
      return `${path}: uploaded${item.service.state === 'queued' ? ' (received, being processed)' : ''}`;
    case 'duplicate':
      return `${path}: the service had it already${item.note === undefined ? '' : `. ${item.note}`}`;
    case 'skipped':
      return undefined;
    case 'invalid':
      return `${path}: not sent. ${item.detail}`;
    case 'rejected':
      return `${path}: refused by the service: ${oneLine(item.message)}`;
    case 'failed':
      return phrase`${path}: not sent. ${oneLine(item.message)}${item.hint === undefined ? '' : phrase` ${item.hint}`}`;
    case 'would-upload':
      return requestText(path, item.request);
  }
}

function requestText(path: string, { method, url, parts }: UploadRequest): string {
  return [
    `${path}: would be sent`,
    `  ${method} ${url}`,
    ...parts.map((part) =>
      'value' in part
        ? `  ${part.name}: ${oneLine(part.value)}`
        : `  ${part.name}: ${oneLine(part.filename)} (${bytes(part.size)}, SHA-256 ${part.sha256})`,
    ),
  ].join('\n');
}

/** One sentence that says where every file is now. */
export function uploadSummaryText({
  summary,
  skipped,
  others,
}: Pick<UploadReport, 'summary' | 'skipped' | 'others'>): Text {
  const left = othersText(others);
  if (summary.total === 0) return `No recordings found.${left}`;
  const parts = [
    [summary.uploaded, 'uploaded'],
    [summary['would-upload'], 'would be uploaded'],
    [summary.duplicate, 'already at the service'],
    [skipped['already-uploaded'], 'uploaded before'],
    [skipped['refused-before'], phrase`refused before (${sync('upload')} offers them again)`],
    [skipped['not-an-activity'], 'without an activity (settings, courses and the like)'],
    [summary.invalid, 'not usable'],
    [summary.rejected, 'refused'],
    [summary.failed, 'not delivered; the same command again continues'],
  ] as const;
  const counted = parts
    .filter(([count]) => count > 0)
    .map(([count, words]) => phrase`${count} ${words}`);
  const nothing = summary.skipped === summary.total ? 'Nothing to send. ' : '';
  return phrase`${nothing}${plural(summary.total, 'file')}: ${joinTexts(counted, ', ')}.${left}`;
}

/** Number of zip archives that the summary names. */
const NAMED = 3;

/** Counts the files of other kinds, with the way to send their recordings; '' if there are none. */
function othersText({ gpx, tcx, zip }: UploadReport['others']): string {
  const tracks = [
    ...(gpx.length > 0 ? [plural(gpx.length, 'GPX file')] : []),
    ...(tcx.length > 0 ? [plural(tcx.length, 'TCX file')] : []),
  ];
  const named = zip.slice(0, NAMED).map(oneLine).join(', ');
  const more = zip.length > NAMED ? ` and ${zip.length - NAMED} more` : '';
  return [
    tracks.length > 0
      ? ` Not sent: ${tracks.join(' and ')}. Only FIT recordings are sent: export the originals as FIT.`
      : '',
    zip.length > 0
      ? ` Not opened: ${plural(zip.length, 'zip archive')} in a folder (${named}${more}). Name an archive to send its recordings.`
      : '',
  ].join('');
}
