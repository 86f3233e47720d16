import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import type { Config } from '../../config/config.ts';
import { hasEnvironmentTokens } from '../../credentials/environment.ts';
import {
  distrustHint,
  distrustMessage,
  findDistrust,
  findOwnDistrust,
} from '../../system/folder-trust.ts';
import { writeFailure } from '../../system/storage.ts';
import { type CheckResult, failed } from './finding.ts';

/** Checks that the settings can be saved; that they can be read is known by now. */
export function checkSettings(_context: AppContext, config: Config): CheckResult {
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

/**
 * Finds other users who can change this program's folders: those above them too, which only a token store
 * refuses.
 */
export function checkFolders(_context: AppContext, config: Config): CheckResult[] {
  const check = 'folders';
  const { configFile, stateDir } = config.paths;
  const inFile = config.get('tokenStore') === 'file' && !hasEnvironmentTokens(config);
  const found = [
    { folder: dirname(configFile), variable: 'SYNC_CONFIG_DIR' as const, refused: false },
    { folder: stateDir, variable: 'SYNC_STATE_DIR' as const, refused: inFile },
  ].flatMap(({ folder, variable, refused }) => {
    const own = findOwnDistrust(folder, 1);
    const distrust = own ?? findDistrust(folder);
    if (distrust === undefined) return [];
    const state = refused || own !== undefined ? ('bad' as const) : ('odd' as const);
    const message = distrustMessage(distrust, folder);
    const finding = { check, state, message, hint: distrustHint(distrust, variable) } as const;
    return [{ path: distrust.path, finding }];
  });
  // A folder above both has one fix, and the more severe finding comes last.
  const [first, last] = found;
  const findings = found.map(({ finding }) => finding);
  if (last !== undefined && first?.path === last.path) return [last.finding];
  if (findings.length > 0) return findings;
  const message = 'Only you can change the settings and the state folder.';
  return [{ check, state: 'good', message }];
}
