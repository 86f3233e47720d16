import type { TokenSet } from '../credentials/store.ts';
import { type ErrorCode, SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Http, HttpResponse } from '../api/http.ts';
import { type Repeatable, type RetryPolicy, withRetry } from '../api/retry.ts';
import { sanitize } from '../base/sanitize.ts';
import type { Clock } from '../base/time.ts';
import { decodeTokenResponse } from './token-response.ts';

/** How long the service may think about one token request, in ms. */
const ANSWER_TIMEOUT_MS = 15_000;
/** How long one token request may take in all, in ms: another process may be waiting for its end. */
const TOTAL_TIMEOUT_MS = 40_000;

/** Somebody waits for the tokens: few tries, short pauses. */
const RETRY: RetryPolicy = {
  attempts: 3,
  baseMs: 400,
  capMs: 2_000,
  longestRetryAfterMs: 5_000,
};

export interface TokenEndpointNeeds {
  readonly http: Http;
  readonly clock: Clock;
  /** The token endpoint (interface 4.6), or the revocation endpoint. */
  readonly url: URL;
}

/** Which application speaks. */
export interface Client {
  readonly id: string;
  /** Public clients have none; PKCE stands in for it. */
  readonly secret: Secret | undefined;
}

export interface CodeGrant {
  readonly client: Client;
  readonly code: Secret;
  /** The same text as in the authorization request (RFC 6749 section 4.1.3). */
  readonly redirectUri: string;
  readonly verifier: Secret;
  readonly askedScopes: readonly string[];
}

/**
 * Exchanges an authorization code for tokens (interface 4.6, RFC 7636 section 4.5).
 *
 * A code works once, and its second use may cost the first one's tokens (RFC 6749 section 4.1.2):
 * a request that may have been acted on is not repeated.
 *
 * @throws SyncError `AUTH_REFUSED`, `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`.
 */
export async function exchangeCode(
  needs: TokenEndpointNeeds,
  grant: CodeGrant,
  signal: AbortSignal,
): Promise<TokenSet & { readonly accessToken: Secret }> {
  const response = await post(
    needs,
    {
      grant_type: 'authorization_code',
      code: grant.code.reveal(),
      redirect_uri: grant.redirectUri,
      code_verifier: grant.verifier.reveal(),
      ...clientFields(grant.client),
    },
    'unless-acted-on',
    signal,
  );
  return readTokens(response, needs, {
    secrets: [grant.code, grant.verifier, grant.client.secret],
    refused: {
      code: 'AUTH_REFUSED',
      message: 'The service did not accept the answer of the login',
      hint: 'Run `sync login` again; the answer is good once, and for some minutes.',
    },
    otherwise: 'Check the base URL and the client ID, then run `sync login` again.',
    askedScopes: grant.askedScopes,
  });
}

/**
 * Fetches new tokens for a refresh token. The one that was sent may be dead afterwards: what comes
 * back is to be stored before it is used.
 *
 * Repeating is safe in the sense that nothing gets worse: where the service acted on a request whose
 * answer was lost, the token that was sent is either still good or lost already.
 *
 * @throws SyncError `AUTH_EXPIRED` for `invalid_grant` and nothing else; `AUTH_REFUSED` (the client
 *   is refused, or nobody is given new tokens); `NETWORK`, `SERVICE_UNAVAILABLE`, `SERVICE_ANSWER`.
 */
export async function refreshTokens(
  needs: TokenEndpointNeeds,
  grant: { readonly client: Client; readonly refreshToken: Secret; readonly before: TokenSet },
  signal: AbortSignal,
): Promise<TokenSet & { readonly accessToken: Secret }> {
  const response = await post(
    needs,
    {
      grant_type: 'refresh_token',
      refresh_token: grant.refreshToken.reveal(),
      ...clientFields(grant.client),
    },
    'always',
    signal,
  );
  return readTokens(response, needs, {
    secrets: [grant.refreshToken, grant.client.secret],
    refused: {
      code: 'AUTH_EXPIRED',
      message: 'The login has ended: the service no longer accepts its refresh token',
      hint: 'Run `sync login`.',
    },
    otherwise: 'Try again later; if it stays like this, run `sync login`.',
    askedScopes: grant.before.scopes,
    before: grant.before,
  });
}

/**
 * Asks the service to forget a token (RFC 7009).
 *
 * @returns `unsupported` if the service has no such endpoint.
 * @throws SyncError if it cannot be known to be revoked: `NETWORK`, `SERVICE_UNAVAILABLE`,
 *   `SERVICE_ANSWER`, `AUTH_REFUSED`.
 */
