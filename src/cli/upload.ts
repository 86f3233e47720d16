import { connect } from '../commands/connect.ts';
import { openLedger } from '../commands/open-ledger.ts';
import { runUpload } from '../commands/upload.ts';
import { requireBaseUrl } from '../config.ts';
import { type ExitCode, SyncError, messageOf } from '../errors.ts';
import {
  uploadItemReport,
  uploadItemText,
  uploadProgressText,
  uploadSummaryReport,
  uploadSummaryText,
} from '../render/upload.ts';
import { plural } from '../render/words.ts';
import { endpointUrl } from '../service/endpoints.ts';
import { isObject } from '../service/wire.ts';
import { DEFAULT_JOBS } from '../upload/pipeline.ts';
import { type Invocation, configFor, connectOptions, wholeNumber } from './invocation.ts';

export interface UploadFlags {
  readonly name?: string;
  readonly metadata: readonly string[];
  readonly force: boolean;
  readonly anyType: boolean;
  readonly jobs?: string;
  readonly dryRun: boolean;
}

export async function upload(
  invocation: Invocation,
  paths: readonly string[],
  flags: UploadFlags,
): Promise<ExitCode> {
  const { deps, output, version } = invocation;
  const config = configFor(invocation);
  const baseUrl = requireBaseUrl(config);
  const jobs = flags.jobs === undefined ? DEFAULT_JOBS : wholeNumber('--jobs', flags.jobs, 1, 32);
  const options = {
    paths,
    jobs,
    force: flags.force,
    anyType: flags.anyType,
    dryRun: flags.dryRun,
    metadata: parseMetadata(flags.metadata),
    ...(flags.name === undefined ? {} : { name: flags.name }),
  };
  const connection = connect(config, deps, connectOptions(invocation, jobs));
  const ledger = openLedger(
    config,
    await connection.ledgerAccount({ offline: flags.dryRun }),
    deps.clock,
  );
  const progress = output.progress();
  const started = deps.clock.now();
  try {
    const report = await runUpload(options, {
      cwd: deps.cwd,
      appVersion: version,
      ledger: ledger.uploads,
      known: ledger.known,
      client: () => connection.client(),
      uploadUrl: () => endpointUrl(baseUrl, config.endpoints.uploadFit),
      clock: deps.clock,
      signal: deps.signal,
      report: (item) => output.result(uploadItemReport(item), uploadItemText(item)),
      onBusy: (count) =>
        output.say(
          `Another sync is sending ${plural(count, 'recording')} just now; waiting for it.`,
        ),
      progress: (now) => progress.update(() => uploadProgressText(now, deps.clock.now() - started)),
    });
    progress.stop();
    output.result(uploadSummaryReport(report.summary), uploadSummaryText(report));
    return report.exitCode;
  } finally {
    progress.stop();
    ledger.close();
    await connection.close();
  }
}

/** `--metadata`, each `KEY=VALUE` or a JSON object; the later wins. */
export function parseMetadata(given: readonly string[]): Record<string, unknown> {
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
  if (at < 1) throw wrongMetadata(text, 'there is no = in it');
  return { [text.slice(0, at)]: text.slice(at + 1) };
}

function wrongMetadata(text: string, why: string): SyncError {
  return new SyncError('USAGE', `--metadata ${text}: ${why}.`, {
    hint: `Write KEY=VALUE, or a JSON object: --metadata '{"bike":"gravel"}'.`,
  });
}
