import { SyncError } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import { IN_BETWEEN } from './http-failure.ts';

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

export function answerTooLarge(request: HttpRequest): SyncError {
  return new SyncError(
    'SERVICE_ANSWER',
    `${request.url.host} answered with more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB.`,
    {
      hint: IN_BETWEEN,
      details: { limitBytes: MAX_ANSWER_BYTES },
    },
  );
}

/** Headers as {@link HttpResponse} has them, from names in lower case. */
export function joinedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  return joined;
}
