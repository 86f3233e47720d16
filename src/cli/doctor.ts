import { runDoctor } from '../commands/doctor.ts';
import type { ExitCode } from '../base/errors.ts';
import { openHttp } from '../api/open-http.ts';
import { type Invocation, quietConfigFor, zoneFor } from '../app/invocation.ts';

const MARKS = { good: 'ok  ', odd: 'note', bad: 'BAD ' } as const;

export async function doctor(invocation: Invocation): Promise<ExitCode> {
  const { deps, output, version } = invocation;
  const http = await openHttp({ env: deps.env, version, connections: 1 });
  try {
    return await runDoctor({
      config: () => quietConfigFor(invocation),
      zone: () => zoneFor(quietConfigFor(invocation), deps).name,
      deps,
      http,
      report: (finding) => {
        const lines = [`${MARKS[finding.state]}  ${finding.message}`];
        if (finding.hint !== undefined) lines.push(`      ${finding.hint}`);
        output.result({ type: 'finding', ...finding }, lines.join('\n'));
      },
    });
  } finally {
    await http.close();
  }
}
