import type { Secret } from '../base/secret.ts';

/** What the token endpoint gave (interface 5.3), with its lifetimes as points in time. */
export interface TokenSet {
  /** Absent where only a refresh token is known so far (`SYNC_REFRESH_TOKEN`). */
  readonly accessToken: Secret | undefined;
  /** Absent: this login cannot be refreshed. */
  readonly refreshToken: Secret | undefined;
  /** Scopes that were granted; absent where nobody said. */
  readonly scopes: readonly string[] | undefined;
  /** When the access token was given, by this machine's clock; ms since 1970. */
  readonly obtainedAt: number;
  /** Absent: the service did not say. ms since 1970. */
  readonly accessExpiresAt: number | undefined;
  /** Absent: the service does not limit it, or did not say. ms since 1970. */
  readonly refreshExpiresAt: number | undefined;
}

/** Everything secret that one profile has, and what it is good for. */
export interface Credentials {
  /** {@link serviceId} of the service that gave the tokens; they are never sent to another. */
  readonly service: string;
  /** The client that the tokens were given to: a refresh has to name the same one. */
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  /** The athlete's identifier at the service (`sub`), where it is known. */
  readonly accountId: string | undefined;
  /** A random name for this very login, where the athlete is not known. */
  readonly loginId?: string | undefined;
  /** When this login began; absent: with its first tokens. ms since 1970. See {@link loginBegan}. */
  readonly loggedInAt?: number | undefined;
  /**
   * When a refresh began whose outcome is not known: the service may have replaced these tokens.
   * ms since 1970.
   */
  readonly refreshStartedAt?: number | undefined;
  /** When the service said that this login has ended; ms since 1970. */
  readonly endedAt?: number | undefined;
  readonly tokens: TokenSet;
}

/** When a login was made; ms since 1970. */
export function loginBegan({ loggedInAt, tokens }: Credentials): number {
  return loggedInAt ?? tokens.obtainedAt;
}

/** One name for one service, however its address was typed. */
export function serviceId(baseUrl: URL): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/+$/, '');
}

type StoreKind = 'keychain' | 'file' | 'environment';

/** A save for which space and access are proved. */
export interface PreparedSave {
  /** Replaces what is there, as a whole; it is not to be interrupted. */
  commit(credentials: Credentials): Promise<void>;
  /** Releases what was reserved. May be called twice; does nothing after a commit. */
  discard(): void;
}

/**
 * Where one profile's {@link Credentials} are kept.
 *
 * All methods throw a `SyncError`: `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED` (also when nobody answers
 * in time), `CONFIG` (a token file that others can read), `STORAGE`, `AUTH_REQUIRED` (what is
 * stored is damaged), `INTERRUPTED`. None of them ever means "nothing stored": that is `undefined`.
 */
export interface CredentialStore {
  readonly kind: StoreKind;
  /** Where that is, in words for a person: "the Secret Service keychain", or a file's path. */
  describe(): string;
  load(signal: AbortSignal): Promise<Credentials | undefined>;
  /** Replaces what is there, as a whole. Resolves once it would survive a crash. */
  save(credentials: Credentials, signal: AbortSignal): Promise<void>;
  /**
   * Proves that new tokens can be saved, before a request makes the old ones useless. Stores
   * `credentials` as well, so that their `refreshStartedAt` survives a crash.
   */
  prepareSave(credentials: Credentials, signal: AbortSignal): Promise<PreparedSave>;
  /** `false`: there was nothing. */
  delete(signal: AbortSignal): Promise<boolean>;
  /** Sets, gets and deletes something of no value: a store that passes will take a login. */
  probe(signal: AbortSignal): Promise<void>;
}
