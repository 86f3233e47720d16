import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '../base/secret.ts';

/** The secrets of one authorization request; used once. */
export interface AuthorizationSecrets {
  /** Returned unchanged on the callback: proof that it answers this request. */
  readonly state: Secret;
  /** RFC 7636 section 4.1: shown to the token endpoint only. */
  readonly verifier: Secret;
  /** RFC 7636 section 4.2: BASE64URL(SHA256(verifier)); no secret. */
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

/** The S256 challenge of a verifier (RFC 7636 section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url');
}

/** 32 random bytes as 43 characters, as RFC 7636 section 4.1 recommends. */
function randomText(): string {
  return randomBytes(32).toString('base64url');
}
