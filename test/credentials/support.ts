import type { Credentials } from '../../src/credentials/store.ts';
import { Secret } from '../../src/base/secret.ts';

/** Returns a login with `word` in all of its secrets. */
export function someCredentials(word = 'word'): Credentials {
  return {
    service: 'https://training.example.com',
    clientId: 'client',
    // Not ASCII, which no service promises.
    clientSecret: new Secret(`${word} – süß 🚲 "quoted"\n`),
    accountId: 'athlete-1',
    tokens: {
      accessToken: new Secret(`access-${word}-${'x'.repeat(200)}`),
      refreshToken: new Secret(`refresh-${word}`),
      scopes: ['workout:write'],
      obtainedAt: 1_700_000_000_000,
      accessExpiresAt: 1_700_003_600_000,
      refreshExpiresAt: undefined,
    },
  };
}

/** With its secrets in the clear, for comparison as a whole. */
export function plain(credentials: Credentials | undefined): unknown {
  if (credentials === undefined) return undefined;
  const { tokens } = credentials;
  return {
    ...credentials,
    clientSecret: credentials.clientSecret?.reveal(),
    tokens: {
      ...tokens,
      accessToken: tokens.accessToken?.reveal(),
      refreshToken: tokens.refreshToken?.reveal(),
    },
  };
}
