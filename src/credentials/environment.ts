import { type Config, requireBaseUrl, requireClientId } from '../config/config.ts';
import { type CredentialStore, type Credentials, serviceId } from './store.ts';

/**
 * Credentials from `SYNC_ACCESS_TOKEN` and `SYNC_REFRESH_TOKEN`. What is saved here is kept in
 * memory for as long as the program runs; nothing is ever written anywhere.
 *
 * @param onWarning told once when the service replaces the refresh token: the new one ends with
 *   this process, and the one in the variable may already be dead.
 * @throws SyncError `CONFIG` if the base URL is missing, or the client ID that a refresh needs.
 */
export function environmentStore(
  config: Config,
  now: number,
  onWarning: (warning: string) => void,
): CredentialStore {
  const { access, refresh } = config.environmentTokens;
  let current: Credentials | undefined = {
    service: serviceId(requireBaseUrl(config)),
    // With an access token alone nothing is refreshed, and so no client is needed.
    clientId: refresh === undefined ? (config.get('clientId') ?? '') : requireClientId(config),
    clientSecret: config.clientSecret,
    accountId: undefined,
    tokens: {
      accessToken: access,
      refreshToken: refresh,
      scopes: undefined,
      obtainedAt: now,
      accessExpiresAt: undefined,
      refreshExpiresAt: undefined,
    },
  };
  let warned = false;
  const store: CredentialStore = {
    kind: 'environment',
    describe: () =>
      'the environment (' +
      [
        ...(access === undefined ? [] : ['SYNC_ACCESS_TOKEN']),
        ...(refresh === undefined ? [] : ['SYNC_REFRESH_TOKEN']),
      ].join(', ') +
      ')',
    load: () => Promise.resolve(current),
    save(credentials) {
      const next = credentials.tokens.refreshToken;
      if (!warned && refresh !== undefined && next !== undefined && !next.equals(refresh)) {
        warned = true;
        onWarning(
          'The service replaced the refresh token, and there is no place to keep the new one: ' +
            'SYNC_REFRESH_TOKEN no longer works after this run. Use a token that lasts: ' +
            'run `sync login --store file` where the state folder (SYNC_STATE_DIR) is kept ' +
            'between runs, or set SYNC_ACCESS_TOKEN for each run.',
        );
      }
      current = credentials;
      return Promise.resolve();
    },
    prepareSave: () =>
      Promise.resolve({ commit: (next) => store.save(next, NEVER), discard: () => undefined }),
    delete() {
      const existed = current !== undefined;
      current = undefined;
      return Promise.resolve(existed);
    },
    probe: () => Promise.resolve(),
  };
  return store;
}

const NEVER = new AbortController().signal;

/** Does this run take its tokens from the environment? Then no stored login is used. */
export function hasEnvironmentTokens(config: Config): boolean {
  const { access, refresh } = config.environmentTokens;
  return access !== undefined || refresh !== undefined;
}
