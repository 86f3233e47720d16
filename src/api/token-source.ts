import type { Secret } from '../base/secret.ts';

/**
 * Where the client gets its access token. Both throw `SyncError`s: `AUTH_REQUIRED`, `AUTH_EXPIRED`,
 * `AUTH_REFUSED` (only `sync login` helps), `KEYCHAIN_LOCKED`, `NETWORK`, `SERVICE_UNAVAILABLE` or
 * `SERVICE_ANSWER` (try again later). Never `REJECTED`: nothing was sent that could be refused.
 */
export interface TokenSource {
  /** A token that is believed to be good now; refreshed first where its time is up. */
  accessToken(signal: AbortSignal): Promise<Secret>;
  /**
   * The service answered 401 to `rejected`: a newer token, fetched by this process or another.
   * Never returns `rejected` again.
   */
  replace(rejected: Secret, signal: AbortSignal): Promise<Secret>;
  /** The scopes that were granted, if that is known. Sends nothing. */
  scopes(signal: AbortSignal): Promise<readonly string[] | undefined>;
}
