import { hostname } from 'node:os';
import type { AppContext } from '../../app/context.ts';
import type { Authorization } from '../../auth/authorize.ts';
import { authorizationError } from '../../auth/authorize-check.ts';
import type { CheckedCallback } from '../../auth/callback.ts';
import { exchangeCode } from '../../auth/token-endpoint.ts';
import { SyncError } from '../../base/errors.ts';
import { joinTexts, phrase, sync } from '../../base/phrase.ts';
import { unlessAborted } from '../../base/tasks.ts';
import { endpointUrl } from '../../config/endpoints.ts';
import { duration } from '../../terminal/words.ts';
import type { LoginAttempt } from './store.ts';
import type { NewTokens } from '../../auth/token-response.ts';
import { type WhyByHand, byHandText, sshForwardCommand, whyNoBrowser } from './by-hand.ts';

/**
 * Sends the user to the authorize endpoint, in a browser or with an address to open, and waits for
 * the callback or for a pasted address.
 *
 * @throws SyncError `AUTH_TIMEOUT`, `INTERRUPTED`.
 */
export async function waitForAnswer(
  context: AppContext,
  { clientId, scopes }: LoginAttempt,
  authorization: Authorization,
  options: { readonly browser: boolean; readonly timeoutMs: number },
): Promise<CheckedCallback> {
  const { env, io, platform } = context;
  const { url, redirectUri, start } = authorization;
  const { timeoutMs } = options;
  const limit = `Waiting for ${duration(timeoutMs)}; Ctrl-C cancels the login.`;
  const showAddress = (why: WhyByHand) => {
    const sshCommand = sshForwardCommand(env, hostname(), [redirectUri, url]);
    context.warn(byHandText(why, { url, sshCommand, paste: io.interactive, limit }));
  };
  const why = options.browser ? whyNoBrowser(env, platform) : 'asked';
  /** Resolves when the user has to open the address by hand; never, once a browser opened. */
  let byHand: Promise<void>;
  if (why === undefined) {
    context.warn(
      joinTexts([
        `Your browser opens the login page of ${new URL(url).host}: approve the login there.`,
        'If no page opens, open this address yourself:',
        '',
        `  ${url}`,
        '',
        limit,
      ]),
    );
    byHand = context.openBrowser(start.address).then(
      () => new Promise<never>(() => undefined),
      () => {
        start.end();
        showAddress('failed');
      },
    );
  } else {
    start.end();
    showAddress(why);
    byHand = Promise.resolve();
  }
  return await authorization.waitForAnswer(context, {
    timeoutMs,
    timeoutError: timeoutError(timeoutMs, redirectUri, clientId, scopes),
    paste: io.interactive
      ? async (stop) => {
          await unlessAborted(byHand, stop);
          return await io.ask('Address of the last page: ', { signal: stop });
        }
      : undefined,
  });
}

/**
 * Exchanges the answer for tokens.
 *
 * @throws SyncError `AUTH_REFUSED` if the user or the service refused the login, or another service
 *   answered; the errors of the token endpoint.
 */
export async function exchange(
  context: AppContext,
  { config, http, baseUrl, clientId, clientSecret, scopes }: LoginAttempt,
  callback: CheckedCallback,
  { redirectUri, verifier }: Pick<Authorization, 'redirectUri' | 'verifier'>,
): Promise<NewTokens> {
  const { endpoints } = config;
  if (callback.kind === 'foreign') {
    throw foreignAnswer(callback.issuer, endpointUrl(baseUrl, endpoints.authorize).origin);
  }
  if (callback.kind === 'error') throw authorizationError(callback.error, callback.description);
  return await exchangeCode(
    context,
    { http, url: endpointUrl(baseUrl, endpoints.token) },
    {
      client: { id: clientId, secret: clientSecret },
      code: callback.code,
      redirectUri,
      verifier,
      askedScopes: scopes,
    },
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
  return new SyncError(
    'AUTH_TIMEOUT',
    `The login was not completed in the browser within ${time}.`,
    {
      hint: phrase`If the browser showed an error page: the platform must know the client "${clientId}", and exactly ${redirectUri} must be registered for it. It must also know each of the scopes ${scopes.join(' ')}; ${sync('login', '--scope', '...')} asks for others. Then run ${sync('login')} again.`,
    },
  );
}

function foreignAnswer(issuer: string, origin: string): SyncError {
  return new SyncError(
    'AUTH_REFUSED',
    `The answer to the login is from ${issuer || 'an unnamed server'}, not from ${origin}.`,
    {
      hint: phrase`Nothing was sent to either. Does ${sync('config', 'get', 'baseUrl')} print the address of your training platform?`,
      details: { issuer },
    },
  );
}
