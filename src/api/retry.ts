import { SyncError } from '../base/errors.ts';
import type { Context } from '../base/context.ts';
import type { HttpResponse } from './http.ts';
import { duration, sentence } from '../terminal/words.ts';
import { deliveryOf } from './http-failure.ts';
import { repeatsStatus, serviceMessage } from './service-message.ts';

export interface RetryPolicy {
  /** Number of tries, including the first. */
  readonly attempts: number;
  /** Upper bound of the first pause; it doubles with each retry (ms). */
  readonly baseMs: number;
  /** Upper bound of all pauses, unless `Retry-After` asks for more (ms). */
  readonly capMs: number;
  /** If `Retry-After` asks for more than this, the request fails at once (ms). */
  readonly longestRetryAfterMs: number;
  /**
   * Window of the service's rate limit: the pauses after 429s without `Retry-After` add up to it (ms).
   * Absent: a 429 is retried like any other status.
   */
  readonly rateWindowMs?: number;
}

/** The policies, by who waits for the answer. */
export const RETRIES = {
  /** A run that sends many items. Deployed services limit requests per minute, not all of them with `Retry-After`. */
  run: {
    attempts: 4,
    baseMs: 500,
    capMs: 15_000,
    longestRetryAfterMs: 60_000,
    rateWindowMs: 60_000,
  },
  /** A user who waits, and needs the answer. */
  answer: { attempts: 4, baseMs: 500, capMs: 2_000, longestRetryAfterMs: 10_000 },
  /** A request for tokens: other processes wait for the lock of the login. */
  tokens: { attempts: 3, baseMs: 400, capMs: 2_000, longestRetryAfterMs: 5_000 },
  /** A caller that does without the answer, or pauses itself. */
  none: { attempts: 1, baseMs: 0, capMs: 0, longestRetryAfterMs: 0 },
} as const satisfies Record<string, RetryPolicy>;

/** Returns a policy without a pause above `longestMs`. Absent: the same policy. */
export function atMost(policy: RetryPolicy, longestMs = Infinity): RetryPolicy {
  const { capMs, longestRetryAfterMs, rateWindowMs } = policy;
  return {
    ...policy,
    capMs: Math.min(capMs, longestMs),
    longestRetryAfterMs: Math.min(longestRetryAfterMs, longestMs),
    ...(rateWindowMs === undefined ? {} : { rateWindowMs: Math.min(rateWindowMs, longestMs) }),
  };
}

