import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AUTHORIZE_URL,
  REVISIONS,
  answerOf,
  freePort,
  openLoggedInWorld,
  openWorld,
  requestLines,
  startLogin,
  tokenFile,
  visit,
} from '../support/acceptance.ts';
import { type CallbackRequest, sendToListener } from '../support/callback-request.ts';
import { makeRecording } from '../support/fit-maker.ts';
import { ISO_TIME, ndjson } from '../support/program.ts';
import { until } from '../support/until.ts';

/** The request before the browser opens: is there a login page? */
const CHECK = ['authorize 302'];
/** The requests of a login; the profile states the athlete's time zone. */
const LOGIN = [...CHECK, 'authorize 302', 'token 200', 'userinfo 200', 'profile 200'];

const ALL_SCOPES = [
  'workout:write',
  'health:write',
  'nutrition:write',
  'profile:write',
  'profile:read',
  'workout:read',
];
const ADA = { id: 'athlete-1', name: 'Ada Lindqvist', email: 'ada@sandbox.example' };

/** The report of a login, without what depends on the moment. */
function loginReport(stdout: string): Record<string, unknown> {
  const [report = {}, ...more] = ndjson(stdout);
  expect(more).toEqual([]);
  const { accessExpiresAt, ...rest } = report;
  expect(accessExpiresAt).toMatch(ISO_TIME);
  return rest;
}

