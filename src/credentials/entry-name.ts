import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { findPaths } from '../config/paths.ts';
import { serviceId } from './store.ts';

/**
 * Returns the name of a profile's entry in the keychain. All configurations of a user share one
 * keychain: the name tells apart services, and configurations other than the user's usual one.
 *
 * @param baseUrl undefined: no service is configured, and no login is found
 */
export function keychainEntryName(
  { profile, paths }: Pick<Config, 'profile' | 'paths'>,
  baseUrl: URL | undefined,
  platform: NodeJS.Platform,
): string {
  const service = baseUrl === undefined ? '' : ` at ${serviceId(baseUrl)}`;
  if (paths.configFile === findUsualConfig(platform)) return profile + service;
  const folder = dirname(paths.configFile);
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return `${profile}${service} (configuration ${digest})`;
}

/** The configuration of the user's own home folder, whatever HOME and other variables say. */
function findUsualConfig(platform: NodeJS.Platform): string | undefined {
  try {
    return findPaths({}, platform, userInfo().homedir).configFile;
  } catch {
    // This user has no entry in the accounts of the system.
    return undefined;
  }
}
