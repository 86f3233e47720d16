import { describe, expect, it } from 'vitest';
import {
  authorizeUrl,
  exchange,
  manualClock,
  openApp,
  REDIRECT_URI,
  redirectOf,
} from '../support.ts';

/** Browsers get a page, other clients JSON. */
const asBrowser = { headers: { accept: 'text/html,*/*' } };

/** The page's form as a browser sends it, with the page's cookie. */
async function openPage(sandbox: ReturnType<typeof openApp>, url = authorizeUrl()) {
  const page = await sandbox.app.request(url, asBrowser);
  const html = await page.text();
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const request = /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const answer = (fields: [string, string][], headers: Record<string, string> = { cookie }) =>
    sandbox.app.request('/api/oauth/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams([['request', request], ...fields]).toString(),
    });
  return { page, html, cookie, answer };
}

const APPROVE: [string, string][] = [
  ['decision', 'approve'],
  ['athlete', 'athlete-2'],
];

describe('the authorize endpoint', () => {
  // Without a valid client and redirect URI the answer is a page.
  it.each([
    ['a missing client', { client_id: undefined }],
    ['an unknown client', { client_id: 'somebody' }],
    ['a missing redirect URI', { redirect_uri: undefined }],
    ['a redirect URI of another host', { redirect_uri: 'http://192.168.0.7:8917/login' }],
    ['a redirect URI with another path', { redirect_uri: 'http://127.0.0.1:8917/other' }],
    ['a redirect URI with a further query', { redirect_uri: `${REDIRECT_URI}?next=1` }],
    [
      'https on loopback, which is not registered',
      { redirect_uri: 'https://127.0.0.1:8917/login' },
    ],
    ['a host that begins like loopback', { redirect_uri: 'http://127.0.0.1.evil.example/login' }],
    ['a name before an at sign', { redirect_uri: 'http://127.0.0.1:8917@evil.example/login' }],
    ['a redirect URI that is none', { redirect_uri: 'callback' }],
  ])('refuses %s with a page and no redirect', async (_what, changes) => {
    const { app } = openApp({ settings: { autoApprove: true } });
    const response = await app.request(authorizeUrl(changes), asBrowser);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('This login failed');
    const asked = await app.request(authorizeUrl(changes));
    expect(await asked.json()).toMatchObject({ error: true, statusCode: 400 });
  });

  it('refuses another response_type without a redirect', async () => {
    const { app } = openApp({ settings: { autoApprove: true } });
    const response = await app.request(authorizeUrl({ response_type: 'token' }));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.json()).toMatchObject({
      statusMessage: 'Server Error',
      message: 'Unsupported response_type. Only "code" is supported.',
    });
  });
});

