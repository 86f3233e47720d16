import { printable } from './printable.ts';
import type { Secret } from './secret.ts';

/** Default length limit (characters). */
const MAX_LENGTH = 400;

/**
 * Makes a text of the service safe to show and store: short, on one line, without secrets.
 *
 * @param value any JSON value; the result is empty unless it is a string.
 * @param secrets sent with the request, and removed in case the service repeats them.
 */
export function sanitize(
  value: unknown,
  secrets: readonly (Secret | undefined)[],
  length = MAX_LENGTH,
): string {
  if (typeof value !== 'string') return '';
  const redacted = secrets
    .reduce(
      (text, secret) =>
        secret === undefined ? text : text.replaceAll(secret.reveal(), '[redacted]'),
      value,
    )
    // Redacts any bearer token (RFC 6750 section 2.1), but not prose such as "bearer token expired".
    .replace(/\b(bearer)\s+(?!tokens?(?:[\s.,;:]|$))[A-Za-z0-9\-._~+/]+=*/gi, '$1 [redacted]');
  const clean = printable(redacted).replace(/\s+/g, ' ').trim();
  if (clean.length <= length) return clean;
  // Does not cut a surrogate pair.
  return `${clean.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
