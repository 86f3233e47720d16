import { redirectUriAllowed, type Client } from './clients.ts';
import { isScope, scopeWords, type Scope } from './scopes.ts';
import type { World } from './world.ts';

/** A valid authorization request, checked and waiting for the athlete's answer. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string;
  readonly scopes: readonly Scope[];
  readonly challenge: string;
}

/** Nobody to redirect to: the client or the redirect URI is not known (RFC 6749 section 4.1.2.1). */
export class UnsafeRequest extends Error {}

/** An error that the client is told through the redirect. */
export class RequestError extends Error {
  readonly code: string;
  readonly redirectUri: string;
  readonly state: string | null;

  constructor(code: string, description: string, redirectUri: string, state: string | null) {
    super(description);
    this.code = code;
    this.redirectUri = redirectUri;
    this.state = state;
  }
}

/**
 * Interface section 4.5: every parameter is required, and none may occur twice (RFC 6749 section 3.1).
 * @throws UnsafeRequest, RequestError
 */
export function parseAuthorizationRequest(
  query: URLSearchParams,
  world: Pick<World, 'clients' | 'settings'>,
): AuthorizationRequest {
  const { client, redirectUri } = readTarget(query, world);
  const [state = null] = query.getAll('state');
  const fail = (code: string, description: string): never => {
    throw new RequestError(code, description, redirectUri, state);
  };
  const required = (name: string): string => {
    const values = query.getAll(name);
    if (values.length > 1) return fail('invalid_request', `${name} occurs twice`);
    const [value = ''] = values;
    return value === '' ? fail('invalid_request', `${name} is required`) : value;
  };
  const responseType = required('response_type');
  if (responseType !== 'code') fail('unsupported_response_type', 'response_type must be code');
  const words = scopeWords(required('scope'));
  const unknown = words.filter((word) => !isScope(word));
  if (unknown.length > 0) fail('invalid_scope', `Unknown scope: ${unknown.join(' ')}`);
  const scopes = words.filter(isScope);
  if (scopes.length === 0) fail('invalid_request', 'scope is required');
  const challenge = required('code_challenge');
  if (required('code_challenge_method') !== 'S256') {
    fail('invalid_request', 'code_challenge_method must be S256');
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    fail('invalid_request', 'code_challenge must be BASE64URL(SHA256(verifier)): 43 characters');
  }
  return { client, redirectUri, scopes, challenge, state: required('state') };
}

function readTarget(query: URLSearchParams, world: Pick<World, 'clients' | 'settings'>) {
  const single = (name: string): string => {
    const values = query.getAll(name);
    const [value = ''] = values;
    if (values.length > 1) throw new UnsafeRequest(`${name} occurs twice.`);
    if (value === '') throw new UnsafeRequest(`${name} is missing.`);
    return value;
  };
  const id = single('client_id');
  const client = world.clients.find((candidate) => candidate.id === id);
  if (client === undefined) throw new UnsafeRequest(`No application is registered as "${id}".`);
  const redirectUri = single('redirect_uri');
  if (!redirectUriAllowed(client, redirectUri, world.settings.current.exactRedirectUris)) {
    throw new UnsafeRequest(
      `The redirect URI "${redirectUri}" is not registered for "${id}". Registered: ${client.redirectUris.join(', ')}.`,
    );
  }
  return { client, redirectUri };
}
