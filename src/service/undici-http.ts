import { EnvHttpProxyAgent, request as undiciRequest } from 'undici';
import { SyncError, systemCode } from '../errors.ts';
import { MAX_ANSWER_BYTES, type Http, type HttpRequest, type HttpResponse } from './http.ts';
import { CONNECT_TIMEOUT_MS, SILENCE_TIMEOUT_MS, networkError } from './http-failure.ts';
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
    throw networkError(
      request,
      cause,
      NEVER_SENT.has(systemCode(cause) ?? '') ? 'not-sent' : 'unknown',
    );
  }
}

/** Failures of connecting: to the service, or to the proxy before it. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
