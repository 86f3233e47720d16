import type { Duplex } from 'node:stream';
import http from 'node:http';
import https from 'node:https';
import {
  MAX_ANSWER_BYTES,
  type Http,
  type HttpRequest,
  type HttpResponse,
  apartForTokens,
  requestHeaders,
  responseHeaders,
} from './http.ts';
import { CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS, completeAnswer, exchange } from './exchange.ts';
import { answerTooLarge, timeoutCause } from './http-failure.ts';

/**
 * Creates an {@link Http} over Node's own client with keep-alive connections. It sends a buffer
 * without copying it, which makes many uploads cheap (docs/internals/architecture.md).
 *
 * @param connections limit on requests in flight per host.
 */
export function createNodeHttp(connectionsPerHost: number): Http {
  return apartForTokens(connectionsPerHost, (connections) => {
    const agents = createAgents(connections);
    return {
      send: (request) => {
        const secure = request.url.protocol === 'https:';
        return send(request, {
          start: secure ? https.request : http.request,
          agent: secure ? agents['https:'] : agents['http:'],
        });
      },
      close: () => {
        agents['http:'].destroy();
        agents['https:'].destroy();
        return Promise.resolve();
      },
    };
  });
}

function send(
  request: HttpRequest,
  transport: { start: typeof http.request; agent: http.Agent },
): Promise<HttpResponse> {
  return exchange(request, (course) => {
    const outgoing = transport.start(request.url, {
      method: request.method,
      agent: transport.agent,
      headers: requestHeaders(request),
    });
    let connecting: NodeJS.Timeout | undefined;
    outgoing.setTimeout(request.answerTimeoutMs ?? SILENCE_TIMEOUT_MS, () => {
      course.failed(timeoutCause('the connection fell silent'));
    });
    outgoing.once('socket', (socket) => {
      course.dequeued();
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
      readAnswer(request, incoming).then((answer) => {
        course.answered(answer);
        // The service responded before it read the body. It will not read the rest, so the connection
        // would never become free.
        if (!outgoing.writableFinished) outgoing.destroy();
      }, course.failed);
    });
    const parts = request.body ?? [];
    for (const part of parts.slice(0, -1)) outgoing.write(part);
    outgoing.end(parts.at(-1));
    return () => {
      clearTimeout(connecting);
      outgoing.destroy();
    };
  });
}

/** Reads a whole response. Uses events, because an iterator costs as much as the request itself. */
async function readAnswer(
  request: HttpRequest,
  incoming: http.IncomingMessage,
): Promise<HttpResponse> {
  const parts = await new Promise<Buffer[]>((resolve, reject) => {
    const received: Buffer[] = [];
    let size = 0;
    incoming.once('error', reject);
    incoming.once('close', () => {
      if (incoming.readableEnded) return;
      reject(Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' }));
    });
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      received.push(part);
      if (size > MAX_ANSWER_BYTES) reject(answerTooLarge(request));
    });
    incoming.once('end', () => resolve(received));
  });
  const { statusCode = 0, headers } = incoming;
  return completeAnswer(request, { status: statusCode, headers: responseHeaders(headers) }, parts);
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

/** Creates the keep-alive agents by protocol. @param connections limit on connections to each host */
function createAgents(connections: number): {
  readonly 'http:': http.Agent;
  readonly 'https:': https.Agent;
} {
  const options = { keepAlive: true, maxSockets: connections };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  for (const agent of Object.values(agents)) closeOnUnsolicitedData(agent);
  return agents;
}
