import type { Secret } from '../base/secret.ts';

/** One request. Nothing here follows a redirect: a token never travels to another origin. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  /** Sent as the bearer token (interface 5.4). */
  readonly bearer?: Secret | undefined;
  readonly contentType?: string | undefined;
  /** The body, whole; in pieces, so that a large file need not be copied to be framed. */
  readonly body?: readonly Uint8Array[] | undefined;
  /** How long the service may think before its answer begins, and in the middle of it, in ms. */
  readonly answerTimeoutMs?: number | undefined;
  /** How long all of it may take, its turn and the connection included, in ms. */
  readonly totalTimeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, at most {@link MAX_ANSWER_BYTES}. */
  readonly text: string;
}

/**
 * Speaks HTTP. Throws a `SyncError`: `NETWORK` when no whole answer came, with
 * `details.delivery`: `'not-sent'` when the service cannot have acted on the request, `'unknown'` when
 * it may have; `INTERRUPTED` when the signal was aborted. Any status is an answer, not an error.
 */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Ends idle connections. May be called twice. */
  close(): Promise<void>;
}

/** An answer larger than this is cut off as unreadable, in bytes. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Returns the headers of a request. Nothing else reveals the bearer token. */
export function requestHeaders(request: HttpRequest, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
  };
  if (request.bearer !== undefined) headers['authorization'] = `Bearer ${request.bearer.reveal()}`;
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.method !== 'GET') {
    const length = (request.body ?? []).reduce((sum, part) => sum + part.byteLength, 0);
    headers['content-length'] = String(length);
  }
  return headers;
}

/** Returns the headers of a response. @param headers with names in lower case */
export function responseHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return joined;
}
