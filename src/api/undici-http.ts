import { Readable } from 'node:stream';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { messageOf, systemCode } from '../base/errors.ts';
import type { Http } from './http.ts';
import { CONNECT_TIMEOUT_MS, type Exchange, type Outgoing, httpOver } from './exchange.ts';
import { type Proxy, ProxyFailure, isTlsFailure } from './http-failure.ts';

/** The connections to a proxy. */
class ProxyPool extends Pool {
  constructor(origin: URL, options: object) {
    // Limits the proxy's response to CONNECT like a connection.
    super(origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS });
  }

  /** Fails with a code that ends the request: undici connects again, without a pause, after its own code. */
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      if (systemCode(cause) !== 'UND_ERR_SOCKET') throw cause;
      throw Object.assign(new Error(messageOf(cause), { cause }), { code: 'ECONNRESET' });
    }
  }
}

/** Creates an {@link Http} over a proxy, which Node's own client does not support. */
export function createProxiedHttp(options: { connections: number; proxy: Proxy }): Http {
  const { proxy } = options;
  return httpOver(options.connections, (connections) => {
    const dispatcher = new ProxyAgent({
      uri: proxy.address,
      connections,
      connect: { timeout: CONNECT_TIMEOUT_MS },
      clientFactory: (origin: URL, pool: object) => new ProxyPool(origin, pool),
    });
    let closed: Promise<void> | undefined;
    return {
      start: (outgoing, course) => start(outgoing, course, { dispatcher, proxy }),
      close: () => (closed ??= dispatcher.destroy()),
    };
  });
}

function start(
  { request, headers, silenceMs }: Outgoing,
  course: Exchange,
  { dispatcher, proxy }: { dispatcher: ProxyAgent; proxy: Proxy },
): () => void {
  const { url, method } = request;
  const parts = request.body?.filter(({ byteLength }) => byteLength > 0) ?? [];
  const body = parts.length > 0 ? Readable.from(inPieces(parts, course.sent)) : null;
  let controller: Dispatcher.DispatchController | undefined;
  let ended = false;
  const abort = () => controller?.abort(new Error('ended'));
  dispatcher.dispatch(
    {
      ...{ origin: url.origin, path: url.pathname + url.search, method, headers, body },
      ...{ headersTimeout: silenceMs, bodyTimeout: silenceMs },
    },
    {
      onRequestStart(given) {
        controller = given;
        if (ended) {
          abort();
          return;
        }
        course.connected();
        if (body === null) course.sent();
      },
      onResponseStart: (_controller, status, answered) => course.responded(status, answered),
      onResponseData: (_controller, part) => course.received(part),
      onResponseEnd: () => course.ended(),
      onResponseError(_controller, cause) {
        const isSent = controller !== undefined;
        course.failed(isSent ? cause : (proxyFailure(cause, proxy) ?? cause));
      },
    },
  );
  return () => {
    ended = true;
    abort();
  };
}

/** Size of the pieces of a body (bytes). */
const PIECE_BYTES = 64 * 1024;

/**
 * Yields a body in pieces. undici does not track a body that it gets whole: the time limit of the
 * response would run while a slow line still sends the body, and after an early response the rest of
 * the body would block the next request.
 */
function* inPieces(body: readonly Uint8Array[], onSent: () => void): Generator<Uint8Array> {
  for (const part of body) {
    for (let at = 0; at < part.byteLength; at += PIECE_BYTES) {
      yield part.subarray(at, at + PIECE_BYTES);
    }
  }
  onSent();
}

/**
 * Returns the error for a request that did not get beyond the proxy; undefined if the service's own
 * TLS failed. undici puts the proxy's status into its message only.
 */
function proxyFailure(cause: unknown, proxy: Proxy): ProxyFailure | undefined {
  const status = /^Proxy response \((\d+)\)/.exec(messageOf(cause))?.[1];
  if (status !== undefined) return new ProxyFailure(proxy, Number(status), cause);
  return isTlsFailure(systemCode(cause)) ? undefined : new ProxyFailure(proxy, undefined, cause);
}
