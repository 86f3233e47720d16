import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SECRET_PREFIXES } from '../../src/sandbox/oauth/grants.ts';
import { SCOPES } from '../../src/sandbox/oauth/scopes.ts';
import { DEFAULT_SETTINGS } from '../../src/sandbox/settings.ts';
import { makeRecording } from '../support/fit-maker.ts';
import {
  authorizeUrl,
  bearer,
  exchange,
  getCode,
  openApp,
  postJson,
  refresh,
  upload,
} from './support.ts';
import type { TokenAnswer } from '../../src/sandbox/types.ts';

type Sandbox = ReturnType<typeof openApp>;

async function get({ app }: Sandbox, path: string): Promise<unknown> {
  const response = await app.request(path);
  expect(response.status).toBe(200);
  return await response.json();
}

const sha = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');
const fingerprint = (secret: string) => `sha256:${sha(secret).slice(0, 12)}`;

describe('the request log', () => {
  it('shows the request, with the bearer token as a fingerprint', async () => {
    const sandbox = openApp({ now: () => Date.UTC(2026, 1, 15, 12) });
    const { access_token } = sandbox.control.mint();
    await postJson(
      sandbox,
      '/api/wellness?a=1',
      { date: '2026-02-15', hrv: 50, more: [1] },
      { authorization: `Bearer ${access_token}` },
    );
    expect(await get(sandbox, '/_sandbox/requests')).toEqual({
      requests: [
        {
          ordinal: 1,
          receivedAt: '2026-02-15T12:00:00.000Z',
          method: 'POST',
          path: '/api/wellness',
          route: 'wellness',
          query: { a: '1' },
          headers: {
            authorization: `Bearer ${fingerprint(access_token)}`,
            'content-type': 'application/json',
          },
          size: 41,
          body: { date: '2026-02-15', hrv: 50, more: [1] },
          status: 200,
          athlete: 'athlete-1',
          faults: [],
          durationMs: expect.any(Number) as number,
        },
      ],
    });
  });

  it('shows the parts of an upload with size and hash', async () => {
    const sandbox = openApp();
    const content = makeRecording({ seed: 1, durationSecs: 20 });
    await upload(sandbox, [
      { name: 'file', fileName: 'ride.fit', content },
      { name: 'metadata', content: '{"app_version":"1"}' },
    ]);
    expect(sandbox.control.requests()[0]?.parts).toEqual([
      {
        name: 'file',
        fileName: 'ride.fit',
        contentType: 'application/octet-stream',
        size: content.length,
        sha256: sha(content),
      },
      {
        name: 'metadata',
        fileName: null,
        contentType: null,
        size: 19,
        sha256: sha('{"app_version":"1"}'),
        text: '{"app_version":"1"}',
      },
    ]);
  });

  it('contains no token, code, verifier or secret', async () => {
    const sandbox = openApp({ settings: { autoApprove: true } });
    const client = { client_id: 'sandbox-confidential', client_secret: 'sandbox-secret' };
    const tokens = (await (
      await exchange(sandbox, await getCode(sandbox, { client_id: client.client_id }), client)
    ).json()) as TokenAnswer;
    await refresh(sandbox, tokens.refresh_token, client);
    await postJson(sandbox, '/api/oauth/revoke', { token: tokens.refresh_token, ...client });
    const { access_token: token } = tokens;
    await sandbox.app.request(`/api/${token}?token=${token}`, {
      headers: { 'x-api-key': token, 'proxy-authorization': 'Basic cHJveHk6c2VjcmV0' },
    });
    await postJson(sandbox, '/api/wellness', { note: [{ [token]: `mine is ${token}` }] });
    await sandbox.app.request('/api/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({ REFRESH_TOKEN: tokens.refresh_token ?? '' }),
    });
    const text = JSON.stringify(await get(sandbox, '/_sandbox/requests'));
    expect(text).not.toContain('cHJveHk6c2VjcmV0');
    for (const secret of [...Object.values(SECRET_PREFIXES), 'sandbox-secret', 'a-verifier-of']) {
      expect(text).not.toContain(secret);
    }
    const [, exchanged] = sandbox.control.requests();
    expect(exchanged?.body).toMatchObject({
      grant_type: 'authorization_code',
      client_secret: fingerprint('sandbox-secret'),
    });
  });

  it('filters by a route, an athlete and an ordinal that exist; clearing it keeps the ordinals counting', async () => {
    const sandbox = openApp();
    await sandbox.app.request('/api/profile', { headers: bearer(sandbox) });
    await sandbox.app.request('/api/workouts', { headers: bearer(sandbox, SCOPES, 'athlete-2') });
    await sandbox.app.request('/api/nothing');
    const seen = async (query: string) =>
      (
        (await get(sandbox, `/_sandbox/requests${query}`)) as {
          requests: { ordinal: number; route: string; status: number }[];
        }
      ).requests.map(({ ordinal, route, status }) => [ordinal, route, status]);
    expect(await seen('')).toEqual([
      [1, 'profile', 200],
      [2, 'workouts', 200],
      [3, null, 404],
    ]);
    expect(await seen('?route=workouts')).toEqual([[2, 'workouts', 200]]);
    expect(await seen('?athlete=athlete-1')).toEqual([[1, 'profile', 200]]);
    expect(await seen('?after=2')).toEqual([[3, null, 404]]);
    const wrong = ['?route=workout', '?athlete=nobody', '?after=x'].map(async (query) => {
      const { status } = await sandbox.app.request(`/_sandbox/requests${query}`);
      return status;
    });
    expect(await Promise.all(wrong)).toEqual([400, 404, 400]);
    expect((await sandbox.app.request('/_sandbox/requests', { method: 'DELETE' })).status).toBe(
      204,
    );
    expect(await seen('')).toEqual([]);
    await sandbox.app.request('/api/nothing');
    expect(await seen('')).toEqual([[4, null, 404]]);
  });
});

