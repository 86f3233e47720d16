import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { SECRET_PREFIXES } from '../oauth/grants.ts';
import { fingerprint } from '../random.ts';
import { isObject } from './request-body.ts';
import type { RouteName } from './routes.ts';
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

/** Matches the codes and tokens that a sandbox issues, wherever they stand. */
const ISSUED = new RegExp(`(?:${Object.values(SECRET_PREFIXES).join('|')})[\\w-]{43}`, 'g');

/** Replaces the codes and tokens in a JSON text. */
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

/** Largest body of an answer that the log keeps (characters). */
const MAX_BODY_CHARS = 256 * 1024;

/** Routes with answers that contain secrets; only their JSON is kept. */
const SECRET_ROUTES: ReadonlySet<RouteName | null> = new Set<RouteName>([
  'authorize',
  'consent',
  'token',
]);

/** Reads a copy of an answer; null if a fault wrote to the connection itself. */
export async function loggedAnswer(
  response: Response,
  route: RouteName | null,
): Promise<AnswerRecord | null> {
  if (response === RESPONSE_ALREADY_SENT) return null;
  const type = response.headers.get('content-type') ?? '';
  const isText = type.startsWith('application/json') || type.startsWith('text/');
  const text = isText ? await response.clone().text() : '';
  const answer = { status: response.status, headers: redactedAnswerHeaders(response.headers) };
  if (text === '' || text.length > MAX_BODY_CHARS) return answer;
  const json = jsonOrNull(text);
  if (json !== null) return { ...answer, body: withoutSecrets(json) };
  return SECRET_ROUTES.has(route) ? answer : { ...answer, body: text };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The address of a redirect may contain a code and a state. */
function redactedAnswerHeaders(headers: Headers): Record<string, string> {
  const result = Object.fromEntries(headers);
  const { location } = result;
  if (location !== undefined && URL.canParse(location)) {
    const url = new URL(location);
    for (const name of ['code', 'state']) {
      const value = url.searchParams.get(name);
      if (value !== null) url.searchParams.set(name, fingerprint(value));
    }
    result['location'] = url.href;
  }
  return result;
}
