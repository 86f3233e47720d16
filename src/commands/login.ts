import { hostname } from 'node:os';
import { type WhoAmI, whoAmI } from '../auth/account.ts';
import { type Authorization, beginAuthorization } from '../auth/authorize.ts';
import { sshForwardCommand, whyNoBrowser } from '../auth/browser.ts';
import type { CheckedCallback } from '../auth/callback.ts';
import { deniedPage, failedPage, loggedInPage } from '../auth/landing-page.ts';
import { withLoginLock } from '../auth/login-lock.ts';
import { type MissingFeature, missingFeatures } from '../auth/scopes.ts';
import { exchangeCode, refreshTokens, revokeToken } from '../auth/token-endpoint.ts';
import { decodeTokenResponse } from '../auth/token-response.ts';
import { changeProfile } from '../config-write.ts';
import type { Account, Config } from '../config.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import { type CredentialStore, type TokenSet, serviceId } from '../credentials/store.ts';
import type { Deps } from '../deps.ts';
import { SyncError, messageOf } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { type EndpointName, endpointUrl } from '../service/endpoints.ts';
import type { Http } from '../service/http.ts';
import { CALLBACK_PATH, type SettingKey } from '../settings.ts';
import type { Notify } from './login-events.ts';
import {
  type LoginTarget,
  type QuestionNeeds,
  ask,
  completeTarget,
  confirm,
  readStdin,
} from './login-questions.ts';

export interface LoginOptions {
  /** The client secret is on stdin. */
  readonly clientSecretStdin: boolean;
  /** A token response, as JSON, is on stdin: no browser is needed. */
  readonly withToken: boolean;
  /** Open a browser; else show the address. */
  readonly browser: boolean;
  /** How long to wait for the answer: `5m`, `90s`; absent: {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeout: string | undefined;
}

export interface LoginNeeds {
  readonly config: Config;
  readonly deps: Deps;
  readonly http: Http;
  readonly notify: Notify;
}

export interface LoginReport {
  readonly profile: string;
  readonly service: string;
  readonly clientId: string;
  /** Absent: the service does not say whose login it is. */
  readonly account: Account | undefined;
  /** Whose login this profile held before, if it was another athlete's. */
  readonly replaced: Account | undefined;
  readonly askedScopes: readonly string[];
  /** Absent: nobody said. */
  readonly grantedScopes: readonly string[] | undefined;
  /** What will not work. `asked`: it was asked for and not granted. */
  readonly missing: readonly (MissingFeature & { readonly asked: boolean })[];
  readonly store: { readonly kind: 'keychain' | 'file'; readonly where: string };
  /** The login renews itself; else it ends with the access token. */
  readonly renewable: boolean;
  /** ms since 1970. */
  readonly accessExpiresAt: number | undefined;
  readonly refreshExpiresAt: number | undefined;
}

export const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/** How long to try to revoke tokens that could not be kept, in ms. */
const REVOKE_LIMIT_MS = 5_000;
const NEVER = new AbortController().signal;

/**
 * Logs in, and stores the login.
 *
 * @throws SyncError `USAGE`, `CONFIG`, `PORT_IN_USE`, `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`,
 *   `AUTH_REFUSED`, `AUTH_TIMEOUT`, `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`, `REJECTED`,
 *   `STORAGE`, `INTERRUPTED`. Nothing is stored then.
 */
