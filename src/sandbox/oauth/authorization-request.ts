import { redirectUriAllowed, type Client } from './clients.ts';
import type { CodeRequest } from './grants.ts';
import { Problem } from '../http/problem.ts';
import { isScope, scopeWords } from './scopes.ts';
import type { World } from '../world.ts';

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scopes: readonly string[];
  readonly challenge: CodeRequest['challenge'];
  readonly challengeMethod: CodeRequest['challengeMethod'];
}

/** An error that is reported to the client by a redirect; only the setting `strict` sends it. */
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
 * Parses an authorization request (interface section 4.5). Like deployed services, it accepts a
 * missing or `plain` challenge, a missing scope or state, and, until the form is posted, unknown
 * scopes.
 * @throws Problem 400, without a redirect; with `strict` RequestError
 */
export function parseAuthorizationRequest(
  query: URLSearchParams,
  world: Pick<World, 'clients' | 'settings'>,
): AuthorizationRequest {
  const { client, redirectUri } = readTarget(query, world);
  const value = (name: string) => query.get(name) ?? '';
  const { strict } = world.settings.current;
  if (strict) requireGoodRequest(query, redirectUri);
  if (value('response_type') !== 'code') {
    throw new Problem(400, 'Unsupported response_type. Only "code" is supported.');
  }
  const words = scopeWords(value('scope'));
  const challenge = value('code_challenge');
  return {
    client,
    redirectUri,
    state: query.get('state'),
    scopes: words.length === 0 ? ['profile:read'] : words,
    challenge: challenge === '' ? null : challenge,
    challengeMethod: value('code_challenge_method') === 'plain' ? 'plain' : 'S256',
  };
}

/** Returns the requested scopes that this service does not know. It refuses a form with any. */
export function unknownScopesOf(
  { scopes }: AuthorizationRequest,
  { settings }: Pick<World, 'settings'>,
): string[] {
  const { grantsAnyScope, unknownScopes } = settings.current;
  const known = (scope: string) => isScope(scope) && !unknownScopes.includes(scope);
  return grantsAnyScope ? [] : scopes.filter((scope) => !known(scope));
}

/** Requires every parameter exactly once (RFC 6749 section 3.1). */
function requireGoodRequest(query: URLSearchParams, redirectUri: string): void {
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
  const unknown = scopeWords(required('scope')).filter((word) => !isScope(word));
  if (unknown.length > 0) fail('invalid_scope', `Unknown scope: ${unknown.join(' ')}`);
  const challenge = required('code_challenge');
  if (required('code_challenge_method') !== 'S256') {
    fail('invalid_request', 'code_challenge_method must be S256');
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    fail('invalid_request', 'code_challenge must be BASE64URL(SHA256(verifier)): 43 characters');
  }
  required('state');
}

function readTarget(query: URLSearchParams, world: Pick<World, 'clients' | 'settings'>) {
  const id = query.get('client_id') ?? '';
  const client = world.clients.find((candidate) => candidate.id === id);
  if (client === undefined) throw new Problem(400, `Invalid client_id "${id}".`);
  const redirectUri = query.get('redirect_uri') ?? '';
  if (!redirectUriAllowed(client, redirectUri, world.settings.current.exactRedirectUris)) {
    throw new Problem(
      400,
      `The redirect URI "${redirectUri}" is not registered for "${id}". Registered: ${client.redirectUris.join(', ')}.`,
    );
  }
  return { client, redirectUri };
}
