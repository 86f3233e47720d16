import { createHash, timingSafeEqual } from 'node:crypto';
import { Secret } from '../base/secret.ts';

declare const checked: unique symbol;

/**
 * What the service answered to the authorization request. Only {@link checkCallback} makes one: a
 * callback whose state was not compared cannot be used any further.
 */
export type CheckedCallback = { readonly [checked]: true } & (
  | { readonly kind: 'code'; readonly code: Secret }
  | {
      readonly kind: 'error';
      /** RFC 6749 section 4.1.2.1, such as `access_denied`. */
      readonly error: string;
      readonly description: string | undefined;
    }
  /** Another authorization server answered (RFC 9207): neither its code nor its error is used. */
  | { readonly kind: 'foreign'; readonly issuer: string }
);

/** Why a callback is not ours. */
export type CallbackRefusal = 'missing-state' | 'wrong-state' | 'repeated-parameter' | 'no-answer';

/** RFC 6749 appendix A.11; also what fits into a sensible request. */
const CODE = /^[\x20-\x7e]{1,4096}$/;

/** What the answer to one authorization request has to show. */
export interface ExpectedAnswer {
  readonly state: Secret;
  /**
   * The origin of the service that was asked. The interface names no issuer identifier, so `iss` has to
   * be an address of this origin. An answer without `iss` is taken: the interface does not require it.
   */
  readonly origin: string;
}

/**
 * Checks the query of a callback. The state is compared, in constant time, before anything else is
 * looked at: an `error` with the wrong state is as foreign as a `code` is (RFC 9700 section 4.7). The
 * issuer comes next, and rejects codes and errors alike (RFC 9207 section 2.4).
 */
export function checkCallback(
  query: URLSearchParams,
  expected: ExpectedAnswer,
): CheckedCallback | { readonly kind: 'refused'; readonly why: CallbackRefusal } {
  const states = query.getAll('state');
  const [state] = states;
  if (state === undefined) return { kind: 'refused', why: 'missing-state' };
  if (!sameText(state, expected.state.reveal())) return { kind: 'refused', why: 'wrong-state' };
  // RFC 6749 section 3.1: no parameter more than once.
  for (const name of ['state', 'code', 'error', 'iss']) {
    if (query.getAll(name).length > 1) return { kind: 'refused', why: 'repeated-parameter' };
  }
  const issuer = query.get('iss');
  if (issuer !== null && originOf(issuer) !== expected.origin) {
    return mark({ kind: 'foreign', issuer: printable(issuer, 100) });
  }
  const error = query.get('error');
  if (error !== null && error !== '') {
    return mark({
      kind: 'error',
      error: printable(error, 60),
      description: printable(query.get('error_description') ?? '', 200) || undefined,
    });
  }
  const code = query.get('code');
  if (code === null || !CODE.test(code)) return { kind: 'refused', why: 'no-answer' };
  return mark({ kind: 'code', code: new Secret(code) });
}

/**
 * Checks an address that somebody pasted from the browser's address bar.
 *
 * @returns what is wrong with it, in words for the person who pasted it.
 */
export function checkPastedAddress(
  pasted: string,
  redirectUri: string,
  expected: ExpectedAnswer,
): CheckedCallback | { readonly kind: 'refused'; readonly message: string } {
  const text = pasted.trim().replace(/^(["'<])(.*)["'>]$/, '$2');
  const refused = (message: string) => ({ kind: 'refused', message }) as const;
  if (text === '') return refused('That was empty.');
  if (!URL.canParse(text)) {
    return refused(`That is no address. It begins with ${redirectUri}?`);
  }
  const url = new URL(text);
  const ours = new URL(redirectUri);
  if (url.origin !== ours.origin || url.pathname !== ours.pathname) {
    return refused(
      `That is another address. Paste the one the browser ends at; it begins with ${redirectUri}?`,
    );
  }
  const result = checkCallback(url.searchParams, expected);
  return result.kind === 'refused' ? refused(explainRefusal(result.why)) : result;
}

export function explainRefusal(why: CallbackRefusal): string {
  switch (why) {
    case 'missing-state':
      return 'That answer has no state: part of the address is missing.';
    case 'wrong-state':
      return 'That answer belongs to another login, perhaps an earlier one.';
    case 'repeated-parameter':
      return 'That answer holds something twice.';
    case 'no-answer':
      return 'That answer holds neither a code nor an error.';
  }
}

function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

type Unmarked<T> = T extends unknown ? Omit<T, typeof checked> : never;

function mark(callback: Unmarked<CheckedCallback>): CheckedCallback {
  return callback as CheckedCallback;
}

/** Compares in a time that tells nothing about where, or whether, the texts differ. */
function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function printable(text: string, length: number): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, length);
}
