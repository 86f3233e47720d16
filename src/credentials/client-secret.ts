import type { Config } from '../config/config.ts';
import type { Secret } from '../base/secret.ts';
import { type Credentials, serviceId } from './store.ts';

/** A client secret from outside the store, and for whom it is. */
export interface GivenSecret {
  /** {@link serviceId} */
  readonly service: string;
  readonly clientId: string;
  readonly secret: Secret;
}

/** The secret in the environment, for the service and the client that the settings name. */
export function givenSecret(config: Config): GivenSecret | undefined {
  const { clientSecret: secret } = config;
  const baseUrl = config.get('baseUrl');
  const clientId = config.get('clientId');
  return secret === undefined || baseUrl === undefined || clientId === undefined
    ? undefined
    : { service: serviceId(baseUrl), clientId, secret };
}

/**
 * The secret to send along with a login's tokens: the given one wins over the stored one, if it is
 * this client's at this service. No service is ever sent the secret for another.
 */
export function secretFor(
  { service, clientId, clientSecret }: Credentials,
  given: GivenSecret | undefined,
): Secret | undefined {
  return given?.service === service && given.clientId === clientId ? given.secret : clientSecret;
}