describe('a login by the loopback redirect', () => {
  it.each(REVISIONS)(
    'logs in from the printed address, with every step of the interface (%s)',
    async (revision) => {
      const world = await openWorld({ revision });
      const { running, authorizeUrl, redirectUri, state } = await startLogin(world, ['--json']);
      expect(existsSync(tokenFile(world))).toBe(false);

      const page = await visit(authorizeUrl);
      expect(page.status).toBe(200);
      expect(page.html).toContain('You are logged in as Ada Lindqvist');
      const { code, stdout } = await running.finished;
      expect(code).toBe(0);
      expect(loginReport(stdout)).toEqual({
        type: 'login',
        profile: 'default',
        service: world.sandbox.url,
        clientId: 'sandbox-client',
        account: ADA,
        askedScopes: ALL_SCOPES,
        grantedScopes: ALL_SCOPES,
        missing: [],
        saved: {
          baseUrl: world.sandbox.url,
          clientId: 'sandbox-client',
          tokenStore: 'file',
          redirectPort: '0',
        },
        store: { kind: 'file', where: `the file ${tokenFile(world)}` },
        renewable: true,
      });

      const { pathname, searchParams } = new URL(authorizeUrl);
      expect(pathname).toBe('/api/oauth/authorize');
      expect(Object.fromEntries(searchParams)).toEqual({
        response_type: 'code',
        client_id: 'sandbox-client',
        redirect_uri: redirectUri,
        scope: ALL_SCOPES.join(' '),
        state,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
        code_challenge_method: 'S256',
      });
      expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      // 32 random bytes.
      expect(Buffer.from(state, 'base64url')).toHaveLength(32);
      // This revision shows the profile to no application.
      const hidden = revision === '2026-02' ? ['profile 401', 'userinfo 200'] : ['profile 200'];
      expect(requestLines(world.sandbox)).toEqual([...LOGIN.slice(0, -1), ...hidden]);
      expect(world.sandbox.control.requests({ route: 'token' })[0]?.body).toEqual({
        grant_type: 'authorization_code',
        client_id: 'sandbox-client',
        redirect_uri: redirectUri,
        code: expect.any(String) as string,
        code_verifier: expect.any(String) as string,
      });
    },
  );

  it('stores a login that the next process uses without flags', async () => {
    const world = await openWorld({
      env: { SYNC_BASE_URL: undefined, SYNC_CLIENT_ID: undefined, SYNC_TOKEN_STORE: undefined },
    });
    const { sandbox } = world;
    const target = ['--base-url', `${sandbox.url}/`, '--client-id', sandbox.clientId];
    const login = await startLogin(world, [...target, '--store', 'file']);
    await visit(login.authorizeUrl);
    expect((await login.running.finished).code).toBe(0);

    const { code, stdout } = await world.sync(['token']);
    expect(code).toBe(0);
    const answer = await fetch(`${sandbox.url}/api/oauth/userinfo`, {
      headers: { authorization: `Bearer ${stdout.trim()}` },
    });
    expect(await answer.json()).toMatchObject({ sub: 'athlete-1' });
  });

  it('opens the desktop browser with a start address and nothing else', async () => {
    const world = await openWorld({ env: { DISPLAY: ':7' } });
    const seen = join(world.home.dir, 'seen');
    // What a desktop does with an address, in the background as desktops do.
    const opener = world.write(
      'bin/xdg-open',
      `#!${process.execPath}
require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.argv.slice(2)));
fetch(process.argv[2]);
`,
    );
    chmodSync(opener, 0o755);
    const running = world.start(['login', '--port', '0'], {
      env: { PATH: `${join(world.home.dir, 'bin')}:${process.env['PATH'] ?? ''}` },
    });
    const { code, stdout, stderr } = await running.finished;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('Logged in as Ada Lindqvist') as string,
    });
    const urls = JSON.parse(readFileSync(seen, 'utf8')) as string[];
    expect(urls).toHaveLength(1);
    expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\/[\w-]{22}$/);
    // For the case that nothing opens, the person is shown where it leads.
    expect(stderr).toMatch(AUTHORIZE_URL);
    expect(stderr).not.toContain('/start/');
  });

  it('shows the address and the SSH command without a desktop', async () => {
    const world = await openWorld({
      env: { SSH_CONNECTION: '203.0.113.7 50000 198.51.100.4 2222', USER: 'ada' },
    });
    const running = world.start(['login', '--port', '0']);
    const [, port] = await running.waitFor(/127\.0\.0\.1%3A(\d+)%2Fcallback/);
    await running.waitFor(/Ctrl-C cancels/);
    expect(running.stderr()).toContain('You are here over SSH.');
    expect(running.stderr()).toContain(
      `ssh -N -L ${String(port)}:127.0.0.1:${String(port)} -p 2222 ada@198.51.100.4`,
    );
  });

  it('prints the SSH command with --no-browser, with the host name', async () => {
    const world = await openWorld({ env: { DISPLAY: ':7', USER: 'ada' } });
    const login = await startLogin(world);
    const { port } = new URL(login.redirectUri);
    expect(login.running.stderr()).toContain(
      `ssh -N -L ${port}:127.0.0.1:${port} ada@${hostname()}`,
    );
  });

  it('exits 4 and stores nothing if the athlete denies the login', async () => {
    const world = await openWorld();
    const { running, redirectUri, state } = await startLogin(world, ['--json']);
    const page = await sendToListener(redirectUri, { query: { error: 'access_denied', state } });
    expect(page.status).toBe(200);
    expect(page.html).toContain('You denied the login');
    const { code, stdout } = await running.finished;
    expect({ code, lines: ndjson(stdout) }).toEqual({
      code: 4,
      lines: [
        {
          type: 'error',
          code: 'AUTH_REFUSED',
          message: 'The login was not approved.',
          hint: 'Run `sync login` again to approve it.',
          error: 'access_denied',
        },
      ],
    });
    expect(requestLines(world.sandbox)).toEqual(CHECK);
    expect(existsSync(tokenFile(world))).toBe(false);
  });

  it('shows in browser and terminal that the service refused the code', async () => {
    const world = await openWorld();
    const { running, authorizeUrl } = await startLogin(world);
    world.sandbox.control.addFaults('exchange:400(error=invalid_grant)');
    const page = await visit(authorizeUrl);
    expect(page.status).toBe(400);
    expect(page.html).toContain('The login failed');
    expect(page.html).toContain('<code>sync login</code>');
    const { code, stderr } = await running.finished;
    expect(code).toBe(4);
    expect(stderr).toContain('did not accept the authorization code of the login');
    expect(existsSync(tokenFile(world))).toBe(false);
  });

  it('frees the port on Ctrl-C', async () => {
    const world = await openWorld();
    const { running, redirectUri } = await startLogin(world);
    running.child.kill('SIGINT');
    expect((await running.finished).code).toBe(130);
    await expect(fetch(redirectUri)).rejects.toThrow();
    expect(requestLines(world.sandbox)).toEqual(CHECK);
  });
});

