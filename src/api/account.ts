import type { Context } from '../base/context.ts';
import { SyncError, isTemporary } from '../base/errors.ts';
import { sanitize } from '../base/printable.ts';
import { REDACTED, type Secret } from '../base/secret.ts';
import type { Account } from '../config/config.ts';
import { scopeOf } from '../config/endpoints.ts';
import type { TokenSource } from './token-source.ts';
import { type Http, type HttpResponse, NO_CONTENT, isSuccess, withoutSecrets } from './http.ts';
import { asksForScope, missingScope } from './refusal.ts';
import { type RetryPolicy, withRetry } from './retry.ts';
import { serviceMessage } from './service-message.ts';
import { isObject } from '../base/json.ts';
import { claimsJson, jsonValue } from './wire.ts';

/** Time limit for one answer of the userinfo endpoint (ms). */
const ANSWER_TIMEOUT_MS = 8_000;

/** Who a token belongs to. `wasTaken`: an answer has shown that the service takes it. */
export type WhoAmI =
  | { readonly kind: 'known'; readonly account: Account; readonly wasTaken: true }
  /** The service does not say who the athlete is: userinfo is missing, or takes no token of applications. */
  | { readonly kind: 'unknown'; readonly wasTaken: boolean }
  /** It may name the athlete later: `NETWORK` or `SERVICE_UNAVAILABLE`. */
  | { readonly kind: 'unreachable'; readonly error: SyncError; readonly wasTaken: boolean }
  /** 401: the service does not accept the token. */
  | { readonly kind: 'rejected' };

export interface WhoAmIOptions {
  readonly http: Http;
  /** The interface does not describe it, so a service may lack it, or answer anything. */
  readonly userinfo: URL;
  /** The authenticated request of the interface (4.7), which decides if userinfo does not name the athlete. */
  readonly workouts: URL;
  readonly policy: RetryPolicy;
  /** The caller needs to know if the service takes the token, too, not the account alone. */
  readonly needsProof?: boolean;
}

/** Statuses of a service without userinfo. */
const NO_ROUTE: readonly number[] = [404, 405, 501];

/**
 * Asks the service for the account of a token, and whether it takes the token.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function whoAmI(
  context: Context,
  { http, userinfo, workouts, policy, needsProof = false }: WhoAmIOptions,
  token: Secret,
): Promise<WhoAmI> {
  const get = async (url: URL) => {
    const { signal } = context;
    const answerTimeoutMs = ANSWER_TIMEOUT_MS;
    const request = { method: 'GET', url, bearer: token, answerTimeoutMs, signal } as const;
    const ask = async () => {
      const response = withoutSecrets(await http.send(request), [token]);
      // Throws on truncated JSON, which is retried. An answer that is not JSON is not.
      if (isSuccess(response) && claimsJson(response)) jsonValue(response);
      return response;
    };
    try {
      return (await withRetry(context, ask, 'always', { policy })).response;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyncError && isTemporary(error.code)) return error;
      throw error;
    }
  };
  const answer = await get(userinfo);
  const { status } = answer instanceof SyncError ? answer.details : answer;
  // Without an answer, another request would wait as long.
  if (answer instanceof SyncError && typeof status !== 'number')
    return { kind: 'unreachable', error: answer, wasTaken: false };
  if (!(answer instanceof SyncError) && isSuccess(answer) && claimsJson(answer)) {
    const account = decodeAccount(jsonValue(answer));
    if (account !== undefined) return { kind: 'known', account, wasTaken: true };
  }
  const namesNobody =
    !(answer instanceof SyncError) && (isSuccess(answer) || NO_ROUTE.includes(answer.status));
  if (!needsProof && namesNobody) return { kind: 'unknown', wasTaken: false };
  if (!needsProof && answer instanceof SyncError)
    return { kind: 'unreachable', error: answer, wasTaken: false };
  const list = await get(workouts);
  const isRejected = !(list instanceof SyncError) && list.status === 401 && !asksForScope(list);
  if (isRejected) return { kind: 'rejected' };
  const wasTaken =
    !(list instanceof SyncError) &&
    // Some networks answer everything with 204.
    ((list.status === NO_CONTENT && status !== NO_CONTENT) ||
      holdsJson(list) ||
      asksForScope(list) ||
      (list.status === 403 && missingScope(list, scopeOf('workouts', 'GET')) !== undefined));
  if (answer instanceof SyncError) return { kind: 'unreachable', error: answer, wasTaken };
  if (wasTaken || namesNobody) return { kind: 'unknown', wasTaken };
  const said = serviceMessage(answer);
  const why = `${answer.status}${said === undefined ? '' : `: ${said}`}`;
  const message = `The platform does not say whose login this is (${why}).`;
  const error = new SyncError('SERVICE_UNAVAILABLE', message, {
    hint: 'Try again later; the same command continues.',
  });
  return { kind: 'unreachable', error, wasTaken };
}

/**
 * Does the same for the current login; replaces a rejected token once.
 *
 * @throws SyncError as a {@link TokenSource}: `AUTH_EXPIRED` if the service ended the login.
 */
export async function whoIsLoggedIn(
  context: Context,
  options: WhoAmIOptions,
  tokens: TokenSource,
): Promise<WhoAmI> {
  const { signal } = context;
  const token = await tokens.accessToken(signal);
  const who = await whoAmI(context, options, token);
  if (who.kind !== 'rejected') return who;
  return await whoAmI(context, options, await tokens.replace(token, signal));
}

function holdsJson(response: HttpResponse): boolean {
  try {
    return isSuccess(response) && jsonValue(response) !== undefined;
  } catch {
    return false;
  }
}

/** Longest identifier of an athlete in characters (OpenID Connect Core, section 2). */
const MAX_ID = 255;

/**
 * A number that a double cannot hold exactly could name two athletes, and so could a part of the token: then the account
 * is unknown.
 */
function decodeAccount(answer: unknown): Account | undefined {
  if (!isObject(answer)) return undefined;
  const { sub, name, email } = answer;
  const id = Number.isSafeInteger(sub) ? String(sub) : sub;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return undefined;
  if (id.includes(REDACTED)) return undefined;
  const line = (value: unknown) => sanitize(value, 200) || undefined;
  return { id, name: line(name), email: line(email) };
}
