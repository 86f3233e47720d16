import { join } from 'node:path';
import { isObject } from '../base/json.ts';
import type { Config } from '../config/config.ts';
import { serviceId } from '../config/endpoints.ts';
import { readEntry, writeEntry } from '../system/state-entries.ts';

/**
 * A client that `sync login` registered at a platform. All profiles of this computer share a public one; one with a
 * secret, which is kept with the login, belongs to its profile.
 */
export interface RegisteredClient {
  readonly clientId: string;
  readonly clientName: string;
  /** As the platform wrote it, which it compares letter by letter. */
  readonly redirectUri: string;
  /** It has no secret, and is never sent one. */
  readonly isPublic: boolean;
  /** ISO 8601 */
  readonly registeredAt: string;
}

type Place = Pick<Config, 'paths' | 'profile'>;

/** Returns what is known of a client that the profile uses; undefined if this computer did not register it. */
export function registrationOf(
  { paths: { stateDir }, profile }: Place,
  service: string,
  clientId: string | undefined,
): RegisteredClient | undefined {
  const keys = [service, ownKey(service, profile)];
  const clients = keys.map((key) => registeredClient(stateDir, key));
  return clients.find((client) => client !== undefined && client.clientId === clientId);
}

/** Returns the date on which this computer registered the configured client; undefined if it did not. */
export function registeredOn(config: Config): string | undefined {
  const service = config.get('baseUrl');
  const found = service && registrationOf(config, serviceId(service), config.get('clientId'));
  return found?.registeredAt.slice(0, 10);
}

/** Records the client that was registered at a service. @throws SyncError `STORAGE` */
export function keepClient(
  { paths: { stateDir }, profile }: Place,
  service: string,
  client: RegisteredClient,
): void {
  writeEntry(fileIn(stateDir), client.isPublic ? service : ownKey(service, profile), client);
}

/** Forgets the registrations of the profile at a service. @throws SyncError `STORAGE` */
export function forgetClients({ paths: { stateDir }, profile }: Place, service: string): void {
  for (const key of [service, ownKey(service, profile)]) {
    writeEntry(fileIn(stateDir), key, undefined);
  }
}

/** @param key the service, for its public registration; or {@link ownKey}, for that of a profile */
export function registeredClient(stateDir: string, key: string): RegisteredClient | undefined {
  const found = readEntry(fileIn(stateDir), key);
  if (!isObject(found)) return undefined;
  const { clientId, clientName, redirectUri, registeredAt, isPublic } = found;
  const texts = [clientId, clientName, redirectUri, registeredAt];
  const isWhole = texts.every((text) => typeof text === 'string') && typeof isPublic === 'boolean';
  return isWhole ? (found as unknown as RegisteredClient) : undefined;
}

/** No address of a service has a space. */
function ownKey(service: string, profile: string): string {
  return `${service} ${profile}`;
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'clients.json');
}
