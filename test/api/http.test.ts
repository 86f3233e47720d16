import { once } from 'node:events';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import { type Http, MAX_ANSWER_BYTES } from '../../src/api/http.ts';
import { ANSWER_TIMEOUT_MS, QUEUE_TIMEOUT_MS } from '../../src/api/exchange.ts';
import { createNodeHttp } from '../../src/api/node-http.ts';
import { createProxiedHttp } from '../../src/api/undici-http.ts';
import {
  type TestProxy,
  closedPort,
  failure,
  listen,
  listenRaw,
  openssl,
  requestTo,
  selfSigned,
  startProxy,
} from './support.ts';
import { VERSION } from '../../src/base/version.ts';

interface Way {
  readonly http: Http;
  readonly proxy: TestProxy | undefined;
}

/** A failure of the network, as far as a test asks about it. */
const broken = (delivery: 'not-sent' | 'unknown', message: unknown = expect.any(String)) => ({
  code: 'NETWORK',
  message,
  details: { delivery },
});
const BROKE_OFF: unknown = expect.stringContaining('the connection broke off');
const late = (host: string) => broken('unknown', `${host}: no answer in time.`);

const TOO_LARGE = { code: 'SERVICE_ANSWER', details: { limitBytes: MAX_ANSWER_BYTES } };

const HALF = 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"suc';
const WHOLE = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}';
const answering = (text: string) =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

/** A server that acts on the first bytes of each connection. */
const listenForData = (act: (socket: Socket, part: Buffer) => void) =>
  listenRaw((socket) => void socket.once('data', (part) => act(socket, part)));

/** The two ways to speak HTTP; what holds for one holds for the other. */
const WAYS: readonly (readonly [string, (connections?: number) => Promise<Way>])[] = [
  [
    'directly',
    (connections = 4) => Promise.resolve({ http: createNodeHttp(connections), proxy: undefined }),
  ],
  [
    'through a proxy',
    async (connections = 4) => {
      const proxy = await startProxy();
      const address = { variable: 'HTTPS_PROXY', address: proxy.url };
      return { http: createProxiedHttp({ connections, proxy: address }), proxy };
    },
  ],
];

