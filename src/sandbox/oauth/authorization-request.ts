import { type KnownClients, findClient, redirectUriAllowed } from './clients.ts';
import { ApiProblem } from '../http/problem.ts';
import { scopeWords } from './scopes.ts';

export type AuthorizationRequest = Readonly<ReturnType<typeof parseAuthorizationRequest>>;

/** A login that awaits the athlete's answer. */
export interface PendingLogin {
  readonly request: AuthorizationRequest;
  /** Cookie of the browser that was shown the page. */
  readonly browser: string;
  readonly expiresAt: number;
  /** The redirect of the first answer. A double click gets it again, with the same code. */
  decided: string | null;
}

/**
 * Parses an authorization request (interface section 4.5). Like deployed services, it accepts a
 * missing or `plain` challenge, a missing scope or state, and, until the form is posted, unknown
 * scopes.
 * @throws Problem 400, without a redirect
 */
export function parseAuthorizationRequest(query: URLSearchParams, known: KnownClients) {
  const value = (name: string) => query.get(name) ?? '';
  const [id, redirectUri] = [value('client_id'), value('redirect_uri')];
  const client = findClient(known, id);
  if (client === undefined) throw new ApiProblem(400, `Invalid client_id "${id}".`);
  if (!redirectUriAllowed(client, redirectUri, known.settings.current.exactRedirectUris)) {
    throw new ApiProblem(
      400,
      `The redirect URI "${redirectUri}" is not registered for "${id}". Registered: ${client.redirectUris.join(', ')}.`,
    );
  }
  if (value('response_type') !== 'code') {
    throw new ApiProblem(400, 'Unsupported response_type. Only "code" is supported.');
  }
  const words = scopeWords(value('scope'));
  return {
    client,
    redirectUri,
    state: query.get('state'),
    scopes: words.length === 0 ? ['profile:read'] : words,
    challenge: value('code_challenge') || null,
    challengeMethod: value('code_challenge_method') === 'plain' ? 'plain' : 'S256',
  } as const;
}
