import { inspect } from 'node:util';
import { printable } from './printable.ts';

/** Stands for a secret wherever it would be shown. */
export const REDACTED = '[redacted]';

/** Returns a text from outside without any of these secrets. */
export function withoutAny(secrets: readonly (Secret | undefined)[], text: string): string {
  return secrets.reduce((left, secret) => secret?.redactIn(left) ?? left, text);
}

/** Length from which a secret is redacted inside of words, too (characters): `t` is a part of `true`. */
const LONG = 6;

/** Longest secret that is sent (characters): servers refuse longer headers. */
export const MAX_SECRET = 16 * 1024;

/**
 * Wraps a secret string: an access token, a refresh token, a client secret, a code, a verifier.
 * Printing, logging, `JSON.stringify` and `util.inspect` show `[redacted]`; only {@link Secret.reveal}
 * returns the text.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the text. Call it only to send or store the secret. */
  reveal(): string {
    return this.#value;
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value;
  }

  /**
   * Returns a text from outside, such as an answer, without the secret. It is found percent-encoded, too, or with
   * invisible characters in it. A short secret counts as a whole word only.
   */
  redactIn(text: string): string {
    const left = this.#replaceIn(text);
    const decoded = printable(left.replace(/%[2-7][\da-f]/gi, (code) => decodeURIComponent(code)));
    const readable = this.#replaceIn(decoded);
    return readable === decoded ? left : readable;
  }

  #replaceIn(text: string): string {
    const { length } = this.#value;
    const isInWord = (at: number) => /^\w\w$/.test(text.slice(at - 1, at + 1));
    const isPart = (at: number) => length < LONG && (isInWord(at) || isInWord(at + length));
    return text.replaceAll(this.#value, (found, at: number) => (isPart(at) ? found : REDACTED));
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
