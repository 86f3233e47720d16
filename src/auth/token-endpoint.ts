import { type Http, type HttpResponse, isSuccess, withoutSecrets } from '../api/http.ts';
import { serviceMessage } from '../api/service-message.ts';
import { isPage } from '../api/wire.ts';
import { type Repeatable, RETRIES, type RetryPolicy, withRetry } from '../api/retry.ts';
import type { Context } from '../base/context.ts';
import { type ErrorCode, SyncError } from '../base/errors.ts';
import { parseObject } from '../base/json.ts';
import { type Text, phrase, sync } from '../base/phrase.ts';
import { sanitize } from '../base/printable.ts';
import type { Secret } from '../base/secret.ts';
import type { TokenSet } from '../credentials/store.ts';
import { type NewTokens, WRONG_ADDRESS, decodeTokenResponse } from './token-response.ts';

/** Time limit for the answer to one token request (ms). */
const ANSWER_TIMEOUT_MS = 15_000;
/** Time limit for one token request in all (ms): another process may wait for the login lock. */
const TOTAL_TIMEOUT_MS = 40_000;

export interface Endpoint {
  readonly http: Http;
  /** The token endpoint (interface 4.6), or the revocation endpoint. */
  readonly url: URL;
  /** Default: {@link RETRIES.tokens} */
  readonly retry?: RetryPolicy | undefined;
}

export interface OAuthClient {
  readonly id: string;
  /** Public clients have none: PKCE protects their login. */
  readonly secret: Secret | undefined;
}

export interface CodeGrant {
  readonly client: OAuthClient;
  readonly code: Secret;
  /** The same text as in the authorization request (RFC 6749 section 4.1.3). */
  readonly redirectUri: string;
  readonly verifier: Secret;
  readonly askedScopes: readonly string[];
}

/**
 * Exchanges an authorization code for tokens (interface 4.6).
 *
 * A code works once. Sending it again may revoke the tokens of the first request, so a request that
 * the service may have acted on is not repeated.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 - a code is used once
 * @see https://www.rfc-editor.org/rfc/rfc7636#section-4.5 - the verifier
 * @throws SyncError `AUTH_REFUSED`, `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`.
 */
export async function exchangeCode(
  context: Context,
  endpoint: Endpoint,
  grant: CodeGrant,
): Promise<NewTokens> {
  const fields = {
    grant_type: 'authorization_code',
    code: grant.code.reveal(),
    redirect_uri: grant.redirectUri,
    code_verifier: grant.verifier.reveal(),
    ...clientFields(grant.client),
  };
  const secrets = [grant.code, grant.verifier, grant.client.secret];
  const answer = await post(context, endpoint, fields, secrets, 'unless-acted-on');
  return readTokens(endpoint, answer, {
    invalidGrant: {
      code: 'AUTH_REFUSED',
      message: 'The platform did not accept the authorization code of the login',
      hint: phrase`Run ${sync('login')} again; a code works once, and for a few minutes.`,
    },
    otherwise: phrase`Check the address and the client ID, then run ${sync('login')} again.${ifSecret(grant.client)}`,
    askedScopes: grant.askedScopes,
  });
}

/**
 * Requests new tokens for a refresh token. The service may have replaced the sent token:
 * store the new tokens before using them.
 *
 * Repeating the request makes nothing worse: if the service acted on a request and its answer was
 * lost, the sent token is either still valid or already lost.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-6 - refreshing an access token
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2 - rotation of refresh tokens
 * @throws SyncError `AUTH_EXPIRED` for `invalid_grant` and nothing else; `AUTH_REFUSED` if the
 *   service refuses the request in other words: that may pass; `NETWORK`, `SERVICE_UNAVAILABLE` also if
 *   something else than a token endpoint answers; `SERVICE_ANSWER`.
 */
