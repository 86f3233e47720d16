import { type ErrorCode, type SyncError, sourceOf } from '../base/errors.ts';

/** A delivery that did not come about now, as it is reported. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
}

/** Hint of a failure that has none of its own: every failed delivery says what to do. */
const HINT = 'The same command again continues; --verbose shows each request.';

export function failureOf({ code, message, hint = HINT }: SyncError | Failure): Failure {
  return { code, message, hint };
}

/** After so many deliveries in a row without an answer, the rest waits for the next run. */
const OPEN_AFTER = 3;

/**
 * Is it of any use to go on with a batch? A dead login fails every request; a service that did not
 * answer three items, each tried several times, will not answer the next three hundred.
 */
export class BatchBreaker {
  #unanswered = 0;
  #openedBy: Failure | undefined;

  /** Why the rest of the batch is not tried, once that is so. */
  get openedBy(): Failure | undefined {
    return this.#openedBy;
  }

  /** The service answered, whatever it said. */
  answered(): void {
    this.#unanswered = 0;
  }

  failed(failure: Failure): void {
    this.#unanswered += 1;
    if (!mayPass(failure.code) || this.#unanswered >= OPEN_AFTER) {
      // What was said alone: the item that it was said about is not the one it is repeated for.
      this.#openedBy ??= failureOf(failure);
    }
  }
}

/** Returns whether the next item may succeed: this failure may be about one item. */
function mayPass(code: ErrorCode): boolean {
  const source = sourceOf(code);
  return source === 'network' || source === 'service';
}
