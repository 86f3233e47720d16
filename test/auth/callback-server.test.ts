import { type AddressInfo, connect, createServer } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkPastedAddress } from '../../src/auth/callback.ts';
import { CallbackServer } from '../../src/auth/callback-server.ts';
import { failedPage, loggedInPage } from '../../src/auth/landing-page.ts';
import { SyncError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { ask } from '../support/callback-request.ts';
import { failure, never } from './support.ts';

const STATE = 'the-state-of-this-login';
const CODE = 'the-code-of-this-login';
const EXPECTED = { state: new Secret(STATE), origin: 'https://training.example' };

async function listening(redirectUri = 'http://127.0.0.1:0/callback') {
  const refused: string[] = [];
  const server = await CallbackServer.start({
    redirectUri,
    expected: EXPECTED,
    userId: process.getuid?.(),
    onRefused: (why) => refused.push(why),
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { refused });
}

/** Lets a browser call back, and completes its login. */
async function logIn(server: CallbackServer, url = `${server.redirectUri}${good}`): Promise<void> {
  const browser = ask(url);
  expect((await server.waitForAnswer(never)).kind).toBe('code');
  server.finish(loggedInPage(undefined, []));
  expect((await browser).status).toBe(200);
}

/** Some machines, and many containers, have no IPv6. */
const ipv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer();
  probe.once('error', () => resolve(false));
  probe.listen(0, '::1', () => probe.close(() => resolve(true)));
});

const good = `?code=${CODE}&state=${STATE}`;

interface Refusal {
  readonly name: string;
  readonly query?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly told: boolean;
}

/** An answer to another login: the terminal tells of it. */
const told = (name: string, query: string): Refusal => ({ name, query, status: 400, told: true });
const silent = (name: string, status: number, request: Partial<Refusal>): Refusal => ({
  ...{ name, status, told: false },
  ...request,
});

const withHost = (name: string, host: string) =>
  silent(name, 403, { query: good, headers: { host } });

const ISSUER = 'iss=https%3A%2F%2Ftraining.example';
const refusals: readonly Refusal[] = [
  told('a wrong state', `?code=${CODE}&state=other`),
  told('a state that is right but for its end', `?code=${CODE}&state=${STATE}x`),
  told('no state', `?code=${CODE}`),
  told('an empty state', `?code=${CODE}&state=`),
  told('two states', `${good}&state=${STATE}`),
  told('two codes', `${good}&code=another`),
  told('an error with a wrong state', '?error=access_denied&state=other'),
  told('a wrong state with the right issuer', `?code=${CODE}&state=other&${ISSUER}`),
  told('two issuers', `${good}&${ISSUER}&iss=https%3A%2F%2Fevil.example`),
  told('an error without a state', '?error=access_denied'),
  told('the right state and nothing else', `?state=${STATE}`),
  silent('a wrong path', 404, { path: `/other${good}` }),
  silent('a longer path', 404, { path: `/callback/${good}` }),
  silent('a path with another host in it', 404, { path: `//evil/callback${good}` }),
  silent('an absolute target', 404, { path: `http://127.0.0.1/callback${good}` }),
  silent('POST', 405, { method: 'POST', query: good }),
  silent('HEAD', 405, { method: 'HEAD', query: good }),
  withHost('a foreign Host header (DNS rebinding)', 'evil.example:80'),
  withHost('a Host header with another port', '127.0.0.1:1'),
];

it.each(refusals)('refuses $name, and keeps waiting for the callback', async (refusal) => {
  const server = await listening();
  let settled = false;
  const waiting = server.waitForAnswer(never).finally(() => (settled = true));

  const answer = await ask(`${server.redirectUri}${refusal.query ?? ''}`, refusal);
  expect(answer.status).toBe(refusal.status);
  expect(server.refused).toHaveLength(refusal.told ? 1 : 0);
  expect(settled).toBe(false);
  // The page contains neither the sent nor the expected values.
  expect(answer.body).not.toContain(CODE);
  expect(answer.body).not.toContain(STATE);

  await logIn(server);
  const callback = await waiting;
  expect(callback.kind === 'code' && callback.code.reveal()).toBe(CODE);
});

/** Starts a process that holds half-open connections, and waits until each was open once. */
async function holdConnections(port: string, count: number): Promise<{ ended: () => boolean }> {
  const args = [join(import.meta.dirname, 'children', 'half-open.mjs'), port, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(createInterface(child.stdout), 'line')) as [string];
  expect(said).toBe('all open');
  return { ended: () => child.exitCode !== null };
}

