import type { Http } from '../api/http.ts';
import type { Context } from '../base/context.ts';
import { type Config, requireBaseUrl, hasEnvironmentTokens } from '../config/config.ts';
import { endpointUrl, serviceId } from '../config/endpoints.ts';
import { environmentStore } from '../credentials/environment.ts';
import { type StoreOptions, givenSecret, openLoginStore } from '../credentials/open-store.ts';
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
    profiles: config.profiles,
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
