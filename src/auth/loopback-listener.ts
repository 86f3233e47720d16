import { type Server, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SyncError, messageOf, systemCode } from '../base/errors.ts';
import { phrase, sync } from '../base/phrase.ts';
import { SANDBOX_PORT } from '../config/platforms.ts';

/** Time limit for receiving one request (ms). */
const REQUEST_LIMIT_MS = 10_000;
/** How often Node.js compares connections with that limit (ms). */
const CHECK_MS = 1_000;
/** Limit on connections that have not sent a whole request. */
const MAX_SILENT = 1_000;
/** Limit on connections that wait in the system's queue, while others arrive (fewer on some systems). */
const BACKLOG = 4_096;
/** Attempts to find a port that is free on both addresses of `localhost`. */
const FREE_PORT_ATTEMPTS = 5;

/**
 * Listens on both addresses of `localhost`: the browser may use either, and another program on the
 * other address could take the code.
 *
 * @throws SyncError `PORT_IN_USE`; `CONFIG` if this machine does not allow to listen there.
 * @see https://www.rfc-editor.org/rfc/rfc8252#section-8.3 - `localhost` and loopback addresses
 */
export async function listenOnLoopback(uri: string): Promise<{ servers: Server[]; port: number }> {
  const redirectUri = new URL(uri);
  const wanted = redirectUri.port === '' ? 80 : Number(redirectUri.port);
  const hosts =
    redirectUri.hostname === 'localhost'
      ? ['127.0.0.1', '::1']
      : [redirectUri.hostname.replace(/^\[(.*)\]$/, '$1')];
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    let port = wanted;
    try {
      for (const host of hosts) {
        const server = await listenOn(host, port).catch((cause: unknown) => {
          if (servers.length > 0 && hasNoAddress(cause)) return undefined;
          throw cause;
        });
        if (server === undefined) continue;
        servers.push(server);
        port = (server.address() as AddressInfo).port;
      }
      return { servers, port };
    } catch (cause) {
      for (const server of servers) server.close();
      const inUse = systemCode(cause) === 'EADDRINUSE';
      if (inUse && wanted === 0 && attempt < FREE_PORT_ATTEMPTS) continue;
      throw inUse
        ? portInUse(redirectUri, port)
        : new SyncError('CONFIG', `Cannot listen on ${uri}: ${messageOf(cause)}.`, {
            cause,
            hint: phrase`Choose another port: ${sync('login', '--port', 'PORT')}.`,
          });
    }
  }
}

/** Does this machine lack the address? (no IPv6) */
function hasNoAddress(cause: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(systemCode(cause) ?? '');
}

function listenOn(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({
      requestTimeout: REQUEST_LIMIT_MS,
      headersTimeout: REQUEST_LIMIT_MS,
      connectionsCheckingInterval: CHECK_MS,
    });
    limitSilent(server);
    server.once('error', reject);
    server.listen({ host, port, exclusive: true, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

/**
 * Closes the oldest connection without a request if there are too many. A limit on all connections
 * would refuse the browser instead, whose request follows its connection at once.
 */
function limitSilent(server: Server): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    const [oldest] = silent;
    if (oldest === undefined || silent.size <= MAX_SILENT) return;
    silent.delete(oldest);
    oldest.destroy();
  });
  server.prependListener('request', ({ socket }) => silent.delete(socket));
}

function portInUse(redirectUri: URL, port: number): SyncError {
  const other = new URL(redirectUri);
  const next = port < 65_535 ? port + 1 : port - 1;
  other.port = String(next === SANDBOX_PORT ? next + 1 : next);
  return new SyncError('PORT_IN_USE', `Port ${port} is in use.`, {
    hint: phrase`End that program, or choose another port: ${sync('login', '--port', other.port)}. The platform must know that address too: register ${other.href} as a redirect URI.`,
    details: { port },
  });
}