export async function runLogin(options: LoginOptions, needs: LoginNeeds): Promise<LoginReport> {
  const { config, deps } = needs;
  const timeoutMs =
    options.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseTimeout(options.timeout);
  checkOptions(options, config);
  const questions: QuestionNeeds = {
    config,
    io: deps.io,
    signal: deps.signal,
    notify: needs.notify,
  };
  const target = await completeTarget(options, questions);
  const store = await chooseStore(needs, questions);
  const run: LoginRun = {
    ...needs,
    target: await withStoredSecret(target, store, deps.signal),
    store,
    url: (name) => endpointUrl(target.baseUrl, config.endpoints[name]),
  };
  if (options.withToken) return await keep(run, await tokensFromStdin(run));

  const authorization = await beginAuthorization({
    redirectUri: redirectUriOf(config),
    endpoint: run.url('authorize'),
    clientId: target.clientId,
    scopes: config.get('scope'),
    platform: deps.platform,
    onRefused: (message) => needs.notify({ type: 'callback-refused', message }),
  });
  const { server } = authorization;
  try {
    const callback = await waitForAnswer(authorization, options, timeoutMs, run);
    const tokens = await exchange(callback, authorization, run);
    const report = await keep(run, tokens);
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

interface LoginRun extends LoginNeeds {
  readonly target: LoginTarget;
  readonly store: CredentialStore & { readonly kind: 'keychain' | 'file' };
  readonly url: (name: EndpointName) => URL;
}

function checkOptions(options: LoginOptions, config: Config): void {
  const both = (one: string, other: string) =>
    new SyncError('USAGE', `${one} and ${other} cannot be used together.`);
  if (options.withToken && options.clientSecretStdin) {
    throw new SyncError('USAGE', '--with-token and --client-secret-stdin both read stdin.', {
      hint: 'Set SYNC_CLIENT_SECRET, and pipe the token response in.',
    });
  }
  if (config.originOf('redirectUri') === 'flag' && config.originOf('redirectPort') === 'flag') {
    throw both('--port', '--redirect-uri');
  }
}

/** A store that was tried out: it will take the login, before anybody is sent to the browser. */
async function chooseStore(
  { config, deps, notify }: LoginNeeds,
  questions: QuestionNeeds,
): Promise<LoginRun['store']> {
  const open = (kind: 'keychain' | 'file') => ({
    ...openStore(config, { ...deps, attended: deps.io.interactive }, kind),
    kind,
  });
  const store = open(config.get('tokenStore'));
  notify({ type: 'store-check', store: store.describe() });
  try {
    await store.probe(deps.signal);
    return store;
  } catch (error) {
    const missing = error instanceof SyncError && error.code === 'KEYCHAIN_MISSING';
    const insisted = config.originOf('tokenStore') === 'flag';
    if (!missing || insisted || !deps.io.interactive) throw error;
    notify({ type: 'keychain-missing', message: error.message, hint: error.hint });
    const file = open('file');
    const question = `Keep the login in ${file.describe()} instead? Only you can read it. [y/N] `;
    if (!(await confirm(question, questions))) throw error;
    await file.probe(deps.signal);
    return file;
  }
}

/** A client keeps its secret from one login to the next. */
async function withStoredSecret(
  target: LoginTarget,
  store: CredentialStore,
  signal: AbortSignal,
): Promise<LoginTarget> {
  if (target.clientSecret !== undefined) return target;
  try {
    const stored = await store.load(signal);
    const same =
      stored?.service === serviceId(target.baseUrl) && stored.clientId === target.clientId;
    return same ? { ...target, clientSecret: stored.clientSecret } : target;
  } catch (error) {
    // A damaged login is about to be replaced; a file that others can read is not, without a word.
    if (error instanceof SyncError && error.details['damaged'] === true) return target;
    throw error;
  }
}

async function waitForAnswer(
  authorization: Authorization,
  options: LoginOptions,
  timeoutMs: number,
  { deps, notify, target }: LoginRun,
): Promise<CheckedCallback> {
  const { url, redirectUri } = authorization;
  const told = { type: 'authorize', url, redirectUri, timeoutMs } as const;
  const canPaste = deps.io.interactive;
  const byHand = (why: 'asked' | 'no-display' | 'ssh' | 'failed') =>
    notify({
      ...told,
      how: 'by-hand',
      why,
      sshCommand: sshForwardCommand(deps.env, hostname(), redirectUri),
      paste: canPaste,
    });
  const why = options.browser ? whyNoBrowser(deps.env, deps.platform) : 'asked';
  let pasteFrom: Promise<void> | undefined;
  if (why !== undefined) {
    byHand(why);
    pasteFrom = Promise.resolve();
  } else {
    notify({ ...told, how: 'browser' });
    pasteFrom = deps.openBrowser(url).then(
      // A browser is on its way: nothing is to be pasted.
      () => new Promise<never>(() => undefined),
      () => byHand('failed'),
    );
  }
  const ready = pasteFrom;
  return await authorization.waitForAnswer(
    {
      clock: deps.clock,
      timeoutMs,
      onTimeout: () => timeoutError(timeoutMs, target.clientId, redirectUri),
      paste: canPaste
        ? async (signal) => {
            await settledOr(ready, signal);
            return await ask('Or paste the address here that the browser ends at: ', {
              io: deps.io,
              signal,
            });
          }
        : undefined,
      onPasteRefused: (message) => notify({ type: 'paste-refused', message }),
    },
    deps.signal,
  );
}

/** Waits for `promise`, but not beyond the signal. */
function settledOr(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

async function exchange(
  callback: CheckedCallback,
  { redirectUri, verifier }: Authorization,
  { config, deps, http, notify, target, url }: LoginRun,
): Promise<TokenSet & { accessToken: Secret }> {
  if (callback.kind === 'error') throw refusedBy(callback.error, callback.description);
  notify({ type: 'exchanging' });
  return await exchangeCode(
    { http, clock: deps.clock, url: url('token') },
    {
      client: { id: target.clientId, secret: target.clientSecret },
      code: callback.code,
      redirectUri,
      verifier,
      askedScopes: config.get('scope'),
    },
    deps.signal,
  );
}

/** `--with-token`: tokens that somebody else fetched, tried out before they are kept. */
async function tokensFromStdin(run: LoginRun): Promise<TokenSet & { accessToken: Secret }> {
  const { deps, http, notify, target, url } = run;
  notify({ type: 'reading-stdin' });
  const text = await readStdin(deps.io, deps.signal);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message would quote what may be a token.
    throw new SyncError('CONFIG', '--with-token: what is on stdin is not JSON.', {
      hint: 'Pipe in the whole answer of the token endpoint: {"access_token": "...", ...}.',
    });
  }
  let tokens;
  try {
    const context = { now: deps.clock.now(), askedScopes: undefined };
    tokens = decodeTokenResponse(parsed, context, '--with-token: what is on stdin');
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    throw new SyncError('CONFIG', error.message, {
      hint: 'Pipe in the whole answer of the token endpoint: {"access_token": "...", ...}.',
      details: error.details,
    });
  }
  const who = await whoAmI({ http, url: url('userinfo') }, tokens.accessToken, deps.signal);
  if (who.kind !== 'rejected') return tokens;
  if (tokens.refreshToken === undefined) {
    throw new SyncError('AUTH_REFUSED', 'The service does not accept the token from stdin.', {
      hint: 'It may be too old, or for another service: check the base URL.',
    });
  }
  // An access token that has ended since: its refresh token is what counts.
  return await refreshTokens(
    { http, clock: deps.clock, url: url('token') },
    {
      client: { id: target.clientId, secret: target.clientSecret },
      refreshToken: tokens.refreshToken,
      before: tokens,
    },
    // Not to be broken off: the refresh token may be replaced by it.
    NEVER,
  );
}

/** Finds out whose login it is, stores it, and remembers the settings that it was made with. */
async function keep(
  run: LoginRun,
  tokens: TokenSet & { accessToken: Secret },
): Promise<LoginReport> {
  const { config, deps, http, notify, store, target, url } = run;
  try {
    const who = await whoAmI({ http, url: url('userinfo') }, tokens.accessToken, deps.signal);
    if (who.kind === 'unreachable' || who.kind === 'rejected') warnUnknown(who, notify);
    const account = who.kind === 'known' ? who.account : undefined;
    await withLoginLock(
      { ...config.paths, ...config, clock: deps.clock },
      deps.signal,
      async () => {
        const credentials = {
          service: serviceId(target.baseUrl),
          clientId: target.clientId,
          clientSecret: target.clientSecret,
          accountId: account?.id,
          tokens,
        };
        await store.save(credentials, NEVER);
        await changeProfile(config.paths, config.profile, {
          settings: settingsToKeep(run),
          account: account ?? null,
        });
      },
    );
    await forgetOtherStore(run);
    if (hasEnvironmentTokens(config)) {
      notify({
        type: 'warning',
        message:
          'SYNC_ACCESS_TOKEN or SYNC_REFRESH_TOKEN is set: as long as it is, this login is not used.',
      });
    }
    return reportOf(run, tokens, account);
  } catch (error) {
    // Tokens that nobody holds should not go on working.
    await revokeQuietly(run, tokens);
    throw error;
  }
}

/** The settings that this login was made with, so that the next command has them. */
function settingsToKeep({ config, store, target }: LoginRun) {
  const byFlag = (key: SettingKey) => config.originOf(key) === 'flag';
  return {
    baseUrl: serviceId(target.baseUrl),
    clientId: target.clientId,
    tokenStore: store.kind,
    ...(byFlag('scope') ? { scope: config.get('scope').join(' ') } : {}),
    ...(byFlag('redirectUri')
      ? { redirectUri: config.get('redirectUri')?.href ?? null, redirectPort: null }
      : {}),
    ...(byFlag('redirectPort')
      ? { redirectPort: String(config.get('redirectPort')), redirectUri: null }
      : {}),
  };
}

/** Where somebody moves from one store to the other, the old login does not stay behind. */
async function forgetOtherStore({ config, deps, store, notify }: LoginRun): Promise<void> {
  const other = store.kind === 'file' ? 'keychain' : 'file';
  // A keychain that never held this profile's login is left in peace.
  if (other === 'keychain' && config.account === undefined) return;
  const old = openStore(config, { ...deps, attended: false }, other);
  try {
    await old.delete(NEVER);
  } catch (error) {
    if (error instanceof SyncError && error.code === 'KEYCHAIN_MISSING') return;
    notify({
      type: 'warning',
      message: `An older login may be left in ${old.describe()}: ${messageOf(error)}`,
    });
  }
}

function reportOf(
  { config, store, target }: LoginRun,
  tokens: TokenSet,
  account: Account | undefined,
): LoginReport {
  const askedScopes = config.get('scope');
  const before = config.account;
  return {
    profile: config.profile,
    service: serviceId(target.baseUrl),
    clientId: target.clientId,
    account,
    replaced: before !== undefined && before.id !== account?.id ? before : undefined,
    askedScopes,
    grantedScopes: tokens.scopes,
    missing: missingFeatures(tokens.scopes).map((feature) => ({
      ...feature,
      asked: askedScopes.includes(feature.scope),
    })),
    store: { kind: store.kind, where: store.describe() },
    renewable: tokens.refreshToken !== undefined,
    accessExpiresAt: tokens.accessExpiresAt,
    refreshExpiresAt: tokens.refreshExpiresAt,
  };
}

async function revokeQuietly({ deps, http, target, url }: LoginRun, tokens: TokenSet) {
  const signal = AbortSignal.timeout(REVOKE_LIMIT_MS);
  const token = tokens.refreshToken ?? tokens.accessToken;
  if (token === undefined) return;
  await revokeToken(
    { http, clock: deps.clock, url: url('revoke') },
    {
      client: { id: target.clientId, secret: target.clientSecret },
      token,
      kind: tokens.refreshToken === undefined ? 'access_token' : 'refresh_token',
    },
    signal,
  ).catch(() => undefined);
}

function redirectUriOf(config: Config): URL {
  const registered = config.get('redirectUri');
  // A port on the command line speaks for this login; a redirect URI that was saved stands back.
  const port = config.originOf('redirectPort') === 'flag';
  if (registered !== undefined && !port) return registered;
  const uri = new URL(`http://127.0.0.1${CALLBACK_PATH}`);
  uri.port = String(config.get('redirectPort'));
  return uri;
}

/** @param text `90s`, `5m`, `1h`. @throws SyncError `USAGE`. */
export function parseTimeout(text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d+)?)(s|m|h)$/.exec(text.trim()) ?? [];
  const ms = Number(number) * ({ s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? ''] ?? NaN);
  if (!(ms > 0 && ms <= 24 * 3_600_000)) {
    throw new SyncError('USAGE', `--timeout: "${text}" is not a time.`, {
      hint: 'Write one such as 90s or 5m; a day at most.',
    });
  }
  return ms;
}

