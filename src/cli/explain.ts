import { connect } from '../app/connect.ts';
import { runExplain } from '../commands/explain.ts';
import { openLedger } from '../app/open-ledger.ts';
import type { ExitCode } from '../base/errors.ts';
import { explainReport, explainText } from '../render/explain.ts';
import { type Invocation, configFor, connectOptions } from '../app/invocation.ts';

export async function explain(invocation: Invocation, subject: string): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  const connection = connect(config, deps, connectOptions(invocation, 1));
  try {
    const ledger = openLedger(
      config,
      await connection.ledgerAccount({ offline: false }),
      deps.clock,
    );
    try {
      const { uploads, records } = ledger;
      const { report, exitCode } = runExplain(subject, { cwd: deps.cwd, uploads, records });
      output.result(explainReport(report), explainText(report, deps.clock.now()));
      return exitCode;
    } finally {
      ledger.close();
    }
  } finally {
    await connection.close();
  }
}
