import { loadCrypto } from './this-process.ts';

/** Returns the SHA-256 of bytes, or of a text in UTF-8, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return loadCrypto().hash('sha256', data);
}
