import type { Secret } from './secret.ts';

/** Longest text of a service that is shown or stored, in characters. */
const SAID_LENGTH = 400;

/**
 * Text of the service, fit to be shown and stored: short, on one line, without what we sent.
 *
 * @param value what the service put there; nothing but text is of use.
 * @param secrets what was sent with the request: a service that repeats it does not make us print it.
 */
export function sanitize(
  value: unknown,
  secrets: readonly (Secret | undefined)[],
  length = SAID_LENGTH,
): string {
  if (typeof value !== 'string') return '';
  const clean = secrets
    .reduce(
      (text, secret) =>
        secret === undefined ? text : text.replaceAll(secret.reveal(), '[redacted]'),
      value,
    )
    // Whoever's it is (RFC 6750 section 2.1); "bearer token expired" holds none.
    .replace(/\b(bearer)\s+(?!tokens?(?:[\s.,;:]|$))[A-Za-z0-9\-._~+/]+=*/gi, '$1 [redacted]')
    .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  if (clean.length <= length) return clean;
  // Not in the middle of a character.
  return `${clean.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
