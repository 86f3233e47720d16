import { beginAuthorization } from '../auth/authorize.ts';
import { deniedPage, failedPage, loggedInPage } from '../auth/landing-page.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../credentials/open-store.ts';
import { type CredentialStore, serviceId } from '../credentials/store.ts';
import { SyncError } from '../base/errors.ts';
import { endpointUrl } from '../config/endpoints.ts';
import { CALLBACK_PATH } from '../config/settings.ts';
import { exchange, waitForAnswer } from './login-browser.ts';
import { askToReplace } from './login-elsewhere.ts';
import { keep } from './login-keep.ts';
import {
  type LoginTarget,
  type QuestionNeeds,
  completeTarget,
  confirm,
} from './login-questions.ts';
import type { LoginNeeds, LoginOptions, LoginReport, LoginRun } from './login-run.ts';
import { tokensFromStdin } from './login-token.ts';

export type { LoginNeeds, LoginOptions, LoginReport } from './login-run.ts';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;

/**
 * Logs in, and stores the login.
 *
 * @throws SyncError `USAGE`, `CONFIG`, `PORT_IN_USE`, `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`,
 *   `AUTH_REFUSED`, `AUTH_TIMEOUT`, `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`, `STORAGE`,
 *   `INTERRUPTED`. Nothing is stored then.
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
  const chosen = await chooseStore(needs, questions, target);
  const store = await askToReplace(chosen, target, needs, questions);
  const run: LoginRun = {
    ...needs,
    target: await withStoredSecret(target, store, deps.signal),
    store,
    url: (name) => endpointUrl(target.baseUrl, config.endpoints[name]),
  };
  if (options.withToken) return await keep(run, await tokensFromStdin(run), 'given');

  const authorization = await beginAuthorization({
    redirectUri: redirectUriOf(config),
    endpoint: run.url('authorize'),
    clientId: target.clientId,
    scopes: config.get('scope'),
    platform: deps.platform,
    onRefused: (message) => needs.notify({ type: 'callback-refused', message }),
  });
  const { server, start } = authorization;
  const signal = AbortSignal.any([deps.signal, start.misused]);
  const guarded = { ...run, deps: { ...deps, signal } };
  try {
    const callback = await waitForAnswer(authorization, options, timeoutMs, guarded);
    const tokens = await exchange(callback, authorization, guarded);
    const report = await keep(guarded, tokens, 'ours');
    if (start.misused.aborted) warnMisused(needs);
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
  { baseUrl }: LoginTarget,
): Promise<LoginRun['store']> {
  const open = (kind: 'keychain' | 'file') => ({
    ...openStore(config, { ...deps, attended: deps.io.interactive }, kind, baseUrl),
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

function redirectUriOf(config: Config): string {
  const registered = config.get('redirectUri');
  // A port on the command line speaks for this login; a redirect URI that was saved stands back.
  const port = config.originOf('redirectPort') === 'flag';
  if (registered !== undefined && !port) return registered;
  return `http://127.0.0.1:${config.get('redirectPort')}${CALLBACK_PATH}`;
}

/** Says so if the second visit came too late to keep the login from being stored. */
function warnMisused({ notify }: LoginNeeds): void {
  notify({
    type: 'warning',
    message:
      "The login's address was opened a second time while the login was being stored. " +
      'If the account shown is not yours, run `sync logout`.',
  });
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

function pageFor(error: unknown) {
  if (!(error instanceof SyncError)) {
    return failedPage('Something went wrong in the program itself.', undefined);
  }
  if (error.details['error'] === 'access_denied') return deniedPage();
  if (error.code === 'INTERRUPTED') return failedPage('It was ended in the terminal.', undefined);
  return failedPage(error.message, error.hint);
}
