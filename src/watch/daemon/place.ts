import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../errors.ts';

/** Where one daemon keeps its files. One daemon a profile and set of folders. */
export interface DaemonPlace {
  /** The profile, and a digest of the folders: safe as a file name on every system. */
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
 * The place of the daemon that watches these folders for this profile.
 * @param folders absolute paths, in any order
 */
export function daemonPlace(
  stateDir: string,
  profile: string,
  folders: readonly string[],
): DaemonPlace {
  const identity = JSON.stringify([profile, [...new Set(folders)].sort()]);
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 10);
  // File systems that ignore case must not take two profiles for one: the digest tells them apart.
  return placeOf(stateDir, `${profile.toLowerCase()}-${digest}`);
}

/** The places of all daemons there are or were, of every profile; sorted by id. */
export function daemonPlaces(stateDir: string): DaemonPlace[] {
  try {
    return readdirSync(daemonsDir(stateDir))
      .sort()
      .map((id) => placeOf(stateDir, id));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
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