describe('the state', () => {
  it('lists every athlete or one, and returns bytes by their hash', async () => {
    const sandbox = openApp();
    const content = makeRecording({ seed: 1, durationSecs: 20 });
    await upload(sandbox, [{ name: 'file', fileName: 'ride.fit', content }]);
    await postJson(sandbox, '/api/wellness', { date: '2026-02-15', hrv: 50 }, bearer(sandbox));
    const all = (await get(sandbox, '/_sandbox/state')) as { athletes: object[] };
    expect(all.athletes).toHaveLength(3);
    expect(await get(sandbox, '/_sandbox/state?athlete=athlete-1')).toEqual({
      athletes: [all.athletes[0]],
    });
    expect(all.athletes[0]).toMatchObject({
      athlete: 'athlete-1',
      recordings: [{ sha256: sha(content) }],
      wellness: [{ date: '2026-02-15', record: { hrv: 50 } }],
      nutrition: [],
    });
    const bytes = await sandbox.app.request(`/_sandbox/recordings/${sha(content)}`);
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(Buffer.from(content));
    const theirs = await sandbox.app.request(
      `/_sandbox/recordings/${sha(content)}?athlete=athlete-2`,
    );
    expect(theirs.status).toBe(404);
    expect((await sandbox.app.request('/_sandbox/state?athlete=nobody')).status).toBe(404);
  });

  it('is deleted on request, except logins and profiles', async () => {
    const sandbox = openApp();
    const headers = bearer(sandbox);
    await upload(sandbox, [{ name: 'file', fileName: 'a.fit', content: makeRecording() }], headers);
    await postJson(sandbox, '/api/nutrition', { date: '2026-02-15', items: [] }, headers);
    await sandbox.app.request('/_sandbox/state', { method: 'DELETE' });
    expect(sandbox.control.state('athlete-1').athletes[0]).toMatchObject({
      recordings: [],
      wellness: [],
      nutrition: [],
      logins: [{ revoked: false }],
    });
    expect((await sandbox.app.request('/api/profile', { headers })).status).toBe(200);
  });
});