export async function refreshTokens(
  context: Context,
  endpoint: Endpoint,
  grant: { readonly client: OAuthClient; readonly refreshToken: Secret; readonly before: TokenSet },
): Promise<NewTokens> {
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: grant.refreshToken.reveal(),
    ...clientFields(grant.client),
  };
  const secrets = [grant.refreshToken, grant.client.secret];
  const answer = await post(context, endpoint, fields, secrets, 'always');
  return readTokens(endpoint, answer, {
    invalidGrant: {
      code: 'AUTH_EXPIRED',
      message: 'The login has ended: the platform no longer accepts its refresh token',
      hint: phrase`Run ${sync('login')}.`,
    },
    otherwise: phrase`The next command tries again; if the error persists, run ${sync('login')}.${ifSecret(grant.client)}`,
    askedScopes: grant.before.scopes,
    before: grant.before,
  });
}

/**
 * Revokes a token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7009#section-2 - token revocation
 * @returns `unsupported` if the service has no such endpoint.
 * @throws SyncError if the token may still be valid: `NETWORK`, `SERVICE_UNAVAILABLE`,
 *   `SERVICE_ANSWER`, `AUTH_REFUSED`.
 */
export async function revokeToken(
  context: Context,
  endpoint: Endpoint,
  request: {
    readonly client: OAuthClient;
    readonly token: Secret;
    readonly kind: 'access_token' | 'refresh_token';
    /** The other token of the login, which no message repeats either. */
    readonly other: Secret | undefined;
  },
): Promise<'revoked' | 'unsupported'> {
  const fields = {
    token: request.token.reveal(),
    token_type_hint: request.kind,
    ...clientFields(request.client),
  };
  const secrets = [request.token, request.other, request.client.secret];
  const { response } = await post(context, endpoint, fields, secrets, 'always');
  if (isSuccess(response)) return 'revoked';
  if ([404, 405, 410, 501].includes(response.status)) return 'unsupported';
  throw refusal(response, endpoint.url, {});
}

function clientFields({ id, secret }: OAuthClient): Record<string, string> {
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret.reveal() }) };
}

interface Answer {
  readonly response: HttpResponse;
  /**
   * The start of the tokens' lifetimes (ms since the epoch). Counted from the answer, a token of seconds would
   * seem valid after the service refused it.
   */
  readonly sentAt: number;
}

/** @param secrets in the request: removed from a refusal, in case the service repeats them */
async function post(
  context: Context,
  { http, url, retry = RETRIES.tokens }: Endpoint,
  fields: Record<string, string>,
  secrets: readonly (Secret | undefined)[],
  repeatable: Repeatable,
): Promise<Answer> {
  let sentAt = 0;
  const send = async () => {
    sentAt = context.clock.now();
    const response = await http.send({
      method: 'POST',
      url,
      contentType: 'application/json',
      body: [Buffer.from(JSON.stringify(fields))],
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      totalTimeoutMs: TOTAL_TIMEOUT_MS,
      signal: context.signal,
    });
    return isRefusal(response) ? withoutSecrets(response, secrets) : response;
  };
  const { response } = await withRetry(context, send, repeatable, { policy: retry });
  return { response, sentAt };
}

/** Some services answer 200 and put the error into the body. */
function isRefusal(response: HttpResponse): boolean {
  return !isSuccess(response) || typeof parseObject(response.text)?.['error'] === 'string';
}

interface RefusalOptions {
  /** The error that `invalid_grant` means for this request. */
  readonly invalidGrant?: { code: ErrorCode; message: string; hint: Text };
  /** The hint for a refusal that says nothing about the login or the client. */
  readonly otherwise?: Text;
  /** The tokens that a refresh replaces. */
  readonly before?: TokenSet;
}

/** Statuses with which services refuse a refresh in their own words. 403 may be a gateway's page. */
const REFUSALS: readonly number[] = [400, 401, 403, 422];

function ifSecret({ secret }: OAuthClient): Text {
  return secret === undefined
    ? phrase` If the platform gave this client a secret: ${sync('login', '--client-secret-stdin')}.`
    : '';
}

