import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { systemCode } from '../base/errors.ts';
import { sanitize } from '../base/sanitize.ts';
import { type HttpRequest, type HttpResponse, MAX_ANSWER_BYTES } from './http.ts';
import { answerTooLarge, answerUnreadable } from './http-failure.ts';

/** Decoders of content codings (RFC 9110 section 8.4.1). */
const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** Longest name of a coding in a message (characters). */
const MAX_NAME = 40;

/**
 * Returns a complete response. Unpacks its body, up to {@link MAX_ANSWER_BYTES}: no coding is asked
 * for, but a proxy may choose one (RFC 9110 section 12.5.3).
 *
 * @param headers with names in lower case
 * @throws SyncError `NETWORK` if the body cannot be unpacked, `SERVICE_ANSWER` if it is too large
 */
export function completeAnswer(
  request: HttpRequest,
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  parts: readonly Buffer[],
): HttpResponse {
  const codings = (headers['content-encoding'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  let body = Buffer.concat(parts);
  // The last one was applied last.
  for (const coding of body.length === 0 ? [] : codings.reverse()) {
    body = decode(request, coding, body);
  }
  return { status, headers, text: body.toString('utf8') };
}

function decode(request: HttpRequest, coding: string, body: Buffer): Buffer<ArrayBuffer> {
  const decoder = DECODERS.get(coding);
  const name = sanitize(coding, [], MAX_NAME);
  if (decoder === undefined) throw answerUnreadable(request, name);
  try {
    return decoder(body, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (cause) {
    if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw answerTooLarge(request);
    throw answerUnreadable(request, name, cause);
  }
}