describe.each(WAYS)('a request sent %s', (_name, make) => {
  const open = async (connections?: number): Promise<Way> => {
    const way = await make(connections);
    onTestFinished(() => way.http.close());
    return way;
  };

  it.each([200, 201, 302, 400, 401, 403, 404, 413, 422, 429, 500, 503])(
    'returns status %i as an answer, with header names in lower case and the body as text',
    async (status) => {
      const { http } = await open();
      const server = await listen((_request, response) => {
        response.writeHead(status, [
          ['X-Thing', 'one'],
          ['X-Thing', 'two'],
          ['Content-Type', 'application/json; charset=utf-8'],
        ]);
        response.end('{"Überhöhe":"größer"}');
      });
      const answer = await http.send(requestTo(server.url));
      const headers = { 'x-thing': 'one, two', 'content-type': 'application/json; charset=utf-8' };
      expect(answer).toMatchObject({ status, headers, text: '{"Überhöhe":"größer"}' });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('contains the token, the content type, the length and the user agent, and no other headers', async () => {
    const { http, proxy } = await open();
    const server = await listen((_request, response) => void response.end('{}'));
    await http.send(
      requestTo(new URL('/deep/path?limit=1&offset=2', server.url), {
        method: 'PATCH',
        bearer: new Secret('tok-en'),
        contentType: 'application/json',
        body: [Buffer.from('{"a":1}')],
      }),
    );
    const [request] = server.requests;
    expect({ ...request, headers: undefined }).toEqual({
      method: 'PATCH',
      url: '/deep/path?limit=1&offset=2',
      headers: undefined,
      body: Buffer.from('{"a":1}'),
    });
    expect(request?.headers).toEqual({
      host: server.url.host,
      connection: 'keep-alive',
      accept: 'application/json',
      authorization: 'Bearer tok-en',
      'content-type': 'application/json',
      'content-length': '7',
      'user-agent': `athlete-sync/${VERSION}`,
    });
    // The token is for the service, not for the proxy in between.
    expect(JSON.stringify(proxy?.headers ?? [])).not.toContain('tok-en');
  });

  it('contains no body and no token if none is given', async () => {
    const { http } = await open();
    const server = await listen((_request, response) => void response.end('{}'));
    await http.send(requestTo(server.url));
    expect(server.requests[0]?.body).toHaveLength(0);
    expect(Object.keys(server.requests[0]?.headers ?? {})).not.toContain('authorization');
    expect(Object.keys(server.requests[0]?.headers ?? {})).not.toContain('content-length');
  });

  it('delivers a body of several pieces byte for byte', async () => {
    const { http } = await open();
    const server = await listen((_request, response) => void response.end('{}'));
    const bytes = Buffer.from(
      Array.from({ length: 3_000_001 }, (_, i) => (i * 7 + (i >> 8)) & 255),
    );
    // Views into a larger buffer, as uploads are.
    const body = [
      bytes.subarray(0, 5),
      bytes.subarray(5, 5),
      bytes.subarray(5, 70_000),
      bytes.subarray(70_000),
    ];
    await http.send(requestTo(server.url, { method: 'POST', body }));
    expect(server.requests[0]?.headers['content-length']).toBe('3000001');
    expect(server.requests[0]?.body.equals(bytes)).toBe(true);
  });

  it('does not follow a redirect: the other address gets neither request nor token', async () => {
    const { http } = await open();
    const other = await listen((_request, response) => void response.end('{}'));
    const server = await listen((_request, response) => {
      response.writeHead(307, { location: other.url.href }).end();
    });
    const answer = await http.send(
      requestTo(server.url, {
        method: 'POST',
        bearer: new Secret('tok-en'),
        body: [Buffer.from('x')],
      }),
    );
    expect(answer.status).toBe(307);
    expect(answer.headers['location']).toBe(other.url.href);
    expect([other.connections(), other.requests]).toEqual([0, []]);
  });

  it('reports that nothing was sent if no process listens on the port', async () => {
    const { http, proxy } = await open();
    const port = await closedPort();
    const error = await failure(http.send(requestTo(`http://127.0.0.1:${port}/`)));
    const message = proxy
      ? `The proxy ${proxy.url} (HTTPS_PROXY) did not connect to 127.0.0.1:${port} (502).`
      : `127.0.0.1:${port}: nothing answers there (connection refused).`;
    expect(error).toMatchObject(broken('not-sent', message));
    expect(String(error.hint)).toContain('The same command again continues.');
  });

  it.each(['in the middle of the request', 'after the request'])(
    'reports an unknown delivery if the connection is reset %s, before an answer',
    async (when) => {
      const { http } = await open();
      let got = 0;
      const server = await listenRaw((socket) => {
        socket.on('data', (part) => {
          got += part.length;
          if (got > (when === 'after the request' ? 100_000 : 0)) socket.resetAndDestroy();
        });
      });
      const request = requestTo(server.url, { method: 'POST', body: [Buffer.alloc(100_000)] });
      expect(await failure(http.send(request))).toMatchObject(broken('unknown', BROKE_OFF));
    },
  );

  it.each(['resets', 'closes'])('reports an unknown delivery if it %s midway', async (how) => {
    const { http } = await open();
    const server = await listenForData((socket) => {
      socket.write(HALF, () => {
        if (how === 'resets') setTimeout(() => socket.resetAndDestroy(), 20);
        else socket.end();
      });
    });
    const error = await failure(http.send(requestTo(server.url)));
    expect(error).toMatchObject(broken('unknown', BROKE_OFF));
  });

  it('reports that nothing was sent to a port without TLS, and suggests http', async () => {
    const { http } = await open();
    const server = await listen((_request, response) => void response.end('{}'));
    const url = new URL(server.url);
    url.protocol = 'https:';
    const error = await failure(http.send(requestTo(url, { bearer: new Secret('tok-en') })));
    expect(error).toMatchObject({ code: 'NETWORK' });
    expect(error.message).toBe(
      `${url.host}: the server does not speak TLS there, or only a version that Node.js refuses; is it http://?`,
    );
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['does not answer', ''],
    ['stops in the middle of its answer', HALF],
  ])('stops with a message if the platform %s', async (_what, begin) => {
    const { http } = await open();
    const server = await listenForData((socket) => void socket.write(begin));
    const error = await failure(http.send(requestTo(server.url, { answerTimeoutMs: 200 })));
    expect(error).toMatchObject(late(server.url.host));
  });

  it.each([
    ['head', 'HTTP/1.1 200 OK\r\nx-long: '],
    ['body', 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'],
  ])('stops at a response with an endless %s', async (_what, begin) => {
    const { http } = await open();
    let drops = 0;
    const server = await listenForData((socket) => {
      socket.write(begin);
      const drip = setInterval(() => {
        drops++;
        socket.write('x');
      }, 20);
      socket.once('close', () => clearInterval(drip));
    });
    const error = await failure(http.send(requestTo(server.url, { totalTimeoutMs: 1_000 })));
    expect(error).toMatchObject(late(server.url.host));
    expect(drops).toBeGreaterThan(1);
  });

  it('limits only silence: a large body on a slow connection is sent to its end', async () => {
    const { http } = await open();
    // A pause this long never occurs between chunks, even on a busy machine.
    const answerTimeoutMs = 2_500;
    const body = [Buffer.alloc(30_000_000), Buffer.alloc(30_000_000)];
    let got = 0;
    const begun = Date.now();
    const server = await listenRaw((socket) => {
      socket.on('data', (part) => {
        got += part.length;
        if (got >= 60_000_000) {
          socket.end(WHOLE);
        } else if (Date.now() - begun < 1.2 * answerTimeoutMs) {
          socket.pause();
          setTimeout(() => socket.resume(), 5);
        }
      });
    });
    const request = requestTo(server.url, { method: 'POST', body, answerTimeoutMs });
    expect((await http.send(request)).status).toBe(200);
    expect(Date.now() - begun).toBeGreaterThan(1.1 * answerTimeoutMs);
  });

  it('stops if the platform no longer reads the body', async () => {
    const { http } = await open();
    const server = await listenForData((socket) => void socket.pause());
    const body = [Buffer.alloc(30_000_000)];
    const request = requestTo(server.url, { method: 'POST', body, answerTimeoutMs: 300 });
    expect(await failure(http.send(request))).toMatchObject(late(server.url.host));
  });

  it.each(['before it is sent', 'while nothing comes', 'in the middle of the answer'])(
    'fails with the reason of its signal if that is aborted %s',
    async (when) => {
      const { http } = await open();
      const abort = new AbortController();
      const reason = new Error('the reason');
      const server = await listenForData((socket) => {
        if (when === 'in the middle of the answer') socket.write(HALF);
        setTimeout(() => abort.abort(reason), 30);
      });
      if (when === 'before it is sent') abort.abort(reason);
      await expect(http.send(requestTo(server.url, { signal: abort.signal }))).rejects.toBe(reason);
      if (when === 'before it is sent') expect(server.connections()).toBe(0);
    },
  );

  it('rejects an answer above the size limit without keeping all of it', async () => {
    const { http } = await open();
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    let sent = 0;
    const server = await listen((_request, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && sent < MAX_ANSWER_BYTES * 4) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await failure(http.send(requestTo(server.url)))).toMatchObject(TOO_LARGE);
    expect(sent).toBeLessThan(MAX_ANSWER_BYTES * 4);
  });

  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
    ['UTF-8', (bytes: Buffer) => bytes],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ])(
    'unpacks an answer in the coding %s, which nothing asked for, without a byte order mark',
    async (coding, pack) => {
      const { http } = await open();
      const server = await listen((_request, response) => {
        response.writeHead(422, { 'content-encoding': coding });
        response.end(pack(Buffer.from('\ufeff{"Überhöhe":"größer"}')));
      });
      const answer = await http.send(requestTo(server.url));
      expect([answer.status, answer.text]).toEqual([422, '{"Überhöhe":"größer"}']);
      expect(server.requests[0]?.headers).not.toHaveProperty('accept-encoding');
    },
  );

  it('accepts an answer without a body that states a coding', async () => {
    const { http } = await open();
    const server = await listen((_request, response) => {
      response.writeHead(204, { 'content-encoding': 'gzip' });
      response.end();
    });
    expect(await http.send(requestTo(server.url))).toMatchObject({ status: 204, text: '' });
  });

  it.each<[string, string, Buffer, string]>([
    ['is cut off', 'gzip', gzipSync('{"a":1}').subarray(0, -6), '(gzip: unexpected end of file)'],
    ['is no gzip', 'gzip', Buffer.from('{"a":1}'), '(gzip: incorrect header check)'],
    ['has an unknown coding', 'ZSTD', Buffer.from('{"a":1}'), '(zstd)'],
  ])('rejects an answer that %s, as a service that may have acted', async (_what, ...rest) => {
    const [coding, body, why] = rest;
    const { http } = await open();
    const server = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding });
      response.end(body);
    });
    const { host } = new URL(server.url);
    const message = `${host} sent a response that cannot be unpacked ${why}.`;
    const error = await failure(http.send(requestTo(server.url)));
    expect(error).toMatchObject(broken('unknown', message));
  });

  it('unpacks no more than the size limit', async () => {
    const { http } = await open();
    const bomb = gzipSync(Buffer.alloc(MAX_ANSWER_BYTES + 1, 0x20));
    expect(bomb.length).toBeLessThan(100_000);
    const server = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(bomb);
    });
    expect(await failure(http.send(requestTo(server.url)))).toMatchObject(TOO_LARGE);
  });

  it('reads the answer of a service that rejects a large body without reading it', async () => {
    const { http } = await open();
    const server = await listenForData((socket) => {
      socket.pause();
      socket.end(WHOLE.replace('200 OK', '413 Too Large'));
    });
    const request = requestTo(server.url, { method: 'POST', body: [Buffer.alloc(20_000_000)] });
    expect((await http.send(request)).status).toBe(413);
  });

  it.each([true, false])(
    'sends further requests after a response to an unread body (keep-alive header: %s)',
    async (keepAlive) => {
      const { http } = await open(1);
      const server = await listenForData((socket, part) => {
        if (part.toString('latin1').startsWith('GET')) return void socket.end(WHOLE);
        socket.pause();
        const keep = keepAlive ? 'connection: keep-alive\r\n' : '';
        socket.write(`HTTP/1.1 413 Too Large\r\n${keep}content-length: 2\r\n\r\n{}`);
      });
      const large = { method: 'POST', body: [Buffer.alloc(20_000_000)] } as const;
      for (const request of [large, large, {}]) {
        const { status } = await http.send(requestTo(server.url, request));
        expect(status).toBe(request === large ? 413 : 200);
      }
    },
  );

  it('ends at once, unsent, if it is aborted while it waits for a connection', async () => {
    const { http } = await open(1);
    const waiting: (() => void)[] = [];
    const server = await listen((_request, response) => {
      waiting.push(() => response.end('{}'));
    });
    const first = http.send(requestTo(server.url));
    await expect.poll(() => waiting.length).toBe(1);
    const abort = new AbortController();
    const reason = new Error('the reason');
    const second = http.send(requestTo(new URL('/second', server.url), { signal: abort.signal }));
    const third = http.send(requestTo(new URL('/third', server.url)));
    abort.abort(reason);
    await expect(second).rejects.toBe(reason);
    // The one before and the one behind it are not touched.
    waiting[0]?.();
    expect((await first).status).toBe(200);
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]?.();
    expect((await third).status).toBe(200);
    expect(server.requests.map(({ url }) => url)).toEqual(['/', '/third']);
  });

  it('uses one connection for sequential requests, and up to the limit for parallel ones', async () => {
    const { http, proxy } = await open(3);
    let busy = 0;
    let most = 0;
    const server = await listen(async (_request, response) => {
      most = Math.max(most, ++busy);
      await new Promise((go) => setTimeout(go, 20));
      busy--;
      response.end('{}');
    });
    for (let i = 0; i < 5; i++) await http.send(requestTo(server.url));
    // undici may look for a second one while the first is just becoming free.
    expect(server.connections()).toBeLessThanOrEqual(proxy === undefined ? 1 : 2);
    await Promise.all(Array.from({ length: 12 }, () => http.send(requestTo(server.url))));
    expect(most).toBe(3);
    expect(server.connections()).toBe(3);
    if (proxy !== undefined) expect(proxy.tunnels).toHaveLength(3);
  });

  it('sends each request for tokens, and what wants to be alone, over a connection of its own: a repeated answer answers no other request', async () => {
    const { http } = await open(1);
    let issued = 0;
    const server = await listenRaw((socket) => {
      // The copy arrives after the next request, when nobody can tell it from the answer to that.
      let copy = '';
      socket.on('data', (head) => {
        const isAlone = /^(POST|PATCH)/.test(head.toString('latin1'));
        const own = answering(isAlone ? `own ${String(++issued)}` : 'data');
        socket.write(copy + own);
        if (isAlone) copy = own;
      });
    });
    const tokens = requestTo(server.url, { method: 'POST' });
    const bearer = new Secret('token');
    const alone = requestTo(server.url, { method: 'PATCH', bearer, alone: true });
    const texts = [];
    const shared = requestTo(server.url);
    for (const each of [shared, tokens, tokens, shared, alone, shared]) {
      texts.push((await http.send(each)).text);
    }
    expect(texts).toEqual(['data', 'own 1', 'own 2', 'data', 'own 3', 'data']);
  });

  it('takes no data that the platform sent before the request for its answer', async () => {
    const { http } = await open(1);
    const sockets: Socket[] = [];
    const server = await listenRaw((socket) => {
      sockets.push(socket);
      socket.once('data', () => socket.write(answering('its own')));
    });
    expect((await http.send(requestTo(server.url))).text).toBe('its own');
    const [socket] = sockets;
    const closed = socket && once(socket, 'close');
    socket?.write(answering('not asked for'));
    await closed;
    expect((await http.send(requestTo(server.url))).text).toBe('its own');
    expect(server.connections()).toBe(2);
  });

  it('closes all connections, and close() may be called twice', async () => {
    const { http } = await open();
    let ended = 0;
    const server = await listenRaw((socket) => {
      socket.on('close', () => ended++);
      socket.on('data', () => void socket.write(answering('{}')));
    });
    await http.send(requestTo(server.url));
    await http.close();
    await http.close();
    await expect.poll(() => ended).toBe(server.connections());
  });

  it.runIf(openssl.present)(
    `rejects a service with an untrusted certificate${openssl.note}`,
    async () => {
      const { http } = await open();
      const tls = selfSigned('localhost', 'IP:127.0.0.1');
      const server = await listen((_request, response) => void response.end('{}'), { tls });
      const request = requestTo(server.url, { bearer: new Secret('tok-en') });
      const why = `the platform's certificate is not trusted here (NODE_EXTRA_CA_CERTS adds an authority)`;
      expect(await failure(http.send(request))).toMatchObject(
        broken('not-sent', `${server.url.host}: ${why}.`),
      );
      expect(server.requests).toEqual([]);
    },
  );

  it('fails at once if the service switches to another protocol', async () => {
    const { http } = await open();
    const server = await listenForData((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\n');
      socket.write('connection: upgrade\r\nupgrade: other\r\n\r\n');
    });
    expect(await failure(http.send(requestTo(server.url)))).toMatchObject(broken('unknown'));
  });
});

