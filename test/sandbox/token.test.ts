import { describe, expect, it } from 'vitest';
import type { TokenAnswer } from '../../src/sandbox/grants.ts';
import { bearer, exchange, getCode, manualClock, openApp, postJson, refresh } from './support.ts';

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
  it('answers with the fields of the interface, and is not to be cached', async () => {
    const sandbox = openApp(autoApprove);
    const response = await exchange(sandbox, await getCode(sandbox));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      access_token: expect.stringMatching(/^sbx_at_/) as string,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^sbx_rt_/) as string,
      refresh_token_expires_in: 2592000,
      scope: 'profile:read workout:write',
    });
  });

  it('leaves the lifetime of the refresh token out when the knob says so, or when there is none', async () => {
    for (const settings of [{ announceRefreshTtl: false }, { refreshTtl: null }]) {
      const sandbox = openApp({ settings: { autoApprove: true, ...settings } });
      expect(await login(sandbox)).not.toHaveProperty('refresh_token_expires_in');
    }
  });

  it.each([
    ['no grant_type', { grant_type: undefined }, 'invalid_request', 'grant_type is required'],
    [
      'another grant_type',
      { grant_type: 'password' },
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token, not "password"',
    ],
    ['no client_id', { client_id: undefined }, 'invalid_request', 'client_id is required'],
    ['an unknown client', { client_id: 'somebody' }, 'invalid_client', 'Unknown client "somebody"'],
    [
      'a secret of a public client',
      { client_secret: 'guess' },
      'invalid_client',
      'This client has no client_secret: leave it out',
    ],
    ['no code', { code: undefined }, 'invalid_request', 'code is required'],
    ['a number for a code', { code: 7 }, 'invalid_request', 'code must be a string'],
    [
      'a code that nobody issued',
      { code: 'sbx_code_x' },
      'invalid_grant',
      'This code was not issued to this client',
    ],
    [
      'a code of another client',
      { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' },
      'invalid_grant',
      'This code was not issued to this client',
    ],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request', 'redirect_uri is required'],
    [
      'another redirect_uri',
      { redirect_uri: 'http://127.0.0.1:8999/callback' },
      'invalid_grant',
      'redirect_uri is not the one of the authorization',
    ],
    ['no verifier', { code_verifier: undefined }, 'invalid_request', 'code_verifier is required'],
    [
      'a short verifier',
      { code_verifier: 'short' },
      'invalid_request',
      'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~',
    ],
    [
      'another verifier',
      { code_verifier: 'x'.repeat(43) },
      'invalid_grant',
      'code_verifier does not match code_challenge',
    ],
  ])('refuses %s, and the code stays good', async (_what, changes, error, description) => {
    const sandbox = openApp(autoApprove);
    const code = await getCode(sandbox);
    expect(await errorOf(await exchange(sandbox, code, changes))).toEqual({
      status: 400,
      error,
      error_description: description,
    });
    expect((await exchange(sandbox, code)).status).toBe(200);
  });

  it.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      'grant_type=authorization_code',
      'The body must be sent as Content-Type: application/json',
    ],
    ['an array', 'application/json', '[]', 'The body must be a JSON object'],
    ['null', 'application/json', 'null', 'The body must be a JSON object'],
    ['nothing', 'text/plain', '', 'The body must be sent as Content-Type: application/json'],
  ])('takes JSON objects only, not %s', async (_what, type, body, description) => {
    const { app } = openApp();
    const response = await app.request('/api/oauth/token', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(await errorOf(response)).toEqual({
      status: 400,
      error: 'invalid_request',
      error_description: description,
    });
  });

  it('refuses broken JSON', async () => {
    const { app } = openApp();
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/api/oauth/token', {
      method: 'POST',
      headers,
      body: '{"a":',
    });
    expect(await errorOf(response)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('refuses a second use of a code, and revokes what the first one gave', async () => {
    const sandbox = openApp(autoApprove);
    const code = await getCode(sandbox);
    const tokens = (await (await exchange(sandbox, code)).json()) as TokenAnswer;
    expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(200);
    expect(await errorOf(await exchange(sandbox, code))).toMatchObject({ error: 'invalid_grant' });
    expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(401);
    expect((await refresh(sandbox, tokens.refresh_token)).status).toBe(400);
  });

  it('refuses a code after ten minutes', async () => {
    const clock = manualClock();
    const sandbox = openApp({ ...autoApprove, now: clock.now });
    const [inTime, late] = [await getCode(sandbox), await getCode(sandbox)];
    clock.advance(10 * 60 * 1000 - 1);
    expect((await exchange(sandbox, inTime)).status).toBe(200);
    clock.advance(1);
    expect(await errorOf(await exchange(sandbox, late))).toMatchObject({
      error_description: 'This code has expired',
    });
  });

  it('wants the secret of a client that has one, at the exchange and at every refresh', async () => {
    const sandbox = openApp(autoApprove);
    const client_id = 'sandbox-confidential';
    const code = await getCode(sandbox, { client_id });
    for (const client_secret of [undefined, 'wrong', '']) {
      expect(
        await errorOf(await exchange(sandbox, code, { client_id, client_secret })),
      ).toMatchObject({
        status: 400,
        error: 'invalid_client',
      });
    }
    const right = { client_id, client_secret: 'sandbox-secret' };
    const tokens = (await (await exchange(sandbox, code, right)).json()) as TokenAnswer;
    expect(
      await errorOf(await refresh(sandbox, tokens.refresh_token, { client_id })),
    ).toMatchObject({
      error: 'invalid_client',
    });
    expect((await refresh(sandbox, tokens.refresh_token, right)).status).toBe(200);
  });
});

