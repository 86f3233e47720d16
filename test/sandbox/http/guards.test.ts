import { describe, expect, it } from 'vitest';
import { SCOPES, type Scope } from '../../../src/sandbox/oauth/scopes.ts';
import { bearer, expectError, manualClock, multipart, openApp } from '../support.ts';

const json = { 'content-type': 'application/json' };
const day = JSON.stringify({ date: '2026-02-15', items: [] });
const form = multipart([{ name: 'file', fileName: 'a.fit', content: 'not FIT, but a form' }]);

/** Every endpoint that requires a token, with a valid request and the required scope. */
const GUARDED: [string, string, RequestInit, Scope | null][] = [
  ['GET', '/api/oauth/userinfo', {}, null],
  ['GET', '/api/profile', {}, 'profile:read'],
  ['PATCH', '/api/profile', { headers: json, body: '{"ftp":250}' }, 'profile:write'],
  ['POST', '/api/workouts/upload-fit', form, 'workout:write'],
  ['GET', '/api/workouts', {}, 'workout:read'],
  ['POST', '/api/wellness', { headers: json, body: day }, 'health:write'],
  ['POST', '/api/nutrition', { headers: json, body: day }, 'nutrition:write'],
  ['GET', '/api/nutrition', {}, 'nutrition:read'],
];

function send(
  { app }: ReturnType<typeof openApp>,
  [method, path, init]: (typeof GUARDED)[number],
  headers: Record<string, string>,
) {
  return Promise.resolve(
    app.request(path, { ...init, method, headers: { ...(init.headers as object), ...headers } }),
  );
}

describe.each(GUARDED)('%s %s', (...endpoint) => {
  const scope = endpoint[3];

  it.each([
    ['no Authorization', {}],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['an unknown token', { authorization: 'Bearer sbx_at_x' }],
  ])('answers 401 for %s', async (_what, headers) => {
    const response = await send(openApp(), endpoint, headers);
    expect(response.headers.get('www-authenticate')).toBeNull();
    const hasToken = /^Bearer ./.test((headers as { authorization?: string }).authorization ?? '');
    const ofUserinfo = hasToken
      ? 'Invalid or expired access token'
      : 'Missing or invalid Authorization header';
    await expectError(response, endpoint[1], 401, scope === null ? ofUserinfo : 'Unauthorized');
  });

  it('answers 401 for an expired, a revoked and a refresh token', async () => {
    const clock = manualClock();
    const sandbox = openApp({ now: clock.now });
    const { access_token, refresh_token = '' } = sandbox.control.mint({ accessTtl: 10 });
    clock.advance(10_000);
    const revoked = bearer(sandbox);
    sandbox.control.revoke({ athlete: 'athlete-1' });
    for (const authorization of [
      `Bearer ${access_token}`,
      revoked['authorization'] ?? '',
      `Bearer ${refresh_token}`,
    ]) {
      expect((await send(sandbox, endpoint, { authorization })).status).toBe(401);
    }
  });

  it('answers 403 for a deactivated account', async () => {
    const sandbox = openApp({ settings: { deactivated: ['athlete-1'] } });
    expect((await send(sandbox, endpoint, bearer(sandbox))).status).toBe(403);
    expect((await send(sandbox, endpoint, bearer(sandbox, SCOPES, 'athlete-2'))).status).toBe(200);
  });

  if (scope !== null) {
    it(`answers 403 without ${scope}, names it, and stores nothing`, async () => {
      const sandbox = openApp();
      const before = sandbox.control.state('athlete-1').athletes[0];
      const others = SCOPES.filter((other) => other !== scope);
      const response = await send(sandbox, endpoint, bearer(sandbox, others));
      const message = `Insufficient permissions. Required scopes: ${scope}`;
      await expectError(response, endpoint[1], 403, message);
      const after = sandbox.control.state('athlete-1').athletes[0];
      expect({ ...after, logins: [] }).toEqual({ ...before, logins: [] });
    });
  }

  it('accepts a token with only that scope', async () => {
    const sandbox = openApp();
    const response = await send(sandbox, endpoint, bearer(sandbox, scope === null ? [] : [scope]));
    expect(response.status).toBe(200);
  });
});

describe('every request', () => {
  it.each([
    ['POST', '/'],
    ['GET', '/api/nothing'],
    ['POST', '/api/workouts/a/upload-gpx'],
    ['GET', '/api/wellness/2026-02-15'],
  ])('gets 404 as JSON for %s %s', async (method, path) => {
    const response = await openApp().app.request(path, { method });
    const message = `Cannot find any route matching ${path}.`;
    await expectError(response, path, 404, message, { statusMessage: message });
  });

  it('gets 405 for HEAD, and 401 for another unsupported method', async () => {
    const { app, control } = openApp();
    expect((await app.request('/api/profile', { method: 'HEAD' })).status).toBe(405);
    expect(control.requests()).toMatchObject([{ method: 'HEAD', status: 405 }]);
    const response = await app.request('/api/profile', { method: 'DELETE' });
    await expectError(response, '/api/profile', 401, 'Unauthorized');
  });

  it('is refused for a host name other than loopback, on platform and control endpoints', async () => {
    const { app } = openApp();
    for (const path of ['/api/profile', '/_sandbox/state', '/api/oauth/authorize']) {
      expect((await app.request(`http://rebound.example${path}`)).status).toBe(403);
    }
  });
});
