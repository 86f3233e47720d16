import { systemCode } from '../base/errors.ts';
import { ANSWER_TIMEOUT_MS, exchange } from '../api/exchange.ts';
import {
  type Http,
  type HttpRequest,
  type HttpResponse,
  MAX_ANSWER_BYTES,
  requestHeaders,
} from '../api/http.ts';
import { answerTooLarge, timeoutCause } from '../api/http-failure.ts';

/** Failures of a connection that was never there: the service cannot have acted on the request. */
const NOT_CONNECTED = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'];

/** Creates an {@link Http} over a `fetch` of the package's user. */
export function fetchHttp(fetch: typeof globalThis.fetch): Http {
  return {
    send: (request) =>
      exchange(request, (course) => {
        const stop = new AbortController();
        const silence = setTimeout(
          () => course.failed(timeoutCause('the connection fell silent')),
          request.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
        );
        course.dequeued();
        send(fetch, request, stop.signal)
          .finally(() => clearTimeout(silence))
          .then(course.answered, (error: unknown) => {
            const cause = error instanceof TypeError ? (error.cause ?? error) : error;
            if (!NOT_CONNECTED.includes(systemCode(cause) ?? '')) course.connected();
            course.failed(cause);
          });
        return () => {
          clearTimeout(silence);
          stop.abort();
        };
      }),
    close: () => Promise.resolve(),
  };
}

async function send(
  fetch: typeof globalThis.fetch,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  // `fetch` computes `content-length` itself.
  const headers = new Headers(requestHeaders(request));
  headers.delete('content-length');
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    redirect: 'manual',
    signal,
    ...(request.body === undefined ? {} : { body: Buffer.concat(request.body) }),
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  const body = response.body as AsyncIterable<Uint8Array> | null;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw answerTooLarge(request);
    parts.push(part);
  }
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text: Buffer.concat(parts).toString('utf8'),
  };
}
