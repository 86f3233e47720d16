import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  KINDS,
  completeLogin,
  freePort,
  here,
  openLoggedInWorld,
  openWorld,
  play,
  requestLines,
  startLogin,
  tokenFile,
  visit,
} from '../support/acceptance.ts';
import { type Asked, ask } from '../support/callback-request.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ndjson } from '../support/program.ts';

/** The request before the browser opens: is there a login page? */
const CHECK = ['authorize 302'];
/** The requests of a login; the profile states the athlete's time zone. */
const LOGIN = {
  'coach-watts': [...CHECK, 'authorize 302', 'token 200', 'userinfo 200', 'profile 200'],
  interface: [...CHECK, 'authorize 302', 'token 200', 'userinfo 404', 'profile 404'],
};

const ALL_SCOPES =
  'workout:write health:write nutrition:write profile:write profile:read workout:read'.split(' ');
const ADA = { id: 'athlete-1', name: 'Ada Lindqvist', email: 'ada@sandbox.example' };

describe.each(KINDS)('a login by the loopback redirect on %s', (platform) => {
  play(platform);

  it('logs in from the printed address, with every step of the interface', async () => {
    const world = await openWorld();
    const { running, authorizeUrl, redirectUri, state } = await startLogin(here(world), ['--json']);
    expect(existsSync(tokenFile(world))).toBe(false);

    const page = await visit(authorizeUrl);
    expect(page.status).toBe(200);
    const isNamed = platform === 'coach-watts';
    expect(page.html).toContain(
      isNamed ? 'You are logged in as Ada Lindqvist' : 'You are logged in',
    );
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    const named = isNamed ? { account: ADA } : {};
    expect(ndjson(stdout)).toMatchObject([{ type: 'login', ...named, missing: [] }]);

    const { pathname, searchParams } = new URL(authorizeUrl);
    expect(pathname).toBe('/api/oauth/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'sandbox-client',
      redirect_uri: redirectUri,
      scope: ALL_SCOPES.join(' '),
      state,
      code_challenge: /^[\w-]{43}$/,
      code_challenge_method: 'S256',
    });
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login$/);
    // 32 random bytes.
    expect(Buffer.from(state, 'base64url')).toHaveLength(32);
    expect(requestLines(world.sandbox)).toEqual(LOGIN[platform]);
    expect(world.sandbox.control.requests({ route: 'token' })[0]?.body).toEqual({
      grant_type: 'authorization_code',
      client_id: 'sandbox-client',
      redirect_uri: redirectUri,
      code: expect.any(String) as string,
      code_verifier: expect.any(String) as string,
    });
  });

  it('stores a login that the next process uses without flags', async () => {
    const world = await openWorld({
      env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined, SYNC_TOKEN_STORE: undefined },
    });
    const { sandbox } = world;
    const target = ['--base-url', `${sandbox.url}/`, '--client-id', sandbox.clientId];
    expect((await completeLogin(world, [...target, '--store', 'file'])).code).toBe(0);

    const { code, stdout } = await world.sync(['token']);
    expect(code).toBe(0);
    await fetch(`${sandbox.url}/api/workouts`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    expect(sandbox.control.requests().at(-1)).toMatchObject({ status: 200, athlete: 'athlete-1' });
  });
});

