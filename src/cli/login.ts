import { type LoginOptions, runLogin } from '../commands/login.ts';
import { runLogout } from '../commands/logout.ts';
import { runToken } from '../commands/token.ts';
import type { SettingOverrides } from '../config/config.ts';
import { ExitCode } from '../base/errors.ts';
import {
  loginEventText,
  loginReport,
  loginText,
  logoutReport,
  logoutText,
  tokenReport,
} from '../render/login.ts';
import type { Http } from '../api/http.ts';
import { openHttp, tracedHttp } from '../api/open-http.ts';
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
    const trace = (line: string) => output.detail(line);
    return await task(tracedHttp({ clock: deps.clock, trace }, http));
  } finally {
    await http.close();
  }
}

function overridesOf(flags: LoginFlags): SettingOverrides {
  const { baseUrl, clientId, scope, redirectUri, port, store } = flags;
  const given = { baseUrl, clientId, scope, redirectUri, redirectPort: port, tokenStore: store };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