function readTokens(
  { url }: Endpoint,
  { response, sentAt }: Answer,
  options: RefusalOptions & { readonly askedScopes: readonly string[] | undefined },
): NewTokens {
  if (isRefusal(response)) throw refusal(response, url, options);
  const body = parseObject(response.text);
  if (body === undefined) {
    throw new SyncError(
      options.before !== undefined && isPage(response) ? 'SERVICE_UNAVAILABLE' : 'SERVICE_ANSWER',
      `${url.host} answered the token request with something other than a JSON object.`,
      {
        hint: WRONG_ADDRESS,
        details: { status: response.status, path: url.pathname },
      },
    );
  }
  const { askedScopes, before } = options;
  return decodeTokenResponse(
    body,
    { now: sentAt, askedScopes, before },
    `The answer of ${url.host} to the token request`,
  );
}

/**
 * Turns an answer that is not a success into an error. None is `REJECTED`: that code is for an upload or a
 * record that the service refused for good, and a token request comes before either.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 - error responses
 */
function refusal(response: HttpResponse, url: URL, options: RefusalOptions): SyncError {
  const { invalidGrant } = options;
  const body = parseObject(response.text) ?? {};
  const error = sanitize(body['error'], 60);
  const words = serviceMessage(response) ?? '';
  const description = words === error ? '' : words;
  const because = description === '' ? '' : ` (${description})`;
  const details = {
    status: response.status,
    ...(error === '' ? {} : { error }),
    ...(description === '' ? {} : { description }),
  };
  if (error === 'invalid_grant' && invalidGrant !== undefined) {
    const { code, message, hint } = invalidGrant;
    return new SyncError(code, `${message}${because}.`, { hint, details });
  }
  const { code, message, hint } = meaningOf(error, response, url, because);
  const means = options.before !== undefined ? refreshCode(code, response) : code;
  // A refusal ended no token.
  const delivery = means === 'SERVICE_UNAVAILABLE' ? { delivery: 'not-sent' } : {};
  const why = { hint: hint ?? options.otherwise, details: { ...details, ...delivery } };
  return new SyncError(means, message, why);
}

/** Returns the code for a refused refresh: the service refuses the login, or something else answered. */
function refreshCode(code: ErrorCode, response: HttpResponse): ErrorCode {
  const { status } = response;
  if (code !== 'SERVICE_ANSWER' || isSuccess(response)) return code;
  return REFUSALS.includes(status) && !isPage(response) ? 'AUTH_REFUSED' : 'SERVICE_UNAVAILABLE';
}

/**
 * Returns what a refusal means for each request.
 *
 * @param error RFC 6749 section 5.2, such as `invalid_client`; '' if the body has none
 * @param because ` (the service's own words)`, or ''
 */
function meaningOf(
  error: string,
  { status, headers }: HttpResponse,
  { host, pathname }: URL,
  because: string,
): { readonly code: ErrorCode; readonly message: string; readonly hint?: Text } {
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    const message = `The platform refuses this client${because}.`;
    const hint = phrase`Check the client ID and its secret, then run ${sync('login', '--client-id', 'ID', '--client-secret-stdin')}, or set SYNC_CLIENT_SECRET.`;
    return { code: 'AUTH_REFUSED', message, hint };
  }
  if (error === 'unsupported_grant_type') {
    const message = `${host} does not support this kind of token request${because}.`;
    return { code: 'AUTH_REFUSED', message, hint: phrase`Run ${sync('login')}.` };
  }
  const code = 'SERVICE_ANSWER';
  if (status >= 300 && status < 400 && headers['location'] !== undefined) {
    const message = `${host} redirects ${pathname} to another address (${status}); tokens are not sent there.`;
    const hint = phrase`Log in at the new address: ${sync('login', '--base-url', 'URL')}.`;
    return { code, message, hint };
  }
  if (status === 404 || status === 405) {
    const message = `${host} has no endpoint at ${pathname} (${status}).`;
    const hint = phrase`Check the address; paths can be set with ${sync('config', 'set', 'endpoint.token', 'PATH')}.`;
    return { code, message, hint };
  }
  const reason = error === '' ? `status ${status}` : error;
  return { code, message: `${host} refused the token request: ${reason}${because}.` };
}
