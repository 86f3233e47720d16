import { withIsoTimes } from '../../base/time.ts';
import { ChoiceOption, type CommandModule } from '../../app/command.ts';
import type { AppContext } from '../../app/context.ts';
import { configFor } from '../../app/config.ts';
import { withHttp } from '../../app/with-http.ts';
import { NAMES_SCOPE } from '../../auth/refusal-page.ts';
import { checkAuthorizePage } from '../../auth/authorize-check.ts';
import { beginAuthorization } from '../../auth/authorize.ts';
import { type LandingPage, deniedPage, failedPage, loggedInPage } from '../../auth/landing-page.ts';
import type { Http } from '../../api/http.ts';
import { proxySettings } from '../../api/open-http.ts';
import { ExitCode, SyncError } from '../../base/errors.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type Config, type SettingOverrides, settingsOfAnother } from '../../config/config.ts';
import { endpointUrl, serviceId } from '../../config/endpoints.ts';
import { DEFAULT_SCOPES } from '../../config/scopes.ts';
import { PLATFORMS } from '../../config/platforms.ts';
import { SETTINGS, TOKEN_STORES } from '../../config/settings.ts';
import { exchange, waitForAnswer } from './browser.ts';
import { whyNoBrowser } from './by-hand.ts';
import { type LoginReport, isDefault, keep } from './keep.ts';
import { prepare } from './store.ts';
import { finishLogin, startLogin, startedText } from './two-commands.ts';
import { type LoginTarget, isUnknownClient, platformAddress, targetQuestions } from './target.ts';
import { errorText } from '../../terminal/output.ts';
import { tokensFromStdin } from './with-token.ts';
import { NEXT_STEP, loginText } from './words.ts';
import { offerZone } from './zone.ts';

export interface LoginFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly clientSecretStdin: boolean;
  readonly scope?: string;
  readonly port?: string;
  readonly redirectUri?: string;
  readonly browser: boolean;
  readonly timeout: string;
  readonly store?: string;
  readonly withToken: boolean;
  readonly sameAthlete: boolean;
  readonly register: boolean;
  readonly clientName?: string;
  readonly start: boolean;
  readonly finish: boolean;
}

const DEFAULT_TIMEOUT = '5m';

export const login: CommandModule = {
  declare: (command) =>
    command
      .argument(
        '[platform]',
        `name of a platform (${PLATFORMS.map(({ name }) => name).join(', ')}), or the address of another one`,
      )
      .option('--base-url <url>', 'address of the platform, such as https://training.example.com')
      .option('--client-id <id>', 'client ID that the platform gave this program')
      .option('--register', 'register a client at the platform, if it allows that', false)
      .option('--client-name <name>', 'name of the registered client (default: sync)')
      .option('--client-secret-stdin', 'read the client secret from stdin', false)
      .option(
        '--scope <scopes>',
        `scopes to ask for, in quotes; saved for later logins (default: ${DEFAULT_SCOPES.join(' ')}, and more if the platform offers them)`,
      )
      .option(
        '--port <n>',
        `port of the redirect URI; 0 for any free one (default: ${SETTINGS.redirectPort.fallback})`,
      )
      .option(
        '--redirect-uri <uri>',
        'redirect URI that is registered at the platform, if it is another one',
      )
      .option('--no-browser', 'show the address instead of opening a browser')
      .option(
        '--timeout <duration>',
        `time limit for the browser, such as 90s (default: ${DEFAULT_TIMEOUT})`,
        DEFAULT_TIMEOUT,
      )
      .addOption(
        new ChoiceOption('--store <where>', 'where to keep the login', TOKEN_STORES).default(
          undefined,
          SETTINGS.tokenStore.fallback,
        ),
      )
      .option('--start', 'show the address to open, and end: --finish completes the login', false)
      .option(
        '--finish',
        'complete it: asks for the address that the browser ended at, or reads stdin',
        false,
      )
      .option('--with-token', 'read a token response (JSON) from stdin', false)
      .option(
        '--same-athlete',
        'the athlete is that of the last login, if the platform does not say who it is',
        false,
      ),
  examples: [
    'sync login                             # asks for the platform and a client ID',
    'sync login sandbox                     # the platform of `sync sandbox`',
    'sync login --base-url https://training.example.com --client-id my-client',
    'sync login --no-browser                # over SSH: shows the address to open',
    'sync login --start                     # no browser here: see --finish',
    'sync login --store file                # without a keychain: a file only you can read',
    'sync login --with-token < tokens.json  # a token response from elsewhere',
  ],
  documents: ['login.md'],

  async run(context, platform: string | undefined, flags: LoginFlags) {
    const overrides = overridesOf(platform, flags);
    if (flags.finish) refuseOthers(flags, overrides);
    if (flags.start) {
      const started = await withHttp(context, async (http) => {
        const config = configFor(context, overrides);
        return await withTarget(context, config, http, flags, (target) =>
          startLogin(context, config, http, target, flags.sameAthlete, overrides),
        );
      });
      const json = { type: 'login-started', ...withIsoTimes(started, 'expiresAt') };
      context.output.result(json, startedText(started));
      return ExitCode.ok;
    }
    const report = await withHttp(context, (http) =>
      flags.finish
        ? finishLogin(context, http)
        : logIn(context, configFor(context, overrides), http, flags),
    );
    const text = loginText(report, context.clock.now());
    context.output.result(
      { type: 'login', ...withIsoTimes(report, 'accessExpiresAt', 'refreshExpiresAt') },
      text,
    );
    await offerZone(context);
    if (context.io.interactive && report.saved.baseUrl !== undefined) context.output.say(NEXT_STEP);
    return ExitCode.ok;
  },
};

