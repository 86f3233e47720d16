import { existsSync } from 'node:fs';
import { ledgerPath } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { knownAccount } from '../../app/ledger-account.ts';
import { phrase, sync } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { openDatabase } from '../../ledger/database.ts';
import { countKept, outboxFolder } from '../../ledger/outbox.ts';
import { freeBytes } from '../../system/disk.ts';
import { writeFailure } from '../../system/storage.ts';
import { bytes, plural } from '../../terminal/words.ts';
import { type CheckResult, failed } from './finding.ts';

/** Free space that keeps the ledger and the copies of a device's new recordings (bytes). */
const ENOUGH_BYTES = 100_000_000;
/** Free space below which the ledger cannot be written (bytes). */
const LEAST_BYTES = 1_000_000;

/** Checks the free space on the disk of the state folder. */
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
      const message = `Ledger: none yet; the first command that sends creates ${path}`;
      return { check, state: 'good', message };
    }
    openDatabase(path).close();
    return { check, state: 'good', message: `Ledger: ${path}` };
  } catch (error) {
    return failed(check, error, { subject: 'Ledger' });
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
