import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { storageError } from '../system/storage.ts';
import { isWatchId, watchId } from '../watch/health.ts';

/** Where one daemon keeps its files. One daemon a login and set of folders. */
export interface DaemonPlace {
  /** `watchId` */
  readonly id: string;
  readonly dir: string;
  /** Who runs, or ran last (`record.ts`). */
  readonly recordFile: string;
  /** Held by the daemon for as long as it lives. */
  readonly lockFile: string;
  /** The newest log; older ones carry `.1`, `.2`, ... */
  readonly logFile: string;
  /** What the runtime itself said on its way down; empty for a daemon that ends well. */
  readonly crashFile: string;
}

/**
 * The place of the daemon that watches these folders for this login.
 * @param login the profile, or what else tells one athlete's daemon from another's
 * @param folders absolute paths, in any order
 */
export function daemonPlace(
  stateDir: string,
  login: string,
  folders: readonly string[],
): DaemonPlace {
  return placeOf(stateDir, watchId(login, folders));
}

/** The places of all daemons there are or were, of every profile; sorted by id. */
export function daemonPlaces(stateDir: string): DaemonPlace[] {
  try {
    return readdirSync(daemonsDir(stateDir))
      .filter((name) => isWatchId(name))
      .sort()
      .map((id) => placeOf(stateDir, id));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw storageError(daemonsDir(stateDir), error, 'SYNC_STATE_DIR');
  }
}

function placeOf(stateDir: string, id: string): DaemonPlace {
  const dir = join(daemonsDir(stateDir), id);
  return {
    id,
    dir,
    recordFile: join(dir, 'daemon.json'),
    lockFile: join(dir, 'daemon.lock'),
    logFile: join(dir, 'daemon.log'),
    crashFile: join(dir, 'crash.log'),
  };
}

function daemonsDir(stateDir: string): string {
  return join(stateDir, 'watch', 'daemons');
}