export async function revokeToken(
  needs: TokenEndpointNeeds,
  request: {
    readonly client: Client;
    readonly token: Secret;
    readonly kind: 'access_token' | 'refresh_token';
  },
  signal: AbortSignal,
): Promise<'revoked' | 'unsupported'> {
  const response = await post(
    needs,
    {
      token: request.token.reveal(),
      token_type_hint: request.kind,
      ...clientFields(request.client),
    },
    'always',
    signal,
  );
  if (response.status >= 200 && response.status < 300) return 'revoked';
  if ([404, 405, 410, 501].includes(response.status)) return 'unsupported';
  throw refusal(response, needs.url, {
    secrets: [request.token, request.client.secret],
    refused: undefined,
    otherwise: undefined,
  });
}

function clientFields({ id, secret }: Client): Record<string, string> {
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret.reveal() }) };
}

async function post(
  { http, clock, url }: TokenEndpointNeeds,
  fields: Record<string, string>,
  repeatable: Repeatable,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { response } = await withRetry(
    { clock, random: Math.random, signal },
    () =>
      http.send({
        method: 'POST',
        url,
        contentType: 'application/json',
        body: [Buffer.from(JSON.stringify(fields))],
        answerTimeoutMs: ANSWER_TIMEOUT_MS,
        totalTimeoutMs: TOTAL_TIMEOUT_MS,
        signal,
      }),
    repeatable,
    { policy: RETRY },
  );
  return response;
}

interface Reading {
  /** What was sent, so that a service that repeats it in its answer does not make us print it. */
  readonly secrets: readonly (Secret | undefined)[];
  /** What `invalid_grant` means for this request. */
  readonly refused: { code: ErrorCode; message: string; hint: string } | undefined;
  /** What to do about a refusal that says nothing about this login or this client. */
  readonly otherwise: string | undefined;
  readonly askedScopes?: readonly string[] | undefined;
  readonly before?: TokenSet;
}

function readTokens(
  response: HttpResponse,
  { url, clock }: TokenEndpointNeeds,
  reading: Reading,
): TokenSet & { readonly accessToken: Secret } {
  const body = parseObject(response.text);
  const accepted = response.status >= 200 && response.status < 300;
  // Some services answer 200 and put the error into the body.
  if (!accepted || typeof body?.['error'] === 'string') throw refusal(response, url, reading);
  if (body === undefined) {
    throw new SyncError(
      'SERVICE_ANSWER',
      `${url.host} answered the token request with something other than a JSON object.`,
      {
        hint: 'Is the base URL that of the training service? See `sync config get baseUrl`.',
        details: { status: response.status, path: url.pathname },
      },
    );
  }
  return decodeTokenResponse(
    body,
    { now: clock.now(), askedScopes: reading.askedScopes, before: reading.before },
    `The answer of ${url.host} to the token request`,
  );
}

/**
 * An answer that is no success, in words. RFC 6749 section 5.2.
 *
 * Never `REJECTED`: that is what becomes of something that was sent for good. Most requests to this
 * endpoint are made on the way to sending something, and what was not sent was not refused.
 */
function refusal(response: HttpResponse, url: URL, reading: Reading): SyncError {
  const body = parseObject(response.text) ?? {};
  const error = sanitize(body['error'], reading.secrets, 60);
  const description = sanitize(body['error_description'] ?? body['message'], reading.secrets, 200);
  const details = {
    status: response.status,
    ...(error === '' ? {} : { error }),
    ...(description === '' ? {} : { description }),
  };
  const because = description === '' ? '' : ` (${description})`;
  if (error === 'invalid_grant' && reading.refused !== undefined) {
    const { code, message, hint } = reading.refused;
    return new SyncError(code, `${message}${because}.`, { hint, details });
  }
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return new SyncError('AUTH_REFUSED', `The service refuses this client${because}.`, {
      hint:
        'Check the client ID and its secret, then run ' +
        '`sync login --client-id ID --client-secret-stdin`, or set SYNC_CLIENT_SECRET.',
      details,
    });
  }
  if (error === 'unsupported_grant_type') {
    return new SyncError('AUTH_REFUSED', `${url.host} gives no tokens in this way${because}.`, {
      hint: 'Run `sync login`.',
      details,
    });
  }
  if (response.status >= 300 && response.status < 400) {
    return new SyncError(
      'SERVICE_ANSWER',
      `${url.host} sends ${url.pathname} elsewhere (${response.status}); tokens are not sent there.`,
      {
        hint: 'Put the address that it moved to into the base URL: `sync login --base-url URL`.',
        details,
      },
    );
  }
  if (response.status === 404 || response.status === 405) {
    return new SyncError(
      'SERVICE_ANSWER',
      `${url.host} has no endpoint at ${url.pathname} (${response.status}).`,
      {
        hint: 'Check the base URL; paths can be set with `sync config set endpoint.token PATH`.',
        details,
      },
    );
  }
  const what = error === '' ? `status ${String(response.status)}` : error;
  return new SyncError(
    'SERVICE_ANSWER',
    `${url.host} refused the token request: ${what}${because}.`,
    { hint: reading.otherwise, details },
  );
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
