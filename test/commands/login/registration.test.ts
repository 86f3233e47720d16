import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { token } from '../../../src/commands/token.ts';
import { logout } from '../../../src/commands/logout.ts';
import { readConfigFile } from '../../../src/config/config.ts';
import {
  forgetClients,
  keepClient,
  registeredClient,
  registrationOf,
} from '../../../src/credentials/clients.ts';
import type { SandboxServer } from '../../../src/sandbox/server.ts';
import { failure, never, sandbox, testIo, testSystem } from '../../auth/support.ts';
import { freePort, requestCounts } from '../../support/acceptance.ts';
import { startCommand } from '../../support/command.ts';
import { openServer } from '../../support/local-server.ts';
import { until } from '../../support/until.ts';
import { login, machine } from './support.ts';

const QUESTION =
  /can register an application named "sync" for this computer\. Register\? \[Y\/n\] $/;
const text = (part: string) => expect.stringContaining(part) as string;

type Machine = ReturnType<typeof machine>;

/** A platform that registers clients, and a machine with no client ID. */
async function begin(settings: object = {}, env: Record<string, string> = {}) {
  const service = await sandbox({ settings: { autoApprove: true, ...settings } });
  return { service, here: machine(undefined, env) };
}

/** Starts a login on a free port, which is then the registered one. */
async function start(here: Machine, url: string, more: { args?: string[]; io?: object } = {}) {
  const { args = [], io = {} } = more;
  const uri = `http://127.0.0.1:${await freePort()}/login`;
  const redirect = args.some((arg) => arg === '--redirect-uri' || arg === '--port')
    ? []
    : ['--redirect-uri', uri];
  return login(here, { args: [url, ...redirect, ...args], system: { io: testIo(io) } });
}

const PUBLIC = {
  clientId: 'shared',
  clientName: 'sync',
  registeredAt: '2026-11-21T08:00:00.000Z',
  isPublic: true,
};

/** A person who presses Enter at the question. */
const enter = () => testIo({ interactive: true, answers: { '127.0.0.1': [''] } });

/** Runs a login at a terminal until it asks for a client ID. @returns what it said before */
async function untilAsked(here: Machine, url: string, args: string[] = [], answer = '') {
  const io = testIo({ interactive: true, answers: { '127.0.0.1': [answer] } });
  const stop = new AbortController();
  const uri = `http://127.0.0.1:${await freePort()}/login`;
  const run = login(here, {
    args: [url, '--redirect-uri', uri, ...args],
    system: { io, signal: stop.signal },
  });
  const ended = failure(run.done);
  await until(() => io.asked.some(({ question }) => question.startsWith('Client ID')));
  stop.abort(new Error('stop'));
  await ended.catch(() => undefined);
  return { lines: run.stderr, asked: io.asked.map(({ question }) => question) };
}

const registrations = ({ control }: SandboxServer) => control.requests({ route: 'register' });