interface Refusal {
  readonly what: string;
  /** `state` is that of the login. */
  readonly request: (state: string, port: string) => CallbackRequest;
  readonly status: number;
  /** The message in the terminal, if any. */
  readonly told?: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    what: 'a wrong state',
    request: () => ({ query: { code: 'stolen', state: 'A'.repeat(43) } }),
    status: 400,
    told: 'That answer belongs to another login, perhaps an earlier one.',
  },
  {
    what: 'a state that is right but for its end',
    request: (state) => ({ query: { code: 'stolen', state: state.slice(0, -1) } }),
    status: 400,
    told: 'That answer belongs to another login, perhaps an earlier one.',
  },
  {
    what: 'no state',
    request: () => ({ query: { code: 'stolen' } }),
    status: 400,
    told: 'That answer has no state: part of the address is missing.',
  },
  {
    what: 'another path',
    request: (state) => ({ path: '/callback/', query: { code: 'stolen', state } }),
    status: 404,
  },
  {
    what: 'the root',
    request: (state) => ({ path: '/', query: { code: 's', state } }),
    status: 404,
  },
  {
    what: 'POST',
    request: (state) => ({ method: 'POST', query: { code: 'stolen', state } }),
    status: 405,
  },
  {
    what: 'HEAD, as link previews ask',
    request: (state) => ({ method: 'HEAD', query: { code: 'stolen', state } }),
    status: 405,
  },
  {
    what: 'a foreign host header (DNS rebinding)',
    request: (state, port) => ({ host: `evil.example:${port}`, query: { code: 'stolen', state } }),
    status: 403,
  },
  {
    what: 'a host header with another port',
    request: (state) => ({ host: '127.0.0.1:1', query: { code: 'stolen', state } }),
    status: 403,
  },
  {
    what: 'an error with a wrong state',
    request: () => ({ query: { error: 'access_denied', state: 'A'.repeat(43) } }),
    status: 400,
    told: 'That answer belongs to another login, perhaps an earlier one.',
  },
  {
    what: 'an error without a state',
    request: () => ({ query: { error: 'access_denied' } }),
    status: 400,
    told: 'That answer has no state: part of the address is missing.',
  },
  {
    what: 'neither code nor error',
    request: (state) => ({ query: { state } }),
    status: 400,
    told: 'That answer has neither a code nor an error.',
  },
];

