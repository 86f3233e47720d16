import type { Secret } from '../base/secret.ts';

export interface AuthorizationRequest {
  /** The authorize endpoint (interface 4.5). */
  readonly endpoint: URL;
  readonly clientId: string;
  /** Compared by services as a string with what was registered. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: Secret;
  readonly challenge: string;
}

/** The address that the browser is sent to (interface 4.5). It holds the state: not for logs. */
export function authorizeUrl(request: AuthorizationRequest): URL {
  const url = new URL(request.endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scopes.join(' '),
    state: request.state.reveal(),
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  })
    .toString()
    // A space as %20: read by those who read + as a plus, too.
    .replaceAll('+', '%20');
  return url;
}
