import type { Http, HttpResponse } from '../api/http.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import type { Secret } from '../base/secret.ts';
import { addressesOf } from '../config/platforms.ts';
import { isLoopback } from '../config/settings.ts';
import { type AuthorizeOptions, authorizationUrl } from './authorize.ts';
import { checkPastedAddress } from './callback.ts';
import { createAuthorizationSecrets } from './pkce.ts';
import { NAMES_CLIENT, NAMES_REDIRECT_URI, NAMES_SCOPE, refusalReason } from './refusal-page.ts';

/** Time limit for the whole check (ms). */
const CHECK_TIMEOUT_MS = 10_000;

/** Headers by which a bot wall marks its own answers (Cloudflare, AWS, Vercel). */
const BOT_WALL_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated'];

/** Errors that depend on the athlete in front of the browser (RFC 6749, OpenID Connect Core 3.1.2.6). */
const ABOUT_THE_ATHLETE = /^(?:access_denied|\w+_required|account_selection_required)$/;

export interface CheckedRequest extends Pick<AuthorizeOptions, 'endpoint' | 'clientId' | 'scopes'> {
  /** With the real port. */
  readonly redirectUri: string;
}

/**
 * Requests the login page as a browser would, before the browser does: a wrong address, an unknown client
 * or an unregistered redirect URI would otherwise show in the browser alone, while the login waits for its
 * time limit. The request has its own state and challenge, which are used for nothing else.
 *
 * Fails only if a browser would fail too. A bot wall that admits browsers does not end the login.
 *
 * @returns a warning if the answer shows nothing; undefined if there is a login page.
 * @throws SyncError `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`; `CONFIG` for a wrong address,
 *   client or redirect URI; `AUTH_REFUSED`; the signal's reason.
 */
export async function checkAuthorizePage(
  { signal }: Context,
  http: Http,
  request: CheckedRequest,
): Promise<Text | undefined> {
  const { state, challenge } = createAuthorizationSecrets();
  const { redirectUri } = request;
  const url = new URL(authorizationUrl(request, { redirectUri, state, challenge }));
  const response = await send(http, url, signal);
  const { status } = response;
  if (status < 300) return undefined;
  if (status < 400) {
    const failure = redirectFailure(response, request, state);
    if (failure !== undefined) throw failure;
    return undefined;
  }
  const reason = await refusalReason(response);
  const aboutRequest = status < 500 ? requestFailure(request, status, reason) : undefined;
  if (aboutRequest !== undefined) throw aboutRequest;
  if (isBotWall(response)) {
    return `${url.host} answered the check of its login page with ${status}; it may admit only browsers. The login continues.`;
  }
  throw pageFailure(request, status, reason);
}

