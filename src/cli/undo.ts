import { connect } from '../app/connect.ts';
import { openLedger } from '../app/open-ledger.ts';
import { runUndo } from '../commands/undo.ts';
import { requireBaseUrl } from '../config/config.ts';
import type { ExitCode } from '../base/errors.ts';
import { pushItemReport } from '../render/push.ts';
import { undoText } from '../render/undo.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { dateFlag } from '../app/date-flag.ts';
import { type Invocation, configFor, connectOptions, zoneFor } from '../app/invocation.ts';

export interface UndoFlags {
  readonly force: boolean;
  readonly dryRun: boolean;
}

export async function undoNutrition(
  invocation: Invocation,
  day: string,
  flags: UndoFlags,
): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  const baseUrl = requireBaseUrl(config);
  const date = dateFlag('DATE', day, () => zoneFor(config, deps).name, deps.clock.now());
  const connection = connect(config, deps, connectOptions(invocation, 1));
  try {
    const account = await connection.ledgerAccount({ offline: flags.dryRun });
    const ledger = openLedger(config, account, deps.clock);
    try {
      const { item, exitCode } = await runUndo(
        { date, ...flags, nutrition: config.get('nutritionDelivery') },
        {
          ledger: ledger.records,
          client: () => connection.client(),
          url: (of) => endpointUrl(baseUrl, config.endpoints[of]),
          clock: deps.clock,
          signal: deps.signal,
        },
      );
      output.result(pushItemReport(item), undoText(item));
      return exitCode;
    } finally {
      ledger.close();
    }
  } finally {
    await connection.close();
  }
}
