import { SyncError } from '../base/errors.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { networkError, timeoutCause } from './http-failure.ts';

/**
 * Time limits of one request, stage by stage (ms); docs/internals/architecture.md has them as a table. Every
 * stage has a limit, so that no request waits forever.
 */

/**
 * Wait for a free connection. Each request before it has its own limit; a large recording on a slow
 * line takes minutes.
 */
export const QUEUE_TIMEOUT_MS = 600_000;
/** Connecting, TLS included. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Silence while sending or receiving, unless the request sets `answerTimeoutMs`. */
export const SILENCE_TIMEOUT_MS = 60_000;
/** From the end of the request to the end of the response. */
export const ANSWER_TIMEOUT_MS = 300_000;

/** Events of a request, reported by an implementation of HTTP. Each may be reported twice. */
export interface Exchange {
  readonly dequeued: () => void;
  /** The connection is established: from here on the service may act on the request. */
  readonly connected: () => void;
  readonly sent: () => void;
  readonly answered: (response: HttpResponse) => void;
  readonly failed: (cause: unknown) => void;
}

/**
 * Runs one request within its time limits. The signal and the limits settle the promise themselves,
 * because an implementation reports nothing while a request waits for a connection.
 *
 * @param begin starts the request and returns a function that ends it after a failure.
 * @throws as {@link Http} does.
 */
export function exchange(
  request: HttpRequest,
  begin: (course: Exchange) => () => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal.aborted) throw abortReason(signal, false);
    // Before the connection is established, no byte of the request can reach the service.
    let connected = false;
    let settled = false;
    let end: (() => void) | undefined;
    const settle = () => {
      settled = true;
      clearTimeout(queued);
      clearTimeout(answer);
      clearTimeout(total);
      signal.removeEventListener('abort', failed);
    };
    const failed = (cause: unknown) => {
      if (settled) return;
      settle();
      end?.();
      if (signal.aborted) reject(abortReason(signal, connected));
      else if (cause instanceof SyncError) reject(cause);
      else reject(networkError(request, cause, connected ? 'unknown' : 'not-sent'));
    };
    signal.addEventListener('abort', failed, { once: true });
    const queued = setTimeout(() => {
      failed(timeoutCause('no connection became free'));
    }, QUEUE_TIMEOUT_MS);
    let answer: NodeJS.Timeout | undefined;
    const total =
      request.totalTimeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            failed(timeoutCause('all of it took too long'));
          }, request.totalTimeoutMs);
    try {
      end = begin({
        dequeued: () => {
          clearTimeout(queued);
        },
        connected: () => {
          connected = true;
        },
        sent: () => {
          if (settled) return;
          answer ??= setTimeout(() => {
            failed(timeoutCause('the answer took too long'));
          }, ANSWER_TIMEOUT_MS);
        },
        answered: (response) => {
          if (settled) return;
          settle();
          resolve(response);
        },
        failed,
      });
    } catch (error) {
      failed(error);
    }
  });
}

/** Returns the signal's reason, marked `not-sent` if the request did not leave. */
function abortReason({ reason }: AbortSignal, connected: boolean): Error {
  return reason instanceof SyncError && !connected
    ? reason.with({ details: { delivery: 'not-sent' } })
    : (reason as Error);
}
