import { withLoginLock } from '../auth/login-lock.ts';
import { revokeToken } from '../auth/token-endpoint.ts';
import { changeProfile } from '../config/config-write.ts';
import type { Account, Config } from '../config/config.ts';
import { givenSecret, secretFor } from '../credentials/client-secret.ts';
import { hasEnvironmentTokens } from '../credentials/environment.ts';
import { openStore } from '../credentials/open-store.ts';
import type { CredentialStore, Credentials } from '../credentials/store.ts';
import type { Deps } from '../app/deps.ts';
import { SyncError } from '../base/errors.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { Http } from '../api/http.ts';

export interface LogoutOptions {
  /** Forget the login here, and leave it alive at the service. */
  readonly localOnly: boolean;
}

export interface LogoutNeeds {
  readonly config: Config;
  readonly deps: Deps;
  readonly http: Http;
}

/** What became of one token at the service. */
export interface Revocation {
  readonly token: 'refresh token' | 'access token';
  /** `unsupported`: the service cannot revoke; `failed`: it may still be good there. */
  readonly outcome: 'revoked' | 'unsupported' | 'failed' | 'not-tried';
  /** Why it failed. */
  readonly message?: string | undefined;
  /** Until when it works at the service if it was not revoked; ms since 1970. */
  readonly expiresAt?: number | undefined;
}

export interface LogoutReport {
  readonly profile: string;
  /** `false`: there was no login to forget. */
  readonly wasLoggedIn: boolean;
  readonly account: Account | undefined;
  readonly service: string | undefined;
  readonly store: string;
  readonly revocations: readonly Revocation[];
  /** Tokens in the environment stay in use as long as the variables are set. */
  readonly environmentTokens: boolean;
}

/** How long all of the revoking may take, in ms: forgetting does not wait for ever. */
const REVOKE_LIMIT_MS = 20_000;
const NEVER = new AbortController().signal;

/**
 * Revokes the login at the service, then forgets it. What cannot be revoked is reported, and is
 * forgotten all the same.
 *
 * @throws SyncError `KEYCHAIN_MISSING`, `KEYCHAIN_LOCKED`, `CONFIG`, `STORAGE`, `BUSY`, `INTERRUPTED`:
 *   then the login is still there.
 */
export async function runLogout(options: LogoutOptions, needs: LogoutNeeds): Promise<LogoutReport> {
  const { config, deps } = needs;
  const store = openStore(config, { ...deps, attended: deps.io.interactive });
  const lock = { ...config.paths, ...config, clock: deps.clock };
  return await withLoginLock(lock, deps.signal, async () => {
    const found = await loadAny(store, deps.signal);
    const revocations =
      found.credentials === undefined
        ? []
        : await revokeAll(found.credentials, options.localOnly, needs);
    const existed = await store.delete(NEVER);
    if (config.account !== undefined || config.loginId !== undefined) {
      await changeProfile(config.paths, config.profile, { account: null, loginId: null });
    }
    return {
      profile: config.profile,
      wasLoggedIn: existed || found.damaged,
      account: config.account,
      service: found.credentials?.service,
      store: store.describe(),
      revocations,
      environmentTokens: hasEnvironmentTokens(config),
    };
  });
}

/** A login that cannot be read cannot be revoked, but it can be forgotten. */
async function loadAny(
  store: CredentialStore,
  signal: AbortSignal,
): Promise<{ credentials: Credentials | undefined; damaged: boolean }> {
  try {
    return { credentials: await store.load(signal), damaged: false };
  } catch (error) {
    if (!(error instanceof SyncError && error.details['damaged'] === true)) throw error;
    return { credentials: undefined, damaged: true };
  }
}

/** The refresh token first: many services end the whole login with it. */
async function revokeAll(
  login: Credentials,
  localOnly: boolean,
  { config, deps, http }: LogoutNeeds,
): Promise<readonly Revocation[]> {
  const { tokens, clientId, service } = login;
  const url = endpointUrl(new URL(service), config.endpoints.revoke);
  // Ctrl-C ends the asking, as the time limit does; the login is forgotten in any case.
  const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(REVOKE_LIMIT_MS)]);
  const given = [
    {
      name: 'refresh token',
      kind: 'refresh_token',
      token: tokens.refreshToken,
      expiresAt: tokens.refreshExpiresAt,
    },
    {
      name: 'access token',
      kind: 'access_token',
      token: tokens.accessToken,
      expiresAt: tokens.accessExpiresAt,
    },
  ] as const;
  const client = { id: clientId, secret: secretFor(login, givenSecret(config)) };
  const revocations: Revocation[] = [];
  let silence: string | undefined;
  for (const { name, kind, token, expiresAt } of given) {
    if (token === undefined) continue;
    const entry = { token: name, expiresAt };
    if (localOnly) {
      revocations.push({ ...entry, outcome: 'not-tried' });
    } else if (silence !== undefined) {
      // Where nobody answered, the next token need not wait for the same silence.
      revocations.push({ ...entry, outcome: 'failed', message: silence });
    } else {
      try {
        const needs = { http, clock: deps.clock, url };
        const outcome = await revokeToken(needs, { client, token, kind }, signal);
        revocations.push(outcome === 'revoked' ? { token: name, outcome } : { ...entry, outcome });
      } catch (error) {
        const message = error instanceof SyncError ? error.message : 'no answer in time';
        revocations.push({ ...entry, outcome: 'failed', message });
        if (signal.aborted || (error instanceof SyncError && error.code === 'NETWORK')) {
          silence = message;
        }
      }
    }
  }
  return revocations;
}
