import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { sanitize } from '../base/printable.ts';
import type { Secret } from '../base/secret.ts';
import type { Account } from '../config/config.ts';
import type { Http } from '../api/http.ts';
import { type RetryPolicy, withRetry } from '../api/retry.ts';
import type { TokenSource } from '../api/call.ts';
import { isObject } from '../base/json.ts';
import { claimsJson, jsonValue } from '../api/wire.ts';

/** Time limit for one answer of the userinfo endpoint (ms). */
const ANSWER_TIMEOUT_MS = 8_000;

/** Retries for a user who waits, and needs the answer: a few tries, short pauses. */
export const PATIENT: RetryPolicy = {
  attempts: 4,
  baseMs: 500,
  capMs: 2_000,
  longestRetryAfterMs: 10_000,
};

export type WhoAmI =
  | { readonly kind: 'known'; readonly account: Account }
  /** The service does not name the account: no such endpoint, forbidden, redirected, unreadable. */
  | { readonly kind: 'unknown' }
  /** It may answer later: `NETWORK` or `SERVICE_UNAVAILABLE`. */
  | { readonly kind: 'unreachable'; readonly error: SyncError }
  /** 401: the service does not accept the token. */
  | { readonly kind: 'rejected' };

export interface UserinfoOptions {
  readonly http: Http;
  readonly url: URL;
  readonly policy: RetryPolicy;
}

/**
 * Asks the service for the account of a token. The interface does not describe this endpoint, so a
 * service may lack it.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function whoAmI(
  context: Context,
  { http, url, policy }: UserinfoOptions,
  token: Secret,
): Promise<WhoAmI> {
  const { signal } = context;
  const ask = async () => {
    const answerTimeoutMs = ANSWER_TIMEOUT_MS;
    const request = { method: 'GET', url, bearer: token, answerTimeoutMs, signal } as const;
    const response = await http.send(request);
    // Throws on truncated JSON, which is retried. An answer that is not JSON is not.
    if (response.status === 200 && claimsJson(response)) jsonValue(response);
    return response;
  };
  try {
    const { response } = await withRetry(context, ask, 'always', { policy });
    if (response.status === 401) return { kind: 'rejected' };
    const account =
      response.status === 200 && claimsJson(response)
        ? decodeAccount(jsonValue(response), token)
        : undefined;
    return account === undefined ? { kind: 'unknown' } : { kind: 'known', account };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SyncError)) throw error;
    if (error.code === 'NETWORK' || error.code === 'SERVICE_UNAVAILABLE') {
      return { kind: 'unreachable', error };
    }
    if (error.code === 'SERVICE_ANSWER') return { kind: 'unknown' };
    throw error;
  }
}

/**
 * Asks the service for the account of the current login; replaces a rejected token once.
 *
 * @throws SyncError as a {@link TokenSource}: `AUTH_EXPIRED` if the service ended the login.
 */
export async function whoIsLoggedIn(
  context: Context,
  options: UserinfoOptions,
  tokens: TokenSource,
): Promise<WhoAmI> {
  const { signal } = context;
  const token = await tokens.accessToken(signal);
  const who = await whoAmI(context, options, token);
  if (who.kind !== 'rejected') return who;
  return await whoAmI(context, options, await tokens.replace(token, signal));
}

/** Longest identifier of an athlete in characters (OpenID Connect Core, section 2). */
const MAX_ID = 255;

/** A number that a double cannot hold exactly could name two athletes: then the account is unknown. */
function decodeAccount(answer: unknown, token: Secret): Account | undefined {
  if (!isObject(answer)) return undefined;
  const { sub, name, email } = answer;
  const id = Number.isSafeInteger(sub) ? String(sub) : sub;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return undefined;
  const line = (value: unknown) => sanitize(value, [token], 200) || undefined;
  return { id, name: line(name), email: line(email) };
}
