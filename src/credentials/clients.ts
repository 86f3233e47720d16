import { join } from 'node:path';
import { isObject } from '../base/json.ts';
import type { Config } from '../config/config.ts';
import { serviceId } from '../config/endpoints.ts';
import { readEntry, writeEntry } from '../system/state-entries.ts';

/** A client that `sync login` registered at a platform, for all profiles of this computer. */
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

/** Returns the client that was registered at a service; undefined if there is none. */
export function registeredClient(stateDir: string, service: string): RegisteredClient | undefined {
  const found = readEntry(fileIn(stateDir), service);
  if (!isObject(found)) return undefined;
  const { clientId, clientName, redirectUri, registeredAt, isPublic } = found;
  const texts = [clientId, clientName, redirectUri, registeredAt];
  const isWhole = texts.every((text) => typeof text === 'string') && typeof isPublic === 'boolean';
  return isWhole ? (found as unknown as RegisteredClient) : undefined;
}

/** Returns the date on which this computer registered the configured client; undefined if it did not. */
export function registeredOn(config: Config): string | undefined {
  const service = config.get('baseUrl');
  const found = service && registeredClient(config.paths.stateDir, serviceId(service));
  return found?.clientId === config.get('clientId') ? found?.registeredAt.slice(0, 10) : undefined;
}

/** Records the client that was registered at a service; undefined: forgets it. @throws SyncError `STORAGE` */
export function keepClient(
  stateDir: string,
  service: string,
  client: RegisteredClient | undefined,
): void {
  writeEntry(fileIn(stateDir), service, client);
}

function fileIn(stateDir: string): string {
  return join(stateDir, 'clients.json');
}
