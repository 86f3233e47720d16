import { describe, expect, it } from 'vitest';
import { authorizeUrl, manualClock, openApp, postJson } from '../support.ts';

const REQUEST = { client_name: 'sync', redirect_uris: ['http://127.0.0.1:8917/login'] };

interface Registered {
  readonly client_id: string;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
}

function register(sandbox: ReturnType<typeof openApp>, change: object = {}) {
  return postJson(sandbox, '/api/oauth/register', { ...REQUEST, ...change });
}

describe('the registration of clients', () => {
  it('is named by the metadata, unless it is off', async () => {
    const sandbox = openApp();
    const metadata = async () =>
      (await (
        await sandbox.app.request('/.well-known/oauth-authorization-server')
      ).json()) as Record<string, unknown>;
    expect(await metadata()).toMatchObject({
      issuer: 'http://localhost',
      registration_endpoint: 'http://localhost/api/oauth/register',
      code_challenge_methods_supported: ['S256'],
    });
    sandbox.control.settings({ registration: 'off' });
    expect(await metadata()).not.toHaveProperty('registration_endpoint');
    expect((await register(sandbox)).status).toBe(404);
  });

  it('makes a public client with its redirect URIs normalised, until the platform forgets it', async () => {
    const sandbox = openApp({ settings: { autoApprove: true } });
    const response = await register(sandbox, { redirect_uris: ['HTTP://127.0.0.1:8917'] });
    expect(response.status).toBe(201);
    const { client_id, redirect_uris } = (await response.json()) as Registered;
    expect(redirect_uris).toEqual(['http://127.0.0.1:8917/']);
    const page = () =>
      sandbox.app.request(authorizeUrl({ client_id, redirect_uri: redirect_uris[0] }));
    expect((await page()).status).toBe(302);
    sandbox.control.settings({ registration: 'forgets' });
    expect((await page()).status).toBe(400);
  });

  it('joins the client of another program, if a loopback path ends in /callback', async () => {
    const sandbox = openApp();
    const uri = (port: number) => `http://127.0.0.1:${port}/callback`;
    await register(sandbox, { redirect_uris: [uri(1)] });
    const second = await register(sandbox, { redirect_uris: [uri(2)] });
    expect(await second.json()).toMatchObject({
      client_name: 'Cursor MCP',
      redirect_uris: [uri(1), uri(2)],
    });
  });

  it.each([
    { redirect_uris: ['http://example.com/login'] },
    { redirect_uris: [] },
    { client_name: 7 },
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`member${index}`, index])),
  ])('refuses %j', async (change) => {
    expect((await register(openApp(), change)).status).toBe(400);
  });

  it('is limited to ten an hour, refused ones included', async () => {
    const clock = manualClock();
    const sandbox = openApp({ now: clock.now });
    await register(sandbox, { redirect_uris: [] });
    for (let each = 2; each <= 10; each++) expect((await register(sandbox)).status).toBe(201);
    expect((await register(sandbox)).status).toBe(429);
    clock.advance(3_600_001);
    expect((await register(sandbox)).status).toBe(201);
  });
});
