import { expect, it, onTestFinished } from 'vitest';
import { openHttp } from '../../src/api/open-http.ts';
import { refreshTokens } from '../../src/auth/token-endpoint.ts';
import { Secret } from '../../src/base/secret.ts';
import { testContext } from '../support/context.ts';
import { openTinyService } from '../support/tiny-service.ts';
import { manualClock } from '../watch/manual-clock.ts';

it('counts the lifetime of a token from the request: the answer may be late', async () => {
  const clock = manualClock();
  const sentAt = clock.now();
  const service = await openTinyService({
    'POST /token': () => {
      clock.jump(1_500);
      return [200, { access_token: 'new', token_type: 'Bearer', expires_in: 2 }];
    },
  });
  const http = await openHttp({ ...testContext(), env: {}, connections: 1 });
  onTestFinished(() => http.close());
  const refreshToken = new Secret('refresh');
  const before = {
    accessToken: undefined,
    refreshToken,
    scopes: undefined,
    obtainedAt: 0,
    accessExpiresAt: 0,
    refreshExpiresAt: undefined,
  };
  const tokens = await refreshTokens(
    testContext({ clock }),
    { http, url: new URL('/token', service.url) },
    { client: { id: 'test', secret: undefined }, refreshToken, before },
  );
  expect(tokens.accessExpiresAt).toBe(sentAt + 2_000);
});
