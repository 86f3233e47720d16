import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Env } from '../base/env.ts';
import { keychainEntryName } from './entry-name.ts';
import { fileStore, tokenFilePath } from './file.ts';
import { keychainStore } from './keychain.ts';
import type { CredentialStore } from './store.ts';

/** The part of the outside world that the stores need. */
export interface StoreNeeds {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** The folder of the built program, with the keychain's child process in it. */
  readonly programDir: string;
  /** Somebody is there who can answer an unlock prompt. */
  readonly attended: boolean;
}

/** The built file of the child process that talks to the keychain. */
const KEYCHAIN_CHILD = 'keychain-child.cjs';

/**
 * The store that is configured for this profile, or the one that is asked for. The file is used
 * only where somebody chose it; a keychain that fails never turns into a file.
 *
 * @param baseUrl the service whose login it is
 */
export function openStore(
  config: Config,
  needs: StoreNeeds,
  kind: 'keychain' | 'file' = config.get('tokenStore'),
  baseUrl: URL | undefined = config.get('baseUrl'),
): CredentialStore {
  switch (kind) {
    case 'file':
      return fileStore(tokenFilePath(config.paths.stateDir, config.profile), needs.platform);
    case 'keychain':
      return keychainStore({
        account: keychainEntryName(config, baseUrl, needs.platform),
        childPath: join(needs.programDir, KEYCHAIN_CHILD),
        env: needs.env,
        platform: needs.platform,
        attended: needs.attended,
      });
  }
}
