import { describe, expect, it } from 'vitest';
import { decodeTokenResponse } from '../../src/auth/token-response.ts';
import { Secret } from '../../src/base/secret.ts';
import { everythingShownOf } from './support.ts';
import { caught } from '../support/failure.ts';

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
    ['without token_type', { access_token: 'A' }, {}],
    ['with a token_type that is no text', { ...bearer, token_type: 5 }, {}],
    ['with a refresh token that is none', { ...bearer, refresh_token: ['SECRET'] }, {}],
    ['with a refresh token that cannot be sent', { ...bearer, refresh_token: 'two words' }, {}],
    ['with scopes that are none', { ...bearer, scope: 5 }, {}],
    [
      'scopes with its token among them',
      { access_token: 'at-123', token_type: 'Bearer', scope: 'a at-123 x:at%2D123' },
      { accessToken: 'at-123', scopes: ['a'] },
    ],
    ['scopes as a list, one twice', { ...bearer, scope: ['a', 'b', 'a'] }, { scopes: ['a', 'b'] }],
    ['unknown fields', { ...bearer, id_token: 'x', user: {} }, {}],
  ])('accepts %s', (_what, value, expected) => {
    expect(plain(decode(value))).toEqual({ ...least, ...expected });
  });

  it.each([-1, '-1', NaN, Infinity, now, 1e300, '9'.repeat(400), 'soon', true, {}, [60]])(
    'treats an unreadable lifetime as unknown: %j',
    (lifetime) => {
      const value = { ...bearer, expires_in: lifetime, refresh_token_expires_in: lifetime };
      expect(plain(decode(value))).toEqual(least);
    },
  );

  it('reads lifetime 0 as expired for access tokens and as unlimited for refresh tokens', () => {
    const value = { ...bearer, expires_in: 0, refresh_token_expires_in: 0 };
    expect(plain(decode(value))).toEqual({ ...least, accessExpiresAt: now });
  });

  const before = {
    accessToken: new Secret('old'),
    refreshToken: new Secret('oldR'),
    scopes: asked,
    obtainedAt: now - 1,
    accessExpiresAt: now,
    refreshExpiresAt: now + 5,
  };
  it('keeps a refresh token and its expiry if a refresh does not replace them', () => {
    expect(plain(decode(bearer, before))).toEqual({
      ...least,
      refreshToken: 'oldR',
      refreshExpiresAt: now + 5,
    });
  });
  it('does not give a new refresh token the expiry of the old one', () => {
    expect(plain(decode({ ...bearer, refresh_token: 'R2' }, before))).toEqual({
      ...least,
      refreshToken: 'R2',
    });
  });

  it('accepts refreshed tokens of any token_type', () => {
    const value = { ...bearer, token_type: 'mac', refresh_token: 'R2' };
    expect(plain(decode(value, before))).toMatchObject({ accessToken: 'A', refreshToken: 'R2' });
  });

  it.each([
    [null, 'it is null, not an object'],
    ['SECRET', 'it is a string, not an object'],
    [{ token_type: 'Bearer' }, 'access_token is missing'],
    [{ ...bearer, access_token: 5 }, 'access_token is the number 5, not a string'],
    [
      { ...bearer, access_token: 'SECRET\nX: y' },
      'access_token is longer than 16 kB, or contains characters that no token has',
    ],
    [
      { ...bearer, access_token: 'SECRET'.repeat(3_000) },
      'access_token is longer than 16 kB, or contains characters that no token has',
    ],
    [{ ...bearer, token_type: 'SECRET' }, 'token_type is a string other than "Bearer"'],
  ])('refuses %j, naming the field and not its content', (value, words) => {
    const thrown = caught(() => decode(value));
    expect(thrown).toMatchObject({
      code: 'SERVICE_ANSWER',
      message: `The answer cannot be used: ${words}.`,
    });
    expect(everythingShownOf(thrown)).not.toContain('SECRET');
  });
});
