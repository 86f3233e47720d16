import { type ErrorCode, type Failure, failureOf, sourceOf } from '../base/errors.ts';

const OPEN_AFTER = 3;

/**
 * Circuit breaker of a batch. A dead login opens it at once, because it fails every request; so do
 * three failed deliveries in a row, each after several tries. The rest of the batch then waits for
 * the next run.
 */
export class BatchBreaker {
  #unanswered = 0;
  #openedBy: Failure | undefined;

  get openedBy(): Failure | undefined {
    return this.#openedBy;
  }

  /** Records any response of the service. */
  answered(): void {
    this.#unanswered = 0;
  }

  failed(failure: Failure): void {
    this.#unanswered += 1;
    if (!mayPass(failure.code) || this.#unanswered >= OPEN_AFTER) {
      // Without the facts about the item: other items report this failure too.
      this.#openedBy ??= failureOf(failure);
    }
  }
}

/** Returns whether the next item may succeed: this failure may be about one item. */
function mayPass(code: ErrorCode): boolean {
  const source = sourceOf(code);
  return source === 'network' || source === 'service';
}
