import { type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Http } from '../../src/api/http.ts';
import { openHttp } from '../../src/api/open-http.ts';
import { checkAuthorizePage } from '../../src/auth/authorize-check.ts';
import { SyncError } from '../../src/base/errors.ts';
import { PLATFORM_NAMES } from '../../src/sandbox/settings.ts';
import {
  type ReceivedRequest,
  closedPort,
  listen,
  listenRaw,
  openssl,
  selfSigned,
} from '../api/support.ts';
import { testContext } from '../support/context.ts';
import { failure, sandbox } from './support.ts';

const REDIRECT_URI = 'http://127.0.0.1:8917/login';
const SCOPES = ['workout:write', 'profile:read'];

interface Checked {
  readonly clientId?: string;
  readonly scopes?: readonly string[];
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
}

async function check(base: string | URL, options: Checked = {}) {
  const { clientId = 'my-client', scopes = SCOPES, env = {}, signal } = options;
  const http = await openHttp({ ...testContext(), env, connections: 1 });
  onTestFinished(() => http.close());
  const endpoint = new URL('/api/oauth/authorize', base);
  const context = testContext(signal === undefined ? {} : { signal });
  const request = { endpoint, clientId, scopes, redirectUri: REDIRECT_URI };
  return await checkAuthorizePage(context, http, request);
}

/** Code, message and hint of a check that fails; `HOST` stands for the address of the service. */
async function failureOf(base: string | URL, options: Checked = {}) {
  const { code, message, hint } = await failure(check(base, options));
  return { code, message: message.replaceAll(new URL(base).host, 'HOST'), hint: String(hint) };
}

type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

const respond = async (answer: Answer) =>
  (await listen((request, response) => answer(response, request))).url;

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

const json = (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  answering(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

/** Redirects to the redirect URI, with the state of the request. */
const back =
  (parameters: Record<string, string>): Answer =>
  (response, { url }) => {
    const state = new URL(url, 'http://service').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ ...parameters, state }).toString();
    response.writeHead(302, { location: `${REDIRECT_URI}?${query}` }).end();
  };

describe.each(PLATFORM_NAMES)('a check at the sandbox, platform %s', (platform) => {
  it('accepts its consent page, and keeps nothing that a login could use', async () => {
    const service = await sandbox({ settings: { platform } });
    expect(await check(service.url, { clientId: service.clientId })).toBeUndefined();
    expect(service.control.state().athletes.flatMap(({ logins }) => logins)).toEqual([]);
  });

  it('has a state and a challenge of its own each time', async () => {
    const service = await sandbox({ settings: { platform } });
    for (let i = 0; i < 2; i++) await check(service.url, { clientId: service.clientId });
    const requests = service.control.requests({ route: 'authorize' });
    for (const own of ['state', 'code_challenge']) {
      expect(new Set(requests.map(({ query }) => query[own])).size).toBe(2);
    }
  });

  it('reports an unknown client', async () => {
    const service = await sandbox({ settings: { platform } });
    expect(await failureOf(service.url, { clientId: 'nope' })).toEqual({
      code: 'CONFIG',
      message: 'HOST does not know the client ID "nope" (Invalid client_id "nope").',
      hint: 'Check the client ID and the address: `sync login --client-id ID --base-url URL`.',
    });
  });

  it('reports a redirect URI that is not registered', async () => {
    const service = await sandbox({ settings: { platform, exactRedirectUris: true } });
    const http = await openHttp({ ...testContext(), env: {}, connections: 1 });
    onTestFinished(() => http.close());
    const redirectUri = 'http://127.0.0.1:8920/login';
    const endpoint = new URL('/api/oauth/authorize', service.url);
    const request = { endpoint, clientId: service.clientId, scopes: SCOPES, redirectUri };
    const error = await failure(checkAuthorizePage(testContext(), http, request));
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain(
      ` refuses this login: The redirect URI "${redirectUri}" is not`,
    );
    expect(String(error.hint)).toBe(
      'Ask the platform to register exactly this address, or use a registered one: `sync login --redirect-uri URI`.',
    );
  });
});

