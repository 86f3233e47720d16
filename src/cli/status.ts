import { runStatus } from '../commands/status.ts';
import type { ExitCode } from '../base/errors.ts';
import { statusReport, statusText } from '../render/status.ts';
import { openHttp } from '../api/open-http.ts';
import { type Invocation, configFor } from '../app/invocation.ts';

export interface StatusFlags {
  readonly check?: boolean;
}

export async function status(invocation: Invocation, flags: StatusFlags): Promise<ExitCode> {
  const { deps, output, version } = invocation;
  const config = configFor(invocation);
  const http = await openHttp({ env: deps.env, version, connections: 1 });
  try {
    const { report, exitCode } = await runStatus({
      config,
      deps,
      http,
      check: flags.check ?? false,
    });
    output.result(statusReport(report), statusText(report, deps.clock.now()));
    return exitCode;
  } finally {
    await http.close();
  }
}