describe('half-open connections that are renewed for ever', () => {
  /** Time limit for an answer while others hold connections (ms); a connection may wait for 10 s. */
  const AT_ONCE_MS = 5_000;
  /** Several, because this machine may be busy with something else. */
  const TRIES = 5;

  it.each([64, 2_000])('do not delay the callback: %i of them', async (count) => {
    const server = await listening();
    const attack = await holdConnections(new URL(server.redirectUri).port, count);
    const times: number[] = [];
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const sent = performance.now();
      expect((await ask(`${server.redirectUri}?code=x&state=other`)).status).toBe(400);
      times.push(performance.now() - sent);
    }
    expect(Math.min(...times)).toBeLessThan(AT_ONCE_MS);
    await logIn(server);
    expect(attack.ended()).toBe(false);
    // Nor do they delay the end.
    await server.close();
  });
});

describe('a connection without a whole request', () => {
  const silent = async (port: number) => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.resume();
    await once(socket, 'connect');
    return socket;
  };

  it('is closed after 10 s', async () => {
    const server = await listening();
    const socket = await silent(Number(new URL(server.redirectUri).port));
    socket.write('GET /callback?code=');
    const opened = performance.now();
    await once(socket, 'close');
    expect(performance.now() - opened).toBeLessThan(30_000);
  });

  it('is closed if there are a thousand newer ones, the oldest first', async () => {
    const server = await listening();
    const port = Number(new URL(server.redirectUri).port);
    const oldest = await silent(port);
    const closed = once(oldest, 'close');
    const second = await silent(port);
    // At once, within the time limit of the second one.
    await Promise.all(Array.from({ length: 999 }, () => silent(port)));
    await closed;
    expect(second.closed).toBe(false);
  });
});

it('reports forged callbacks once for each reason, not once for each request', async () => {
  const server = await listening();
  for (let each = 0; each < 100; each++) {
    await ask(`${server.redirectUri}?code=x&state=forged-${each}`);
    await ask(`${server.redirectUri}?code=x`);
  }
  expect(server.refused).toHaveLength(2);
  expect(new Set(server.refused).size).toBe(2);
});

