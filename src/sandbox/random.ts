import { createHash, randomBytes } from 'node:crypto';

/** 32 random bytes behind a prefix by which a leaked one can be found in any text. */
export function randomToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

/** SHA-256 in lower-case hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Tells two secrets apart in a log without giving either away. */
export function fingerprint(secret: string): string {
  return `sha256:${sha256(secret).slice(0, 12)}`;
}
