import { hostname } from 'node:os';
import type { Authorization } from '../auth/authorize.ts';
import { type NoBrowser, sshForwardCommand, whyNoBrowser } from '../auth/browser.ts';
import type { CheckedCallback } from '../auth/callback.ts';
import { exchangeCode } from '../auth/token-endpoint.ts';
import { SyncError } from '../base/errors.ts';
import { ask } from './login-questions.ts';
import type { LoginOptions, LoginRun, NewTokens } from './login-run.ts';

/**
 * Sends somebody to the authorize endpoint, and waits for what comes back.
 *
 * @throws SyncError `AUTH_TIMEOUT`, `INTERRUPTED`.
 */
export async function waitForAnswer(
  authorization: Authorization,
  options: LoginOptions,
  timeoutMs: number,
  { config, deps, notify, target }: LoginRun,
): Promise<CheckedCallback> {
  const { url, redirectUri, start } = authorization;
  const told = { type: 'authorize', url, redirectUri, timeoutMs } as const;
  const canPaste = deps.io.interactive;
  const byHand = (why: NoBrowser | 'failed') =>
    notify({
      ...told,
      how: 'by-hand',
      why,
      sshCommand: sshForwardCommand(deps.env, hostname(), redirectUri),
      paste: canPaste,
    });
  const why = options.browser ? whyNoBrowser(deps.env, deps.platform) : 'asked';
  let atHand: Promise<void>;
  if (why === undefined) {
    notify({ ...told, how: 'browser' });
    // Where a browser opens, nothing is to be done by hand.
    atHand = deps.openBrowser(start.address).then(
      () => new Promise<never>(() => undefined),
      () => {
        start.end();
        byHand('failed');
      },
    );
  } else {
    start.end();
    byHand(why);
    atHand = Promise.resolve();
  }
  return await authorization.waitForAnswer(
    {
      clock: deps.clock,
      timeoutMs,
      onTimeout: () => timeoutError(timeoutMs, redirectUri, target.clientId, config.get('scope')),
      paste: canPaste
        ? async (signal) => {
            await settledOr(atHand, signal);
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

/**
 * Exchanges the answer for tokens.
 *
 * @throws SyncError `AUTH_REFUSED` where the answer is a no; whatever the token endpoint throws.
 */
export async function exchange(
  callback: CheckedCallback,
  { redirectUri, verifier }: Authorization,
  { config, deps, http, notify, target, url }: LoginRun,
): Promise<NewTokens> {
  if (callback.kind === 'foreign') throw foreignAnswer(callback.issuer, url('authorize').origin);
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

function timeoutError(
  timeoutMs: number,
  redirectUri: string,
  clientId: string,
  scopes: readonly string[],
): SyncError {
  const seconds = Math.round(timeoutMs / 1000);
  const time = seconds % 60 === 0 ? `${String(seconds / 60)} min` : `${String(seconds)} s`;
  return new SyncError('AUTH_TIMEOUT', `Nobody finished the login in the browser within ${time}.`, {
    hint:
      'If the browser showed an error page: the service has to know the client ' +
      `"${clientId}", and ${redirectUri} has to be registered for it, letter by letter. ` +
      `It also has to know each of the scopes ${scopes.join(' ')}; ` +
      '`sync login --scope "..."` asks for others. ' +
      'Then run `sync login` again.',
  });
}

function foreignAnswer(issuer: string, origin: string): SyncError {
  return new SyncError(
    'AUTH_REFUSED',
    `The answer to the login is from ${issuer}, not from ${origin}.`,
    {
      hint:
        'Nothing was sent to either. Check the base URL (`sync config get baseUrl`): ' +
        'is that the address of your training service?',
      details: { issuer },
    },
  );
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
