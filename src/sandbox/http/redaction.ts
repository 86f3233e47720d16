import { fingerprint } from '../random.ts';
import { isObject } from './request-body.ts';

const SECRET_FIELDS = new Set([
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'token',
  'request',
]);

/** Returns headers with lower-case names, and credentials as fingerprints. */
export function redactedHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === 'authorization') {
      const space = value.indexOf(' ');
      result[name] = `${value.slice(0, Math.max(space, 0))} ${fingerprint(value.slice(space + 1))}`;
    } else {
      result[name] = name === 'cookie' ? fingerprint(value) : value;
    }
  }
  return result;
}

/** Replaces secrets, which occur only at the top level of a token request and its answer. */
export function withoutSecrets(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      SECRET_FIELDS.has(name) && typeof field === 'string' ? fingerprint(field) : field,
    ]),
  );
}
