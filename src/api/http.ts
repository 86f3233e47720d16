import { attempt } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { type Secret, withoutAny } from '../base/secret.ts';
import { VERSION } from '../base/version.ts';

/** A request. Redirects are not followed: a token never travels to another origin. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  /** Sent as the bearer token (interface 5.4). */
  readonly bearer?: Secret | undefined;
  readonly contentType?: string | undefined;
  /** Media types of the response, as in `Accept`; by default JSON. */
  readonly accept?: string | undefined;
  /** The whole body in parts, so that framing does not copy a large file. */
  readonly body?: readonly Uint8Array[] | undefined;
  /** Limit on silence before and during the response (ms). */
  readonly answerTimeoutMs?: number | undefined;
  /** Limit on the whole request, including the wait for a connection (ms). */
  readonly totalTimeoutMs?: number | undefined;
  /** Over a separate connection. Requests for tokens, which carry no bearer, always are. */
  readonly alone?: boolean;
  readonly signal: AbortSignal;
}

/** Status of a success without a body: a list or a profile that holds nothing. */
export const NO_CONTENT = 204;

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status <= 299;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, at most {@link MAX_ANSWER_BYTES}. */
  readonly text: string;
}

/** Returns a response without secrets of its request, in case the service repeats them, also escaped in JSON. */
export function withoutSecrets(
  { status, headers, text }: HttpResponse,
  secrets: readonly (Secret | undefined)[],
): HttpResponse {
  const isEscaped = text.includes('\\');
  const unescaped = isEscaped ? attempt(() => JSON.stringify(parseJson(text))) : undefined;
  const kept = Object.entries(headers).map(([name, value]) => [name, withoutAny(secrets, value)]);
  return {
    status,
    headers: Object.fromEntries(kept) as HttpResponse['headers'],
    text: withoutAny(secrets, unescaped ?? text),
  };
}

/**
 * Sends HTTP requests. `send` returns any status as a response. It throws a `SyncError` `NETWORK` if no
 * complete response arrived, with `details.delivery`: `'not-sent'` if the service cannot have acted on
 * the request, `'unknown'` if it may have; and the signal's reason if it is aborted.
 */
export interface Http {
  send(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

/** Upper bound for a response (bytes). */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Returns the headers of a request. Nothing else reveals the bearer token. */
export function requestHeaders(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {
    accept: request.accept ?? 'application/json',
    'user-agent': `athlete-sync/${VERSION}`,
  };
  if (request.bearer !== undefined) headers['authorization'] = `Bearer ${request.bearer.reveal()}`;
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.method !== 'GET') {
    const length = (request.body ?? []).reduce((sum, part) => sum + part.byteLength, 0);
    headers['content-length'] = String(length);
  }
  return headers;
}
