import type { Account } from '../config/config.ts';
import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Http, HttpResponse } from '../api/http.ts';
import { type RetryPolicy, withRetry } from '../api/retry.ts';
import type { TokenSource } from '../api/client.ts';
import { isObject, jsonValue } from '../api/wire.ts';
import type { Clock } from '../base/time.ts';

/** How long the service may think about it, in ms: a login does not hang on a name. */
const ANSWER_TIMEOUT_MS = 8_000;

/** Somebody waits, and much hangs on the answer: some tries, short pauses. */
export const PATIENT: RetryPolicy = {
  attempts: 4,
  baseMs: 500,
  capMs: 2_000,
  longestRetryAfterMs: 10_000,
};

/** What the userinfo endpoint made of a token. */
export type WhoAmI =
  | { readonly kind: 'known'; readonly account: Account }
  /** The service does not say: no such endpoint, not allowed, sent elsewhere, or unreadable. */
  | { readonly kind: 'unknown' }
  /** It cannot say now: `NETWORK` or `SERVICE_UNAVAILABLE`. Another time it may. */
  | { readonly kind: 'unreachable'; readonly error: SyncError }
  /** 401: the token is no good. */
  | { readonly kind: 'rejected' };

export interface WhoAmINeeds {
  readonly http: Http;
  readonly clock: Clock;
  /** The userinfo endpoint. */
  readonly url: URL;
  readonly policy: RetryPolicy;
}

/**
 * Asks the service whose token this is. The interface does not show this endpoint: a service without
 * it is as good as any.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function whoAmI(
  { http, clock, url, policy }: WhoAmINeeds,
  token: Secret,
  signal: AbortSignal,
): Promise<WhoAmI> {
  const ask = async () => {
    const answerTimeoutMs = ANSWER_TIMEOUT_MS;
    const request = { method: 'GET', url, bearer: token, answerTimeoutMs, signal } as const;
    const response = await http.send(request);
    // Half an answer is none: it is asked for again. What was never JSON stays what it is.
    if (response.status === 200 && claimsJson(response)) jsonValue(response);
    return response;
  };
  try {
    const context = { clock, random: Math.random, signal };
    const { response } = await withRetry(context, ask, 'always', { policy });
    if (response.status === 401) return { kind: 'rejected' };
    const account =
      response.status === 200 && claimsJson(response)
        ? decodeAccount(jsonValue(response))
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
 * Asks whose login this is; a token that the service rejects is replaced once.
 *
 * @throws SyncError as a {@link TokenSource}: `AUTH_EXPIRED` if the service ended the login.
 */
export async function whoIsLoggedIn(
  needs: WhoAmINeeds,
  tokens: TokenSource,
  signal: AbortSignal,
): Promise<WhoAmI> {
  const token = await tokens.accessToken(signal);
  const who = await whoAmI(needs, token, signal);
  if (who.kind !== 'rejected') return who;
  return await whoAmI(needs, await tokens.replace(token, signal), signal);
}

/** Some services send JSON under another name; a page begins with `<`. */
function claimsJson({ headers, text }: HttpResponse): boolean {
  return (headers['content-type'] ?? '').includes('json') || /^\s*\{/.test(text);
}

function decodeAccount(answer: unknown): Account | undefined {
  if (!isObject(answer)) return undefined;
  const { sub, name, email } = answer;
  const id = typeof sub === 'number' ? String(sub) : sub;
  if (typeof id !== 'string' || id === '') return undefined;
  const line = (value: unknown) =>
    typeof value === 'string'
      ? value
          .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
          .trim()
          .slice(0, 200) || undefined
      : undefined;
  return { id, name: line(name), email: line(email) };
}
