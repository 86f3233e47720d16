import { connect } from '../app/connect.ts';
import { openLedger } from '../app/open-ledger.ts';
import { runPush } from '../commands/push.ts';
import { requireBaseUrl } from '../config/config.ts';
import { type ExitCode, SyncError } from '../base/errors.ts';
import { STDIN as STDIN_INPUT } from '../records/day-plan.ts';
import { fileInput } from '../records/read-input.ts';
import type { RecordKind } from '../records/types.ts';
import {
  pushItemReport,
  pushItemTexts,
  pushSummaryReport,
  pushSummaryText,
} from '../render/push.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { DEFAULT_JOBS } from '../upload/pipeline.ts';
import {
  type Invocation,
  configFor,
  connectOptions,
  wholeNumber,
  zoneFor,
} from '../app/invocation.ts';

export interface PushFlags {
  readonly tz?: string;
  readonly force: boolean;
  readonly strict: boolean;
  readonly raw: boolean;
  /** Of `push nutrition` alone. */
  readonly assumeArrived?: boolean;
  readonly add?: boolean;
  readonly replaceDay?: boolean;
  readonly jobs?: string;
  readonly dryRun: boolean;
}

/** `-` in the place of a file. */
const STDIN = '-';

export const push = { wellness: pushes('wellness'), nutrition: pushes('nutrition') };

function pushes(kind: RecordKind) {
  return async (
    invocation: Invocation,
    files: readonly string[],
    flags: PushFlags,
  ): Promise<ExitCode> => {
    const { deps, output } = invocation;
    const config = configFor(invocation, flags.tz === undefined ? {} : { timezone: flags.tz });
    const baseUrl = requireBaseUrl(config);
    if (files.filter((file) => file === STDIN).length > 1) {
      throw new SyncError('USAGE', 'stdin (-) can be read once.');
    }
    if (flags.add === true && flags.replaceDay === true) {
      throw new SyncError('USAGE', '--add and --replace-day exclude each other.', {
        hint: '--add keeps what was sent before; --replace-day removes what is not in the input.',
      });
    }
    const jobs = flags.jobs === undefined ? DEFAULT_JOBS : wholeNumber('--jobs', flags.jobs, 1, 32);
    const zone = zoneFor(config, deps);
    const connection = connect(config, deps, connectOptions(invocation, jobs));
    const ledger = openLedger(
      config,
      await connection.ledgerAccount({ offline: flags.dryRun }),
      deps.clock,
    );
    const progress = output.progress();
    const text = pushItemTexts(zone.name);
    try {
      const { summary, exitCode } = await runPush(
        {
          kind,
          inputs: files.map((file) =>
            file === STDIN ? { name: STDIN_INPUT, chunks: deps.io.readStdin() } : fileInput(file),
          ),
          zone,
          strict: flags.strict,
          raw: flags.raw,
          force: flags.force,
          dryRun: flags.dryRun,
          jobs,
          nutrition: config.get('nutritionDelivery'),
          merge:
            flags.replaceDay === true ? 'replace-day' : flags.add === true ? 'add' : 'same-input',
          assumeArrived: flags.assumeArrived ?? false,
        },
        {
          ledger: ledger.records,
          client: () => connection.client(),
          url: (of) => endpointUrl(baseUrl, config.endpoints[of]),
          clock: deps.clock,
          signal: deps.signal,
          report: (item) => output.result(pushItemReport(item, zone.name), text(item)),
          progress: ({ done, total }) => progress.update(() => `${done} of ${total} days`),
        },
      );
      progress.stop();
      output.result(pushSummaryReport(summary), pushSummaryText(kind, summary));
      return exitCode;
    } finally {
      progress.stop();
      ledger.close();
      await connection.close();
    }
  };
}
