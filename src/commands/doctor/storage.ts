import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ledgerPath } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type Config, hasEnvironmentTokens } from '../../config/config.ts';
import { openDatabase } from '../../ledger/database.ts';
import { countKept, outboxFolder } from '../../ledger/outbox.ts';
import { freeBytes } from '../../system/disk.ts';
import {
  distrustHint,
  distrustMessage,
  findDistrust,
  findOwnDistrust,
} from '../../system/folder-trust.ts';
import { writeFailure } from '../../system/storage.ts';
import { bytes, plural } from '../../terminal/words.ts';
import { type CheckResult, failed } from './finding.ts';

/** Free space that keeps the ledger and the copies of a device's new recordings (bytes). */
const ENOUGH_BYTES = 100_000_000;
/** Free space below which the ledger cannot be written (bytes). */
const LEAST_BYTES = 1_000_000;

export function checkDisk(_context: AppContext, { paths }: Config): CheckResult[] {
  const check = 'disk';
  const free = freeBytes(paths.stateDir);
  // Some network file systems do not say.
  if (free === undefined) return [];
  if (free >= ENOUGH_BYTES) {
    return [{ check, state: 'good', message: `Disk: ${bytes(free)} free for ${paths.stateDir}` }];
  }
  return [
    {
      check,
      state: free < LEAST_BYTES ? 'bad' : 'odd',
      message: `Disk: only ${bytes(free)} free for ${paths.stateDir}`,
      hint: 'Free some space there. Nothing is lost.',
    },
  ];
}

/** Opens the ledger, or checks that it can be created. Creates nothing. */
export function checkLedger(_context: AppContext, config: Config): CheckResult {
  const check = 'state';
  const path = ledgerPath(config);
  try {
    if (!existsSync(path)) {
      const failure = writeFailure(path, 'SYNC_STATE_DIR');
      if (failure !== undefined) throw failure;
      const message = `Record of what was sent: none yet; the first command that sends creates ${path}`;
      return { check, state: 'good', message };
    }
    openDatabase(path).close();
    return { check, state: 'good', message: `Record of what was sent: ${path}` };
  } catch (error) {
    return failed(check, error, { subject: 'Record of what was sent' });
  }
}

/** Checks that each copy of a recording has a login that it is sent with. */
export async function checkStash(_context: AppContext, config: Config): Promise<CheckResult[]> {
  if (config.get('baseUrl') === undefined) return [];
  const { stateDir } = config.paths;
  const { keptForOthers } = countKept(stateDir, (await knownAccount(config)).key);
  if (keptForOthers === 0) return [];
  const folder = outboxFolder(stateDir);
  const message = `Stash: copies of ${plural(keptForOthers, 'recording')} in ${folder} are of another login, or damaged.`;
  const hint = phrase`Log in as before and run ${sync('watch')}. Without that login, run ${sync('upload', folder)}, and delete what was sent.`;
  return [{ check: 'state', state: 'odd', message, hint }];
}

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
