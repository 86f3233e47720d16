import { SECRET_PREFIXES } from '../oauth/grants.ts';
import { fingerprint } from '../random.ts';
import { isObject } from './request-body.ts';
import type { AnswerRecord } from '../types.ts';

const SECRET_FIELDS = new Set([
  'client_secret',
  'code',
  'code_verifier',
  'refresh_token',
  'access_token',
  'token',
  'request',
]);

/** Matches the secrets that a sandbox issues, wherever they stand, also half of one. */
const ISSUED = new RegExp(`(?:${Object.values(SECRET_PREFIXES).join('|')})[\\w-]*`, 'g');

/** Replaces the secrets that a sandbox issued in a JSON text. */
export function maskIssued(json: string): string {
  return json.replace(ISSUED, fingerprint);
}

/** Returns headers with lower-case names, and credentials as fingerprints. */
export function redactedHeaders(headers: Headers): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === 'authorization' || name === 'proxy-authorization') {
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

/** Reads a copy of an answer. */
export async function loggedAnswer(response: Response): Promise<AnswerRecord> {
  const type = response.headers.get('content-type') ?? '';
  const isText = type.startsWith('application/json') || type.startsWith('text/');
  const text = isText ? await response.clone().text() : '';
  const answer = { status: response.status, headers: Object.fromEntries(response.headers) };
  if (text === '') return answer;
  const json = jsonOrNull(text);
  return { ...answer, body: json === null ? text : withoutSecrets(json) };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