describe('a login without a client ID', () => {
  it('registers a public client after one Enter, and says how the page will call it', async () => {
    const { service, here } = await begin();
    const io = enter();
    const uri = `HTTP://127.0.0.1:${await freePort()}/login`;
    const run = login(here, { args: [service.url, '--redirect-uri', uri], system: { io } });
    const { clientId } = await run.done;
    expect(io.asked.map(({ question }) => question)).toEqual([QUESTION]);
    expect(run.stderr.join('\n')).toContain('"Dynamically registered MCP client"');
    const [{ body } = {}] = registrations(service);
    expect(body).toEqual({
      client_name: 'sync',
      client_uri: text('https://'),
      redirect_uris: [uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    // The platform compares its own spelling.
    const [{ query } = {}] = service.control.requests({ route: 'authorize' });
    expect(new URLSearchParams(query).get('redirect_uri')).toBe(uri.toLowerCase());
    expect(registeredClient(here.paths.stateDir, service.url)?.clientId).toBe(clientId);
  });

  it('uses the registration of this computer with every profile, without a question', async () => {
    const { service, here } = await begin();
    const uri = ['--redirect-uri', `http://127.0.0.1:${await freePort()}/login`];
    const first = await (await start(here, service.url, { args: ['--register', ...uri] })).done;
    const args = ['--profile', 'work', ...uri];
    const second = await (await start(here, service.url, { args })).done;
    expect(second.clientId).toBe(first.clientId);
    expect(registrations(service)).toHaveLength(1);
    // At another platform, this client means nothing.
    const other = await sandbox({ settings: { autoApprove: true } });
    const elsewhere = ['--profile', 'else', '--register', ...uri];
    const third = await (await start(here, other.url, { args: elsewhere })).done;
    expect(registrations(other)).toHaveLength(1);
    expect(JSON.stringify(other.control.requests())).not.toContain(first.clientId);
    expect(third.clientId).not.toBe(first.clientId);
  });

  it('registers once if two profiles log in at the same moment', async () => {
    const { service, here } = await begin();
    // Neither login gets far enough to listen.
    service.control.addFaults('authorize:503*2');
    const uri = ['--redirect-uri', `http://127.0.0.1:${await freePort()}/login`, '--register'];
    const runs = await Promise.all(
      ['a', 'b'].map((profile) =>
        start(here, service.url, { args: ['--profile', profile, ...uri] }),
      ),
    );
    await Promise.allSettled(runs.map(({ done }) => done));
    expect(registrations(service)).toHaveLength(1);
  });

  it('says that nothing answers at an address before it asks for a client ID', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { done } = await start(machine(undefined), url, { io: { interactive: true } });
    const error = await failure(done);
    expect(error).toMatchObject({ code: 'NETWORK', message: text('nothing answers there') });
    expect(String(error.hint)).toContain('If the sandbox is meant');
  });

  it('asks the platform nothing without a terminal and without --register', async () => {
    const { service, here } = await begin();
    const error = await failure((await start(here, service.url)).done);
    expect([error.code, String(error.hint)]).toEqual(['CONFIG', text('sync login --register')]);
    expect(service.control.requests()).toEqual([]);
  });

  it('registers nothing at an address that only the environment names, without a terminal', async () => {
    const { service, here } = await begin();
    const env = { ...here.env, SYNC_BASE_URL: service.url };
    const uri = `http://127.0.0.1:${await freePort()}/login`;
    const run = login({ ...here, env }, { args: ['--register', '--redirect-uri', uri] });
    const error = await failure(run.done);
    expect([error.code, String(error.hint)]).toEqual(['USAGE', text(`sync login ${service.url}`)]);
    expect(registrations(service)).toEqual([]);
  });

  it.each([
    ['any free port', ['--port', '0'], {}],
    ['a path that joins another client', ['--redirect-uri', 'http://127.0.0.1:8917/callback'], {}],
    ['a container without a state folder', [], { container: 'podman', SYNC_STATE_DIR: '' }],
    ['tokens on stdin', ['--with-token'], {}],
  ])('refuses --register with %s, and asks the platform nothing', async (_what, args, env) => {
    const { service, here } = await begin({}, env);
    const run = await start(here, service.url, { args: ['--register', ...args] });
    expect((await failure(run.done)).code).toBe('USAGE');
    expect(service.control.requests()).toEqual([]);
  });

  it('says at a terminal why nothing is registered in a container, before it asks for a client ID', async () => {
    const { service, here } = await begin({}, { container: 'podman', SYNC_STATE_DIR: '' });
    const { lines } = await untilAsked(here, service.url);
    expect(lines).toEqual([text('set SYNC_STATE_DIR'), /^Create an application /]);
  });

  it('says where another name will be seen, before it asks', async () => {
    const { service, here } = await begin();
    const io = enter();
    const uri = `http://127.0.0.1:${await freePort()}/login`;
    const args = [service.url, '--redirect-uri', uri, '--client-name', "Ada's laptop"];
    const run = login(here, { args, system: { io } });
    await run.done;
    expect(run.stderr[0]).toContain('on public pages');
    expect(io.asked[0]?.question).toContain(`named "Ada's laptop"`);
    expect(registrations(service)[0]?.body).toMatchObject({ client_name: "Ada's laptop" });
  });
});

describe('a platform that does not register this computer', () => {
  it.each([
    ['metadata:404', 'registers no applications by itself'],
    ['metadata:hang', 'did not say whether it registers'],
    ['metadata:503', 'did not say whether it registers'],
    ['metadata:429', 'did not say whether it registers'],
    ['metadata:html', 'did not say whether it registers'],
    ['register:404', 'registers no applications by itself'],
    ['register:503', 'cannot register an application now (503)'],
    ['register:429', 'try again in an hour, or type a client ID'],
    ['register:429(retry-after=60)', 'try again in 60 seconds, or type a client ID'],
    ['register:400', 'refused to register an application'],
    ['register:hang', 'did not say whether it registers'],
    ['register:html', 'cannot register an application now (502)'],
  ])('gets one line after %s, before the question for a client ID', async (fault, words) => {
    const { service, here } = await begin();
    service.control.addFaults(`${fault}*inf`);
    const { lines } = await untilAsked(here, service.url);
    expect(lines).toEqual([text(words), /^Create an application /]);
    expect(registrations(service).length).toBeLessThan(2);
    expect(registeredClient(here.paths.stateDir, service.url)).toBeUndefined();
  });

  it.each([
    ['metadata:503', 'SERVICE_UNAVAILABLE'],
    ['register:429', 'SERVICE_UNAVAILABLE'],
    ['register:hang', 'SERVICE_UNAVAILABLE'],
    ['metadata:404', 'CONFIG'],
    ['register:400', 'CONFIG'],
  ])('fails without a terminal after %s as %s', async (fault, code) => {
    const { service, here } = await begin();
    service.control.addFaults(`${fault}*inf`);
    const run = await start(here, service.url, { args: ['--register'] });
    expect(await failure(run.done)).toMatchObject({ code });
  });

  it('asks for a client ID after the answer n', async () => {
    const { service, here } = await begin();
    const { asked } = await untilAsked(here, service.url, [], 'n');
    expect(asked).toEqual([QUESTION, /^Client ID/]);
    expect(registrations(service)).toEqual([]);
  });
});

/** Lets a sandbox answer. */
async function forward(...[request, response, url]: [...Parameters<RequestListener>, string]) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = 'GET', headers } = request;
  const body = parts.length === 0 ? null : Buffer.concat(parts);
  const type = headers['content-type'] ?? 'text/plain';
  const { authorization = '' } = headers;
  const answer = await fetch(`${url}${request.url ?? ''}`, {
    method,
    body,
    redirect: 'manual',
    headers: { 'content-type': type, authorization },
  });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

type Asked = Record<string, unknown> & { readonly redirect_uris: readonly string[] };

/** Answers with metadata and a registration as a test wants them. @returns what was registered */
async function metadataServer(
  change: (url: string) => object,
  registration: number | Record<string, unknown> | ((asked: Asked) => object) = {},
  path = '',
  behind?: SandboxServer,
) {
  const posts: Record<string, unknown>[] = [];
  const json = (response: Parameters<RequestListener>[1], status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const { url } = await openServer((request, response) => {
    const own = `http://${request.headers.host ?? ''}`;
    if (request.url === `/.well-known/oauth-authorization-server${path}`) {
      json(response, 200, {
        issuer: own + path,
        registration_endpoint: `${own}/register`,
        code_challenge_methods_supported: ['S256'],
        ...change(own),
      });
    } else if (request.url === '/register') {
      let sent = '';
      request.on('data', (piece: Buffer) => (sent += String(piece)));
      request.on('end', () => {
        const asked = JSON.parse(sent) as Asked;
        posts.push(asked);
        if (typeof registration === 'number') {
          response.writeHead(registration, { location: `${own}/elsewhere` });
          response.end();
        } else {
          const own = typeof registration === 'function' ? registration(asked) : registration;
          json(response, 201, { ...asked, client_id: 'new', ...own });
        }
      });
    } else if (behind === undefined) json(response, 404, {});
    else void forward(request, response, behind.url);
  });
  return { url: url + path, posts };
}

describe('the metadata of a platform', () => {
  it.each<[string, (url: string) => object, string]>([
    ['another issuer', () => ({ issuer: 'https://evil.example' }), 'names another platform'],
    ['no issuer', () => ({ issuer: undefined }), 'names another platform'],
    [
      'a registration at another origin',
      () => ({ registration_endpoint: 'https://evil.example/register' }),
      'at another address',
    ],
    [
      'no S256',
      () => ({ code_challenge_methods_supported: ['plain'] }),
      'does not say that it knows PKCE',
    ],
    [
      'no methods',
      () => ({ code_challenge_methods_supported: undefined }),
      'does not say that it knows PKCE',
    ],
    ['no registration', () => ({ registration_endpoint: undefined }), 'registers no applications'],
    ['more than 64 kB', () => ({ filler: 'x'.repeat(70_000) }), 'registers no applications'],
  ])('with %s lead to no registration', async (_what, change, words) => {
    const { url, posts } = await metadataServer(change);
    const { lines } = await untilAsked(machine(undefined), url);
    expect(lines).toEqual([text(words), /^Create an application /]);
    expect(posts).toEqual([]);
  });

  it('are read below the path of an address', async () => {
    const { url, posts } = await metadataServer(() => ({}), 503, '/tenant');
    await untilAsked(machine(undefined), url);
    expect(posts).toHaveLength(1);
  });
});

const WITH_SECRET = {
  client_id: 'sandbox-confidential',
  client_secret: 'sandbox-secret',
  token_endpoint_auth_method: 'client_secret_post',
};

/** Opens a platform that answers a registration like this, a new machine, and flags with a redirect URI. */
async function openIssuer(registration: Record<string, unknown>) {
  const service = await sandbox({ settings: { autoApprove: true, exactRedirectUris: false } });
  const { url, posts } = await metadataServer(() => ({}), registration, '', service);
  const uri = ['--redirect-uri', `http://127.0.0.1:${await freePort()}/login`];
  return { service, url, posts, here: machine(undefined), uri };
}

describe('the answer to a registration', () => {
  const one = 'http://127.0.0.1:1/login';
  const METHOD = 'token_endpoint_auth_method';
  it.each<[string, Parameters<typeof metadataServer>[1], named: string]>([
    ['another redirect URI', { redirect_uris: [one] }, 'redirect_uris'],
    ['another name', { client_name: 'Cursor MCP' }, 'client_name'],
    ['client_secret_basic', { [METHOD]: 'client_secret_basic' }, METHOD],
    ['client_secret_post without a secret', { [METHOD]: 'client_secret_post' }, 'client_secret'],
    ['a secret without a method', { [METHOD]: undefined, client_secret: 'secret' }, METHOD],
    ['no client ID', { client_id: undefined }, 'client_id'],
    ['a redirect', 307, '307'],
  ])('with %s is not used', async (_what, registration, named) => {
    const { url, posts } = await metadataServer(() => ({}), registration);
    const here = machine(undefined);
    const { lines } = await untilAsked(here, url);
    expect(lines).toEqual([text(named), /^Create an application /]);
    expect(posts).toHaveLength(1);
    expect(registeredClient(here.paths.stateDir, url)).toBeUndefined();
    const { done } = await start(here, url, { args: ['--register'] });
    expect(String((await failure(done)).hint)).not.toContain('--register');
  });

  it.each<[string, (asked: Asked) => object]>([
    ['one more redirect URI', ({ redirect_uris: ours }) => ({ redirect_uris: [one, ...ours] })],
    [
      'nothing but a client ID',
      () => ({ client_name: undefined, redirect_uris: undefined, [METHOD]: undefined }),
    ],
  ])('with %s is used', async (_what, registration) => {
    const service = await sandbox({ settings: { autoApprove: true, exactRedirectUris: false } });
    const { clientId } = service;
    const answer = (asked: Asked) => ({ ...registration(asked), client_id: clientId });
    const { url } = await metadataServer(() => ({}), answer, '', service);
    const uri = `http://127.0.0.1:${await freePort()}/login`;
    const args = [url, '--redirect-uri', uri];
    await login(machine(undefined), { args, system: { io: enter() } }).done;
    const [{ query } = {}] = service.control.requests({ route: 'authorize' });
    expect(new URLSearchParams(query).get('redirect_uri')).toBe(uri);
  });

  it('registers no client with --start if the metadata promise it a secret', async () => {
    const methods = ['client_secret_post'];
    const { url, posts } = await metadataServer(() => ({
      token_endpoint_auth_methods_supported: methods,
    }));
    const run = await start(machine(undefined), url, { args: ['--register', '--start'] });
    expect(String((await failure(run.done)).hint)).toContain('without --start');
    expect(posts).toEqual([]);
  });

  it('with a secret is used, and the secret is kept with the login', async () => {
    const { service, url, posts, here, uri } = await openIssuer(WITH_SECRET);
    for (const io of [enter(), testIo({ interactive: true })]) {
      await login(here, { args: [url, ...uri], system: { io } }).done;
    }
    const sent = service.control.requests({ route: 'token' }).map(({ body }) => body);
    expect(sent).toEqual(
      [0, 1].map(
        () => expect.objectContaining({ client_secret: expect.anything() as unknown }) as object,
      ),
    );
    expect((await here.store.load(never))?.clientSecret?.reveal()).toBe('sandbox-secret');
    expect(posts).toHaveLength(1);
    // A login in two commands cannot keep the secret of a new one.
    const args = [url, ...uri, '--profile', 'two', '--register', '--start'];
    const refusal = await failure(login(here, { args, system: { io: testIo() } }).done);
    expect(String(refusal.hint)).toMatch(
      /applications with a secret\. Run `sync login --register` without/,
    );
    // Another profile has no part of this secret.
    const other = await untilAsked(here, url, ['--profile', 'work'], 'n');
    expect(other.asked[0]).toMatch(QUESTION);
  });

  it('with a secret belongs to its profile, and does not displace that of another one', async () => {
    const { url, posts, here, uri } = await openIssuer(WITH_SECRET);
    const place = { paths: here.paths, profile: 'default' };
    const known = (clientId: string) => registrationOf(place, url, clientId)?.isPublic;
    keepClient(place, url, { ...PUBLIC, redirectUri: 'http://127.0.0.1:1/login' });
    for (const profile of ['default', 'work']) {
      const args = [url, ...uri, '--profile', profile];
      await login(here, { args, system: { io: enter() } }).done;
    }
    expect(posts).toHaveLength(2);
    expect([known('sandbox-confidential'), known(PUBLIC.clientId), known('x')]).toEqual([
      false,
      true,
      undefined,
    ]);
    // A platform that no longer knows the client makes the login of its profile forget it.
    forgetClients({ ...place, profile: 'work' }, url);
    expect([known('sandbox-confidential'), known(PUBLIC.clientId)]).toEqual([false, undefined]);
  });

  it('with the method none leaves a secret of that answer unused', async () => {
    const registration = { client_id: 'sandbox-client', client_secret: 'not-for-it' };
    const { service, url, here, uri } = await openIssuer(registration);
    await login(here, { args: [url, ...uri], system: { io: enter() } }).done;
    const [request] = service.control.requests({ route: 'token' });
    expect(request?.body).not.toHaveProperty('client_secret');
    expect(await here.store.load(never)).toMatchObject({ clientSecret: undefined, isPublic: true });
  });

  it('without a secret means that none is ever sent', async () => {
    const { service, here } = await begin();
    const env = { ...here.env, SYNC_BASE_URL: service.url, SYNC_CLIENT_SECRET: 'not-for-it' };
    const io = enter();
    const uri = `http://127.0.0.1:${await freePort()}/login`;
    await login({ ...here, env }, { args: ['--redirect-uri', uri], system: { io } }).done;
    expect((await here.store.load(never))?.isPublic).toBe(true);
    service.control.expire();
    await startCommand(token, testSystem({ homeDir: here.homeDir, env }), []).done;
    const stdin = testIo({ stdin: 'also-not' });
    const args = ['--redirect-uri', uri, '--client-secret-stdin'];
    const given = login({ ...here, env }, { args, system: { io: stdin } });
    expect((await failure(given.done)).code).toBe('USAGE');
    const sent = service.control.requests({ route: 'token' });
    expect(sent.map(({ body }) => body)).not.toEqual(
      expect.arrayContaining([
        expect.objectContaining({ client_secret: expect.anything() as unknown }),
      ]),
    );
  });
});

describe('a registered client', () => {
  it('that the platform no longer knows is forgotten, and registered again once', async () => {
    const { service, here } = await begin();
    const uri = ['--redirect-uri', `http://127.0.0.1:${await freePort()}/login`];
    await (
      await start(here, service.url, { args: ['--register', ...uri] })
    ).done;
    service.control.settings({ registration: 'forgets' });
    service.control.clearRequests();
    const run = login(here, { args: [service.url, ...uri], system: { io: enter() } });
    const error = await failure(run.done);
    expect(error.message).toContain('does not know the client ID');
    expect(run.stderr.join()).toContain('no longer knows the client that sync registered');
    expect(requestCounts(service)).toEqual({ authorize: 2, metadata: 1, register: 1 });
    service.control.settings({ registration: 'on' });
    const again = login(here, { args: [service.url, ...uri], system: { io: enter() } });
    await again.done;
    expect(registrations(service)).toHaveLength(1);
  });

  it('that the platform no longer knows is forgotten without a terminal, with what to type', async () => {
    const { service, here } = await begin();
    const uri = ['--redirect-uri', `http://127.0.0.1:${await freePort()}/login`];
    await (
      await start(here, service.url, { args: ['--register', ...uri] })
    ).done;
    service.control.settings({ registration: 'forgets' });
    const error = await failure((await start(here, service.url, { args: uri })).done);
    expect([error.code, String(error.hint)]).toEqual(['CONFIG', text('sync login --register')]);
    service.control.settings({ registration: 'on' });
    await (
      await start(here, service.url, { args: ['--register', ...uri] })
    ).done;
    expect(registrations(service)).toHaveLength(2);
  });

  it('is forgotten by sync logout --forget-client', async () => {
    const { service, here } = await begin();
    await (
      await start(here, service.url, { args: ['--register'] })
    ).done;
    const { homeDir, env } = here;
    const run = startCommand(logout, testSystem({ homeDir, env }), ['--forget-client']);
    expect(await run.done).toBe(0);
    expect(run.stdout.join('\n')).toContain('client ID is forgotten');
    expect(registeredClient(here.paths.stateDir, service.url)).toBeUndefined();
    const { profiles } = readConfigFile(here.paths.configFile);
    expect(profiles['default']?.settings.clientId).toBeUndefined();
  });
});
