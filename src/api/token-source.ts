import type { Secret } from '../base/secret.ts';

/**
 * Provides the access token. All methods throw a `SyncError`: `AUTH_REQUIRED`, `AUTH_EXPIRED` or
 * `AUTH_REFUSED` (only `sync login` helps), `KEYCHAIN_LOCKED`, `NETWORK`, `SERVICE_UNAVAILABLE` or
 * `SERVICE_ANSWER` (try again later). None throws `REJECTED`.
 */
export interface TokenSource {
  /**
   * Returns a token, after a refresh if the stored one has expired.
   *
   * @param refused a fresh token that the service refused: returned only if no process has stored another
   */
  accessToken(signal: AbortSignal, refused?: Secret): Promise<Secret>;
  /**
   * Returns a newer token than `rejected`, to which the service responded with 401. This process or
   * another refreshed it.
   */
  replace(rejected: Secret, signal: AbortSignal): Promise<Secret>;
  /** Returns the granted scopes, or undefined if they are unknown. Sends nothing. */
  scopes(signal: AbortSignal): Promise<readonly string[] | undefined>;
}
