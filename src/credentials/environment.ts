import type { Context } from '../base/context.ts';
import { phrase, sync } from '../base/phrase.ts';
import { type Config, requireBaseUrl, requireClientId } from '../config/config.ts';
import { serviceId } from '../config/endpoints.ts';
import type { Credentials, SessionStore } from './store.ts';

/**
 * Returns a store with the credentials from `SYNC_ACCESS_TOKEN` and `SYNC_REFRESH_TOKEN`. It keeps
 * saved credentials in memory until the program ends, and writes nothing.
 *
 * Warns once when the service replaces the refresh token: the new one ends with this process, and
 * the one in the variable may already be dead.
 *
 * @throws SyncError `CONFIG` if the base URL is missing, or the client ID that a refresh needs.
 */
export function environmentStore({ clock, warn }: Context, config: Config): SessionStore {
  const { access, refresh } = config.environmentTokens;
  let current: Credentials = {
    service: serviceId(requireBaseUrl(config)),
    // An access token alone is never refreshed, so it needs no client.
    clientId: refresh === undefined ? (config.get('clientId') ?? '') : requireClientId(config),
    clientSecret: config.clientSecret,
    accountId: undefined,
    tokens: {
      accessToken: access,
      refreshToken: refresh,
      scopes: undefined,
      obtainedAt: clock.now(),
      accessExpiresAt: undefined,
      refreshExpiresAt: undefined,
    },
  };
  const variables = [
    ...(access === undefined ? [] : ['SYNC_ACCESS_TOKEN']),
    ...(refresh === undefined ? [] : ['SYNC_REFRESH_TOKEN']),
  ];
  let warned = false;
  const save = (credentials: Credentials) => {
    const next = credentials.tokens.refreshToken;
    if (!warned && refresh !== undefined && next !== undefined && !next.equals(refresh)) {
      warned = true;
      warn(
        phrase`The platform replaced the refresh token, and there is no place to keep the new one: SYNC_REFRESH_TOKEN no longer works after this run. Use a token that lasts: run ${sync('login', '--store', 'file')} where the state folder (SYNC_STATE_DIR) is kept between runs, or set SYNC_ACCESS_TOKEN for each run.`,
      );
    }
    current = credentials;
    return Promise.resolve();
  };
  return {
    kind: 'environment',
    describe: () => `the environment (${variables.join(', ')})`,
    load: () => Promise.resolve(current),
    save,
    prepareSave: () => Promise.resolve({ commit: save, discard: () => undefined }),
  };
}
