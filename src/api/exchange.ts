import type { IncomingHttpHeaders } from 'node:http';
import type { gunzipSync } from 'node:zlib';
import { SyncError, systemCode } from '../base/errors.ts';
import { loadZlib } from '../system/this-process.ts';
import {
  type Http,
  type HttpRequest,
  type HttpResponse,
  MAX_ANSWER_BYTES,
  requestHeaders,
} from './http.ts';
import { answerTooLarge, answerUnreadable, networkError, timeoutCause } from './http-failure.ts';

/**
 * Time limits of one request, stage by stage (ms); docs/internals/architecture.md has them as a table. Every
 * stage has a limit, so that no request waits forever.
 */

/**
 * Wait for a free connection. Each request before it has its own limit; a large recording on a slow
 * line takes minutes.
 */
export const QUEUE_TIMEOUT_MS = 600_000;
/** Connecting, TLS included. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** Silence while sending or receiving, unless the request sets `answerTimeoutMs`. */
const SILENCE_TIMEOUT_MS = 60_000;
/** From the end of the request to the end of the response. */
export const ANSWER_TIMEOUT_MS = 300_000;

/** A request as an implementation of HTTP sends it. */
export interface Outgoing {
  readonly request: HttpRequest;
  readonly headers: Readonly<Record<string, string>>;
  /** Limit on silence (ms). */
  readonly silenceMs: number;
}

/** Events of a request, reported by an implementation of HTTP. Each may be reported twice, {@link received} apart. */
export interface Exchange {
  /** The connection is established: from here on the service may act on the request. */
  readonly connected: () => void;
  readonly sent: () => void;
  /** The head of the response came. */
  readonly responded: (status: number, headers: IncomingHttpHeaders) => void;
  /** A part of the body came. */
  readonly received: (part: Buffer) => void;
  /** The response is complete. */
  readonly ended: () => void;
  readonly failed: (cause: unknown) => void;
}

/** Connections to hosts. */
export interface Transport {
  /** Starts a request, and returns a function that ends it after a failure. */
  start(outgoing: Outgoing, course: Exchange): () => void;
  close(): Promise<void>;
}

/**
 * Creates an {@link Http} over an implementation.
 *
 * Each request for tokens has a separate connection. On a shared one, a repeated answer could become the
 * answer to another request: its tokens would leak, or be lost.
 *
 * @param open opens connections, at most this number to each host
 */
export function httpOver(connections: number, open: (connections: number) => Transport): Http {
  const shared = open(connections);
  return {
    async send(request) {
      const isForTokens = request.method === 'POST' && request.bearer === undefined;
      if (!isForTokens && request.alone !== true) return await exchange(request, shared);
      const alone = open(1);
      try {
        return await exchange(request, alone);
      } finally {
        await alone.close();
      }
    },
    close: () => shared.close(),
  };
}

/**
 * Runs one request within its time limits. The signal and the limits settle the promise themselves,
 * because an implementation reports nothing while a request waits for a connection.
 *
 * @throws as {@link Http} does.
 */