describe('a callback that is not the answer', () => {
  it.each(REFUSALS.map((refusal) => [refusal.what, refusal] as const))(
    'is refused without a token request, and the login completes afterwards (%s)',
    async (_what, { request, status, told }) => {
      const world = await openWorld();
      const { running, authorizeUrl, redirectUri, state } = await startLogin(world);
      const answer = await sendToListener(redirectUri, request(state, new URL(redirectUri).port));
      expect(answer.status).toBe(status);
      for (const secret of [state, 'stolen']) expect(answer.html).not.toContain(secret);
      if (told !== undefined) await running.waitFor(new RegExp(told));
      expect(requestLines(world.sandbox)).toEqual(CHECK);

      expect((await visit(authorizeUrl)).status).toBe(200);
      expect((await running.finished).code).toBe(0);
      expect(requestLines(world.sandbox)).toEqual(LOGIN);
    },
  );

  it('is refused without a token request while the first one is exchanged', async () => {
    const world = await openWorld();
    const { running, authorizeUrl, redirectUri, state } = await startLogin(world);
    world.sandbox.control.addFaults('exchange:delay=1s');
    const first = visit(authorizeUrl);
    await until(() => requestLines(world.sandbox).includes('token null'));
    const second = await sendToListener(redirectUri, { query: { code: 'stolen', state } });
    expect(second.status).toBe(409);
    expect((await first).status).toBe(200);
    expect((await running.finished).code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual(LOGIN);
  });

  it('gets the same page without a token request if the browser repeats it', async () => {
    const world = await openWorld();
    const { running, authorizeUrl } = await startLogin(world);
    world.sandbox.control.addFaults('exchange:delay=1s');
    const callback = await answerOf(authorizeUrl);
    const pages = await Promise.all(
      [callback, callback].map(async (url) => await (await fetch(url)).text()),
    );
    expect(pages[0]).toContain('You are logged in');
    expect(pages[1]).toBe(pages[0]);
    expect((await running.finished).code).toBe(0);
    expect(requestLines(world.sandbox)).toEqual(LOGIN);
  });

  it('finds no listener after the login', async () => {
    const world = await openWorld();
    const { running, authorizeUrl, redirectUri } = await startLogin(world);
    await visit(authorizeUrl);
    await running.finished;
    await expect(fetch(`${redirectUri}?code=a&state=b`)).rejects.toThrow();
  });
});

describe('a first login without a terminal', () => {
  it.each([
    [
      'the address',
      {
        env: { SYNC_BASE_URL: undefined },
        hint: 'Run `sync login --base-url URL`, or set SYNC_BASE_URL.',
        setting: 'baseUrl',
        message: 'No base URL configured for profile "default".',
      },
    ],
    [
      'the client',
      {
        env: { SYNC_CLIENT_ID: undefined },
        hint: 'Run `sync login --client-id ID`, or set SYNC_CLIENT_ID.',
        setting: 'clientId',
        message: 'No client ID configured for profile "default".',
      },
    ],
  ] as const)(
    'exits 2 without %s, naming flag and variable',
    async (_name, { env, hint, setting, message }) => {
      const world = await openWorld({ env });
      const { code, stdout, stderr } = await world.sync(['login', '--json']);
      expect({ code, lines: ndjson(stdout) }).toEqual({
        code: 2,
        lines: [{ type: 'error', code: 'CONFIG', message, hint, setting }],
      });
      expect(stderr).toContain(hint);
      expect(requestLines(world.sandbox)).toEqual([]);
    },
  );

  it('reads the client secret from stdin, and refreshes with it', async () => {
    const world = await openWorld({ env: { SYNC_CLIENT_ID: 'sandbox-confidential' } });
    const { control } = world.sandbox;
    const login = await startLogin(world, ['--client-secret-stdin'], { input: 'sandbox-secret\n' });
    await visit(login.authorizeUrl);
    expect((await login.running.finished).code).toBe(0);
    control.expire();
    // The service ended it before its time, which is met by an answer of 401.
    const upload = await world.sync(['profile', '--json']);
    expect(upload.code).toBe(0);
    expect(requestLines(world.sandbox).slice(-4)).toEqual([
      'profile 401',
      'userinfo 401',
      'token 200',
      'profile 200',
    ]);
  });

  it('exits 4 with a wrong client secret, naming what to check', async () => {
    const world = await openWorld({ env: { SYNC_CLIENT_ID: 'sandbox-confidential' } });
    const login = await startLogin(world, ['--client-secret-stdin'], { input: 'wrong\n' });
    await visit(login.authorizeUrl);
    const { code, stderr } = await login.running.finished;
    expect(code).toBe(4);
    expect(stderr).toContain('The service refuses this client');
    expect(stderr).toContain('--client-secret-stdin');
    expect(existsSync(tokenFile(world))).toBe(false);
  });
});

describe('scopes', () => {
  const FEW = ['health:write', 'profile:read'] as const;
  it('reports scopes that were not granted in login and status, and upload exits 4', async () => {
    const world = await openWorld({ sandbox: { settings: { grantScopes: [...FEW] } } });
    const login = await startLogin(world);
    const page = await visit(login.authorizeUrl);
    expect(page.html).toContain('You did not grant all scopes');
    expect(page.html).toContain('uploading recordings');
    const { code, stdout } = await login.running.finished;
    expect(code).toBe(0);
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

    const ride = world.write('ride.fit', makeRecording());
    const upload = await world.sync(['upload', '--json', ride]);
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
    const login = await startLogin(world, ['--scope', 'profile:read']);
    await visit(login.authorizeUrl);
    const { stdout } = await login.running.finished;
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
    const again = await startLogin(world, ['--scope', scope]);
    await visit(again.authorizeUrl);
    expect((await again.running.finished).code).toBe(0);
    expect((await world.sync(push)).code).toBe(0);
    expect((await world.sync(['profile'])).code).toBe(0);
  });

  it('asks for another token if one from the environment lacks a scope', async () => {
    const world = await openWorld();
    const { access_token } = world.sandbox.control.mint({ scopes: ['profile:read'] });
    const env = { SYNC_ACCESS_TOKEN: access_token };
    const { code, stderr } = await world.sync(['workouts'], { env });
    expect(code).toBe(4);
    expect(stderr).toContain('Set a token that has it, or unset SYNC_ACCESS_TOKEN');
  });

  it('asks for the scopes of --scope, and no others', async () => {
    const world = await openWorld();
    const login = await startLogin(world, ['--scope', 'workout:write offline_access']);
    expect(new URL(login.authorizeUrl).searchParams.get('scope')).toBe(
      'workout:write offline_access',
    );
  });
});

describe('the port of the redirect URI', () => {
  it('names the owner of a port in use, and offers another port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const world = await openWorld();
    const { code, stdout } = await world.sync([
      ...['login', '--no-browser', '--json', '--port', String(port)],
    ]);
    const [error = {}] = ndjson(stdout);
    expect({ code, error: error['code'] }).toEqual({ code: 2, error: 'PORT_IN_USE' });
    expect(error['message']).toContain(`${port}`);
    if (process.platform === 'linux') expect(error['message']).toContain(`${process.pid}`);
    expect(error['hint']).toContain('--port');
    expect(requestLines(world.sandbox)).toEqual([]);
  });

  it('listens on port 8917 by default', async () => {
    // Taken here, or taken already: either way the program cannot listen there.
    const server = createServer();
    server.on('error', () => undefined);
    server.listen(8917, '127.0.0.1');
    await Promise.race([once(server, 'listening'), once(server, 'error').catch(() => undefined)]);
    onTestFinished(() => void server.close());
    const world = await openWorld();
    const { code, stderr } = await world.sync(['login', '--no-browser']);
    expect(code).toBe(2);
    expect(stderr).toContain('8917');
  });

  it('takes any free port with --port 0, and sends it to the service', async () => {
    const world = await openWorld();
    const logins = await Promise.all([startLogin(world), startLogin(world, ['--profile', 'b'])]);
    const ports = new Set(logins.map(({ redirectUri }) => new URL(redirectUri).port));
    expect(ports.size).toBe(2);
    for (const login of logins) await visit(login.authorizeUrl);
    for (const login of logins) expect((await login.running.finished).code).toBe(0);
  });

  it('reports at once that the service does not know the port of --port 0', async () => {
    const world = await openWorld({ sandbox: { settings: { exactRedirectUris: true } } });
    const { code, stdout } = await world.sync(['login', '--no-browser', '--port', '0', '--json']);
    const [error, ...more] = ndjson(stdout);
    expect({ code, more }).toEqual({ code: 2, more: [] });
    expect(error).toEqual({
      type: 'error',
      code: 'CONFIG',
      message: expect.stringMatching(
        /^127\.0\.0\.1:\d+ refuses this login: The redirect URI "http:\/\/127\.0\.0\.1:\d+\/callback" is not registered /,
      ) as string,
      hint: 'Ask the platform to register exactly this address, or use a registered one: `sync login --redirect-uri URI`.',
      status: 400,
    });
    expect(requestLines(world.sandbox)).toEqual(['authorize 400']);
  });

  it('times out with the possible reasons', async () => {
    const world = await openWorld();
    const { running, redirectUri } = await startLogin(world, ['--timeout', '1s', '--json']);
    const { code, stdout } = await running.finished;
    expect({ code, lines: ndjson(stdout) }).toEqual({
      code: 4,
      lines: [
        {
          type: 'error',
          code: 'AUTH_TIMEOUT',
          message: 'The login was not completed in the browser within 1 s.',
          hint:
            'If the browser showed an error page: the service must know the client ' +
            `"sandbox-client", and exactly ${redirectUri} must be registered for it. ` +
            'It must also know each of the scopes workout:write health:write nutrition:write ' +
            'profile:write profile:read workout:read; `sync login --scope ...` asks for others. ' +
            'Then run `sync login` again.',
        },
      ],
    });
    expect(requestLines(world.sandbox)).toEqual(CHECK);
  });

  it.each(['/done/here', '', '/'])(
    'listens at another registered redirect URI, with path %j',
    async (path) => {
      const redirectUri = `http://127.0.0.1:${await freePort()}${path}`;
      const world = await openWorld({
        sandbox: { settings: { exactRedirectUris: true }, redirectUris: [redirectUri] },
      });
      const login = await startLogin(world, ['--redirect-uri', redirectUri]);
      expect(login.redirectUri).toBe(redirectUri);
      expect((await visit(login.authorizeUrl)).status).toBe(200);
      expect((await login.running.finished).code).toBe(0);
      // The exchange names the same text, or the sandbox would have refused it.
      const [exchange] = world.sandbox.control.requests({ route: 'token' });
      expect(exchange?.body).toMatchObject({ redirect_uri: redirectUri });
      expect((await world.sync(['config', 'get', 'redirectUri'])).stdout).toBe(`${redirectUri}\n`);
    },
  );
});

describe('a login over an earlier one', () => {
  it('names the athlete of the replaced login', async () => {
    const world = await openLoggedInWorld();
    world.sandbox.control.set({ autoApproveAthlete: 'athlete-2' });
    const login = await startLogin(world);
    await visit(login.authorizeUrl);
    const { code, stdout } = await login.running.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('Logged in as Ben Okafor <ben@sandbox.example>');
    expect(stdout).toContain('It replaces the login of Ada Lindqvist');
  });

  it('keeps the earlier login if the new one fails', async () => {
    const world = await openLoggedInWorld();
    const before = await world.sync(['token']);
    const login = await startLogin(world);
    await sendToListener(login.redirectUri, {
      query: { error: 'access_denied', state: login.state },
    });
    expect((await login.running.finished).code).toBe(4);
    expect(await world.sync(['token'])).toEqual(before);
  });
});
