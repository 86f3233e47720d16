import type { Http } from '../api/http.ts';
import type { Context } from '../base/context.ts';
import { SyncError } from '../base/errors.ts';
import { type Config, requireBaseUrl, hasEnvironmentTokens } from '../config/config.ts';
import { endpointUrl, serviceId } from '../config/endpoints.ts';
import { environmentStore } from '../credentials/environment.ts';
import { type StoreOptions, openStore, givenSecret } from '../credentials/open-store.ts';
import type { CredentialStore } from '../credentials/store.ts';
import { noSuchProfile } from './login-errors.ts';
import { Session } from './session.ts';

/**
 * Opens the login of this profile: from the environment if it has tokens, else from the configured
 * store. Reads nothing until a token is asked for.
 *
 * @throws SyncError `CONFIG` if the base URL is missing.
 */
export function openSession(
  context: Context,
  config: Config,
  options: StoreOptions & { readonly http: Http },
): Session {
  const baseUrl = requireBaseUrl(config);
  return new Session(context, {
    profile: config.profile,
    stateDir: config.paths.stateDir,
    http: options.http,
    store: hasEnvironmentTokens(config)
      ? environmentStore(context, config)
      : openLoginStore(config, options),
    service: serviceId(baseUrl),
    tokenUrl: endpointUrl(baseUrl, config.endpoints.token),
    accountId: config.account?.id,
    loginId: config.loginId,
    unnamed: config.unnamedLedger,
    clientSecret: givenSecret(config),
    attended: options.attended,
  });
}

/**
 * Opens the store of this profile's login. Each login adds its profile to the configuration, so an
 * unknown profile has no login, even if there is no keychain to look in. Loading from it then throws
 * SyncError `AUTH_REQUIRED`, which names the known profiles.
 */
export function openLoginStore(config: Config, options: StoreOptions): CredentialStore {
  const store = openStore(config, options);
  const { profile, profiles } = config;
  if (profiles.includes(profile)) return store;
  return {
    ...store,
    async load(signal) {
      try {
        const found = await store.load(signal);
        if (found !== undefined || profile === 'default') return found;
      } catch (error) {
        if (!(error instanceof SyncError) || error.code !== 'KEYCHAIN_MISSING') throw error;
        if (profile === 'default') return undefined;
      }
      throw noSuchProfile(profile, profiles);
    },
  };
}