function exchange(request: HttpRequest, transport: Transport): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { signal, totalTimeoutMs, answerTimeoutMs: silenceMs = SILENCE_TIMEOUT_MS } = request;
    if (signal.aborted) throw abortReason(signal, false);
    // Before the connection is established, no byte of the request can reach the service.
    let connected = false;
    let settled = false;
    let end: (() => void) | undefined;
    let answer: NodeJS.Timeout | undefined;
    let head = { status: 0, headers: {} };
    const parts: Buffer[] = [];
    let size = 0;
    const settle = () => {
      settled = true;
      for (const timer of [queued, answer, total]) clearTimeout(timer);
      signal.removeEventListener('abort', failed);
    };
    const failed = (cause: unknown) => {
      if (settled) return;
      settle();
      end?.();
      if (signal.aborted) reject(abortReason(signal, connected));
      else if (cause instanceof SyncError) reject(cause);
      else reject(networkError(request, cause, connected ? 'unknown' : 'not-sent'));
    };
    const failAfter = (ms: number, why: string) => setTimeout(() => failed(timeoutCause(why)), ms);
    signal.addEventListener('abort', failed, { once: true });
    const queued = failAfter(QUEUE_TIMEOUT_MS, 'no connection became free');
    const total =
      totalTimeoutMs === undefined
        ? undefined
        : failAfter(totalTimeoutMs, 'all of it took too long');
    const course: Exchange = {
      connected: () => {
        connected = true;
        clearTimeout(queued);
      },
      sent: () => {
        if (!settled) answer ??= failAfter(ANSWER_TIMEOUT_MS, 'the answer took too long');
      },
      responded(status, headers) {
        head = { status, headers: responseHeaders(headers) };
      },
      received(part) {
        size += part.length;
        if (size > MAX_ANSWER_BYTES) failed(answerTooLarge(request));
        else parts.push(part);
      },
      ended() {
        if (settled) return;
        try {
          const response = completeAnswer(request, head, parts);
          settle();
          resolve(response);
        } catch (error) {
          failed(error);
        }
      },
      failed,
    };
    try {
      end = transport.start({ request, headers: requestHeaders(request), silenceMs }, course);
    } catch (error) {
      failed(error);
    }
  });
}

function responseHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

/** Returns the signal's reason, marked `not-sent` if the request did not leave. */
function abortReason({ reason }: AbortSignal, connected: boolean): Error {
  return reason instanceof SyncError && !connected
    ? reason.with({ details: { delivery: 'not-sent' } })
    : (reason as Error);
}

/** Decoders of content codings (RFC 9110 section 8.4.1). */
const DECODERS: ReadonlyMap<string, () => typeof gunzipSync> = new Map([
  ['gzip', () => loadZlib().gunzipSync],
  ['x-gzip', () => loadZlib().gunzipSync],
  ['deflate', () => loadZlib().inflateSync],
  ['br', () => loadZlib().brotliDecompressSync],
]);

/**
 * Returns a complete response. Unpacks its body, up to {@link MAX_ANSWER_BYTES}: no coding is asked
 * for, but a proxy may choose one (RFC 9110 section 12.5.3).
 *
 * @param headers with names in lower case
 * @throws SyncError `NETWORK` if the body cannot be unpacked, `SERVICE_ANSWER` if it is too large
 */
function completeAnswer(
  request: HttpRequest,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  parts: readonly Buffer[],
): HttpResponse {
  const codings = (headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    // Some platforms state a character set here, which is no coding.
    .filter((name) => !/^(?:|identity|none|utf-?8)$/.test(name));
  let body = Buffer.concat(parts);
  // The last one was applied last.
  for (const coding of body.length === 0 ? [] : codings.reverse()) {
    body = decode(request, coding, body);
  }
  // Drops a byte order mark, which some platforms write before their JSON.
  return { status, headers, text: withExactIds(new TextDecoder().decode(body)) };
}

/** Matches an identifier in JSON. A quotation mark inside of a text has a backslash before it. */
const LONG_IDS = /("\w*id"\s*:\s*)(\d{16,})(?=\s*[,}])/gi;

/** Makes identifiers texts that a number cannot hold exactly: rounded, they would name another thing. */
function withExactIds(text: string): string {
  return text.replace(LONG_IDS, (found, name: string, id: string) =>
    Number.isSafeInteger(Number(id)) ? found : `${name}"${id}"`,
  );
}

function decode(request: HttpRequest, coding: string, body: Buffer): Buffer<ArrayBuffer> {
  const decoder = DECODERS.get(coding);
  // A name has letters alone, and a secret that the service repeats there would have more.
  const name = /^[a-z-]{1,16}$/.test(coding) ? coding : 'an unknown coding';
  if (decoder === undefined) throw answerUnreadable(request, name);
  try {
    return decoder()(body, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (cause) {
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw answerTooLarge(request);
    throw answerUnreadable(request, name, cause);
  }
}