describe('a check that finds a login page', () => {
  it.each<[string, Answer]>([
    ['a page', answering(200, '<html>Log in</html>', { 'content-type': 'text/html' })],
    ["a redirect to the service's own login page", answering(302, '', { location: '/sign-in' })],
    ['a redirect to another host', answering(302, '', { location: 'https://id.example/login' })],
    [
      'a redirect to the same path of another host',
      answering(302, '', { location: 'https://id.example/api/oauth/authorize' }),
    ],
    ['a redirect without an address', answering(302, '')],
    ['an approval without a question', back({ code: 'abc' })],
    ['an error that depends on the athlete', back({ error: 'login_required' })],
    ['a denial', back({ error: 'access_denied' })],
  ])('accepts %s', async (_what, answer) => {
    expect(await check(await respond(answer))).toBeUndefined();
  });

  it('sends one request like a browser, and follows no redirect', async () => {
    const elsewhere = await listen((_request, response) => void response.end());
    const server = await listen((_request, response) => {
      response.writeHead(302, { location: elsewhere.url.href }).end();
    });
    await check(server.url);
    expect(elsewhere.requests).toEqual([]);
    expect(server.requests).toHaveLength(1);
    const [{ method, url, headers } = { method: '', url: '', headers: {} }] = server.requests;
    expect(method).toBe('GET');
    expect(headers.accept).toMatch(/^text\/html,/);
    expect(headers).not.toHaveProperty('authorization');
    expect(Object.fromEntries(new URL(url, server.url).searchParams)).toEqual({
      response_type: 'code',
      client_id: 'my-client',
      redirect_uri: REDIRECT_URI,
      scope: SCOPES.join(' '),
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    });
  });
});

it.each<[number, Answer]>([
  [403, answering(403, '<html><title>Just a moment...</title>', { 'cf-mitigated': 'challenge' })],
  [403, answering(403, '<p>Your client does not have permission to get URL /api from here.</p>')],
  [403, answering(403, "<p>Access denied. You'll be redirected.</p>")],
  [429, answering(429, 'Too Many Requests')],
  [405, answering(405, '', { 'x-amzn-waf-action': 'captcha' })],
  [503, answering(503, '<html>', { 'cf-mitigated': 'challenge' })],
])('a bot wall that answers %i costs a warning alone', async (status, answer) => {
  const url = await respond(answer);
  expect(String(await check(url))).toBe(
    `${url.host} answered the check of its login page with ${String(status)}; it may admit only browsers. The login continues.`,
  );
});

const CLIENT_HINT =
  'Check the client ID and the address: `sync login --client-id ID --base-url URL`.';
const ADDRESS_HINT =
  'Check the address: `sync login --base-url URL`. If the platform has it at another path, run `sync config set endpoint.authorize /PATH`.';

