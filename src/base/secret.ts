import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/**
 * A string that must not be seen: an access token, a refresh token, a client secret, a code, a
 * verifier. Printing, logging, `JSON.stringify` and `util.inspect` show `[redacted]`; only
 * {@link Secret.reveal} gives the text, at the place that sends or stores it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The text itself. Call it where the text leaves for its one purpose, never to keep it. */
  reveal(): string {
    return this.#value;
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
