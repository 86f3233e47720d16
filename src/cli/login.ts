import { type LoginOptions, runLogin } from '../commands/login.ts';
import { runLogout } from '../commands/logout.ts';
import { runToken } from '../commands/token.ts';
import type { SettingOverrides } from '../config/config.ts';
import { ExitCode, SyncError } from '../base/errors.ts';
import {
  loginEventText,
  loginReport,
  loginText,
  logoutReport,
  logoutText,
  tokenReport,
} from '../render/login.ts';
import type { Http } from '../api/http.ts';
import { openHttp } from '../api/open-http.ts';
import type { Clock } from '../base/time.ts';
import { type Invocation, configFor } from '../app/invocation.ts';

export interface LoginFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretStdin: boolean;
  readonly scope?: string;
  readonly port?: string;
  readonly redirectUri?: string;
  readonly browser: boolean;
  readonly timeout?: string;
  readonly store?: string;
  readonly withToken: boolean;
}

export async function login(invocation: Invocation, flags: LoginFlags): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation, overridesOf(flags));
  const options: LoginOptions = {
    clientSecretStdin: flags.clientSecretStdin,
    withToken: flags.withToken,
    browser: flags.browser,
    timeout: flags.timeout,
  };
  return await withHttp(invocation, async (http) => {
    const report = await runLogin(options, {
      config,
      deps,
      http,
      notify: (event) => {
        const text = loginEventText(event);
        if (text === undefined || event.type === 'exchanging') return;
        // What has to be read for the login to go on is shown even with --quiet.
        if (event.type === 'reading-stdin') output.say(text);
        else output.warn(text);
      },
    });
    output.result(loginReport(report), loginText(report, deps.clock.now()));
    return ExitCode.ok;
  });
}

export async function logout(
  invocation: Invocation,
  { localOnly }: { localOnly: boolean },
): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  return await withHttp(invocation, async (http) => {
    const report = await runLogout({ localOnly }, { config, deps, http });
    output.result(logoutReport(report), logoutText(report, deps.clock.now()));
    return ExitCode.ok;
  });
}

export async function token(invocation: Invocation): Promise<ExitCode> {
  const { deps, output } = invocation;
  const config = configFor(invocation);
  return await withHttp(invocation, async (http) => {
    const onWarning = (text: string) => output.warn(text);
    const report = await runToken({ config, deps, http, onWarning });
    output.result(tokenReport(report), report.accessToken.reveal());
    return ExitCode.ok;
  });
}

async function withHttp(
  { deps, output, version }: Invocation,
  task: (http: Http) => Promise<ExitCode>,
): Promise<ExitCode> {
  const http = await openHttp({ env: deps.env, version, connections: 1 });
  try {
    return await task({ ...http, send: traced(http, deps.clock, (line) => output.detail(line)) });
  } finally {
    await http.close();
  }
}

/** For `--verbose`: a line a request, with neither query nor header nor body. */
function traced(http: Http, clock: Clock, trace: (line: string) => void): Http['send'] {
  return async (request) => {
    const started = clock.now();
    const line = (end: string) =>
      trace(`${request.method} ${request.url.pathname} ${end} ${clock.now() - started} ms`);
    try {
      const response = await http.send(request);
      line(String(response.status));
      return response;
    } catch (error) {
      line(error instanceof SyncError ? error.message : 'failed');
      throw error;
    }
  };
}

function overridesOf(flags: LoginFlags): SettingOverrides {
  const { baseUrl, clientId, scope, redirectUri, port, store } = flags;
  const given = { baseUrl, clientId, scope, redirectUri, redirectPort: port, tokenStore: store };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
