import { parseObject } from '../base/json.ts';
import { sanitize } from '../base/printable.ts';
import type { Secret } from '../base/secret.ts';
import type { HttpResponse } from './http.ts';

/** Upper bound for the service's words (characters). */
export const MAX_MESSAGE = 200;

/**
 * Returns the service's own words in the body of a failure, such as "Maintenance until 14:00": the
 * `message` of its errors, the `detail` or `title` of problem details (RFC 9457 section 3.1), an
 * OAuth error description, or a plain text. A web page has none.
 *
 * @param sent secrets of the request, which are removed
 */
export function serviceMessage(
  { text, headers }: Pick<HttpResponse, 'text' | 'headers'>,
  sent: readonly (Secret | undefined)[],
): string | undefined {
  const isPlain = /^text\/plain\b/i.test(headers['content-type'] ?? '') && !/^\s*</.test(text);
  const words = messageInJson(text) ?? (isPlain ? text : '');
  return sanitize(words, sent, MAX_MESSAGE) || undefined;
}

/** Returns the service's own words in a JSON object, '' if it has none; undefined for other texts. */
export function messageInJson(text: string): string | undefined {
  const fields = parseObject(text);
  if (fields === undefined) return undefined;
  const { message, detail, error_description: description, statusMessage, title, error } = fields;
  return firstText(message, detail, description, statusMessage, title, error) ?? '';
}

/** Returns the first value that is a text with visible characters. */
export function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** Matches the phrases of statuses that are retried (RFC 9110 section 15), such as "503 Service Unavailable". */
const STATUS_PHRASE =
  /^(?:\d{3}\s*)?(?:request timeout|too many requests|(?:internal )?server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)[.!]?$/i;

/** Returns whether words only repeat their status. */
export function repeatsStatus(words: string): boolean {
  return STATUS_PHRASE.test(words);
}
