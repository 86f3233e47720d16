import { onTestFinished } from 'vitest';
import { type OpenLedger, openLedger } from '../../src/app/ledger.ts';
import { loadConfig } from '../../src/config/config.ts';
import { findPaths } from '../../src/config/paths.ts';
import { systemClock } from '../../src/system/this-process.ts';
import { scratchDir } from './scratch-dir.ts';

/** Opens an empty ledger, as commands do; it is closed with the test. */
export function scratchLedger(account = 'me'): OpenLedger {
  const dir = scratchDir();
  const env = { SYNC_STATE_DIR: dir, SYNC_BASE_URL: 'http://127.0.0.1:1' };
  const paths = findPaths(env, process.platform, dir);
  const ledger = openLedger(loadConfig({ env, paths }, undefined), account, systemClock);
  onTestFinished(() => ledger.close());
  return ledger;
}
