import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../base/secret.ts';

/**
 * Creates the secrets of one authorization request; used once.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7636 - PKCE
 */
export function createAuthorizationSecrets() {
  const verifier = randomText();
  return {
    /** The callback repeats it, which proves that the callback answers this request. */
    state: new Secret(randomText()),
    /** RFC 7636 section 4.1: sent only to the token endpoint. */
    verifier: new Secret(verifier),
    /** RFC 7636 section 4.2: BASE64URL(SHA256(verifier)); not secret. */
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