function timeoutError(timeoutMs: number, clientId: string, redirectUri: string): SyncError {
  const seconds = Math.round(timeoutMs / 1000);
  const time = seconds % 60 === 0 ? `${String(seconds / 60)} min` : `${String(seconds)} s`;
  return new SyncError('AUTH_TIMEOUT', `Nobody finished the login in the browser within ${time}.`, {
    hint:
      'If the browser showed an error page: the service has to know the client ' +
      `"${clientId}", and ${redirectUri} has to be registered for it, letter by letter. ` +
      'Then run `sync login` again.',
  });
}

function refusedBy(error: string, description: string | undefined): SyncError {
  const because = description === undefined ? '' : ` (${description})`;
  const details = { error };
  switch (error) {
    case 'access_denied':
      return new SyncError('AUTH_REFUSED', `The login was not approved${because}.`, {
        hint: 'Run `sync login` again to approve it.',
        details,
      });
    case 'server_error':
    case 'temporarily_unavailable':
      return new SyncError('SERVICE_UNAVAILABLE', `The service cannot log you in now${because}.`, {
        hint: 'Run `sync login` again later.',
        details,
      });
    case 'invalid_scope':
      return new SyncError('AUTH_REFUSED', `The service refuses these scopes${because}.`, {
        hint: 'Ask for others: `sync login --scope "workout:write health:write"`.',
        details,
      });
    default:
      return new SyncError('AUTH_REFUSED', `The service refused the login: ${error}${because}.`, {
        hint: 'Check the client ID and its registration at the service.',
        details,
      });
  }
}

function pageFor(error: unknown) {
  if (!(error instanceof SyncError)) {
    return failedPage('Something went wrong in the program itself.', undefined);
  }
  if (error.details['error'] === 'access_denied') return deniedPage();
  if (error.code === 'INTERRUPTED') return failedPage('It was ended in the terminal.', undefined);
  return failedPage(error.message, error.hint?.replaceAll('`', ''));
}

function warnUnknown(who: WhoAmI, notify: Notify): void {
  notify({
    type: 'warning',
    message:
      who.kind === 'rejected'
        ? 'The service gave a token and does not accept it when asked whose it is.'
        : 'The service did not say whose login this is.',
  });
}
