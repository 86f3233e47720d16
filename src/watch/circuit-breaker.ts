import { type ErrorCode, sourceOf } from '../base/errors.ts';
import type { Obstacle } from '../daemon/registry.ts';

/** What a failed delivery says about the next one. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Is delivery possible? */
export type BreakerState =
  | { readonly state: 'closed' }
  /** Not before `until` (ms of the monotonic clock); then one recording is tried. */
  | {
      readonly state: 'open';
      readonly obstacle: Obstacle;
      readonly failure: Failure;
      readonly until: number;
    }
  /** Only another login helps. */
  | { readonly state: 'login-needed'; readonly failure: Failure };

/** First pause after a failure, and the longest, in ms. */
const BASE_MS = 1_000;
const CAP_MS = 5 * 60_000;

/**
 * The one place that knows whether the service is worth a call. After a failure everything waits:
 * longer with every further one, with jitter, up to five minutes; then a single recording is tried.
 */
export class CircuitBreaker {
  #state: BreakerState = { state: 'closed' };
  #failures = 0;
  /** The service asked not to be called before this; ms of the monotonic clock. */
  #notBefore = -Infinity;
  readonly #now: () => number;
  readonly #random: () => number;

  /**
   * @param now of the monotonic clock: a clock that is set back must not prolong a pause
   * @param random evenly from [0, 1)
   */
  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Deliveries that failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** May a recording be sent now? After a failure one at a time. */
  mayStart(active: number, atOnce: number): boolean {
    const { state } = this.#state;
    if (state === 'login-needed') return false;
    if (this.#state.state === 'open' && this.#now() < this.#state.until) return false;
    return active < (this.#failures > 0 ? 1 : atOnce);
  }

  /** ms until something may be tried; undefined: nothing but another login opens the breaker. */
  get waitMs(): number | undefined {
    switch (this.#state.state) {
      case 'closed':
        return 0;
      case 'open':
        return Math.max(0, this.#state.until - this.#now());
      case 'login-needed':
        return undefined;
    }
  }

  /** A delivery came through. @returns whether that is news. */
  succeeded(): boolean {
    const news = this.#state.state !== 'closed';
    this.#state = { state: 'closed' };
    this.#failures = 0;
    return news;
  }

  /**
   * A delivery failed.
   *
   * @param retryAfterMs what the service asked for; it wins where it is longer.
   * @returns whether that is news: another obstacle than before, or another reason to log in.
   */
  failed(failure: Failure, retryAfterMs = 0): boolean {
    const before = this.#state;
    const obstacle = obstacleOf(failure.code);
    if (obstacle === 'login') {
      this.#state = { state: 'login-needed', failure };
      return before.state !== 'login-needed' || before.failure.code !== failure.code;
    }
    if (before.state === 'login-needed') return false;
    this.#failures += 1;
    // Between half of it and all of it: never at once, never all clients together.
    const full = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(this.#failures - 1, 20));
    const pause = Math.max(retryAfterMs, full * (0.5 + this.#random() / 2));
    const now = this.#now();
    if (retryAfterMs > 0) this.#notBefore = now + retryAfterMs;
    this.#state = { state: 'open', obstacle, failure, until: now + pause };
    return before.state !== 'open' || before.obstacle !== obstacle;
  }

  /** Something changed (the network is back, the machine woke up): try as soon as the service lets us. */
  tryNow(): void {
    if (this.#state.state !== 'open') return;
    this.#failures = Math.min(this.#failures, 1);
    this.#state = { ...this.#state, until: Math.max(this.#now(), this.#notBefore) };
  }

  /**
   * Nothing waits any more, without a delivery: nobody can say that there still is an obstacle.
   *
   * @returns whether that is news.
   */
  idle(): boolean {
    if (this.#state.state !== 'open') return false;
    this.#state = { state: 'closed' };
    return true;
  }
}

/** Only another login helps. */
export function isLoginFailure(code: ErrorCode): boolean {
  return obstacleOf(code) === 'login';
}

function obstacleOf(code: ErrorCode): Obstacle | 'login' {
  const source = sourceOf(code);
  switch (source) {
    case 'login':
    case 'keychain':
    case 'storage':
      return source;
    case 'network':
      return 'offline';
    default:
      return 'service';
  }
}