async function send(http: Http, url: URL, signal: AbortSignal): Promise<HttpResponse> {
  try {
    return await http.send({
      method: 'GET',
      url,
      accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      answerTimeoutMs: CHECK_TIMEOUT_MS,
      totalTimeoutMs: CHECK_TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    throw error instanceof SyncError ? addressFailure(error, url) : error;
  }
}

/** Says of a failed connection that the address may be wrong. */
export function addressFailure(error: SyncError, url: URL): SyncError {
  // A failure of a proxy has its hint.
  if (error.code !== 'NETWORK' || 'proxy' in error.details) return error;
  const start = phrase` If the sandbox is meant, start it with ${sync('sandbox')}.`;
  return error.with({
    hint: phrase`Check the connection and the address: ${sync('login', '--base-url', 'URL')}.${isLoopback(url) ? start : ''}`,
    details: { setting: 'baseUrl' },
  });
}

/** Returns the failure that a redirect means; undefined if it leads to a login page. */
function redirectFailure(
  { status, headers }: HttpResponse,
  { endpoint, redirectUri }: CheckedRequest,
  state: Secret,
): SyncError | undefined {
  const location = headers['location'] ?? '';
  if (!URL.canParse(location, endpoint.href)) return undefined;
  const target = new URL(location, endpoint);
  const answer = checkPastedAddress(target.href, redirectUri, { state, origin: endpoint.origin });
  if (answer.kind === 'error' && !ABOUT_THE_ATHLETE.test(answer.error)) {
    return authorizationError(answer.error, answer.description);
  }
  // A temporary redirect may lead to a login page elsewhere. A permanent one to the same path concerns the
  // whole service, and tokens are sent to no other origin than the base URL's.
  const isPlatform = addressesOf(new URL(endpoint.origin)).some(
    ({ origin }) => origin === target.origin,
  );
  const moved =
    (status === 301 || status === 308 || isPlatform) &&
    target.origin !== endpoint.origin &&
    target.pathname === endpoint.pathname &&
    (target.protocol === 'https:' || isLoopback(target));
  if (!moved) return undefined;
  return new SyncError('CONFIG', `${endpoint.origin} has moved to ${target.origin}.`, {
    hint: phrase`Run ${sync('login', '--base-url', target.origin)}.`,
    details: { status, setting: 'baseUrl' },
  });
}

/** Returns the failure if the service's reason names the client, the redirect URI or a scope. */
function requestFailure(
  { endpoint, clientId, redirectUri }: CheckedRequest,
  status: number,
  reason: string,
): SyncError | undefined {
  const because = ` (${reason.replace(/\.$/, '')})`;
  const details = { status, setting: 'clientId' };
  if (NAMES_REDIRECT_URI.test(reason)) {
    const message = reason.includes(redirectUri)
      ? `${endpoint.host} refuses this login: ${reason}`
      : `${endpoint.host} does not accept the redirect URI ${redirectUri} for the client "${clientId}"${because}.`;
    return new SyncError('CONFIG', message, { hint: REGISTER, details });
  }
  if (NAMES_CLIENT.test(reason)) {
    return new SyncError(
      'CONFIG',
      `${endpoint.host} does not know the client ID "${clientId}"${because}.`,
      {
        hint: phrase`Check the client ID and the address: ${sync('login', '--client-id', 'ID', '--base-url', 'URL')}.`,
        details,
      },
    );
  }
  if (!NAMES_SCOPE.test(reason)) return undefined;
  return new SyncError('CONFIG', `${endpoint.host} refuses this login: ${reason}`, {
    hint: OTHER_SCOPES,
    details: { status, setting: 'scope' },
  });
}

const OTHER_SCOPES = phrase`Ask for others: ${sync('login', '--scope', 'workout:write health:write')}.`;

const REGISTER = phrase`Ask the platform to register exactly this address, or use a registered one: ${sync('login', '--redirect-uri', 'URI')}.`;

function isBotWall({ status, headers }: HttpResponse): boolean {
  return status === 403 || status === 429 || BOT_WALL_HEADERS.some((name) => name in headers);
}

/** Returns the failure for a response that names nothing of the request. */
function pageFailure(
  { endpoint, clientId, redirectUri }: CheckedRequest,
  status: number,
  reason: string,
): SyncError {
  const details = { status };
  const { host } = endpoint;
  const because = reason === '' ? '' : `: ${reason.replace(/\.$/, '')}`;
  if (status >= 500 || status === 408) {
    return new SyncError(
      'SERVICE_UNAVAILABLE',
      `${host} cannot show its login page now (${status}${because}).`,
      { hint: phrase`Run ${sync('login')} again later.`, details },
    );
  }
  if ([401, 404, 405, 410].includes(status)) {
    return new SyncError(
      'CONFIG',
      `${host} has no login page at ${endpoint.pathname} (${status}).`,
      {
        hint: phrase`Check the address: ${sync('login', '--base-url', 'URL')}. If the platform has it at another path, run ${sync('config', 'set', 'endpoint.authorize', '/PATH')}.`,
        details: { ...details, setting: 'baseUrl' },
      },
    );
  }
  return new SyncError('CONFIG', `${host} refuses this login (${status}${because}).`, {
    hint: `Does it know the client "${clientId}", and is ${redirectUri} registered for it?`,
    details: { ...details, setting: 'clientId' },
  });
}

/**
 * Returns the error for an error that the authorize endpoint sends by redirect.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 - error response
 * @param description the service's own words, sanitized
 */
export function authorizationError(error: string, description: string | undefined): SyncError {
  const because = description === undefined ? '' : ` (${description})`;
  const details = { error };
  switch (error) {
    case 'access_denied':
      return new SyncError('AUTH_REFUSED', `The login was not approved${because}.`, {
        hint: phrase`Run ${sync('login')} again to approve it.`,
        details,
      });
    case 'server_error':
    case 'temporarily_unavailable':
      return new SyncError('SERVICE_UNAVAILABLE', `The platform cannot log you in now${because}.`, {
        hint: phrase`Run ${sync('login')} again later.`,
        details,
      });
    case 'invalid_scope':
      return new SyncError('AUTH_REFUSED', `The platform refuses these scopes${because}.`, {
        hint: OTHER_SCOPES,
        details,
      });
    default:
      return new SyncError('AUTH_REFUSED', `The platform refused the login: ${error}${because}.`, {
        hint: 'Check the client ID and its registration at the platform.',
        details,
      });
  }
}
