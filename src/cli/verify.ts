import { connect } from '../app/connect.ts';
import { openLedger } from '../app/open-ledger.ts';
import { runVerify } from '../commands/verify.ts';
import type { ExitCode } from '../base/errors.ts';
import { verifyItemReport, verifyItemText, verifySummaryText } from '../render/verify.ts';
import { dateFlag } from '../app/date-flag.ts';
import { type Invocation, configFor, connectOptions, zoneFor } from '../app/invocation.ts';

export interface VerifyFlags {
  readonly since?: string;
}

export async function verify(invocation: Invocation, flags: VerifyFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  const now = deps.clock.now();
  const zone = flags.since === undefined ? 'UTC' : zoneFor(config, deps).name;
  const since =
    flags.since === undefined ? undefined : dateFlag('--since', flags.since, () => zone, now);
  const connection = connect(config, deps, connectOptions(invocation, 1));
  try {
    const ledger = openLedger(
      config,
      await connection.ledgerAccount({ offline: false }),
      deps.clock,
    );
    try {
      const { items, summary, exitCode } = await runVerify(
        { since, zone },
        {
          ledger: ledger.uploads,
          client: () => connection.client(),
          clock: deps.clock,
          signal: deps.signal,
        },
      );
      for (const item of items) output.result(verifyItemReport(item), verifyItemText(item, now));
      output.result({ type: 'summary', ...summary }, verifySummaryText(summary, since));
      return exitCode;
    } finally {
      ledger.close();
    }
  } finally {
    await connection.close();
  }
}
