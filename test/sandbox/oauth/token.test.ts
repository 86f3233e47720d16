import { describe, expect, it } from 'vitest';
import {
  bearer,
  exchange,
  expectError,
  getCode,
  manualClock,
  openApp,
  postJson,
  refresh,
} from '../support.ts';
import type { TokenAnswer } from '../../../src/sandbox/types.ts';

async function login(sandbox: ReturnType<typeof openApp>): Promise<TokenAnswer> {
  return (await (await exchange(sandbox, await getCode(sandbox))).json()) as TokenAnswer;
}

async function errorOf(response: Response) {
  return { status: response.status, ...((await response.json()) as object) };
}

function whoAmI({ app }: Pick<ReturnType<typeof openApp>, 'app'>, token: string | undefined) {
  return app.request('/api/oauth/userinfo', {
    headers: { authorization: `Bearer ${token ?? ''}` },
  });
}

const autoApprove = { settings: { autoApprove: true } };

describe('the code exchange', () => {
  it('answers with the fields of the interface, and forbids caching', async () => {
    const sandbox = openApp(autoApprove);
    const response = await exchange(sandbox, await getCode(sandbox));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      access_token: /^sbx_at_/,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: /^sbx_rt_/,
      scope: 'profile:read workout:write',
    });
  });

  it("announces a refresh token's lifetime if announceRefreshTtl is set", async () => {
    for (const [settings, announced] of [
      [{ refreshTtl: 600 }, 600],
      [{ refreshTtl: 600, announceRefreshTtl: false }, undefined],
    ] as const) {
      const sandbox = openApp({ settings: { autoApprove: true, ...settings } });
      expect((await login(sandbox)).refresh_token_expires_in).toBe(announced);
    }
  });

  it.each([
    ['no grant', { grant_type: undefined }, 'unsupported_grant_type', 'Unsupported grant type'],
    ['wrong grant', { grant_type: 'password' }, 'unsupported_grant_type', 'Unsupported grant type'],
    ['no client_id', { client_id: undefined }, 'invalid_request', 'Missing code or client_id'],
    ['an unknown client', { client_id: 'somebody' }, 'invalid_client', 'Client ID mismatch'],
    ['a needless secret', { client_secret: 'guess' }, 'invalid_client', 'Invalid client secret'],
    ['no code', { code: undefined }, 'invalid_request', 'Missing code or client_id'],
    ['an unknown code', { code: 'sbx_code_x' }, 'invalid_grant', 'Invalid authorization code'],
    [
      'a code of another client',
      { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' },
      'invalid_client',
      'Client ID mismatch',
    ],
    [
      'another redirect_uri',
      { redirect_uri: 'http://127.0.0.1:8999/login' },
      'invalid_grant',
      'Redirect URI mismatch',
    ],
    [
      'no verifier',
      { code_verifier: undefined },
      'invalid_request',
      'code_verifier is required for PKCE',
    ],
    ['another proof', { code_verifier: 'x'.repeat(43) }, 'invalid_grant', 'Invalid code_verifier'],
  ])('refuses %s, and the code stays valid', async (_what, changes, error, description) => {
    const sandbox = openApp(autoApprove);
    const code = await getCode(sandbox);
    expect(await errorOf(await exchange(sandbox, code, changes))).toEqual({
      status: 400,
      error,
      error_description: description,
    });
    expect((await exchange(sandbox, code, { redirect_uri: undefined })).status).toBe(200);
  });

  it('accepts a form', async () => {
    const sandbox = openApp(autoApprove);
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'sandbox-client',
      code: await getCode(sandbox),
      code_verifier: 'a-verifier-of-exactly-enough-characters-0123456789',
    });
    const response = await sandbox.app.request('/api/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    });
    expect(response.status).toBe(200);
  });

  it.each([
    ['broken JSON', '{"a":', 400, 'Bad Request', 'Invalid JSON body'],
    ['null', 'null', 500, 'Server Error', 'Server Error'],
    ['a number for a grant_type', '{"grant_type":7}', 500, 'Server Error', 'Server Error'],
  ])('answers %s in the format of the API', async (_what, body, status, statusMessage, message) => {
    const { app } = openApp();
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/api/oauth/token', { method: 'POST', headers, body });
    await expectError(response, '/api/oauth/token', status, message, { statusMessage });
  });

  it('compares a plain challenge with the verifier itself', async () => {
    const sandbox = openApp(autoApprove);
    const code = await getCode(sandbox, {
      code_challenge: 'plain-verifier',
      code_challenge_method: 'plain',
    });
    expect((await exchange(sandbox, code, { code_verifier: 'other' })).status).toBe(400);
    expect((await exchange(sandbox, code, { code_verifier: 'plain-verifier' })).status).toBe(200);
  });

  it('requires the client secret without PKCE', async () => {
    const sandbox = openApp(autoApprove);
    const client_id = 'sandbox-confidential';
    const code = await getCode(sandbox, { client_id, code_challenge: '' });
    expect(await errorOf(await exchange(sandbox, code, { client_id }))).toMatchObject({
      error: 'invalid_client',
      error_description: 'Client secret required for non-PKCE flow',
    });
    const right = { client_id, client_secret: 'sandbox-secret' };
    expect((await exchange(sandbox, code, right)).status).toBe(200);
  });

  it('refuses a second use of a code, and keeps the tokens of the first', async () => {
    const sandbox = openApp(autoApprove);
    const code = await getCode(sandbox);
    const tokens = (await (await exchange(sandbox, code)).json()) as TokenAnswer;
    expect(await errorOf(await exchange(sandbox, code))).toMatchObject({
      error: 'invalid_grant',
      error_description: 'Invalid authorization code',
    });
    expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(200);
  });

  it('refuses a code after ten minutes', async () => {
    const clock = manualClock();
    const sandbox = openApp({ ...autoApprove, now: clock.now });
    const [inTime, late] = [await getCode(sandbox), await getCode(sandbox)];
    clock.advance(10 * 60 * 1000 - 1);
    expect((await exchange(sandbox, inTime)).status).toBe(200);
    clock.advance(1);
    expect(await errorOf(await exchange(sandbox, late))).toMatchObject({
      error_description: 'Authorization code expired',
    });
  });

  it('refuses a wrong secret at exchange and refresh, and needs none with PKCE', async () => {
    const sandbox = openApp(autoApprove);
    const client_id = 'sandbox-confidential';
    const code = await getCode(sandbox, { client_id });
    const wrong = { client_id, client_secret: 'wrong' };
    expect(await errorOf(await exchange(sandbox, code, wrong))).toMatchObject({
      status: 400,
      error: 'invalid_client',
    });
    const tokens = (await (await exchange(sandbox, code, { client_id })).json()) as TokenAnswer;
    expect(await errorOf(await refresh(sandbox, tokens.refresh_token, wrong))).toMatchObject({
      error: 'invalid_client',
    });
    for (const client_secret of [undefined, 'sandbox-secret']) {
      const again = await refresh(sandbox, tokens.refresh_token, { client_id, client_secret });
      expect(again.status).toBe(200);
    }
  });
});

