import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ledgerPath } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { readDisk } from '../../app/disk-state.ts';
import { athleteOf, knownAccount } from '../../app/ledger-account.ts';
import { phrase, sync } from '../../base/phrase.ts';
import { type Config, hasEnvironmentTokens } from '../../config/config.ts';
import { checkDatabase, openDatabase } from '../../ledger/database.ts';
import { isActivityName } from '../../inputs/recording-names.ts';
import { abandonedFor, copiesIn, namesIn, outboxFolder } from '../../ledger/outbox.ts';
import {
  distrustHint,
  distrustMessage,
  findDistrust,
  findOwnDistrust,
} from '../../system/folder-trust.ts';
import { markProcess } from '../../system/processes.ts';
import { writeFailure } from '../../system/storage.ts';
import { bytes, plural } from '../../terminal/words.ts';
import { type CheckResult, bad, failed, good, odd } from './finding.ts';

/** Free space that keeps the ledger and the copies of a device's new recordings (bytes). */
const ENOUGH_BYTES = 100_000_000;
/** Free space below which the ledger cannot be written (bytes). */
const LEAST_BYTES = 1_000_000;

export function checkDisk(_context: AppContext, config: Config): CheckResult[] {
  const { fault, free } = readDisk(config);
  const { stateDir } = config.paths;
  if (fault !== undefined) return [bad(fault.message, fault.hint)];
  // Some network file systems do not say.
  if (free === undefined) return [];
  if (free >= ENOUGH_BYTES) return [good(`Disk: ${bytes(free)} free for ${stateDir}`)];
  const message = `Disk: only ${bytes(free)} free for ${stateDir}`;
  return [(free < LEAST_BYTES ? bad : odd)(message, 'Free some space there. Nothing is lost.')];
}

/** Opens the ledger, or checks that it can be created. Creates nothing. */
export function checkLedger(_context: AppContext, config: Config): CheckResult {
  const path = ledgerPath(config.paths);
  try {
    if (!existsSync(path)) {
      const failure = writeFailure(path, 'SYNC_STATE_DIR');
      if (failure !== undefined) throw failure;
      return good(`Record of sent data: none yet; the first command that sends creates ${path}`);
    }
    openDatabase(path).close();
    checkDatabase(path);
    return good(`Record of sent data: ${path}`);
  } catch (error) {
    return failed(error, bad, 'Record of sent data');
  }
}

/** Copies that a hint names at once. */
const NAMED = 3;

/** Checks that each copy of a recording has a login that it is sent with. */
export async function checkCopies(_context: AppContext, config: Config): Promise<CheckResult[]> {
  if (config.get('baseUrl') === undefined) return [];
  const { stateDir } = config.paths;
  const { key } = await knownAccount(config);
  const isAbandoned = abandonedFor(markProcess(stateDir));
  const ofAthletes = new Map<string, number>();
  const unclaimed: string[] = [];
  for (const { owner, folder, label } of copiesIn(stateDir)) {
    if (label?.account === key || !isAbandoned(owner)) continue;
    const athlete = label && athleteOf(label.account);
    if (athlete !== undefined) ofAthletes.set(athlete, (ofAthletes.get(athlete) ?? 0) + 1);
    else
      unclaimed.push(
        ...namesIn(folder).flatMap((name) => (isActivityName(name) ? join(folder, name) : [])),
      );
  }
  const copies = (count: number) =>
    `Copies of ${plural(count, 'recording')} in ${outboxFolder(stateDir)}`;
  const before = phrase`Log in as before and run ${sync('watch')}.`;
  const found = [...ofAthletes].map(([athlete, count]) =>
    odd(`${copies(count)} wait for the login of ${athlete}.`, before),
  );
  if (unclaimed.length === 0) return found;
  const named = unclaimed.slice(0, NAMED);
  const message = `${copies(unclaimed.length)} are damaged, or of a login without a known athlete.`;
  const hint = phrase`${before} Without that login, see with ${sync('inspect', ...named)} whose they are. Only if they are yours, run ${sync('upload', ...named)}, and delete them.`;
  return [...found, odd(message, hint)];
}

/** Checks that the settings can be saved; that they can be read is known by now. */
export function checkSettings(config: Config): CheckResult {
  const { fault, path = '', settings = {} } = config.system ?? {};
  if (fault !== undefined) return failed(fault);
  const { configFile } = config.paths;
  const exists = existsSync(configFile);
  const failure = writeFailure(configFile, 'SYNC_CONFIG_DIR');
  if (failure !== undefined) {
    // Settings that are complete need no writing.
    return failed(failure, exists || hasEnvironmentTokens(config) ? odd : bad, 'Settings');
  }
  const own = exists
    ? `Settings: ${configFile}`
    : `Settings: none yet; the first login creates ${configFile}`;
  const presets = Object.keys(settings).length === 0 ? '' : `. For all users: ${path}`;
  return good(`${own}${presets}`);
}

/**
 * Finds other users who can change this program's folders: those above them too, which only a token store
 * refuses.
 */
export function checkFolders(_context: AppContext, config: Config): CheckResult[] {
  const { configFile, stateDir } = config.paths;
  const inFile = config.get('tokenStore') === 'file' && !hasEnvironmentTokens(config);
  const found = [
    { folder: dirname(configFile), variable: 'SYNC_CONFIG_DIR' as const, refused: false },
    { folder: stateDir, variable: 'SYNC_STATE_DIR' as const, refused: inFile },
  ].flatMap(({ folder, variable, refused }) => {
    const own = findOwnDistrust(folder, 1);
    const distrust = own ?? findDistrust(folder);
    if (distrust === undefined) return [];
    const result = refused || own !== undefined ? bad : odd;
    const finding = result(distrustMessage(distrust, folder), distrustHint(distrust, variable));
    return [[distrust.path, finding] as const];
  });
  if (found.length === 0) return [good('Only you can change the settings and the state folder.')];
  // A folder above both has one fix, and the more severe finding comes last.
  return [...new Map(found).values()];
}