describe('the lenient authorize endpoint', () => {
  it.each([
    ['a missing state', { state: undefined }],
    ['a missing challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['the plain method', { code_challenge_method: 'plain' }],
    ['an unknown scope', { scope: 'workout:write admin' }],
  ])('accepts %s and shows the page', async (_what, changes) => {
    expect((await openPage(openApp(), authorizeUrl(changes))).page.status).toBe(200);
  });

  it('takes a missing scope as profile:read', async () => {
    const sandbox = openApp({ settings: { autoApprove: true } });
    const code = redirectOf(await sandbox.app.request(authorizeUrl({ scope: undefined }))).query;
    expect(await (await exchange(sandbox, code['code'] ?? '')).json()).toMatchObject({
      scope: 'profile:read',
    });
  });
});

describe('an unknown scope', () => {
  it('gets 400 without a redirect when the form is posted', async () => {
    const sandbox = openApp();
    const scope = 'workout:write admin';
    const { answer } = await openPage(sandbox, authorizeUrl({ scope }));
    const response = await answer(APPROVE);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    sandbox.control.settings({ autoApprove: true });
    const approved = await sandbox.app.request(authorizeUrl({ scope }));
    expect([approved.status, approved.headers.get('location')]).toEqual([400, null]);
  });
});

describe('redirect URIs', () => {
  it.each([
    'http://127.0.0.1:50123/login',
    'http://localhost:50123/login',
    'http://[::1]:50123/login',
    'http://127.0.0.1/login',
  ])('%s matches at another port if exactRedirectUris is false', async (redirectUri) => {
    const { app } = openApp({ settings: { autoApprove: true, exactRedirectUris: false } });
    const response = await app.request(authorizeUrl({ redirect_uri: redirectUri }));
    expect(redirectOf(response).to).toBe(redirectUri);
  });

  it.each([
    'http://127.0.0.1:50123/login',
    'http://127.0.0.1:8917/login/',
    'http://127.0.0.1:08917/login',
    'HTTP://127.0.0.1:8917/login',
  ])('are compared as strings, which refuses %s', async (redirectUri) => {
    const { app } = openApp({ settings: { autoApprove: true } });
    expect((await app.request(authorizeUrl({ redirect_uri: redirectUri }))).status).toBe(400);
    expect((await app.request(authorizeUrl())).status).toBe(302);
  });

  it('can be added by an option', async () => {
    const redirectUri = 'https://app.example/cb?tenant=1';
    const { app } = openApp({ settings: { autoApprove: true }, redirectUris: [redirectUri] });
    const response = await app.request(authorizeUrl({ redirect_uri: redirectUri }));
    expect(redirectOf(response)).toMatchObject({
      to: 'https://app.example/cb',
      query: { tenant: '1', state: 'state-1' },
    });
  });
});

describe('the consent page', () => {
  it('shows the client, every athlete and every scope in words, without external resources', async () => {
    const { html, page } = await openPage(openApp());
    expect(page.status).toBe(200);
    for (const text of [
      'sync on this computer',
      'Ada Lindqvist',
      'Ben Okafor',
      'Meera Rao',
      'See your profile',
      'Upload and manage workouts',
      '127.0.0.1:8917',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('health:write');
    expect(html).not.toMatch(/<(script|img)/);
    // The icon is in the page: without one, browsers request /favicon.ico.
    expect(html.match(/<link [^>]*>/g)).toEqual([
      /^<link rel="icon" href="data:image\/svg\+xml,[^"]+" \/>$/,
    ]);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('img-src data:;');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:8917");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/);
  });

  it('escapes markup in the request', async () => {
    const refused = await openApp().app.request(
      authorizeUrl({ client_id: '<script>alert(1)</script>' }),
      asBrowser,
    );
    const html = await refused.text();
    expect(html).not.toContain('<script>');
    expect(html).toContain('&lt;script&gt;');
  });

  it('grants all requested scopes for the chosen account', async () => {
    const sandbox = openApp();
    const { answer } = await openPage(sandbox);
    const response = await answer(APPROVE);
    expect(response.status).toBe(303);
    const { to, query } = redirectOf(response);
    expect(to).toBe(REDIRECT_URI);
    expect(query).toEqual({ code: /^sbx_code_/, state: 'state-1' });
    const tokens = (await (await exchange(sandbox, query['code'] ?? '')).json()) as {
      scope: string;
    };
    expect(tokens.scope).toBe('profile:read workout:write');
    expect(sandbox.control.state('athlete-2').athletes[0]?.logins).toHaveLength(1);
    expect(sandbox.control.state('athlete-1').athletes[0]?.logins).toHaveLength(0);
  });

  it('never grants a scope that was not requested', async () => {
    const sandbox = openApp();
    const { answer } = await openPage(sandbox, authorizeUrl({ scope: 'profile:read' }));
    const response = await answer([...APPROVE, ['scope', 'health:write']]);
    const code = redirectOf(response).query['code'] ?? '';
    expect(await (await exchange(sandbox, code)).json()).toMatchObject({ scope: 'profile:read' });
  });

  it('reports a denial to the client', async () => {
    const { answer } = await openPage(openApp());
    expect(redirectOf(await answer([['decision', 'deny']]))).toEqual({
      to: REDIRECT_URI,
      query: {
        error: 'access_denied',
        error_description: 'The user denied the request.',
        state: 'state-1',
      },
    });
  });

  it('refuses an answer without an account', async () => {
    const { answer } = await openPage(openApp());
    const incomplete: [string, string][][] = [
      [['decision', 'approve']],
      [
        ['decision', 'approve'],
        ['athlete', 'nobody'],
      ],
      [['athlete', 'athlete-1']],
    ];
    for (const fields of incomplete) {
      const response = await answer(fields);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('Choose an account');
    }
    expect((await answer(APPROVE)).status).toBe(303);
  });

  it('answers a double click with the same code', async () => {
    const { answer } = await openPage(openApp());
    const first = redirectOf(await answer(APPROVE));
    expect(redirectOf(await answer(APPROVE))).toEqual(first);
    expect(redirectOf(await answer([['decision', 'deny']]))).toEqual(first);
  });

  it.each([
    ['without the cookie of the page', {}],
    ['with the cookie of another browser', { cookie: 'sandbox_browser=forged' }],
  ])('refuses an answer %s', async (_what, headers) => {
    const { answer } = await openPage(openApp());
    const response = await answer(APPROVE, headers);
    expect(response.status).toBe(403);
    expect(response.headers.get('location')).toBeNull();
  });

  it('refuses a form posted from another site', async () => {
    const { answer, cookie } = await openPage(openApp());
    expect((await answer(APPROVE, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await answer(APPROVE, { cookie, origin: 'http://localhost' })).status).toBe(303);
  });

  it('expires after ten minutes, and refuses an unknown request', async () => {
    const clock = manualClock();
    const sandbox = openApp({ now: clock.now });
    const { answer } = await openPage(sandbox);
    clock.advance(10 * 60 * 1000);
    expect((await answer(APPROVE)).status).toBe(400);
    const forged = await sandbox.app.request('/api/oauth/authorize', { method: 'POST' });
    expect(forged.status).toBe(400);
  });
});

describe('auto-approve', () => {
  it('redirects at once, for the first athlete or the configured one', async () => {
    const sandbox = openApp({ settings: { autoApprove: true } });
    await exchange(
      sandbox,
      redirectOf(await sandbox.app.request(authorizeUrl())).query['code'] ?? '',
    );
    sandbox.control.settings({ autoApproveAthlete: 'athlete-3' });
    await exchange(
      sandbox,
      redirectOf(await sandbox.app.request(authorizeUrl())).query['code'] ?? '',
    );
    expect(
      sandbox.control.state().athletes.map(({ athlete, logins }) => [athlete, logins.length]),
    ).toEqual([
      ['athlete-1', 1],
      ['athlete-2', 0],
      ['athlete-3', 1],
    ]);
  });

  it('grants only the scopes in grantScopes', async () => {
    const sandbox = openApp({
      settings: { autoApprove: true, grantScopes: ['workout:write', 'health:write'] },
    });
    const code = redirectOf(await sandbox.app.request(authorizeUrl())).query['code'] ?? '';
    expect(await (await exchange(sandbox, code)).json()).toMatchObject({ scope: 'workout:write' });
  });
});
