import { expect, it, onTestFinished } from 'vitest';
import { openHttp } from '../../src/api/open-http.ts';
import { RETRIES } from '../../src/api/retry.ts';
import { exchangeCode, refreshTokens, revokeToken } from '../../src/auth/token-endpoint.ts';
import { Secret } from '../../src/base/secret.ts';
import { testContext } from '../support/context.ts';
import { openTinyService } from '../support/tiny-service.ts';
import { manualClock } from '../watch/manual-clock.ts';
import { everythingShownOf, failure } from './support.ts';

async function open(url: string) {
  const http = await openHttp({ ...testContext(), env: {}, connections: 1 });
  onTestFinished(() => http.close());
  return { http, url: new URL('/token', url), retry: RETRIES.none };
}

const refreshToken = new Secret('refresh-hush');
const before = {
  accessToken: undefined,
  refreshToken,
  scopes: undefined,
  obtainedAt: 0,
  accessExpiresAt: 0,
  refreshExpiresAt: undefined,
};

it('counts the lifetime of a token from the request: the answer may be late', async () => {
  const clock = manualClock();
  const sentAt = clock.now();
  const service = await openTinyService({
    'POST /token': () => {
      clock.jump(1_500);
      return [200, { access_token: 'new', token_type: 'Bearer', expires_in: 2 }];
    },
  });
  const tokens = await refreshTokens(testContext({ clock }), await open(service.url), {
    client: { id: 'test', secret: undefined },
    refreshToken,
    before,
  });
  expect(tokens.accessExpiresAt).toBe(sentAt + 2_000);
});

it.each([200, 400, 401, 503])(
  'repeats no secret of a request that is refused with %d',
  async (status) => {
    const { url } = await openTinyService({
      'POST /token': ({ body }) => {
        const all = JSON.stringify(body);
        return [status, { error: 'invalid_request', error_description: all }];
      },
    });
    const endpoint = await open(url);
    const client = { id: 'test', secret: new Secret('client-hush') };
    const [code, verifier] = [new Secret('code-hush'), new Secret('verifier-hush')];
    const grant = {
      client,
      code,
      verifier,
      redirectUri: 'http://127.0.0.1/login',
      askedScopes: [],
    };
    const requests = [
      () => exchangeCode(testContext(), endpoint, grant),
      () => refreshTokens(testContext(), endpoint, { client, refreshToken, before }),
      () =>
        revokeToken(testContext(), endpoint, {
          client,
          token: refreshToken,
          kind: 'refresh_token',
          other: undefined,
        }),
    ];
    // A revocation with status 200 has succeeded.
    for (const request of status === 200 ? requests.slice(0, 2) : requests) {
      const error = await failure(request());
      expect(error.message).toContain('[redacted]');
      expect(everythingShownOf(error)).not.toContain('hush');
    }
  },
);
