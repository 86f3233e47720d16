import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HttpRequest } from '../../src/api/http.ts';

export { failure } from '../support/failure.ts';
export { freePort as closedPort } from '../support/local-server.ts';

/** A server of a test's own, that counts what reaches it and ends with the test. */
export interface TestServer {
  readonly url: URL;
  readonly port: number;
  /** Connections that were opened to it. */
  readonly connections: () => number;
  readonly requests: readonly ReceivedRequest[];
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

type Answer = (
  request: ReceivedRequest,
  response: ServerResponse,
  incoming: IncomingMessage,
) => void | Promise<void>;

/** Reads each request to its end, writes it down, and lets `answer` answer it. */
export async function listen(
  answer: Answer,
  options: { tls?: { key: string; cert: string } | undefined } = {},
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const received = { method, url, headers, body: Buffer.concat(parts) };
      requests.push(received);
      void answer(received, response, incoming);
    });
  };
  const server = options.tls
    ? https.createServer(options.tls, listener)
    : http.createServer(listener);
  const counted = await open(server);
  const scheme = options.tls ? 'https' : 'http';
  return { ...counted, url: new URL(`${scheme}://127.0.0.1:${counted.port}/`), requests };
}

/** A server that is given each bare connection. */
export async function listenRaw(onConnection: (socket: Socket) => void): Promise<TestServer> {
  const counted = await open(net.createServer(onConnection));
  return { ...counted, url: new URL(`http://127.0.0.1:${counted.port}/`), requests: [] };
}

async function open(server: net.Server): Promise<{ port: number; connections: () => number }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** A forward proxy: CONNECT tunnels, the only way in which this program uses one. */
export interface TestProxy {
  readonly url: string;
  /** The requested targets, each `host:port`, in order. */
  readonly tunnels: readonly string[];
  readonly headers: readonly http.IncomingHttpHeaders[];
}

/** @param refuse answers CONNECT with this status line instead, such as `403 Forbidden`. */
export async function startProxy(
  options: { refuse?: string; names?: Readonly<Record<string, number>> } = {},
): Promise<TestProxy> {
  const tunnels: string[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  const proxy = http.createServer((_incoming, response) => {
    response.writeHead(400).end('only tunnels');
  });
  const far = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of far) socket.destroy();
  });
  proxy.on('connect', (incoming: IncomingMessage, near: Socket) => {
    tunnels.push(incoming.url ?? '');
    headers.push(incoming.headers);
    near.on('error', () => undefined);
    if (options.refuse !== undefined) {
      near.end(`HTTP/1.1 ${options.refuse}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const asked = new URL(`http://${incoming.url ?? ''}`);
    const port = options.names?.[asked.hostname] ?? Number(asked.port);
    const target = net.connect({ host: '127.0.0.1', port, allowHalfOpen: false });
    far.add(target);
    let standing = false;
    target.once('connect', () => {
      standing = true;
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(near);
      near.pipe(target);
    });
    // A broken connection is handed on as a broken connection.
    target.on('error', () => {
      if (standing) near.resetAndDestroy();
      else near.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    });
    near.once('close', () => target.destroy());
  });
  const { port } = await open(proxy);
  return { url: `http://127.0.0.1:${port}`, tunnels, headers };
}

const OPENSSL = ['/usr/bin/openssl', '/usr/local/bin/openssl', '/opt/homebrew/bin/openssl'].find(
  (path) => existsSync(path),
);
export const openssl = {
  present: OPENSSL !== undefined,
  note: OPENSSL === undefined ? ' (skipped: no openssl here to make a certificate with)' : '',
};

/** A self-signed certificate for a name, good for a day. */
export function selfSigned(subject: string, alternative: string): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'sync-tls-'));
  try {
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    execFileSync(
      OPENSSL ?? 'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
        ...['-nodes', '-days', '1', '-subj', `/CN=${subject}`],
        ...['-addext', `subjectAltName=${alternative}`, '-keyout', key, '-out', cert],
      ],
      { stdio: 'ignore' },
    );
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Never aborted. */
export const never = (): AbortSignal => new AbortController().signal;

export function requestTo(url: URL | string, over: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url: new URL(url), signal: never(), ...over };
}