function overridesOf(platform: string | undefined, flags: LoginFlags): SettingOverrides {
  const { clientId, scope, redirectUri, port, store } = flags;
  if (platform !== undefined && flags.baseUrl !== undefined) {
    throw new SyncError('USAGE', `${platform} and --base-url cannot be used together.`);
  }
  const baseUrl = platform === undefined ? flags.baseUrl : platformAddress(platform);
  if (platform !== undefined && baseUrl === platform && !platform.includes('://')) {
    throw new SyncError(
      'USAGE',
      `"${platform}" is neither the name of a platform nor an address.`,
      {
        hint: phrase`${sync('login')} lists the names; an address looks like https://training.example.com.`,
      },
    );
  }
  return { baseUrl, clientId, scope, redirectUri, redirectPort: port, tokenStore: store };
}

/**
 * Logs in, and stores the login.
 *
 * @throws SyncError `USAGE`, `CONFIG`, `PORT_IN_USE`, `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`,
 *   `AUTH_REFUSED`, `AUTH_TIMEOUT`, `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`, `STORAGE`,
 *   `INTERRUPTED`. In all of these cases nothing is stored.
 */
async function logIn(
  context: AppContext,
  config: Config,
  http: Http,
  flags: LoginFlags,
): Promise<LoginReport> {
  const timeoutMs = parseTimeout(flags.timeout);
  if (flags.withToken) {
    const target = await questionsFor(context, config, http, flags).target();
    const attempt = await prepare(context, config, http, target, flags.sameAthlete);
    return await keep(context, attempt, await tokensFromStdin(context, attempt), 'stdin');
  }
  if (flags.browser && !context.io.interactive) refuseWithoutPerson(context);
  return await withTarget(context, config, http, flags, (target) =>
    logInByBrowser(context, config, http, target, { ...flags, timeoutMs }),
  );
}

function questionsFor(context: AppContext, config: Config, http: Http, flags: LoginFlags) {
  refuseContradictions(flags, config);
  // An unusable proxy is reported before any question.
  proxySettings(context.env);
  const baseUrl = config.get('baseUrl');
  const foreign = settingsOfAnother(config.saved, baseUrl);
  if (baseUrl !== undefined && foreign.length > 0) {
    const [old, here] = [config.saved.baseUrl ?? '', serviceId(baseUrl)];
    context.warn(
      phrase`Set for ${old}, and not used at ${here}: ${foreign.join(', ')}. The new login removes these settings. To keep one, run ${sync('config', 'set', 'baseUrl', here)} first, and set it again.`,
    );
  }
  return targetQuestions(context, config, http, flags);
}

/** Runs a login, and asks again for what the platform refused. @throws SyncError as {@link logIn} */
async function withTarget<T>(
  context: AppContext,
  config: Config,
  http: Http,
  flags: LoginFlags,
  run: (target: LoginTarget) => Promise<T>,
): Promise<T> {
  const questions = questionsFor(context, config, http, flags);
  let target: LoginTarget | undefined;
  for (;;) {
    try {
      target ??= await questions.target();
      return await run(target);
    } catch (error) {
      if (!(error instanceof SyncError)) throw error;
      if (target !== undefined && refusesFurtherScopes(error, target)) {
        const further = target.scopes.filter((scope) => !DEFAULT_SCOPES.includes(scope)).join(' ');
        context.warn(`The platform does not know ${further}: this login asks without it.`);
        target = { ...target, scopes: DEFAULT_SCOPES };
        continue;
      }
      if (!(await questions.takeBack(error, target))) throw error;
      context.warn(
        isUnknownClient(error, target?.registered)
          ? 'The platform no longer knows the client that sync registered there.'
          : errorText(error, context.output),
      );
      target = undefined;
    }
  }
}

/** Returns whether the login page refuses scopes that only some platforms have, and that no setting names. */
function refusesFurtherScopes(error: SyncError, { baseUrl, scopes }: LoginTarget): boolean {
  const isUsual = scopes.length > DEFAULT_SCOPES.length && isDefault(scopes, baseUrl);
  return isUsual && error.details['status'] === 400 && NAMES_SCOPE.test(error.message);
}