describe('a refresh', () => {
  it('ends the old token at once', async () => {
    const sandbox = openApp(autoApprove);
    const first = await login(sandbox);
    const bystander = await login(sandbox);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    const answer = await whoAmI(sandbox, first.access_token);
    await expectError(answer, '/api/oauth/userinfo', 401, 'Invalid or expired access token');
    expect((await whoAmI(sandbox, second.access_token)).status).toBe(200);
    expect((await whoAmI(sandbox, bystander.access_token)).status).toBe(200);
  });

  it('returns the same refresh token without a lifetime', async () => {
    const sandbox = openApp(autoApprove);
    const first = await login(sandbox);
    for (let round = 0; round < 2; round += 1) {
      expect(await (await refresh(sandbox, first.refresh_token)).json()).toEqual({
        access_token: /^sbx_at_/,
        token_type: 'Bearer',
        expires_in: 3600,
        scope: first.scope,
        refresh_token: first.refresh_token,
      });
    }
  });

  it('returns a new refresh token with rotate, and ends the old one at once', async () => {
    const sandbox = openApp({ settings: { autoApprove: true, refreshToken: 'rotate' } });
    const first = await login(sandbox);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second).not.toHaveProperty('refresh_token_expires_in');
    expect(await errorOf(await refresh(sandbox, first.refresh_token))).toMatchObject({
      error: 'invalid_grant',
      error_description: 'Invalid or expired refresh token',
    });
    // The reuse was refused without other effects.
    expect((await refresh(sandbox, second.refresh_token)).status).toBe(200);
  });

  it('does not extend the lifetime since the login', async () => {
    const clock = manualClock();
    const sandbox = openApp({
      settings: { autoApprove: true, refreshToken: 'rotate', refreshTtl: 30 * 24 * 3600 },
      now: clock.now,
    });
    let { refresh_token } = await login(sandbox);
    for (let day = 1; day < 30; day += 1) {
      clock.advance(24 * 3600 * 1000);
      ({ refresh_token } = (await (await refresh(sandbox, refresh_token)).json()) as TokenAnswer);
    }
    clock.advance(24 * 3600 * 1000);
    expect((await refresh(sandbox, refresh_token)).status).toBe(400);
  });

  it('revokes the login if a rotated token is reused and reuseRevokesFamily is set', async () => {
    const settings = {
      autoApprove: true,
      refreshToken: 'rotate',
      reuseRevokesFamily: true,
    } as const;
    const sandbox = openApp({ settings });
    const first = await login(sandbox);
    const bystander = await login(sandbox);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect((await refresh(sandbox, first.refresh_token)).status).toBe(400);
    expect((await whoAmI(sandbox, second.access_token)).status).toBe(401);
    expect((await refresh(sandbox, second.refresh_token)).status).toBe(400);
    expect((await refresh(sandbox, bystander.refresh_token)).status).toBe(200);
  });

  it('announces the remaining lifetime', async () => {
    const clock = manualClock();
    const sandbox = openApp({ settings: { autoApprove: true, refreshTtl: 3600 }, now: clock.now });
    const first = await login(sandbox);
    clock.advance(1_000_000);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect(second.refresh_token_expires_in).toBe(2600);
  });

  it('returns no refresh token with omit, and the stored one stays valid', async () => {
    const sandbox = openApp({ settings: { autoApprove: true, refreshToken: 'omit' } });
    const first = await login(sandbox);
    expect(first.refresh_token).toBeDefined();
    for (let round = 0; round < 2; round += 1) {
      const answer: unknown = await (await refresh(sandbox, first.refresh_token)).json();
      expect(answer).not.toHaveProperty('refresh_token');
      expect(answer).not.toHaveProperty('refresh_token_expires_in');
      expect(answer).toHaveProperty('access_token');
    }
  });

  it.each([
    ['no token', undefined, 'invalid_request'],
    ['an unknown token', 'sbx_rt_x', 'invalid_grant'],
  ])('refuses %s', async (_what, token, error) => {
    expect(await errorOf(await refresh(openApp(), token))).toMatchObject({ status: 400, error });
  });

  it("refuses an access token and another client's token", async () => {
    const sandbox = openApp(autoApprove);
    const tokens = await login(sandbox);
    expect((await refresh(sandbox, tokens.access_token)).status).toBe(400);
    const other = { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' };
    expect(await errorOf(await refresh(sandbox, tokens.refresh_token, other))).toMatchObject({
      error: 'invalid_grant',
      error_description: 'Client mismatch',
    });
  });
});

