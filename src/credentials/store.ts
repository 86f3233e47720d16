import type { Secret } from '../base/secret.ts';

/** The tokens of a token response (interface 5.3), with lifetimes as points in time. */
export interface TokenSet {
  /** Absent if only a refresh token is known so far (`SYNC_REFRESH_TOKEN`). */
  readonly accessToken: Secret | undefined;
  /** Absent: this login cannot be refreshed. */
  readonly refreshToken: Secret | undefined;
  /** The granted scopes; absent: the service did not say. */
  readonly scopes: readonly string[] | undefined;
  /** When the access token was issued, by this machine's clock; ms since 1970. */
  readonly obtainedAt: number;
  /** Absent: the service did not say. ms since 1970. */
  readonly accessExpiresAt: number | undefined;
  /** Absent: the service does not limit it, or did not say. ms since 1970. */
  readonly refreshExpiresAt: number | undefined;
}

/** All secrets of one profile, and the login that they belong to. */
export interface Credentials {
  /** `serviceId` of the service that issued the tokens; they are never sent to another. */
  readonly service: string;
  /** The client that the tokens were issued to: a refresh must name the same one. */
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  /** The client was registered without a secret, and is never sent one. */
  readonly isPublic?: true | undefined;
  /** The athlete's identifier at the service (`sub`), if it is known. */
  readonly accountId: string | undefined;
  /** A random ID for this login, if the athlete is not known. */
  readonly loginId?: string | undefined;
  /** The ledger of this login (`Config.unnamedLedger`), if the athlete is not known. */
  readonly unnamed?: string | undefined;
  /**
   * When a refresh with an unknown outcome began: the service may have replaced these tokens.
   * ms since 1970.
   */
  readonly refreshStartedAt?: number | undefined;
  /** When a logout began, or this machine learned that the service ended this login; ms since 1970. */
  readonly endedAt?: number | undefined;
  /** The scopes that the login asked for: a platform may not know all that a setting or this program names. */
  readonly askedScopes?: readonly string[] | undefined;
  readonly tokens: TokenSet;
}

/** A save that was proved to have space and access. */
export interface PreparedSave {
  /** Replaces the stored credentials atomically; cannot be interrupted. */
  commit(credentials: Credentials): Promise<void>;
  /** Releases the reserved space; does nothing after a commit. */
  discard(): void;
}

/**
 * A place for the {@link Credentials} of a session.
 *
 * All methods throw a `SyncError`: `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED` (also if the keychain does
 * not answer in time), `CONFIG` (other users can read the token file), `STORAGE`, `AUTH_REQUIRED`
 * (the stored login is damaged), `INTERRUPTED`. None of them means "nothing stored": that is
 * `undefined`.
 */
export interface SessionStore {
  readonly kind: 'keychain' | 'file' | 'environment';
  /** Names the place for people: "the keychain (Secret Service)", or "the file PATH". */
  describe(): string;
  load(signal: AbortSignal): Promise<Credentials | undefined>;
  /** Replaces the stored credentials atomically. Resolves when they would survive a crash. */
  save(credentials: Credentials, signal: AbortSignal): Promise<void>;
  /**
   * Proves that new tokens can be saved, before a request makes the old ones useless. Stores
   * `credentials` as well, so that their `refreshStartedAt` survives a crash.
   */
  prepareSave(credentials: Credentials, signal: AbortSignal): Promise<PreparedSave>;
}

/** A place in which `sync login` keeps the {@link Credentials} of one profile. */
export interface CredentialStore extends SessionStore {
  readonly kind: 'keychain' | 'file';
  /** @returns false if there was nothing. */
  delete(signal: AbortSignal): Promise<boolean>;
  /** Writes, reads and deletes a test entry, to prove that the store can keep a login. */
  probe(signal: AbortSignal): Promise<void>;
}