describe('a check that fails', () => {
  it.each<[what: string, answer: Answer, code: string, message: string, hint: string]>([
    [
      'an unknown client, as the deployed service reports it',
      json(400, { error: true, statusMessage: 'Server Error', message: 'Invalid client_id.' }),
      'CONFIG',
      'HOST does not know the client ID "my-client" (Invalid client_id).',
      CLIENT_HINT,
    ],
    [
      'an unknown client, on a page',
      answering(
        401,
        '<head><title>Client</title></head><script>client_id</script><h1>Oops</h1><p>The OAuth client was <b>not found</b>.</p>',
        { 'content-type': 'text/html' },
      ),
      'CONFIG',
      'HOST does not know the client ID "my-client" (The OAuth client was not found).',
      CLIENT_HINT,
    ],
    [
      'a client that may not log in, by an error code',
      json(403, { error: 'unauthorized_client' }),
      'CONFIG',
      'HOST does not know the client ID "my-client" (unauthorized_client).',
      CLIENT_HINT,
    ],
    [
      'a scope that it does not know, as the sandbox reports it',
      json(400, { error: true, message: 'Invalid scope: nix:write' }),
      'CONFIG',
      'HOST refuses this login: Invalid scope: nix:write',
      'Ask for others: `sync login --scope "workout:write health:write"`.',
    ],
    [
      'an unregistered redirect URI, as the deployed service reports it',
      json(400, { error: true, message: 'Invalid redirect_uri.' }),
      'CONFIG',
      `HOST does not accept the redirect URI ${REDIRECT_URI} for the client "my-client" (Invalid redirect_uri).`,
      'Ask the platform to register exactly this address, or use a registered one: `sync login --redirect-uri URI`.',
    ],
    [
      'another refusal',
      json(400, { message: 'Unsupported \u001b[31mresponse_type.' }),
      'CONFIG',
      'HOST refuses this login (400: Unsupported [31mresponse_type).',
      `Does it know the client "my-client", and is ${REDIRECT_URI} registered for it?`,
    ],
    [
      'an address without an authorize page',
      json(404, { message: 'Cannot find any route matching /api/oauth/authorize.' }),
      'CONFIG',
      'HOST has no login page at /api/oauth/authorize (404).',
      ADDRESS_HINT,
    ],
    [
      'a web server without that page',
      answering(404, '<html><h1>Not Found</h1></html>'),
      'CONFIG',
      'HOST has no login page at /api/oauth/authorize (404).',
      ADDRESS_HINT,
    ],
    [
      'a service in maintenance',
      json(503, { message: 'Maintenance until 14:00' }),
      'SERVICE_UNAVAILABLE',
      'HOST cannot show its login page now (503: Maintenance until 14:00).',
      'Run `sync login` again later.',
    ],
    [
      'a gateway without a service',
      answering(502, '<html><h1>502 Bad Gateway</h1></html>'),
      'SERVICE_UNAVAILABLE',
      'HOST cannot show its login page now (502).',
      'Run `sync login` again later.',
    ],
    [
      'a service that has moved',
      answering(301, '', { location: 'https://www.example.com/api/oauth/authorize?a=b' }),
      'CONFIG',
      'http://HOST has moved to https://www.example.com.',
      'Run `sync login --base-url https://www.example.com`.',
    ],
    [
      'scopes that it does not know',
      back({ error: 'invalid_scope', error_description: 'Unknown scope: a:b' }),
      'AUTH_REFUSED',
      'The platform refuses these scopes (Unknown scope: a:b).',
      'Ask for others: `sync login --scope "workout:write health:write"`.',
    ],
  ])('reports %s', async (_what, answer, code, message, hint) => {
    expect(await failureOf(await respond(answer))).toEqual({ code, message, hint });
  });

  it('limits the length of the reason', async () => {
    const url = await respond(json(400, { message: 'x'.repeat(5000) }));
    expect((await failureOf(url)).message.length).toBeLessThan(260);
  });

  it('searches only the beginning of each line for the reason', async () => {
    const line = (words: number) => `${'client '.repeat(words)} not found`;
    const page = (text: string) => respond(answering(400, `<p>${text}</p>`));
    expect((await failureOf(await page(line(10)))).message).toContain('not know the client ID');
    const { message } = await failureOf(await page(line(1_000)));
    expect(message).toBe('HOST refuses this login (400).');
  });

  it('reports a closed port', async () => {
    expect(await failureOf(`http://127.0.0.1:${String(await closedPort())}`)).toEqual({
      code: 'NETWORK',
      message: 'HOST: nothing answers there (connection refused).',
      hint: 'Check the connection and the address: `sync login --base-url URL`. If the sandbox is meant, start it with `sync sandbox`.',
    });
  });

  it('reports a proxy that does not answer, with its variable', async () => {
    const port = String(await closedPort());
    const env = { HTTPS_PROXY: `http://ann:s3cret@127.0.0.1:${port}` };
    const error = await failureOf('https://training.invalid', { env });
    expect(error.message).toBe(
      `The proxy http://127.0.0.1:${port} (HTTPS_PROXY) is not reachable: nothing answers there (connection refused).`,
    );
    expect(error.hint).toMatch(/^Check HTTPS_PROXY, or unset it\./);
    expect(JSON.stringify(error)).not.toContain('s3cret');
  });

  it.runIf(openssl.present)(`reports a self-signed certificate${openssl.note}`, async () => {
    const tls = selfSigned('localhost', 'IP:127.0.0.1');
    const server = await listen((_request, response) => void response.end(), { tls });
    expect((await failureOf(server.url)).message).toContain('certificate is not trusted here');
    expect(server.requests).toEqual([]);
  });

  it('waits at most 10 s for a service that accepts connections and never answers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await listenRaw(() => undefined);
    const failed = failureOf(server.url);
    while (server.connections() === 0) await new Promise((go) => setImmediate(go));
    vi.advanceTimersByTime(10_000);
    expect(await failed).toMatchObject({ code: 'NETWORK', message: 'HOST: no answer in time.' });
  });

  it('stops at once when it is interrupted', async () => {
    const server = await listenRaw(() => undefined);
    const interrupt = new AbortController();
    const failed = failure(check(server.url, { signal: interrupt.signal }));
    await expect.poll(() => server.connections()).toBe(1);
    interrupt.abort(new SyncError('INTERRUPTED', 'Interrupted.'));
    expect((await failed).code).toBe('INTERRUPTED');
  });
});

it.each([302, 307])(
  'names the other address of a known platform after a %i there',
  async (status) => {
    const location = 'https://coachwatts.com/api/oauth/authorize?a=b';
    const http: Http = {
      send: () => Promise.resolve({ status, headers: { location }, text: '' }),
      close: () => Promise.resolve(),
    };
    const endpoint = new URL('https://app.coachwatts.com/api/oauth/authorize');
    const request = {
      endpoint,
      clientId: 'c',
      scopes: ['workout:write'],
      redirectUri: REDIRECT_URI,
    };
    const error = await failure(checkAuthorizePage(testContext(), http, request));
    expect([error.code, String(error.hint)]).toEqual([
      'CONFIG',
      'Run `sync login --base-url https://coachwatts.com`.',
    ]);
  },
);
