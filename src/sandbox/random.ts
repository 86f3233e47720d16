import { createHash, randomBytes } from 'node:crypto';

/** Returns 32 random bytes with a prefix that makes a leaked token easy to find. */
export function randomToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Identifies a secret in a log without revealing it. */
export function fingerprint(secret: string): string {
  return `sha256:${sha256(secret).slice(0, 12)}`;
}
