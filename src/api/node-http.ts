import type { Duplex } from 'node:stream';
import http from 'node:http';
import https from 'node:https';
import type { Http } from './http.ts';
import { CONNECT_TIMEOUT_MS, type Exchange, type Outgoing, httpOver } from './exchange.ts';
import { timeoutCause } from './http-failure.ts';

/**
 * Creates an {@link Http} over Node's own client with keep-alive connections. It sends a buffer
 * without copying it, which makes many uploads cheap (docs/internals/architecture.md).
 *
 * @param connections limit on requests in flight per host.
 */
export function createNodeHttp(connections: number): Http {
  return httpOver(connections, (perHost) => {
    const options = { keepAlive: true, maxSockets: perHost };
    const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
    for (const agent of Object.values(agents)) closeOnUnsolicitedData(agent);
    return {
      start: (outgoing, course) =>
        outgoing.request.url.protocol === 'https:'
          ? start(outgoing, course, https.request, agents['https:'])
          : start(outgoing, course, http.request, agents['http:']),
      close: () => {
        for (const agent of Object.values(agents)) agent.destroy();
        return Promise.resolve();
      },
    };
  });
}

function start(
  { request, headers, silenceMs }: Outgoing,
  course: Exchange,
  open: typeof http.request,
  agent: http.Agent,
): () => void {
  const outgoing = open(request.url, { method: request.method, agent, headers });
  let connecting: NodeJS.Timeout | undefined;
  outgoing.setTimeout(silenceMs, () => {
    course.failed(timeoutCause('the connection fell silent'));
  });
  outgoing.once('socket', (socket) => {
    const onConnect = () => {
      course.connected();
      clearTimeout(connecting);
    };
    // A keep-alive socket is connected already.
    if (!socket.connecting) {
      onConnect();
      return;
    }
    // Starts here, because the wait for a free connection has its own limit.
    connecting = setTimeout(() => {
      course.failed(timeoutCause('connecting took too long'));
    }, CONNECT_TIMEOUT_MS);
    socket.once(request.url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnect);
  });
  // Not `once`: a request can still fail after its response, if the service did not read the body.
  outgoing.on('error', course.failed);
  outgoing.once('finish', course.sent);
  // Node would close the connection without another event.
  outgoing.once('upgrade', (_incoming, socket) => {
    socket.destroy();
    course.failed(new Error('the platform switched to another protocol'));
  });
  outgoing.once('response', (incoming) => {
    course.responded(incoming.statusCode ?? 0, incoming.headers);
    // Events, because an iterator costs as much as the request itself.
    incoming.on('data', course.received);
    incoming.once('end', () => {
      course.ended();
      // The service responded before it read the body. It will not read the rest, so the connection
      // would never become free.
      if (!outgoing.writableFinished) outgoing.destroy();
    });
    incoming.once('error', course.failed);
    incoming.once('close', () => {
      if (incoming.readableEnded) return;
      course.failed(Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' }));
    });
  });
  const parts = request.body ?? [];
  for (const part of parts.slice(0, -1)) outgoing.write(part);
  outgoing.end(parts.at(-1));
  return () => {
    clearTimeout(connecting);
    outgoing.destroy();
  };
}

/**
 * Closes an idle connection that receives data: the next request would take them for its answer, so
 * that a recording could count as delivered by the answer to another.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.2 - unsolicited data
 */
function closeOnUnsolicitedData(agent: http.Agent): void {
  const onData = function (this: Duplex) {
    this.destroy();
  };
  const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const reuseSocket = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    if (socket.readableLength > 0 || !keepSocketAlive(socket)) return false;
    socket.on('data', onData);
    return true;
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', onData);
    reuseSocket(socket, request);
  };
}
