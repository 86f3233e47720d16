import { type Config, requireBaseUrl } from '../config/config.ts';
import { givenSecret } from '../credentials/client-secret.ts';
import { environmentStore, hasEnvironmentTokens } from '../credentials/environment.ts';
import { type StoreNeeds, openStore } from '../credentials/open-store.ts';
import { type CredentialStore, serviceId } from '../credentials/store.ts';
import { SyncError } from '../base/errors.ts';
import { endpointUrl } from '../config/endpoints.ts';
import type { Http } from '../api/http.ts';
import type { Clock } from '../base/time.ts';
import { type Session, createSession } from './session.ts';

export interface OpenSessionNeeds extends StoreNeeds {
  readonly http: Http;
  readonly clock: Clock;
  /** Something a person should know that stops nothing. */
  readonly onWarning: (warning: string) => void;
}

/**
 * The login of this profile, from the environment if it has tokens, else from the configured store.
 * Nothing is read before it is asked for.
 *
 * @throws SyncError `CONFIG` if the base URL is missing.
 */
export function openSession(config: Config, needs: OpenSessionNeeds): Session {
  const baseUrl = requireBaseUrl(config);
  return createSession({
    profile: config.profile,
    stateDir: config.paths.stateDir,
    http: needs.http,
    clock: needs.clock,
    store: hasEnvironmentTokens(config)
      ? environmentStore(config, needs.clock.now(), needs.onWarning)
      : storeOf(config, needs),
    service: serviceId(baseUrl),
    tokenUrl: endpointUrl(baseUrl, config.endpoints.token),
    accountId: config.account?.id,
    loginId: config.loginId,
    clientSecret: givenSecret(config),
  });
}

/**
 * Every login is remembered in the configuration: of a profile that it does not know, nobody is logged
 * in, also where there is no keychain to ask.
 */
function storeOf(config: Config, needs: StoreNeeds): CredentialStore {
  const store = openStore(config, needs);
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
      const known = profiles.length === 0 ? '' : `There are: ${profiles.join(', ')}. `;
      throw new SyncError(
        'AUTH_REQUIRED',
        `Nobody is logged in: there is no profile "${profile}".`,
        {
          hint: `${known}\`sync login --profile ${profile}\` makes it.`,
        },
      );
    },
  };
}
