import { SyncError, messageOf } from '../base/errors.ts';
import { JsonTooDeep, parseJson } from '../base/json.ts';
import { phrase, sync } from '../base/phrase.ts';
import { Secret } from '../base/secret.ts';
import type { Credentials, TokenSet } from './store.ts';

/** Version of the format; raised if an older program could not read it. */
const VERSION = 1;

/**
 * Returns credentials as the text that a store keeps: one JSON object in ASCII, so that it can be
 * split anywhere. The result contains secrets in the clear.
 */
export function writeCredentials({ tokens, ...login }: Credentials): string {
  const text = JSON.stringify({
    version: VERSION,
    ...login,
    clientSecret: login.clientSecret?.reveal(),
    ...tokens,
    accessToken: tokens.accessToken?.reveal(),
    refreshToken: tokens.refreshToken?.reveal(),
  });
  return text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Reads the text that a store keeps.
 *
 * @param where names the store in messages.
 * @throws SyncError `AUTH_REQUIRED` that names the field, never its content.
 */
export function readCredentials(text: string, where: string): Credentials {
  const damaged = (what: string, cause?: unknown) =>
    new SyncError('AUTH_REQUIRED', `The login in ${where} cannot be read: ${what}.`, {
      hint: phrase`Run ${sync('login')} to log in again.`,
      cause,
      details: { damaged: true },
    });
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooDeep) throw damaged(error.message);
    // The parser's message quotes the text, which contains tokens.
    throw damaged('it is not JSON');
  }
  try {
    return decode(parsed);
  } catch (cause) {
    throw damaged(messageOf(cause), cause);
  }
}

function decode(value: unknown): Credentials {
  if (typeof value !== 'object' || value === null) throw new Error('it is not an object');
  const stored = value as Record<string, unknown>;
  if (stored['version'] !== VERSION) {
    throw new Error('it was written by another version of this program');
  }
  const text = (field: string): string => {
    const found = stored[field];
    if (typeof found !== 'string' || found === '') throw new Error(`${field} is not a string`);
    return found;
  };
  const time = (field: string): number => {
    const found = stored[field];
    if (typeof found !== 'number' || !Number.isFinite(found)) {
      throw new Error(`${field} is not a time`);
    }
    return found;
  };
  const optional = <T>(field: string, read: (field: string) => T): T | undefined =>
    stored[field] === undefined ? undefined : read(field);
  const secret = (field: string) => new Secret(text(field));
  const words = (field: string): string[] => {
    const found = stored[field];
    if (!Array.isArray(found) || !found.every((scope) => typeof scope === 'string')) {
      throw new Error(`${field} is not an array of strings`);
    }
    return found;
  };
  const tokens: TokenSet = {
    accessToken: optional('accessToken', secret),
    refreshToken: optional('refreshToken', secret),
    scopes: optional('scopes', words),
    obtainedAt: time('obtainedAt'),
    accessExpiresAt: optional('accessExpiresAt', time),
    refreshExpiresAt: optional('refreshExpiresAt', time),
  };
  if (tokens.accessToken === undefined && tokens.refreshToken === undefined) {
    throw new Error('it contains no token');
  }
  return {
    service: text('service'),
    clientId: text('clientId'),
    clientSecret: optional('clientSecret', secret),
    isPublic: stored['isPublic'] === true ? true : undefined,
    accountId: optional('accountId', text),
    loginId: optional('loginId', text),
    unnamed: optional('unnamed', text),
    refreshStartedAt: optional('refreshStartedAt', time),
    endedAt: optional('endedAt', time),
    askedScopes: optional('askedScopes', words),
    tokens,
  };
}
