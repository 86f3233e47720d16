import type { TokenSet } from '../credentials/store.ts';
import { SyncError } from '../errors.ts';
import { Secret } from '../secret.ts';

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
 * Decodes a token response (interface 5.3). Lenient where no harm can come of it: a number may be a
 * text, `null` and an empty text count as absent, `token_type` in any case.
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

  const token = (field: string): Secret | undefined => {
    const found = response[field];
    if (found === undefined || found === null || found === '') return undefined;
    if (typeof found !== 'string') throw wrong(field, `is ${kindOf(found)}, not a text`);
    // RFC 6749 appendix A.12: anything else could not be sent in a header either.
    if (!/^[\x21-\x7e]+$/.test(found)) {
      throw wrong(field, 'holds characters that a token cannot have');
    }
    return new Secret(found);
  };
  const seconds = (field: string): number | undefined => {
    const found = response[field];
    if (found === undefined || found === null || found === '') return undefined;
    const number = typeof found === 'string' && /^\d+(\.\d+)?$/.test(found) ? Number(found) : found;
    if (typeof number !== 'number' || !(number >= 0 && number <= MAX_SECONDS)) {
      throw wrong(field, `is ${kindOf(found)}, not a number of seconds`);
    }
    return number;
  };
  const at = (lifetime: number | undefined) =>
    lifetime === undefined ? undefined : context.now + Math.floor(lifetime * 1000);

  const accessToken = token('access_token');
  if (accessToken === undefined) throw wrong('access_token', 'is missing');
  const type = response['token_type'];
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw wrong('token_type', `is ${kindOf(type)}, not "Bearer"`);
  }
  const refreshToken = token('refresh_token');
  const before = context.before;
  const refreshExpiresAt = at(seconds('refresh_token_expires_in'));
  return {
    accessToken,
    refreshToken: refreshToken ?? before?.refreshToken,
    scopes: readScopes(response['scope'], wrong) ?? context.askedScopes,
    obtainedAt: context.now,
    accessExpiresAt: at(seconds('expires_in')),
    refreshExpiresAt:
      refreshExpiresAt ?? (refreshToken === undefined ? before?.refreshExpiresAt : undefined),
  };
}

/** A hundred years: what is beyond is no lifetime but a mistake (such as a point in time in ms). */
const MAX_SECONDS = 100 * 366 * 86_400;

function readScopes(
  found: unknown,
  wrong: (field: string, what: string) => SyncError,
): readonly string[] | undefined {
  if (found === undefined || found === null) return undefined;
  const list: unknown = typeof found === 'string' ? found.split(/[\s,]+/) : found;
  if (!Array.isArray(list) || !list.every((scope) => typeof scope === 'string')) {
    throw wrong('scope', `is ${kindOf(found)}, not a text`);
  }
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
