import { SyncError } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { MAX_SECRET, Secret, withoutAny } from '../base/secret.ts';
import type { TokenSet } from '../credentials/store.ts';

/** Tokens as a token response brings them: always with an access token. */
export type NewTokens = TokenSet & { readonly accessToken: Secret };

export interface TokenResponseDefaults {
  /** When the request was sent (ms since the epoch): lifetimes count from then. */
  readonly now: number;
  /** The granted scopes if the response has no `scope` (RFC 6749 section 5.1). */
  readonly askedScopes: readonly string[] | undefined;
  /** On a refresh: the tokens so far. A refresh token that is not replaced stays valid. */
  readonly before?: TokenSet | undefined;
}

/** Hint for an answer that no token endpoint gives. */
export const WRONG_ADDRESS = phrase`Is this the address of the training platform? See ${sync('config', 'get', 'baseUrl')}.`;

/** RFC 6749 appendix A.12; a header takes neither other characters nor a longer token. */
const TOKEN = new RegExp(`^[\\x21-\\x7e]{1,${MAX_SECRET}}$`);

/**
 * Longest lifetime that is believed (s): a hundred years. Beyond, it is a time in ms by mistake.
 */
const MAX_SECONDS = 100 * 366 * 86_400;

/**
 * Decodes a token response (interface 5.3). Any response with an access token is used: the earlier
 * refresh token may be dead by now, so rejecting the response would lose the login. Numbers may be
 * strings, `token_type` may have any case, and unreadable optional fields count as absent.
 *
 * @param where names the response in messages: "The token endpoint's answer".
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.1 - token response
 * @throws SyncError `SERVICE_ANSWER` that names the field and the type of the value found there,
 *   never a token.
 */
export function decodeTokenResponse(
  value: unknown,
  { now, askedScopes, before }: TokenResponseDefaults,
  where: string,
): NewTokens {
  const wrong = (field: string, what: string) =>
    new SyncError('SERVICE_ANSWER', `${where} cannot be used: ${field} ${what}.`, {
      hint: WRONG_ADDRESS,
      details: { field },
    });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('it', `is ${kindOf(value)}, not an object`);
  }
  const response = value as Record<string, unknown>;

  const accessToken = response['access_token'];
  if (accessToken === undefined || accessToken === null || accessToken === '') {
    throw wrong('access_token', 'is missing');
  }
  if (typeof accessToken !== 'string') {
    throw wrong('access_token', `is ${kindOf(accessToken)}, not a string`);
  }
  if (!TOKEN.test(accessToken)) {
    throw wrong('access_token', 'is longer than 16 kB, or contains characters that no token has');
  }
  const type = response['token_type'];
  // RFC 6749 section 7.1: do not use a token of an unknown type. A refresh ignores it, to keep the
  // login.
  if (before === undefined && typeof type === 'string' && !/^\s*(bearer\s*)?$/i.test(type)) {
    throw wrong('token_type', 'is a string other than "Bearer"');
  }

  const expiry = (field: string): number | undefined => {
    const lifetime = readSeconds(response[field]);
    return lifetime === undefined ? undefined : now + Math.floor(lifetime * 1000);
  };
  const refreshToken = readToken(response['refresh_token']);
  const refreshExpiry = expiry('refresh_token_expires_in');
  // Some services send 0 for "no limit"; none issues a refresh token that has already expired.
  const refreshExpiresAt = refreshExpiry === now ? undefined : refreshExpiry;
  const access = new Secret(accessToken);
  return {
    accessToken: access,
    refreshToken: refreshToken ?? before?.refreshToken,
    scopes: readScopes(response['scope'], [access, refreshToken]) ?? askedScopes,
    obtainedAt: now,
    accessExpiresAt: expiry('expires_in'),
    refreshExpiresAt:
      refreshExpiresAt ?? (refreshToken === undefined ? before?.refreshExpiresAt : undefined),
  };
}

function readToken(found: unknown): Secret | undefined {
  return typeof found === 'string' && TOKEN.test(found) ? new Secret(found) : undefined;
}

function readSeconds(found: unknown): number | undefined {
  const number =
    typeof found === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(found) ? Number(found) : found;
  return typeof number === 'number' && number >= 0 && number <= MAX_SECONDS ? number : undefined;
}

/** @param tokens of the same response: a text that holds one is no scope */
function readScopes(found: unknown, tokens: (Secret | undefined)[]): readonly string[] | undefined {
  const list: unknown = typeof found === 'string' ? found.split(/[\s,]+/) : found;
  if (!Array.isArray(list) || !list.every((scope) => typeof scope === 'string')) return undefined;
  const isScope = (text: string) => text !== '' && withoutAny(tokens, text) === text;
  const scopes = [...new Set(list.filter(isScope))];
  return scopes.length === 0 ? undefined : scopes;
}

/** Names the type of a value, never its content: a token may be in the wrong field. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return `the number ${String(value)}`;
    default:
      return `of type ${typeof value}`;
  }
}
