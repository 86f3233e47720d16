import { describe, expect, it } from 'vitest';
import { decodeTokenResponse } from '../../src/auth/token-response.ts';
import { SyncError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import { everythingShownOf } from './support.ts';

const now = 1_700_000_000_000;
const asked = ['workout:write', 'health:write'];
const decode = (value: unknown, before?: Parameters<typeof decodeTokenResponse>[1]['before']) =>
  decodeTokenResponse(value, { now, askedScopes: asked, before }, 'The answer');

/** With its secrets in the clear, for comparison as a whole. */
const plain = (tokens: ReturnType<typeof decode>) => ({
  ...tokens,
  accessToken: tokens.accessToken.reveal(),
  refreshToken: tokens.refreshToken?.reveal(),
});

const bearer = { access_token: 'A', token_type: 'Bearer' };
const least = {
  accessToken: 'A',
  refreshToken: undefined,
  scopes: asked,
  obtainedAt: now,
  accessExpiresAt: undefined,
  refreshExpiresAt: undefined,
};

describe('a token response', () => {
  it.each([
    ['the least there is: the scopes are those asked for', bearer, {}],
    ['token_type in any case', { ...bearer, token_type: 'bEaReR' }, {}],
    [
      'all of interface 5.3',
      {
        ...bearer,
        expires_in: 3600,
        refresh_token: 'R',
        scope: 'workout:write',
        refresh_token_expires_in: 86_400,
      },
      {
        refreshToken: 'R',
        scopes: ['workout:write'],
        accessExpiresAt: now + 3_600_000,
        refreshExpiresAt: now + 86_400_000,
      },
    ],
    ['a lifetime as a text', { ...bearer, expires_in: '60' }, { accessExpiresAt: now + 60_000 }],
    ['a lifetime with decimals', { ...bearer, expires_in: 0.5 }, { accessExpiresAt: now + 500 }],
    [
      'null and empty texts, which count as absent',
      { ...bearer, expires_in: null, refresh_token: '', scope: null, refresh_token_expires_in: '' },
      {},
    ],
    ['scopes as a list, one twice', { ...bearer, scope: ['a', 'b', 'a'] }, { scopes: ['a', 'b'] }],
    ['more that nobody knows', { ...bearer, id_token: 'x', user: {} }, {}],
  ])('may be %s', (_what, value, expected) => {
    expect(plain(decode(value))).toEqual({ ...least, ...expected });
  });

  const before = {
    accessToken: new Secret('old'),
    refreshToken: new Secret('oldR'),
    scopes: asked,
    obtainedAt: now - 1,
    accessExpiresAt: now,
    refreshExpiresAt: now + 5,
  };
  it('keeps the refresh token, and its end, that a refresh does not replace', () => {
    expect(plain(decode(bearer, before))).toEqual({
      ...least,
      refreshToken: 'oldR',
      refreshExpiresAt: now + 5,
    });
  });
  it('does not give a new refresh token the end of the old one', () => {
    expect(plain(decode({ ...bearer, refresh_token: 'R2' }, before))).toEqual({
      ...least,
      refreshToken: 'R2',
    });
  });

  it.each([
    [null, 'it is null, not an object'],
    ['SECRET', 'it is a text, not an object'],
    [{ token_type: 'Bearer' }, 'access_token is missing'],
    [{ ...bearer, access_token: 5 }, 'access_token is the number 5, not a text'],
    [
      { ...bearer, access_token: 'SECRET\nX: y' },
      'access_token holds characters that a token cannot have',
    ],
    [{ access_token: 'SECRET' }, 'token_type is missing, not "Bearer"'],
    [{ ...bearer, token_type: 'SECRET' }, 'token_type is a text, not "Bearer"'],
    [{ ...bearer, expires_in: 'SECRET' }, 'expires_in is a text, not a number of seconds'],
    [{ ...bearer, expires_in: -1 }, 'expires_in is the number -1, not a number of seconds'],
    [
      { ...bearer, expires_in: now },
      `expires_in is the number ${String(now)}, not a number of seconds`,
    ],
    [{ ...bearer, expires_in: true }, 'expires_in is of type boolean, not a number of seconds'],
    [{ ...bearer, refresh_token: ['SECRET'] }, 'refresh_token is a list, not a text'],
    [
      { ...bearer, refresh_token: 'SECRET SECRET' },
      'refresh_token holds characters that a token cannot have',
    ],
    [{ ...bearer, scope: 5 }, 'scope is the number 5, not a text'],
  ])('%j is refused, naming the field and not its content', (value, words) => {
    let thrown: unknown;
    try {
      decode(value);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SyncError);
    expect(thrown).toMatchObject({
      code: 'SERVICE_ANSWER',
      message: `The answer cannot be used: ${words}.`,
    });
    expect(everythingShownOf(thrown)).not.toContain('SECRET');
  });
});
