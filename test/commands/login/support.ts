import { join } from 'node:path';
import type { Env } from '../../../src/base/env.ts';
import { findPaths } from '../../../src/config/paths.ts';
import { fileStore, tokenFilePath } from '../../../src/credentials/file.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import { scratchDir, testSystem } from '../../auth/support.ts';
import { login as loginCommand } from '../../../src/commands/login/login.ts';
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
  const run = startCommand(loginCommand, system, ['--json', ...port, ...args], (line) => {
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

/** A fresh machine with a token file, in front of a sandbox. */
export function machine(service: SandboxServer | undefined, env: Env = {}) {
  const homeDir = scratchDir();
  const full = {
    SYNC_TOKEN_STORE: 'file',
    SYNC_CONFIG_DIR: homeDir,
    SYNC_STATE_DIR: join(homeDir, 'state'),
    // A screen, so that a browser may open on it.
    DISPLAY: ':99',
    ...(service === undefined
      ? {}
      : { SYNC_BASE_URL: service.url, SYNC_CLIENT_ID: service.clientId }),
    ...env,
  };
  const paths = findPaths(full, process.platform, homeDir);
  const store = fileStore(tokenFilePath(paths.stateDir, 'default'), process.platform);
  return { homeDir, env: full, paths, store };
}

/** Runs a login on that machine; the browser is a request that follows redirects. */
export function login(
  { homeDir, env }: ReturnType<typeof machine>,
  over: {
    readonly args?: readonly string[];
    readonly system?: Partial<System>;
    readonly onAuthorize?: (url: URL, text: string) => void;
  } = {},
) {
  const browser: { page?: Promise<Response> } = {};
  const system = testSystem({
    homeDir,
    env,
    openBrowser: (url) => {
      browser.page = fetch(url);
      browser.page.catch(() => undefined);
      return Promise.resolve();
    },
    ...over.system,
  });
  return { ...startLogin(system, over.args, over.onAuthorize), browser };
}
