import { EnvHttpProxyAgent, Pool, request as undiciRequest } from 'undici';
import { SyncError, messageOf, systemCode } from '../errors.ts';
import { MAX_ANSWER_BYTES, type Http, type HttpRequest, type HttpResponse } from './http.ts';
import {
  CERTIFICATE_CODES,
  CONNECT_TIMEOUT_MS,
  SILENCE_TIMEOUT_MS,
  networkError,
} from './http-failure.ts';
import { answerTooLarge } from './node-http.ts';
import { headersOf } from './request-headers.ts';

/** The proxy part of the environment, in undici's words. */
export interface ProxySettings {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
}

/** {@link Http} by way of the proxy that the environment names: Node's own client knows none. */
export function createProxiedHttp(options: {
  userAgent: string;
  connections: number;
  proxy: ProxySettings;
}): Http {
  const { httpProxy, httpsProxy, noProxy } = options.proxy;
  const dispatcher = new EnvHttpProxyAgent({
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
    connections: options.connections,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    // To the proxy itself: one that does not answer CONNECT is given up like one that is not there.
    clientFactory: (origin: URL, pool: object) =>
      new Pool(origin, { ...pool, headersTimeout: CONNECT_TIMEOUT_MS }),
  });
  let closed: Promise<void> | undefined;
  return {
    send: (request) => send(request, options.userAgent, dispatcher),
    close: () => (closed ??= dispatcher.destroy()),
  };
}

async function send(
  request: HttpRequest,
  userAgent: string,
  dispatcher: EnvHttpProxyAgent,
): Promise<HttpResponse> {
  request.signal.throwIfAborted();
  const silence = request.answerTimeoutMs ?? SILENCE_TIMEOUT_MS;
  try {
    const answer = await undiciRequest(request.url, {
      dispatcher,
      method: request.method,
      headers: headersOf(request, userAgent),
      body: request.body === undefined ? null : Buffer.concat(request.body),
      headersTimeout: silence,
      bodyTimeout: silence,
      signal: request.signal,
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > MAX_ANSWER_BYTES) throw answerTooLarge(request);
      parts.push(part);
    }
    return {
      status: answer.statusCode,
      headers: Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      ),
      text: Buffer.concat(parts).toString('utf8'),
    };
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    if (cause instanceof SyncError) throw cause;
    const refusal = tunnelRefusal(cause);
    if (refusal !== undefined) throw networkError(request, refusal, 'not-sent');
    throw networkError(
      request,
      cause,
      NEVER_SENT.has(systemCode(cause) ?? '') ? 'not-sent' : 'unknown',
    );
  }
}

/** The proxy answered CONNECT with something else than 200; undici tells it in its message alone. */
function tunnelRefusal(cause: unknown): Error | undefined {
  const status = /^Proxy response \((\d+)\)/.exec(messageOf(cause))?.[1];
  if (status === undefined) return undefined;
  return Object.assign(new Error(`it answered ${status}`, { cause }), {
    code: status === '407' ? 'PROXY_AUTHENTICATION' : 'PROXY_REFUSED',
  });
}

/** Failures of connecting: to the service, or to the proxy before it. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  ...CERTIFICATE_CODES,
]);