describe('a refresh', () => {
  it('rotates: a new refresh token, and the old one ends at once', async () => {
    const sandbox = openApp({ settings: { autoApprove: true, reuseRevokesFamily: false } });
    const first = await login(sandbox);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second).toMatchObject({
      scope: first.scope,
      expires_in: 3600,
      refresh_token_expires_in: 2592000,
    });
    expect((await whoAmI(sandbox, second.access_token)).status).toBe(200);
    expect(await errorOf(await refresh(sandbox, first.refresh_token))).toMatchObject({
      error: 'invalid_grant',
    });
    // The reuse was refused, and did no more than that.
    expect((await refresh(sandbox, second.refresh_token)).status).toBe(200);
  });

  it('revokes the whole login when a rotated token comes back', async () => {
    const sandbox = openApp(autoApprove);
    const first = await login(sandbox);
    const bystander = await login(sandbox);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect((await refresh(sandbox, first.refresh_token)).status).toBe(400);
    expect((await whoAmI(sandbox, second.access_token)).status).toBe(401);
    expect(await errorOf(await refresh(sandbox, second.refresh_token))).toMatchObject({
      error: 'invalid_grant',
      error_description: 'This login was revoked',
    });
    expect((await refresh(sandbox, bystander.refresh_token)).status).toBe(200);
  });

  it('keeps the refresh token when the knob says so, with what is left of its lifetime', async () => {
    const clock = manualClock();
    const sandbox = openApp({
      settings: { autoApprove: true, refreshToken: 'keep' },
      now: clock.now,
    });
    const first = await login(sandbox);
    clock.advance(1000_000);
    const second = (await (await refresh(sandbox, first.refresh_token)).json()) as TokenAnswer;
    expect(second.refresh_token).toBe(first.refresh_token);
    expect(second.refresh_token_expires_in).toBe(2592000 - 1000);
    expect((await refresh(sandbox, first.refresh_token)).status).toBe(200);
  });

  it('answers without a refresh token when the knob says so, and the stored one stays good', async () => {
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

  it('refuses an access token, and a token of another client', async () => {
    const sandbox = openApp(autoApprove);
    const tokens = await login(sandbox);
    expect((await refresh(sandbox, tokens.access_token)).status).toBe(400);
    const other = { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' };
    expect((await refresh(sandbox, tokens.refresh_token, other)).status).toBe(400);
    expect((await refresh(sandbox, tokens.refresh_token)).status).toBe(200);
  });
});

describe('lifetimes', () => {
  it('of the access token and the refresh token are kept to the second', async () => {
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
      error_description: 'This refresh token has expired',
    });
  });
});

describe('revocation', () => {
  it('of a refresh token ends the login; of an access token only that one', async () => {
    const sandbox = openApp(autoApprove);
    const tokens = await login(sandbox);
    const revoke = (token: string | undefined) =>
      postJson(sandbox, '/api/oauth/revoke', {
        token,
        client_id: 'sandbox-client',
        token_type_hint: 'x',
      });
    const first = await revoke(tokens.access_token);
    expect([first.status, await first.json()]).toEqual([200, { success: true }]);
    expect((await whoAmI(sandbox, tokens.access_token)).status).toBe(401);
    const again = (await (await refresh(sandbox, tokens.refresh_token)).json()) as TokenAnswer;
    expect((await revoke(again.refresh_token)).status).toBe(200);
    expect((await whoAmI(sandbox, again.access_token)).status).toBe(401);
    expect((await refresh(sandbox, again.refresh_token)).status).toBe(400);
  });

  it('answers 200 for a token that nobody knows, and leaves those of other clients alone', async () => {
    const sandbox = openApp(autoApprove);
    const { refresh_token } = await login(sandbox);
    const other = { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' };
    for (const token of ['unknown', refresh_token]) {
      const response = await postJson(sandbox, '/api/oauth/revoke', { token, ...other });
      expect([response.status, await response.json()]).toEqual([200, { success: true }]);
    }
    expect((await refresh(sandbox, refresh_token)).status).toBe(200);
  });

  it.each([
    ['no token', { client_id: 'sandbox-client' }, 'invalid_request'],
    ['no client', { token: 'x' }, 'invalid_request'],
    [
      'a wrong secret',
      { token: 'x', client_id: 'sandbox-confidential', client_secret: 'y' },
      'invalid_client',
    ],
  ])('refuses %s', async (_what, body, error) => {
    expect(await errorOf(await postJson(openApp(), '/api/oauth/revoke', body))).toMatchObject({
      status: 400,
      error,
    });
  });
});

describe('userinfo', () => {
  it('shows figures only with profile:read', async () => {
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
});
