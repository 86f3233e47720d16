import {
  type CommandModule,
  type RecordingFlags,
  collect,
  dryRun,
  jobsFlag,
  sameRideFlag,
  recordingOptions,
  zoneFlag,
} from '../app/command.ts';
import { activityView } from '../app/words/activities.ts';
import { configFor } from '../app/config.ts';
import type { AppContext } from '../app/context.ts';
import { DATE_FORMS, rangeFlags } from '../app/flags/date.ts';
import { FailureGroups } from '../app/words/failure-groups.ts';
import { targetsOf, withLedger } from '../app/ledger.ts';
import { Tally } from '../app/outcomes.ts';
import {
  recordingProgress,
  uploadItemJson,
  uploadItemText,
  uploadSummaryJson,
  uploadSummaryText,
} from '../app/words/uploads.ts';
import { withProgress } from '../terminal/progress.ts';
import { zoneShown } from '../app/zone.ts';
import { SyncError, messageOf } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { phrase, sync } from '../base/phrase.ts';
import { STDIN_PATH, namedPaths } from '../inputs/find-files.ts';
import { type Config, requireBaseUrl } from '../config/config.ts';
import type { Activity } from '../fit/activity.ts';
import { localDay } from '../records/days/zone.ts';
import { hearSignals } from '../system/signals.ts';
import { loadOs } from '../system/this-process.ts';
import { plural } from '../terminal/words.ts';
import { uploadBatch } from '../upload/pipeline.ts';
import type { UploadItem } from '../upload/report.ts';

interface UploadFlags extends RecordingFlags {
  readonly name?: string;
  readonly metadata?: readonly string[];
  readonly since?: string;
  readonly tz?: string;
}

export const upload: CommandModule = {
  declare: (command) =>
    command
      .argument('<path...>', '.fit, .gpx and .tcx files, packed or not, .zip archives, folders')
      .option('--name <name>', 'name of the workout (default: from the recording)')
      .option('--metadata <json|key=value>', 'metadata for the platform; may be repeated', collect)
      .option('--force', 'also send recordings that are uploaded already')
      .option('--any-type', 'send FIT files that are not activities')
      .addOption(sameRideFlag())
      .option('--since <date>', `recordings from this day on: ${DATE_FORMS}`)
      .addOption(zoneFlag())
      .addOption(jobsFlag('uploads at once'))
      .addOption(dryRun()),
  examples: [
    'sync upload ride.fit',
    'sync upload ~/Downloads          # every recording in the folder',
    'sync upload export.zip           # every recording in the archive',
    'sync upload ~/Garmin --since 7d  # the recordings of the last days',
    'sync upload ride.fit --name "Morning ride" --dry-run',
  ],

  async run(context, paths: readonly string[], flags: UploadFlags) {
    const { clock, cwd, io, output } = context;
    if (paths.includes(STDIN_PATH)) throw notFromStdin();
    const config = configFor(context, { timezone: flags.tz });
    requireBaseUrl(config);
    let zone = 'UTC';
    const options = await optionsOf(flags, config, context);
    const tally = new Tally('recording');
    output.summarise(() => uploadSummaryJson(tally));
    const failures = new FailureGroups();
    const report = (item: UploadItem) => {
      tally.add(item);
      // A folder may hold thousands of files, most of which print nothing.
      if (output.json) output.result(uploadItemJson(item));
      else if (!failures.add(item))
        output.text(uploadItemText(item, activityView(io, clock.now(), zone)));
    };
    const connect = { connections: options.jobs, offline: options.dryRun };
    return await withLedger(context, config, connect, async (connection, ledger) => {
      const { upload } = targetsOf(connection, ledger, output);
      try {
        await withProgress(output, options, async (progress) => {
          await uploadBatch(context, namedPaths(paths, cwd), options, {
            ...upload,
            cwd,
            tempFolder: loadOs().tmpdir(),
            report,
            // A run with nothing to send does not need the athlete's zone.
            onWaiting: async () => {
              await hearSignals();
              if (!output.json) zone = await zoneShown(config, context);
            },
            onArchive: (path) => tally.archives.push(path),
            onBusy: (count) =>
              output.say(
                `Another sync is sending ${plural(count, 'recording')} just now; waiting for it.`,
              ),
            progress: (now) => progress.update(recordingProgress(now)),
          });
        });
      } finally {
        failures.print(output);
      }
      output.result(uploadSummaryJson(tally), uploadSummaryText(tally));
      return tally.exitCode;
    });
  },
};

async function optionsOf(flags: UploadFlags, config: Config, context: AppContext) {
  const { since, name, metadata = [] } = flags;
  return {
    ...recordingOptions(config, flags),
    // Later ones win.
    metadata: Object.assign({}, ...metadata.map(parseMetadata)) as Record<string, unknown>,
    isTooEarly: since === undefined ? undefined : await earlierThan(since, config, context),
    name: name?.trim() || undefined,
  };
}

function notFromStdin(): SyncError {
  return new SyncError('USAGE', 'A recording cannot be read from stdin (-).', {
    hint: phrase`Save it to a file, then name the file: ${sync('upload', 'ride.fit')}.`,
  });
}

/** Returns whether an activity began before a `--since` day, in the athlete's zone. */
async function earlierThan(
  since: string,
  config: Config,
  context: AppContext,
): Promise<(activity: Activity) => boolean> {
  const { zone, since: first = '' } = await rangeFlags(context, config, { since });
  return (activity) => (localDay(activity, zone) ?? first) < first;
}

/** Parses a `--metadata` flag: `KEY=VALUE`, or a JSON object. */
function parseMetadata(text: string): Record<string, unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return parseJson(text) as Record<string, unknown>;
    } catch (cause) {
      throw wrongMetadata(text, messageOf(cause));
    }
  }
  const at = text.indexOf('=');
  if (at < 1) throw wrongMetadata(text, 'it has no key before a =');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

function wrongMetadata(text: string, why: string): SyncError {
  return new SyncError('USAGE', `--metadata ${text}: ${why}.`, {
    hint: `Write KEY=VALUE, or a JSON object: --metadata '{"bike":"gravel"}'.`,
  });
}
