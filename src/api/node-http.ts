import http from 'node:http';
import https from 'node:https';
import { CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS, exchange } from './exchange.ts';
import {
  MAX_ANSWER_BYTES,
  type Http,
  type HttpRequest,
  type HttpResponse,
  requestHeaders,
  responseHeaders,
} from './http.ts';
import { answerTooLarge, timeoutCause } from './http-failure.ts';

/**
 * {@link Http} over Node's own client, with connections kept open. It sends a buffer without
 * copying it, which is what makes many uploads cheap (docs/architecture.md).
 *
 * @param connections how many requests may be under way at once to one host.
 */
export function createNodeHttp(options: { userAgent: string; connections: number }): Http {
  const agentOptions = { keepAlive: true, maxSockets: options.connections };
  const agents = {
    'http:': new http.Agent(agentOptions),
    'https:': new https.Agent(agentOptions),
  };
  return {
    send: (request) => {
      const secure = request.url.protocol === 'https:';
      return send(request, options.userAgent, {
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
}

function send(
  request: HttpRequest,
  userAgent: string,
  transport: { start: typeof http.request; agent: http.Agent },
): Promise<HttpResponse> {
  return exchange(request, (course) => {
    const outgoing = transport.start(request.url, {
      method: request.method,
      agent: transport.agent,
      headers: requestHeaders(request, userAgent),
    });
    let connecting: NodeJS.Timeout | undefined;
    outgoing.setTimeout(request.answerTimeoutMs ?? SILENCE_TIMEOUT_MS, () => {
      course.failed(timeoutCause('the connection fell silent'));
    });
    outgoing.once('socket', (socket) => {
      course.hasTurn();
      const onConnect = () => {
        course.connected();
        clearTimeout(connecting);
      };
      // A socket that was kept open is connected already.
      if (!socket.connecting) {
        onConnect();
        return;
      }
      // Begins now: to wait for one's turn while other requests use the connections is no failure.
      connecting = setTimeout(() => {
        course.failed(timeoutCause('connecting took too long'));
      }, CONNECT_TIMEOUT_MS);
      socket.once(request.url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnect);
    });
    // Not once: a request that was answered can still fail, when its body was not wanted.
    outgoing.on('error', course.failed);
    outgoing.once('finish', course.sent);
    outgoing.once('response', (incoming) => {
      readAnswer(request, incoming).then((answer) => {
        course.answered(answer);
        // Answered before the body was read: nobody takes the rest of it, and a connection that waits
        // for that would never be free again.
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

/** Reads an answer to its end. By events: an iterator would cost as much as the request itself. */
function readAnswer(request: HttpRequest, incoming: http.IncomingMessage): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.once('error', reject);
    // `end` comes with a whole answer alone; one that was cut off is an error before it closes.
    incoming.once('close', () => reject(cutOff()));
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size > MAX_ANSWER_BYTES) reject(answerTooLarge(request));
    });
    incoming.once('end', () => {
      resolve({
        status: incoming.statusCode ?? 0,
        headers: responseHeaders(incoming.headers),
        text: Buffer.concat(parts).toString('utf8'),
      });
    });
  });
}

function cutOff(): Error {
  return Object.assign(new Error('the answer was cut off'), { code: 'ECONNRESET' });
}