it('reports that nothing was sent if the host name does not exist', async () => {
  const http = createNodeHttp(1);
  onTestFinished(() => http.close());
  // RFC 6761 section 6.4: this name never resolves.
  const error = await failure(http.send(requestTo('http://service.invalid/')));
  const message = 'service.invalid: the address cannot be found (no network, or a typing error).';
  expect(error).toMatchObject(broken('not-sent', message));
});

describe('a request through a proxy', () => {
  const through = (httpProxy: string) => {
    const proxy = { variable: 'https_proxy', address: httpProxy };
    const http = createProxiedHttp({ connections: 1, proxy });
    onTestFinished(() => http.close());
    return http;
  };

  it.each([
    ['403 Forbidden', '', 'did not connect to service.example (403).', 'check https_proxy'],
    ['407 No', '', 'wants a user name and a password.', 'Put them into https_proxy'],
    ['407 No', 'ann:s3cret@', 'does not accept its user name and its password.', 'Correct them'],
  ])(
    'names a proxy that responds with %s to "%s" as the cause',
    async (refuse, who, words, hint) => {
      const proxy = await startProxy({ refuse });
      const http = through(proxy.url.replace('//', `//${who}`));
      const error = await failure(http.send(requestTo('http://service.example/')));
      expect(error).toMatchObject({
        code: 'NETWORK',
        message: `The proxy ${proxy.url} (https_proxy) ${words}`,
        details: { delivery: 'not-sent', proxy: 'https_proxy' },
      });
      expect(String(error.hint)).toContain(hint);
      expect(proxy.tunnels).toEqual(['service.example:80']);
    },
  );

  it('reports that nothing was sent if the proxy does not exist', async () => {
    const host = `127.0.0.1:${await closedPort()}`;
    const error = await failure(
      through(`http://ann:s3cret@${host}`).send(requestTo('https://service.example/')),
    );
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: `The proxy http://${host} (https_proxy) is not reachable: nothing answers there (connection refused).`,
      details: { delivery: 'not-sent' },
    });
    expect(String(error.hint)).toContain('NO_PROXY=service.example bypasses the proxy');
    expect(JSON.stringify([error.message, error.hint, error.details])).not.toContain('s3cret');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['before it reads', (socket) => socket.destroy()],
    ['without an answer', (socket) => socket.once('data', () => socket.end())],
    ['before TLS', (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n'))],
  ])('connects once to a proxy that hangs up %s', async (_when, onConnection) => {
    const proxy = await listenRaw(onConnection);
    const error = await failure(
      through(String(proxy.url)).send(
        requestTo('https://service.example/', { totalTimeoutMs: 5_000 }),
      ),
    );
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: `The proxy ${proxy.url.origin} (https_proxy) is not reachable: the connection broke off.`,
      details: { delivery: 'not-sent' },
    });
    expect(proxy.connections()).toBe(1);
  });

  it('sends the user name and password of the proxy address, and shows them in no error', async () => {
    const proxy = await startProxy({ refuse: '407 No' });
    const error = await failure(
      through(proxy.url.replace('http://', 'http://ann:s%3Acret@')).send(
        requestTo('http://service.example/'),
      ),
    );
    const basic = Buffer.from('ann:s:cret').toString('base64');
    expect(proxy.headers[0]?.['proxy-authorization']).toBe(`Basic ${basic}`);
    expect(`${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toMatch(
      /s%3Acret|s:cret/,
    );
  });
});

describe('the time limit for a connection', () => {
  /** Only the program's own timers: sockets keep theirs. */
  const holdTimers = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((go) => setImmediate(go));
  };

  it('does not run while a request waits for its turn on the only connection', async () => {
    const http = createNodeHttp(1);
    onTestFinished(() => http.close());
    const waiting: (() => void)[] = [];
    const server = await listen((_request, response) => {
      waiting.push(() => response.end('{}'));
    });
    holdTimers();
    const answers = Promise.all([
      http.send(requestTo(server.url)),
      http.send(requestTo(server.url)),
    ]);
    await until(() => waiting.length === 1);
    vi.advanceTimersByTime(50_000);
    waiting[0]?.();
    await until(() => waiting.length === 2);
    waiting[1]?.();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200]);
    expect(server.connections()).toBe(1);
  });

  it.each(WAYS)('limits the wait of a request for its turn, sent %s', async (_way, make) => {
    const { http } = await make(1);
    onTestFinished(() => http.close());
    const server = await listen(() => undefined);
    const first = http.send(requestTo(server.url)).catch((error: unknown) => error);
    await expect.poll(() => server.requests.length).toBe(1);
    holdTimers();
    const second = failure(http.send(requestTo(server.url)));
    vi.advanceTimersByTime(QUEUE_TIMEOUT_MS);
    const message = `${server.url.host}: no answer in time.`;
    expect(await second).toMatchObject(broken('not-sent', message));
    expect(server.requests).toHaveLength(1);
    await http.close();
    await first;
  });

  it.each(WAYS)('limits the whole answer to five minutes, sent %s', async (_way, make) => {
    for (const body of [undefined, [Buffer.alloc(200_000)]]) {
      const { http } = await make(1);
      onTestFinished(() => http.close());
      let answering = false;
      const server = await listen((_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{', () => (answering = true));
      });
      holdTimers();
      const request = requestTo(server.url, {
        method: body === undefined ? 'GET' : 'POST',
        body,
        // No silence is too long: it is the whole that is measured.
        answerTimeoutMs: 10 * ANSWER_TIMEOUT_MS,
      });
      let ended = false;
      const attempt = failure(http.send(request)).finally(() => (ended = true));
      await until(() => answering);
      let passed = 0;
      await until(() => {
        vi.advanceTimersByTime(1_000);
        passed += 1_000;
        return ended;
      });
      expect(await attempt).toMatchObject(broken('unknown'));
      expect(passed / ANSWER_TIMEOUT_MS).toBeCloseTo(1, 0);
      vi.useRealTimers();
    }
  });

  it('ends the attempt before anything was sent', async () => {
    const http = createNodeHttp(1);
    onTestFinished(() => http.close());
    // Takes the connection and never says the TLS words that would make it one.
    const server = await listenRaw(() => undefined);
    holdTimers();
    const attempt = failure(http.send(requestTo(`https://127.0.0.1:${server.port}/`)));
    await until(() => server.connections() === 1);
    vi.advanceTimersByTime(11_000);
    const message = `127.0.0.1:${server.port}: no answer in time.`;
    expect(await attempt).toMatchObject(broken('not-sent', message));
  });
});
