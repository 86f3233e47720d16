import { SyncError } from '../base/errors.ts';
import type { Context } from '../base/context.ts';
import type { HttpResponse } from './http.ts';
import { deliveryOf, withDetails } from './http-failure.ts';

/** How often and how patiently a request is repeated. */
export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** The longest first pause, in ms; each further one may be twice as long. */
  readonly baseMs: number;
  /** No pause of our own choosing is longer, in ms. */
  readonly capMs: number;
  /** A service that asks for a longer pause than this, in ms, is taken at its word: not now. */
  readonly longestRetryAfterMs: number;
  /**
   * How long a service counts requests before it begins anew, in ms: a 429 that names no pause is
   * waited out for so long in all. None: its pauses are like those for anything else.
   */
  readonly rateWindowMs?: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  baseMs: 500,
  capMs: 15_000,
  longestRetryAfterMs: 60_000,
  // Deployed services allow so many requests a minute, and not all of them say when it is over.
  rateWindowMs: 60_000,
};

/** What is told of a request that is about to be repeated. */
export interface RetryNotice {
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly waitMs: number;
  readonly reason: string;
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/**
 * May a request be sent again although the service may have acted on it? Uploads and upserts may:
 * the service recognises them (interface 4.4). A day sent to a service that appends may not.
 */
export type Repeatable = 'always' | 'unless-acted-on';

/** An answer that says: not now. RFC 9110; 501 and 505 will not get better by waiting. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Sends a request until it is answered with something final: network errors, 408, 429 and 5xx are
 * repeated with capped exponential back-off and full jitter; `Retry-After` wins over our own pause.
 *
 * @param attempt sends the request once.
 * @returns the final answer (any status that waiting does not mend).
 * @throws SyncError `NETWORK` or `SERVICE_UNAVAILABLE` when the tries are used up, with
 *   `details.attempts`; whatever else `attempt` throws; the signal's reason, with its fate if the
 *   service did not act on any of the tries.
 */
export async function withRetry(
  { clock, random, signal }: Pick<Context, 'clock' | 'random' | 'signal'>,
  attempt: () => Promise<HttpResponse>,
  repeatable: Repeatable,
  { policy, onRetry }: RetryOptions,
): Promise<{ response: HttpResponse; attempts: number }> {
  let actedOnce = false;
  for (let number = 1; ; number++) {
    const outcome = await tryOnce(attempt, number);
    if ('response' in outcome && !isTemporary(outcome.response.status)) {
      return { response: outcome.response, attempts: number };
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
      throw withDetails(failure, {
        attempts: number,
        delivery: actedOnce ? 'unknown' : 'not-sent',
      });
    }
    const waitMs = asked ?? ownPause(status, number, policy, random);
    onRetry?.({ attempt: number, waitMs, reason: failure.message });
    try {
      await clock.sleep(waitMs, signal);
    } catch (error) {
      throw error instanceof SyncError && !actedOnce
        ? withDetails(error, { delivery: 'not-sent' })
        : error;
    }
  }
}

/**
 * Answers that say that the request was turned away before anything was done with it. A 503 says so
 * where it names a pause; without one it may as well be a gateway's, about a service that it had
 * handed the request to.
 */
function isTurnedAway(status: number, retryAfterMs: number | undefined): boolean {
  return status === 429 || (status === 503 && retryAfterMs !== undefined);
}

/**
 * The pause after try `number`, in ms. After 429s they double too, and all of them together are the
 * window in which the service counts, or a quarter more: a limit for a second is soon over, one for a
 * minute is waited out.
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

/** @param number of the try, which a failure that is not repeated is told */
async function tryOnce(
  attempt: () => Promise<HttpResponse>,
  number: number,
): Promise<{ response: HttpResponse } | { failure: SyncError }> {
  try {
    return { response: await attempt() };
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    if (error.code === 'NETWORK') return { failure: error };
    throw error.code === 'SERVICE_ANSWER' ? withDetails(error, { attempts: number }) : error;
  }
}

function unavailable({ status, headers }: HttpResponse, now: number): SyncError {
  // A date is the service's: by its own clock, where it says what time that shows.
  const theirs = Date.parse(headers['date'] ?? '');
  const retryAfterMs = readRetryAfter(headers['retry-after'], Number.isNaN(theirs) ? now : theirs);
  const limited = status === 429;
  const when =
    retryAfterMs === undefined
      ? limited
        ? 'in a minute'
        : 'later'
      : `in ${String(Math.ceil(retryAfterMs / 1000))} s`;
  return new SyncError(
    'SERVICE_UNAVAILABLE',
    limited
      ? 'The service says that it gets too many requests (429).'
      : `The service cannot answer now (${status}).`,
    {
      hint: `Try again ${when}; the same command continues.`,
      details: { status, retryAfterMs },
    },
  );
}

/** No service is believed to want to be left alone for longer, in ms: timers and dates have an end. */
const LONGEST_ASKED_MS = 86_400_000;

/**
 * RFC 9110 section 10.2.3: a number of seconds, or a date. In ms from now; never negative, and never
 * more than a day.
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(header)) return Math.min(LONGEST_ASKED_MS, Number(header) * 1000);
  // All three forms of a date begin with the day's name; the oldest has no zone and means GMT.
  if (!/^\s*(?:mon|tue|wed|thu|fri|sat|sun)/i.test(header)) return undefined;
  const date = Date.parse(/gmt\s*$/i.test(header) ? header : `${header} GMT`);
  return Number.isNaN(date) ? undefined : Math.min(LONGEST_ASKED_MS, Math.max(0, date - now));
}
