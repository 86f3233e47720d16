import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../base/secret.ts';

/**
 * The secrets of one authorization request; used once.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7636 - PKCE
 */
export interface AuthorizationSecrets {
  /** Comes back unchanged in the callback, as proof that it answers this request. */
  readonly state: Secret;
  /** RFC 7636 section 4.1: sent only to the token endpoint. */
  readonly verifier: Secret;
  /** RFC 7636 section 4.2: BASE64URL(SHA256(verifier)); not secret. */
  readonly challenge: string;
}

export function createAuthorizationSecrets(): AuthorizationSecrets {
  const verifier = randomText();
  return {
    state: new Secret(randomText()),
    verifier: new Secret(verifier),
    challenge: challengeOf(verifier),
  };
}

/** Returns the S256 challenge of a verifier (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

/** Returns 32 random bytes as 43 characters, as RFC 7636 section 4.1 recommends. */
function randomText(): string {
  return randomBytes(32).toString('base64url');
}
