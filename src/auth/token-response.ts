import type { TokenSet } from '../credentials/store.ts';
import { SyncError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';

/** What takes the place of fields that a token response may leave out. */
export interface TokenResponseContext {
  /** When the response came, ms since 1970. */
  readonly now: number;
  /** RFC 6749 section 5.1: without `scope` in the response, these were granted. */
  readonly askedScopes: readonly string[] | undefined;
  /** On a refresh: the tokens so far. A refresh token that is not replaced stays valid. */
  readonly before?: TokenSet | undefined;
}

/**
 * Decodes a token response (interface 5.3). Once it holds an access token it is used: the refresh
 * token before it may be dead by now, so that an answer thrown away is a login lost. A number may be
 * a text, `token_type` in any case; of the other fields, what cannot be read counts as absent.
 *
 * @param where what is decoded, for the message: "The token endpoint's answer".
 * @throws SyncError `SERVICE_ANSWER` that names the field and what kind of thing it found there,
 *   never a token.
 */
export function decodeTokenResponse(
  value: unknown,
  context: TokenResponseContext,
  where: string,
): TokenSet & { readonly accessToken: Secret } {
  const wrong = (field: string, what: string) =>
    new SyncError('SERVICE_ANSWER', `${where} cannot be used: ${field} ${what}.`, {
      hint: 'Is the base URL that of the training service? See `sync config get baseUrl`.',
      details: { field },
    });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('it', `is ${kindOf(value)}, not an object`);
  }
  const response = value as Record<string, unknown>;

  const endOf = (field: string): number | undefined => {
    const lifetime = readSeconds(response[field]);
    return lifetime === undefined ? undefined : context.now + Math.floor(lifetime * 1000);
  };

  const found = response['access_token'];
  if (found === undefined || found === null || found === '') {
    throw wrong('access_token', 'is missing');
  }
  if (typeof found !== 'string') throw wrong('access_token', `is ${kindOf(found)}, not a text`);
  if (!TOKEN.test(found)) {
    throw wrong('access_token', 'holds characters that a token cannot have');
  }
  const accessToken = new Secret(found);
  const { before } = context;
  const type = response['token_type'];
  // RFC 6749 section 7.1: a token of another kind is not used. On a refresh, it costs no login.
  if (before === undefined && typeof type === 'string' && !/^\s*(bearer\s*)?$/i.test(type)) {
    throw wrong('token_type', 'is a text, not "Bearer"');
  }
  const refreshToken = readToken(response['refresh_token']);
  const refreshEnd = endOf('refresh_token_expires_in');
  // Zero: some services say so that there is no end, and none gives a token that is over.
  const refreshExpiresAt = refreshEnd === context.now ? undefined : refreshEnd;
  return {
    accessToken,
    refreshToken: refreshToken ?? before?.refreshToken,
    scopes: readScopes(response['scope']) ?? context.askedScopes,
    obtainedAt: context.now,
    accessExpiresAt: endOf('expires_in'),
    refreshExpiresAt:
      refreshExpiresAt ?? (refreshToken === undefined ? before?.refreshExpiresAt : undefined),
  };
}

/** A hundred years: what is beyond is no lifetime but a mistake (such as a point in time in ms). */
const MAX_SECONDS = 100 * 366 * 86_400;

/** RFC 6749 appendix A.12: anything else could not be sent in a header either. */
const TOKEN = /^[\x21-\x7e]+$/;

function readToken(found: unknown): Secret | undefined {
  return typeof found === 'string' && TOKEN.test(found) ? new Secret(found) : undefined;
}

/** A lifetime in seconds. */
function readSeconds(found: unknown): number | undefined {
  const number =
    typeof found === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(found) ? Number(found) : found;
  return typeof number === 'number' && number >= 0 && number <= MAX_SECONDS ? number : undefined;
}

function readScopes(found: unknown): readonly string[] | undefined {
  const list: unknown = typeof found === 'string' ? found.split(/[\s,]+/) : found;
  if (!Array.isArray(list) || !list.every((scope) => typeof scope === 'string')) return undefined;
  const scopes = [...new Set(list.filter((scope) => scope !== ''))];
  return scopes.length === 0 ? undefined : scopes;
}

/** What kind of thing was found; never its content, which may be a token in the wrong field. */
function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return `the number ${String(value)}`;
    default:
      return `of type ${typeof value}`;
  }
}