describe('the callback of this login', () => {
  it('holds the browser until the outcome of the login is known', async () => {
    const server = await listening();
    let answered = false;
    const browser = ask(`${server.redirectUri}${good}`).finally(() => (answered = true));
    await server.waitForAnswer(never);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(false);
    server.finish(failedPage('The platform did not accept it.', 'Try again later.'));
    const body = expect.stringMatching(/The platform did not accept it\..*sync login/s) as unknown;
    expect(await browser).toMatchObject({ status: 400, body });
  });

  it('keeps a callback that comes before waitForAnswer is called', async () => {
    const server = await listening();
    const browser = ask(`${server.redirectUri}${good}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await server.waitForAnswer(never)).kind).toBe('code');
    server.finish(loggedInPage(undefined, []));
    expect((await browser).status).toBe(200);
  });

  it('accepts an error response with the right state', async () => {
    const server = await listening();
    const query = 'error=access_denied&error_description=The%20user%0Asaid%20no';
    const browser = ask(`${server.redirectUri}?${query}&state=${STATE}`);
    const denied = { kind: 'error', error: 'access_denied', description: 'The user said no' };
    expect(await server.waitForAnswer(never)).toEqual(denied);
    server.finish(loggedInPage(undefined, []));
    await browser;
  });

  it('answers 409 to a second callback, which changes nothing', async () => {
    const server = await listening();
    const first = ask(`${server.redirectUri}${good}`);
    const callback = await server.waitForAnswer(never);
    const second = await ask(`${server.redirectUri}?code=another&state=${STATE}`);
    const body = expect.stringContaining('already has an answer') as unknown;
    expect(second).toMatchObject({ status: 409, body });
    expect(await server.waitForAnswer(never)).toBe(callback);
    server.finish(loggedInPage('Anna', []));
    expect((await first).body).toContain('Anna');
    const third = await ask(`${server.redirectUri}?error=access_denied&state=${STATE}`);
    expect(third.status).toBe(409);
  });

  it('shows the same page when the browser repeats the callback', async () => {
    const server = await listening();
    const twice = [ask(`${server.redirectUri}${good}`), ask(`${server.redirectUri}${good}`)];
    await server.waitForAnswer(never);
    server.finish(loggedInPage('Anna', []));
    const pages = await Promise.all(twice);
    expect(pages.map(({ status }) => status)).toEqual([200, 200]);
    expect(pages[1]?.body).toBe(pages[0]?.body);
  });

  it('refuses a callback after an address was pasted', async () => {
    const server = await listening();
    const { redirectUri } = server;
    const address = `${redirectUri}?code=pasted&state=${STATE}`;
    const pasted = checkPastedAddress(address, redirectUri, EXPECTED);
    if (pasted.kind === 'refused') throw new Error(pasted.message);
    server.accept(pasted);
    expect((await ask(`${redirectUri}${good}`)).status).toBe(409);
    expect(await server.waitForAnswer(never)).toBe(pasted);
  });
});

describe('the page', () => {
  it('sends pages that load nothing, run one script, and cannot be framed or cached', async () => {
    const server = await listening();
    const { headers, body } = await ask(`${server.redirectUri}?code=x&state=y`);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
    );
    expect(body).not.toMatch(/(src|href)="(?!data:,")/);
    expect(body).not.toContain('url(');
  });

  it('escapes HTML in the name of the athlete', async () => {
    const server = await listening();
    const browser = ask(`${server.redirectUri}${good}`);
    await server.waitForAnswer(never);
    server.finish(loggedInPage('<img src=x onerror=alert(1)>', ['"><script>']));
    const { body } = await browser;
    expect(body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(body).not.toContain('<img');
    expect(body.match(/<script>/g)).toHaveLength(1);
  });
});

describe('listening', () => {
  it.each([
    'http://127.0.0.1:0/callback',
    ...(ipv6 ? ['http://[::1]:0/cb'] : []),
    // Other systems than Linux have 127.0.0.1 alone.
    ...(process.platform === 'linux' ? ['http://127.0.0.2:0/x/y'] : []),
  ])('listens at %s', async (uri) => {
    const server = await listening(uri);
    expect(server.redirectUri).toMatch(/:\d{2,5}\//);
    await logIn(server);
  });

  it.each([
    ['', /^http:\/\/127\.0\.0\.1:\d{2,5}$/],
    ['/', /^http:\/\/127\.0\.0\.1:\d{2,5}\/$/],
    ['/A/../b%2fc', /^http:\/\/127\.0\.0\.1:\d{2,5}\/A\/\.\.\/b%2fc$/],
  ])('keeps the spelling of the redirect URI, with the path "%s"', async (path, all) => {
    const server = await listening(`http://127.0.0.1:0${path}`);
    expect(server.redirectUri).toMatch(all);
    // What a browser makes of it.
    await logIn(server, new URL(`${server.redirectUri}${good}`).href);
  });

  it.skipIf(!ipv6)('takes both addresses of localhost, so that no other program can', async () => {
    const server = await listening('http://localhost:0/callback');
    const { port, host } = new URL(server.redirectUri);
    for (const address of ['127.0.0.1', '[::1]']) {
      const answer = await ask(`http://${address}:${port}/callback`, { headers: { host } });
      expect(answer.status).toBe(400);
    }
    expect((await ask(`http://127.0.0.1:${port}/callback`)).status).toBe(403);
  });

  it.skipIf(!ipv6)('refuses a port that is taken on one address of localhost', async () => {
    const { port } = await occupy('::1');
    const error = await failure(listening(`http://localhost:${port}/callback`));
    expect(error.code).toBe('PORT_IN_USE');
  });

  it('names the port in use, and another one', async () => {
    const { port } = await occupy('127.0.0.1');
    const error = await failure(listening(`http://127.0.0.1:${port}/callback`));
    expect(error).toMatchObject({ code: 'PORT_IN_USE', details: { port } });
    expect(error.message).toBe(`Port ${port} is in use.`);
    const other = port < 65_535 ? port + 1 : port - 1;
    expect(String(error.hint)).toContain(`sync login --port ${String(other)}`);
    expect(String(error.hint)).toContain(`http://127.0.0.1:${String(other)}/callback`);
  });

  it('rejects with the signal, and frees the port', async () => {
    const server = await listening();
    const stop = new AbortController();
    const waiting = server.waitForAnswer(stop.signal);
    stop.abort(new SyncError('INTERRUPTED', 'Ctrl-C'));
    expect((await failure(waiting)).code).toBe('INTERRUPTED');
    await server.close();
    await server.close();
    await expect(ask(server.redirectUri)).rejects.toThrow('ECONNREFUSED');
  });

  it('closes although a silent connection is open', async () => {
    const server = await listening();
    const silent = connect(Number(new URL(server.redirectUri).port), '127.0.0.1');
    await once(silent, 'connect');
    const ended = once(silent, 'close');
    silent.on('error', () => undefined);
    await server.close();
    await ended;
  });
});

async function occupy(host: string): Promise<{ port: number }> {
  const blocker = createServer();
  blocker.listen(0, host);
  await once(blocker, 'listening');
  onTestFinished(() => void blocker.close());
  return blocker.address() as AddressInfo;
}
