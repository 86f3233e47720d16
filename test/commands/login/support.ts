import { login } from '../../../src/commands/login/login.ts';
import type { LoginReport } from '../../../src/commands/login/keep.ts';
import { token } from '../../../src/commands/token.ts';
import type { System } from '../../../src/app/context.ts';
import { startCommand } from '../../support/command.ts';
import { ndjson } from '../../support/program.ts';
import { AUTHORIZE_URL } from '../../support/acceptance.ts';

/** A login that runs, and the lines for people that it printed so far. */
export interface LoginRun {
  readonly done: Promise<LoginReport>;
  readonly stderr: readonly string[];
}

/**
 * Starts `sync login --json` on any free port.
 *
 * @param onAuthorize called with the authorization URL and the text around it, each time it is shown
 */
export function startLogin(
  system: System,
  args: readonly string[] = [],
  onAuthorize: (url: URL, text: string) => void = () => undefined,
): LoginRun {
  const port = args.includes('--redirect-uri') ? [] : ['--port', '0'];
  const run = startCommand(login, system, ['--json', ...port, ...args], (line) => {
    const url = AUTHORIZE_URL.exec(line)?.[0];
    if (url !== undefined) onAuthorize(new URL(url), line);
  });
  const done = run.done.then(() => {
    const [report = {}] = ndjson(run.stdout.join('\n'));
    delete report['type'];
    return report as unknown as LoginReport;
  });
  return { done, stderr: run.stderr };
}

/** Runs `sync token`. @throws Error if it warns of anything */
export async function tokenOf(system: System): Promise<string> {
  const { done, stdout, stderr } = startCommand(token, system, []);
  await done;
  if (stderr.length > 0) throw new Error(`sync token printed: ${stderr.join('\n')}`);
  return stdout[0] ?? '';
}