it.each(KINDS)(
  'a callback that is not the answer is refused without a token request, and the login completes afterwards (%s)',
  async (platform) => {
    const world = await openWorld({ platform });
    const { running, authorizeUrl, redirectUri, state } = await startLogin(here(world));
    const stolen = `?code=stolen&state=${state}`;
    const refusals: readonly (readonly [query: string, status: number, how?: Asked])[] = [
      [stolen.slice(0, -1), 400],
      ['?error=access_denied', 400],
      [stolen, 404, { path: `/${stolen}` }],
      [stolen, 405, { method: 'HEAD' }],
      [stolen, 403, { headers: { host: 'evil.example' } }],
    ];
    for (const [query, status, how] of refusals) {
      const answer = await ask(`${redirectUri}${query}`, how);
      expect(answer.status).toBe(status);
      for (const secret of [state, 'stolen']) expect(answer.body).not.toContain(secret);
    }
    await running.waitFor(/That answer belongs to another login, perhaps an earlier one\./);
    await running.waitFor(/That answer has no state: part of the address is missing\./);
    expect(requestLines(world.sandbox)).toEqual(CHECK);

    expect((await visit(authorizeUrl)).status).toBe(200);
    expect((await running.finished).code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual(LOGIN[platform]);
  },
);

describe.each(KINDS)('scopes on %s', (platform) => {
  play(platform);
  const FEW = ['health:write', 'profile:read'] as const;

  it('reports an offered scope that was asked for and not granted, in login and status', async () => {
    const world = await openWorld({ sandbox: { settings: { grantScopes: [...FEW] } } });
    const { stdout } = await completeLogin(here(world), [
      '--scope',
      `${FEW.join(' ')} nutrition:read`,
    ]);
    const status = await world.sync(['status']);
    const line = '  keeping edits of a day (`sync push nutrition` needs nutrition:read)';
    for (const text of [stdout, status.stdout]) expect(text).toContain(line);
  });

  it('reports scopes that were not granted in login and status, and upload exits 4', async () => {
    const world = await openWorld({ sandbox: { settings: { grantScopes: [...FEW] } } });
    const { code, stdout, page } = await completeLogin(here(world));
    expect(code).toBe(0);
    expect(page.html).toContain('You did not grant all scopes');
    expect(page.html).toContain('uploading recordings');
    const lacks = [
      '  uploading recordings (`sync upload` needs workout:write)',
      '  nutrition records (`sync push nutrition` needs nutrition:write)',
      '  updating weight and FTP (`sync profile --weight` needs profile:write)',
      '  listing workouts (`sync workouts` needs workout:read)',
    ];
    expect(stdout).toContain(['Not granted, so these will not work:', ...lacks].join('\n'));
    expect(stdout).not.toContain('wellness records (');

    const status = await world.sync(['status']);
    expect(status.code).toBe(0);
    for (const line of lacks) expect(status.stdout).toContain(line);
    expect(status.stdout).not.toContain('wellness records (');

    const upload = await world.sync(['upload', '--json', world.write('ride.fit', makeRecording())]);
    expect(upload.code).toBe(4);
    expect(ndjson(upload.stdout)[0]).toMatchObject({
      outcome: 'failed',
      code: 'SCOPE_MISSING',
      message: 'This login may not do that: it lacks workout:write.',
      hint:
        'Run `sync login --scope "workout:write health:write nutrition:write profile:write ' +
        'profile:read workout:read"` and approve it.',
    });
    expect(world.sandbox.control.state().athletes[0]?.recordings).toEqual([]);
  });

  it('saves and reports --scope, and the hint for a missing scope obtains it', async () => {
    const world = await openWorld();
    const { stdout } = await completeLogin(here(world), ['--scope', 'profile:read']);
    expect(stdout).toContain('Settings saved for profile "default": ');
    expect(stdout).toContain('scope "profile:read"');
    expect(stdout).toContain('`sync config unset scope`');

    const day = world.write('day.json', '{"date":"2026-02-15","hrv":61}');
    const push = ['push', 'wellness', '--json', day];
    const refused = await world.sync(push);
    expect(refused.code).toBe(4);
    const hint = String(ndjson(refused.stdout)[0]?.['hint']);
    expect(hint).toBe('Run `sync login --scope "profile:read health:write"` and approve it.');
    const [, scope = ''] = /--scope "([^"]+)"/.exec(hint) ?? [];
    expect((await completeLogin(here(world), ['--scope', scope])).code).toBe(0);
    expect((await world.sync(push)).code).toBe(0);
    if (platform === 'coach-watts') expect((await world.sync(['profile'])).code).toBe(0);
  });

  it('asks for another token if one from the environment lacks a scope', async () => {
    const world = await openWorld();
    const { access_token } = world.sandbox.control.mint({ scopes: ['profile:read'] });
    const env = { SYNC_ACCESS_TOKEN: access_token };
    const { code, stderr } = await world.sync(['workouts'], { env });
    expect([code, stderr]).toEqual([4, /Set a token that has it, or unset SYNC_ACCESS_TOKEN/]);
  });
});

describe('the port of the redirect URI', () => {
  it('listens on port 8917 by default', async () => {
    // Taken here, or taken already: either way the program cannot listen there.
    const server = createServer();
    server.on('error', () => undefined);
    server.listen(8917, '127.0.0.1');
    await Promise.race([once(server, 'listening'), once(server, 'error').catch(() => undefined)]);
    onTestFinished(() => void server.close());
    const world = await openWorld();
    expect(await world.sync(['login', '--no-browser'])).toMatchObject({ code: 2, stderr: /8917/ });
  });

  it('listens at another registered redirect URI', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}`;
    const world = await openWorld({
      sandbox: { settings: { exactRedirectUris: true }, redirectUris: [redirectUri] },
    });
    const login = await completeLogin(here(world), ['--redirect-uri', redirectUri]);
    expect(login).toMatchObject({ redirectUri, code: 0, page: { status: 200 } });
    // The exchange names the same text, or the sandbox would have refused it.
    const [exchange] = world.sandbox.control.requests({ route: 'token' });
    expect(exchange?.body).toMatchObject({ redirect_uri: redirectUri });
    expect((await world.sync(['config', 'get', 'redirectUri'])).stdout).toBe(`${redirectUri}\n`);
  });
});

it('a login over an earlier one names the athlete of the replaced login', async () => {
  const world = await openLoggedInWorld();
  world.sandbox.control.settings({ autoApproveAthlete: 'athlete-2' });
  const { code, stdout } = await completeLogin(here(world));
  expect(code).toBe(0);
  expect(stdout).toContain('Logged in as Ben Okafor <ben@sandbox.example>');
  expect(stdout).toContain('It replaces the login of Ada Lindqvist');
});
