import { type ErrorCode, type Failure, sourceOf } from '../../base/errors.ts';
import type { Obstacle } from '../../daemon/health.ts';

/** `closed`: deliveries may start. */
export type BreakerState =
  | { readonly state: 'closed' }
  /** Nothing is sent before `until` (ms of the monotonic clock); then one recording is tried. */
  | {
      readonly state: 'open';
      readonly obstacle: Obstacle;
      readonly failure: Failure;
      readonly until: number;
    }
  /** `until`: the next try, as above; Infinity if only a login helps. */
  | { readonly state: 'login-needed'; readonly failure: Failure; readonly until: number };

/** First pause after a failure, and the longest (ms). */
const BASE_MS = 1_000;
const CAP_MS = 5 * 60_000;

/** Pauses after a refresh that the service refused in other words than `invalid_grant` (ms). */
const REFUSED_MS = [60_000, 5 * 60_000, 30 * 60_000] as const;
const LATER_REFUSED_MS = 60 * 60_000;

/**
 * Decides whether the service may be called. After a failure all deliveries pause: longer with every
 * further failure, with jitter, up to five minutes. Then a single recording is tried.
 */
export class CircuitBreaker {
  #state: BreakerState = { state: 'closed' };
  #failures = 0;
  /** Refused refreshes in a row. */
  #refusals = 0;
  /** The end of the service's `Retry-After` (ms of the monotonic clock). */
  #notBefore = -Infinity;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #onChange: (isNews: boolean) => void;

  /**
   * @param now reads the monotonic clock: setting the wall clock must not prolong a pause
   * @param random returns a number from 0 up to 1
   * @param onChange called after each failure, and when the breaker closes. `isNews`: to be reported
   */
  constructor(now: () => number, random: () => number, onChange: (isNews: boolean) => void) {
    this.#now = now;
    this.#random = random;
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Returns whether a recording may be sent now; after a failure only one at a time. */
  mayStart(active: number, atOnce: number): boolean {
    return this.waitMs === 0 && active < (this.#failures + this.#refusals > 0 ? 1 : atOnce);
  }

  /** ms until the next try; Infinity if only a login helps. */
  get waitMs(): number {
    switch (this.#state.state) {
      case 'closed':
        return 0;
      case 'open':
      case 'login-needed':
        return Math.max(0, this.#state.until - this.#now());
    }
  }

  /** Records a delivery. */
  succeeded(): void {
    const isNews = this.#state.state !== 'closed';
    this.#state = { state: 'closed' };
    this.#failures = 0;
    this.#refusals = 0;
    if (isNews) this.#onChange(true);
  }

  /**
   * Records a failed delivery.
   *
   * @param retryAfterMs the service's `Retry-After`; applies if it is longer. Infinity: only a login helps
   */
  failed(failure: Failure, retryAfterMs = 0): void {
    this.#onChange(this.#failed(failure, retryAfterMs));
  }

  /** @returns whether the cause differs from the last one */
  #failed(failure: Failure, retryAfterMs: number): boolean {
    const before = this.#state;
    const obstacle = obstacleOf(failure.code);
    if (obstacle === 'login') {
      const mayPass = failure.code === 'AUTH_REFUSED' && retryAfterMs < Infinity;
      // Another delivery that was in flight.
      if (mayPass && before.state === 'login-needed' && this.waitMs > 0) return false;
      const pause = mayPass ? (REFUSED_MS[this.#refusals++] ?? LATER_REFUSED_MS) : Infinity;
      this.#state = { state: 'login-needed', failure, until: this.#now() + pause };
      return before.state !== 'login-needed' || before.failure.code !== failure.code;
    }
    if (before.state === 'login-needed' && before.until === Infinity) return false;
    this.#failures += 1;
    // Half of it to all of it, so that clients do not retry together.
    const full = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(this.#failures - 1, 20));
    const pause = Math.max(retryAfterMs, full * (0.5 + this.#random() / 2));
    const now = this.#now();
    if (retryAfterMs > 0) this.#notBefore = now + retryAfterMs;
    this.#state = { state: 'open', obstacle, failure, until: now + pause };
    return before.state !== 'open' || before.failure.code !== failure.code;
  }

  /** Retries as soon as the service allows: the network is back, or the machine woke up. */
  tryNow(): void {
    if (this.#state.state !== 'open') return;
    this.#failures = Math.min(this.#failures, 1);
    this.#state = { ...this.#state, until: Math.max(this.#now(), this.#notBefore) };
  }

  /** Closes the breaker: the queue emptied without a delivery, so the failure may be stale. */
  idle(): void {
    if (this.#state.state !== 'open') return;
    this.#state = { state: 'closed' };
    this.#onChange(false);
  }
}

/** Returns whether only a login helps. */
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
