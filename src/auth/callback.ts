import { createHash, timingSafeEqual } from 'node:crypto';
import { sanitize } from '../base/printable.ts';
import { Secret } from '../base/secret.ts';

declare const checked: unique symbol;

/**
 * The answer to the authorization request. Only {@link checkCallback} creates one: by its type, a
 * callback cannot be used before its state was compared.
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

/** Why a callback is not the answer to this login. */
export type CallbackRefusal = 'missing-state' | 'wrong-state' | 'repeated-parameter' | 'no-answer';

/** RFC 6749 appendix A.11, with an upper bound on the length. */
const CODE = /^[\x20-\x7e]{1,4096}$/;

/** The values that the answer to one authorization request must have. */
export interface ExpectedAnswer {
  readonly state: Secret;
  /**
   * The origin of the service. The interface names no issuer identifier, so `iss` must be an
   * address of this origin. An answer without `iss` is accepted: the interface does not require it.
   */
  readonly origin: string;
}

/**
 * Checks the query of a callback. Compares the state, in constant time, before anything else: an
 * `error` with a wrong state is not from this login either. Checks the issuer next, for codes and
 * errors alike.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 - authorization response
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.7 - cross-site request forgery
 * @see https://www.rfc-editor.org/rfc/rfc9207#section-2.4 - the issuer, against mix-up attacks
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
    return mark({ kind: 'foreign', issuer: sanitize(issuer, 100) });
  }
  const error = query.get('error');
  if (error !== null && error !== '') {
    return mark({
      kind: 'error',
      error: sanitize(error, 60),
      description: sanitize(query.get('error_description'), 200) || undefined,
    });
  }
  const code = query.get('code');
  if (code === null || !CODE.test(code)) return { kind: 'refused', why: 'no-answer' };
  return mark({ kind: 'code', code: new Secret(code) });
}

export function checkPastedAddress(
  pasted: string,
  redirectUri: string,
  expected: ExpectedAnswer,
): CheckedCallback | { readonly kind: 'refused'; readonly message: string } {
  const text = pasted.trim().replace(/^(["'<])(.*)["'>]$/, '$2');
  const refused = (message: string) => ({ kind: 'refused', message }) as const;
  if (text === '') return refused('That was empty.');
  if (!URL.canParse(text)) {
    return refused(`That is not an address. The right one begins with ${redirectUri}?`);
  }
  const url = new URL(text);
  const ours = new URL(redirectUri);
  if (url.origin !== ours.origin || url.pathname !== ours.pathname) {
    return refused(
      `That is another address. Paste the last address of the login; it begins with ${redirectUri}?`,
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
      return 'That answer repeats a parameter.';
    case 'no-answer':
      return 'That answer has neither a code nor an error.';
  }
}

function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined;
}

type Unmarked<T> = T extends unknown ? Omit<T, typeof checked> : never;

function mark(callback: Unmarked<CheckedCallback>): CheckedCallback {
  return callback as CheckedCallback;
}

/** Compares in constant time: the duration does not show where the texts differ. */
function sameText(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