it('token lifetimes are exact to the second for access and refresh tokens', async () => {
  const clock = manualClock();
  const sandbox = openApp({
    settings: { autoApprove: true, accessTtl: 60, refreshTtl: 300 },
    now: clock.now,
  });
  const tokens = await login(sandbox);
  clock.advance(59_999);
  expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(200);
  clock.advance(1);
  expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(401);
  clock.advance(240_000);
  expect(await errorOf(await refresh(sandbox, tokens.refresh_token))).toMatchObject({
    error: 'invalid_grant',
    error_description: 'Invalid or expired refresh token',
  });
});

describe('revocation', () => {
  it.each(['access_token', 'refresh_token'] as const)(
    'of an %s ends the login for any client, as JSON or as a form',
    async (kind) => {
      const sandbox = openApp(autoApprove);
      const bystander = await login(sandbox);
      for (const asForm of [false, true]) {
        const tokens = await login(sandbox);
        const body = { token: tokens[kind] ?? '' };
        const response = asForm
          ? await sandbox.app.request('/api/oauth/revoke', {
              method: 'POST',
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
              body: new URLSearchParams(body).toString(),
            })
          : await postJson(sandbox, '/api/oauth/revoke', body);
        expect([response.status, await response.json()]).toEqual([200, { success: true }]);
        expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(401);
        expect((await refresh(sandbox, tokens.refresh_token)).status).toBe(400);
      }
      expect((await whoAmI(sandbox, bystander.access_token)).status).toBe(200);
    },
  );

  it('answers 200 for an unknown token', async () => {
    const response = await postJson(openApp(), '/api/oauth/revoke', { token: 'unknown' });
    expect([response.status, await response.json()]).toEqual([200, { success: true }]);
  });

  it('answers 400 without a token, in the format of the API', async () => {
    const response = await postJson(openApp(), '/api/oauth/revoke', { client_id: 'x' });
    await expectError(response, '/api/oauth/revoke', 400, 'Missing token parameter');
  });
});

it('userinfo includes FTP and weight only with profile:read', async () => {
  const sandbox = openApp();
  const ask = async (headers: Record<string, string>) =>
    await (await sandbox.app.request('/api/oauth/userinfo', { headers })).json();
  const person = {
    sub: 'athlete-1',
    name: 'Ada Lindqvist',
    email: 'ada@sandbox.example',
    picture: null,
  };
  expect(await ask(bearer(sandbox, ['workout:write']))).toEqual(person);
  expect(await ask(bearer(sandbox, ['profile:read']))).toEqual({
    ...person,
    ftp: 245,
    weight: 62.5,
  });
});