async function logInByBrowser(
  context: AppContext,
  config: Config,
  http: Http,
  target: LoginTarget,
  flags: LoginFlags & { readonly timeoutMs: number },
): Promise<LoginReport> {
  const { baseUrl, clientId, scopes } = target;
  const endpoint = endpointUrl(baseUrl, config.endpoints.authorize);
  const authorization = await beginAuthorization({
    redirectUri: target.redirectUri,
    endpoint,
    clientId,
    scopes,
    userId: process.getuid?.(),
    profile: config.profile,
    onRefused: (message) => context.warn(message),
  });
  const { server, start, redirectUri } = authorization;
  const signal = AbortSignal.any([context.signal, start.misused]);
  const guarded = { ...context, signal };
  try {
    const request = { endpoint, clientId, scopes, redirectUri };
    const doubt = await checkAuthorizePage(context, http, request);
    if (doubt !== undefined) context.warn(doubt);
    if (target.registered !== undefined) {
      context.warn(
        `The page may call "${target.registered.clientName}" a "Dynamically registered MCP client": that is this program.`,
      );
    }
    const attempt = await prepare(context, config, http, target, flags.sameAthlete);
    const callback = await waitForAnswer(guarded, attempt, authorization, flags);
    const tokens = await exchange(guarded, attempt, callback, authorization);
    const report = await keep(guarded, attempt, tokens, 'code');
    if (start.misused.aborted) {
      context.warn(
        phrase`The login's address was opened a second time while the login was being stored. If the account shown is not yours, run ${sync('logout')}.`,
      );
    }
    const declined = report.missing.filter(({ asked }) => asked).map(({ feature }) => feature);
    server.finish(loggedInPage(report.account?.name ?? report.account?.email, declined));
    return report;
  } catch (error) {
    server.finish(pageFor(error));
    throw error;
  } finally {
    await server.close();
  }
}

/** Ends a login that no person can approve, with what replaces it. @throws SyncError `AUTH_REQUIRED` */
function refuseWithoutPerson({ env, platform }: AppContext): void {
  if (whyNoBrowser(env, platform) === undefined) return;
  throw new SyncError(
    'AUTH_REQUIRED',
    'A login needs a person: this process has neither a terminal nor a desktop.',
    {
      hint: phrase`In CI, set SYNC_BASE_URL, SYNC_CLIENT_ID and SYNC_REFRESH_TOKEN, or SYNC_ACCESS_TOKEN; then no login is needed.
  ${sync('login', '--start')} shows the address to open elsewhere, and ${sync('login', '--finish')} completes that login.
  ${sync('login', '--with-token')} reads tokens from stdin; ${sync('login', '--no-browser')} shows the address and waits.`,
    },
  );
}

/** `--finish` has the settings of the login that `--start` began. */
function refuseOthers(flags: LoginFlags, overrides: SettingOverrides): void {
  const { start, withToken, register, clientName, clientSecretStdin, sameAthlete } = flags;
  const others = [start, withToken, register, clientName, clientSecretStdin, sameAthlete];
  if (![...others, ...Object.values(overrides)].some(Boolean)) return;
  const message = '--finish completes what --start began, with the same settings.';
  throw new SyncError('USAGE', message, {
    hint: phrase`Run ${sync('login', '--finish')} alone.`,
  });
}

function refuseContradictions(flags: LoginFlags, config: Config): void {
  if (flags.withToken && flags.start) {
    throw new SyncError('USAGE', '--start and --with-token cannot be used together.');
  }
  if (flags.withToken && flags.clientSecretStdin) {
    throw new SyncError('USAGE', '--with-token and --client-secret-stdin both read stdin.', {
      hint: 'Set SYNC_CLIENT_SECRET, and pipe the token response in.',
    });
  }
  if (config.originOf('redirectUri') === 'flag' && config.originOf('redirectPort') === 'flag') {
    throw new SyncError('USAGE', '--port and --redirect-uri cannot be used together.');
  }
}

/** @param text `90s`, `5m`, `1h`. @returns ms. @throws SyncError `USAGE`. */
export function parseTimeout(text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d+)?)(s|m|h)$/.exec(text.trim()) ?? [];
  const ms = Number(number) * ({ s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? ''] ?? NaN);
  if (!(ms > 0 && ms <= 24 * 3_600_000)) {
    throw new SyncError('USAGE', `--timeout: "${text}" is not a duration.`, {
      hint: 'Write a duration such as 90s or 5m, at most 24h.',
    });
  }
  return ms;
}

function pageFor(error: unknown): LandingPage {
  if (!(error instanceof SyncError)) {
    return failedPage('The program itself failed.', undefined);
  }
  if (error.details['error'] === 'access_denied') return deniedPage();
  if (error.code === 'INTERRUPTED') {
    return failedPage('The login was ended in the terminal.', undefined);
  }
  return failedPage(error.message, error.hint);
}
