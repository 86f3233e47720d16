import { dirname, join, resolve } from 'node:path';
import type { Env } from '../base/env.ts';
import { SyncError, attempt } from '../base/errors.ts';
import type { Secret } from '../base/secret.ts';
import type { Config } from '../config/config.ts';
import { findPaths } from '../config/paths.ts';
import { fileStore, tokenFilePath } from './file.ts';
import { keychainStore } from './keychain.ts';
import { serviceId } from '../config/endpoints.ts';
import type { CredentialStore, Credentials } from './store.ts';
import { loadOs, sha256 } from '../system/this-process.ts';

export interface StoreOptions {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  readonly programDir: string;
  /** A person can answer an unlock prompt. */
  readonly attended: boolean;
}

const KEYCHAIN_CHILD = 'keychain-child.cjs';

/**
 * Opens the store that is configured for this profile, or the given kind. The file is used only if
 * a user chose it; a failing keychain never falls back to a file.
 *
 * @param baseUrl the service of the login
 */
export function openStore(
  config: Config,
  { env, platform, programDir, attended }: StoreOptions,
  kind: 'keychain' | 'file' = config.get('tokenStore'),
  baseUrl: URL | undefined = config.get('baseUrl'),
): CredentialStore {
  switch (kind) {
    case 'file':
      return fileStore(tokenFilePath(config.paths.stateDir, config.profile), platform);
    case 'keychain':
      return keychainStore({
        account: keychainEntryName(config, baseUrl, platform),
        childPath: join(programDir, KEYCHAIN_CHILD),
        env,
        platform,
        attended,
      });
  }
}

/**
 * Opens the store of this profile's login. Each login adds its profile to the configuration, so an unknown profile
 * has no login, even if there is no keychain to look in.
 */
export function openLoginStore(config: Config, options: StoreOptions): CredentialStore {
  const store = openStore(config, options);
  if (config.profiles.includes(config.profile)) return store;
  const unlessMissing = async <T>(found: Promise<T>, none: T): Promise<T> => {
    try {
      return await found;
    } catch (error) {
      if (error instanceof SyncError && error.code === 'KEYCHAIN_MISSING') return none;
      throw error;
    }
  };
  return {
    ...store,
    load: (signal) => unlessMissing(store.load(signal), undefined),
    delete: (signal) => unlessMissing(store.delete(signal), false),
  };
}

/**
 * Returns the name of a profile's entry in the keychain. All configurations of a user share one
 * keychain: the name distinguishes services, and other configuration and state folders than the user's
 * usual ones. The lock on a login is in the state folder, so an entry must not have two.
 *
 * @param baseUrl undefined: no service is configured, and no login will be found
 */
export function keychainEntryName(
  { profile, paths }: Pick<Config, 'profile' | 'paths'>,
  baseUrl: URL | undefined,
  platform: NodeJS.Platform,
): string {
  const service = baseUrl === undefined ? '' : ` at ${serviceId(baseUrl)}`;
  // In the user's own home folder, whatever HOME is. The system may have no account for this user ID.
  const usual = attempt(() => findPaths({}, platform, loadOs().userInfo().homedir));
  // The daemon gets absolute paths, also if the command that started it had relative ones.
  const [configFile, stateDir] = [resolve(paths.configFile), resolve(paths.stateDir)];
  const others = [
    configFile === usual?.configFile ? '' : dirname(configFile),
    stateDir === usual?.stateDir ? '' : stateDir,
  ];
  if (others.every((folder) => folder === '')) return profile + service;
  const digest = sha256(others.join('\0')).slice(0, 12);
  return `${profile}${service} (configuration ${digest})`;
}

/**
 * Returns the client secret to send with a login's tokens: that of `SYNC_CLIENT_SECRET` if the configured client at the
 * configured service is the login's, else the stored one. A secret is never sent to another service.
 */
export function secretFor(
  { service, clientId, clientSecret, isPublic }: Credentials,
  config: Config,
): Secret | undefined {
  if (isPublic === true) return undefined;
  if (config.clientSecret === undefined) return clientSecret;
  const { baseUrl, clientId: client } = config.unflagged;
  const isSame =
    baseUrl.value !== undefined &&
    serviceId(baseUrl.value) === service &&
    client.value === clientId;
  // If only a login named the client, the secret is added to no login without one.
  const onlyReplaces = baseUrl.origin === 'profile' && client.origin === 'profile';
  return isSame && !(onlyReplaces && clientSecret === undefined)
    ? config.clientSecret
    : clientSecret;
}
