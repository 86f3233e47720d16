import type { Account } from '../config.ts';
import { SyncError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Http } from '../service/http.ts';

/** How long the service may think about it, in ms: a login does not hang on a name. */
const ANSWER_TIMEOUT_MS = 8_000;

/** What the userinfo endpoint made of a token. */
export type WhoAmI =
  | { readonly kind: 'known'; readonly account: Account }
  /** The service does not say: no such endpoint, not allowed, or something unreadable. */
  | { readonly kind: 'unknown' }
  /** The service did not answer. */
  | { readonly kind: 'unreachable' }
  /** 401: the token is no good. */
  | { readonly kind: 'rejected' };

/**
 * Asks the service whose token this is. The interface does not show this endpoint, so nothing
 * depends on it.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function whoAmI(
  needs: { readonly http: Http; readonly url: URL },
  token: Secret,
  signal: AbortSignal,
): Promise<WhoAmI> {
  try {
    const response = await needs.http.send({
      method: 'GET',
      url: needs.url,
      bearer: token,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      signal,
    });
    if (response.status === 401) return { kind: 'rejected' };
    if (response.status >= 500 || response.status === 429) return { kind: 'unreachable' };
    if (response.status !== 200) return { kind: 'unknown' };
    const account = decodeAccount(response.text);
    return account === undefined ? { kind: 'unknown' } : { kind: 'known', account };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SyncError && error.code === 'NETWORK') return { kind: 'unreachable' };
    if (error instanceof SyncError && error.code === 'SERVICE_ANSWER') return { kind: 'unknown' };
    throw error;
  }
}

function decodeAccount(text: string): Account | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { sub, name, email } = parsed as Record<string, unknown>;
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