export interface RetryNotice {
  /** Number of the failed try, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/**
 * Whether a request may be sent again although the service may have acted on it. Uploads and upserts
 * may: the service recognises them (interface 4.4). A day sent to a service that appends may not.
 */
export type Repeatable = 'always' | 'unless-acted-on';

/**
 * Returns whether a response is worth a retry (RFC 9110). Waiting does not help with 501 and 505, and with
 * a 409 only if it says when: something else is at work on the item.
 */
export function isTemporary({ status, headers }: HttpResponse): boolean {
  if (status === 409) return headers['retry-after'] !== undefined;
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Sends a request until the response is final. Retries network errors and temporary failures with capped
 * exponential back-off and full jitter; a `Retry-After` above 0 wins over the computed pause.
 *
 * @param attempt sends the request once; the service's own words in a failure are shown.
 * @returns the final response, of any status that a retry does not change; `acted`: the service may have acted on an
 *   earlier try.
 * @throws SyncError `NETWORK` or `SERVICE_UNAVAILABLE` after the last try, with `details.attempts`;
 *   any other error of `attempt`; the signal's reason, with `details.delivery` `not-sent` if the service
 *   did not act on any of the tries.
 */
export async function withRetry(
  { clock, random, signal }: Context,
  attempt: () => Promise<HttpResponse>,
  repeatable: Repeatable,
  { policy, onRetry }: RetryOptions,
): Promise<{ response: HttpResponse; attempts: number; acted: boolean }> {
  let actedOnce = false;
  for (let number = 1; ; number++) {
    const outcome = await tryOnce(attempt, number);
    if ('response' in outcome && !isTemporary(outcome.response)) {
      return { response: outcome.response, attempts: number, acted: actedOnce };
    }
    const failure =
      'failure' in outcome ? outcome.failure : unavailable(outcome.response, clock.now());
    const { status, retryAfterMs } = failure.details;
    const asked = typeof retryAfterMs === 'number' ? retryAfterMs : undefined;
    const acted =
      'failure' in outcome
        ? deliveryOf(outcome.failure) === 'unknown'
        : !isTurnedAway(outcome.response.status, asked);
    actedOnce ||= acted;
    if (
      number >= policy.attempts ||
      (asked !== undefined && asked > policy.longestRetryAfterMs) ||
      (acted && repeatable === 'unless-acted-on')
    ) {
      const delivery = actedOnce ? 'unknown' : 'not-sent';
      throw failure.with({ details: { attempts: number, delivery } });
    }
    const own = ownPause(status, number, policy, random);
    // "At once" is no reason to hurry a service that fails.
    const waitMs = asked === undefined || asked === 0 ? own : asked;
    onRetry?.({ attempt: number, waitMs, reason: failure.message });
    try {
      await clock.sleep(waitMs, signal);
    } catch (error) {
      throw error instanceof SyncError && !actedOnce
        ? error.with({ details: { delivery: 'not-sent' } })
        : error;
    }
  }
}

/**
 * Returns whether the service turned the request away before it acted on it. A 503 counts only with
 * `Retry-After`: without one it may come from a gateway that had passed the request on.
 */
function isTurnedAway(status: number, retryAfterMs: number | undefined): boolean {
  return status === 429 || ([409, 503].includes(status) && retryAfterMs !== undefined);
}

/**
 * Returns the pause after try `number` (ms). After 429s the pauses double too, and add up to the rate
 * window or up to a quarter more: they are short for a limit per second, and outlast one per minute.
 */
function ownPause(
  status: unknown,
  number: number,
  policy: RetryPolicy,
  random: () => number,
): number {
  if (status !== 429 || policy.rateWindowMs === undefined) {
    return random() * Math.min(policy.capMs, policy.baseMs * 2 ** (number - 1));
  }
  const share = 2 ** (number - 1) / (2 ** (policy.attempts - 1) - 1);
  return Math.ceil(policy.rateWindowMs * share * (1 + random() / 4));
}

async function tryOnce(
  attempt: () => Promise<HttpResponse>,
  number: number,
): Promise<{ response: HttpResponse } | { failure: SyncError }> {
  try {
    return { response: await attempt() };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    if (error.code === 'NETWORK') return { failure: error };
    throw error.code === 'SERVICE_ANSWER' ? error.with({ details: { attempts: number } }) : error;
  }
}

function unavailable(response: HttpResponse, now: number): SyncError {
  const { status, headers } = response;
  const words = serviceMessage(response);
  const because = words === undefined || repeatsStatus(words) ? '.' : `: ${sentence(words)}`;
  const asked = readRetryAfter(headers, now);
  const limited = status === 429;
  const unknown = limited ? 'in a minute' : 'later';
  const when = asked ? `in ${duration(asked)}` : unknown;
  const retryAfterMs = asked === undefined ? undefined : Math.min(asked, LONGEST_PAUSE_MS);
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    limited
      ? `The platform says that it gets too many requests (429)${because}`
      : `The platform cannot answer now (${status})${because}`,
    {
      hint: `Try again ${when}; the same command continues.`,
      details: { status, retryAfterMs },
    },
  );
}

/** Longest pause that a `Retry-After` causes (ms): a day. A timer takes at most 24 days. */
const LONGEST_PAUSE_MS = 86_400_000;
/** Longest `Retry-After` that is reported (ms): ten years. */
const LONGEST_ASKED_MS = 3_650 * 86_400_000;

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3): a number of seconds, or a date.
 *
 * @param now time of this machine (ms since the epoch): used without a `Date` header, since the service's clock may differ
 * @returns ms from now, from 0 to {@link LONGEST_ASKED_MS}.
 */
export function readRetryAfter(
  { 'retry-after': header, date: sentAt = '' }: HttpResponse['headers'],
  now: number,
): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Math.min(LONGEST_ASKED_MS, Number(header) * 1000);
  // All three date formats begin with the weekday; the oldest has no zone and means GMT.
  if (!/^\s*(?:mon|tue|wed|thu|fri|sat|sun)/i.test(header)) return undefined;
  const date = Date.parse(/gmt\s*$/i.test(header) ? header : `${header} GMT`);
  const from = Date.parse(sentAt) || now;
  return Number.isNaN(date) ? undefined : Math.min(LONGEST_ASKED_MS, Math.max(0, date - from));
}
