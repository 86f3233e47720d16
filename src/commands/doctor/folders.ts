import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import type { Config } from '../../config/config.ts';
import { hasEnvironmentTokens } from '../../credentials/environment.ts';
import { distrustMessage, findDistrust } from '../../system/folder-trust.ts';
import { writeFailure } from '../../system/storage.ts';
import { type Finding, failed } from './finding.ts';

/** Checks that the settings can be saved; that they can be read is known by now. */
export function checkSettings(_context: AppContext, config: Config): Finding {
  const check = 'config';
  const { fault, path = '', settings = {} } = config.system ?? {};
  if (fault !== undefined) return failed(check, fault);
  const { configFile } = config.paths;
  const exists = existsSync(configFile);
  const failure = writeFailure(configFile, 'SYNC_CONFIG_DIR');
  if (failure !== undefined) {
    // Settings that are complete need no writing.
    const state = exists || hasEnvironmentTokens(config) ? 'odd' : 'bad';
    return failed(check, failure, { state, subject: 'Settings' });
  }
  const own = exists
    ? `Settings: ${configFile}`
    : `Settings: none yet; the first login creates ${configFile}`;
  const presets = Object.keys(settings).length === 0 ? '' : `. For all users: ${path}`;
  return { check, state: 'good', message: `${own}${presets}` };
}

/** Finds other users who can change this program's folders. A token store refuses such a folder. */
export function checkFolders(_context: AppContext, config: Config): Finding[] {
  const check = 'folders';
  const { configFile, stateDir } = config.paths;
  const inFile = config.get('tokenStore') === 'file' && !hasEnvironmentTokens(config);
  const found = [
    { folder: dirname(configFile), state: 'odd' as const },
    { folder: stateDir, state: inFile ? ('bad' as const) : ('odd' as const) },
  ].flatMap(({ folder, state }): Finding[] => {
    const distrust = findDistrust(folder);
    if (distrust === undefined) return [];
    const message = distrustMessage(distrust, folder);
    return [{ check, state, message, hint: `Run \`${distrust.fix}\`.` }];
  });
  // A folder above both has one fix, and the more severe finding comes last.
  const [first, last] = found;
  if (last !== undefined && first?.hint === last.hint) return [last];
  if (found.length > 0) return found;
  const message = 'Only you can change the settings and the state folder.';
  return [{ check, state: 'good', message }];
}