describe('tokens without a browser', () => {
  it('have the chosen athlete, scopes and lifetimes', async () => {
    const sandbox = openApp();
    const response = await postJson(sandbox, '/_sandbox/tokens', {
      athlete: 'athlete-2',
      scopes: ['profile:read'],
      accessTtl: 5,
      refreshTtl: 50,
    });
    const tokens = (await response.json()) as TokenAnswer;
    expect(tokens).toMatchObject({
      scope: 'profile:read',
      expires_in: 5,
      refresh_token_expires_in: 50,
    });
    const profile = await sandbox.app.request('/api/profile', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(await profile.json()).toMatchObject({ profile: { id: 'athlete-2' } });
    expect(await (await refresh(sandbox, tokens.refresh_token)).json()).toMatchObject({
      scope: 'profile:read',
    });
  });

  it.each([
    [{ athlete: 'nobody' }, 404],
    [{ clientId: 'nobody' }, 404],
    [{ scopes: ['admin'] }, 400],
    [{ scope: 'profile:read' }, 400],
  ])('are refused for %o', async (body, status) => {
    const sandbox = openApp();
    expect((await postJson(sandbox, '/_sandbox/tokens', body)).status).toBe(status);
    expect(sandbox.control.state().athletes.flatMap(({ logins }) => logins)).toEqual([]);
  });

  it('expire and are revoked on request, for one athlete or all', async () => {
    const sandbox = openApp();
    const one = sandbox.control.mint();
    const two = sandbox.control.mint({ athlete: 'athlete-2' });
    const status = async ({ access_token }: TokenAnswer) =>
      (
        await sandbox.app.request('/api/profile', {
          headers: { authorization: `Bearer ${access_token}` },
        })
      ).status;
    const post = async (path: string, body: unknown) =>
      await (await postJson(sandbox, `/_sandbox/${path}`, body)).json();
    expect(await post('expire', { athlete: 'athlete-1' })).toEqual({ expired: 1 });
    expect([await status(one), await status(two)]).toEqual([401, 200]);
    expect(await post('expire', {})).toEqual({ expired: 1 });
    expect(await status(two)).toBe(401);
    expect((await refresh(sandbox, one.refresh_token)).status).toBe(200);
    expect(await post('revoke', { athlete: 'athlete-2' })).toEqual({ revoked: 1 });
    expect((await refresh(sandbox, two.refresh_token)).status).toBe(400);
    expect(await post('expire', { kind: 'refresh' })).toEqual({ expired: 1 });
    expect(await post('revoke', {})).toEqual({ revoked: 1 });
  });
});

describe('settings and faults', () => {
  it('start with the documented defaults and change at run time', async () => {
    const sandbox = openApp();
    expect(await get(sandbox, '/_sandbox/settings')).toEqual(DEFAULT_SETTINGS);
    const changed = await postJson(sandbox, '/_sandbox/settings', {
      autoApprove: true,
      accessTtl: 9,
    });
    expect(await changed.json()).toEqual({ ...DEFAULT_SETTINGS, autoApprove: true, accessTtl: 9 });
    expect((await sandbox.app.request(authorizeUrl())).status).toBe(302);
  });

  it.each([
    [{ rotate: true }, 'no setting "rotate": platform'],
    [{ accessTtl: '60' }, 'accessTtl: expected a whole number from 0; received "60"'],
    [{ platform: 'other' }, 'platform: expected coach-watts, interface; received "other"'],
    [{ autoApproveAthlete: 'nobody' }, 'no athlete "nobody", but athlete-1, athlete-2, athlete-3'],
    [[], 'The body must be a JSON object'],
  ])('refuse %o, name the error, and stay unchanged', async (body, message) => {
    const sandbox = openApp();
    const response = await postJson(sandbox, '/_sandbox/settings', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining(message) as string,
    });
    expect(sandbox.control.settings()).toEqual(DEFAULT_SETTINGS);
  });

  it('add, list and remove faults', async () => {
    const sandbox = openApp();
    const added = await postJson(sandbox, '/_sandbox/faults', {
      faults: ['profile:503*2', 'any:delay=1ms*inf'],
    });
    const list = {
      faults: [
        { spec: 'profile:503*2', skipLeft: 0, hitsLeft: 2 },
        { spec: 'any:delay=1ms*inf', skipLeft: 0, hitsLeft: null },
      ],
    };
    expect(await added.json()).toEqual(list);
    const wrong = await postJson(sandbox, '/_sandbox/faults', { faults: ['profile:nonsense'] });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ message: /no kind "nonsense"/ });
    expect(await get(sandbox, '/_sandbox/faults')).toEqual(list);
    await sandbox.app.request('/_sandbox/faults', { method: 'DELETE' });
    expect(await get(sandbox, '/_sandbox/faults')).toEqual({ faults: [] });
  });
});

it('the control endpoints are listed, and an unknown one is 404', async () => {
  const sandbox = openApp();
  const { endpoints } = (await get(sandbox, '/_sandbox')) as {
    endpoints: Record<string, string>;
  };
  expect(Object.keys(endpoints)).toContain('POST /_sandbox/tokens');
  const unknown = await sandbox.app.request('/_sandbox/token', { method: 'POST' });
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { data: endpoints }]);
});
