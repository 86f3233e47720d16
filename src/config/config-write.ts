import { dirname, join } from 'node:path';
import { type Account, type ProfileEntry, readConfigFile } from './config.ts';
import { systemClock, sha256 } from '../system/this-process.ts';
import { messageOf } from '../base/errors.ts';
import { NEVER } from '../base/tasks.ts';
import type { Paths } from './paths.ts';
import type { SettingKey } from './settings.ts';
import { behindOwnLink, makeFolder, replaceFile, storageError } from '../system/storage.ts';

/** Changes of a profile: `null` removes a value, an absent field keeps it. */
export interface ConfigChange {
  readonly settings?: Readonly<Partial<Record<SettingKey, string | null>>>;
  readonly account?: Account | null;
  readonly loginId?: string | null;
  readonly unnamed?: string | undefined;
  readonly loggedOut?: boolean;
  /** Change nothing unless this is still the profile's login. */
  readonly ofLogin?: string | undefined;
}

/**
 * Changes one profile in the configuration file, and keeps concurrent changes of other processes.
 * Replaces the whole file, so that a reader sees the old or the new one.
 *
 * @returns false if nothing changed, because the profile has another login by now.
 * @throws SyncError `CONFIG` if the file there cannot be read, `STORAGE` if it cannot be written.
 */
export async function changeProfile(
  paths: Paths,
  profile: string,
  change: ConfigChange,
): Promise<boolean> {
  // Loaded here: commands that only read the file need no locks.
  const { withLock } = await import('../system/process-lock.ts');
  const name = sha256(paths.configFile).slice(0, 16);
  const lock = join(paths.stateDir, 'locks', `config-${name}.lock`);
  return await withLock(lock, { clock: systemClock, signal: NEVER }, () => {
    const { profiles, raw } = readConfigFile(paths.configFile);
    const { ofLogin } = change;
    if (ofLogin !== undefined && profiles[profile]?.loginId !== ofLogin) {
      return Promise.resolve(false);
    }
    const { settings, loggedOut, ...login } = changed(profiles[profile], change);
    // JSON omits undefined values.
    const entry = { ...settings, ...login, loggedOut: loggedOut || undefined };
    write(paths.configFile, { ...raw, [profile]: entry });
    return Promise.resolve(true);
  });
}

function changed(before: ProfileEntry | undefined, change: ConfigChange): ProfileEntry {
  const settings = Object.fromEntries(
    Object.entries({ ...before?.settings, ...change.settings }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  const account = change.account === undefined ? before?.account : (change.account ?? undefined);
  const loginId = change.loginId === undefined ? before?.loginId : (change.loginId ?? undefined);
  const unnamed = change.unnamed ?? before?.unnamed;
  const loggedOut = change.loggedOut ?? before?.loggedOut ?? false;
  return { settings, account, loginId, unnamed, loggedOut };
}

function write(path: string, profiles: Readonly<Record<string, unknown>>): void {
  try {
    makeFolder(dirname(path), 0o700);
    replaceFile(behindOwnLink(path), `${JSON.stringify({ profiles }, null, 2)}\n`);
  } catch (cause) {
    const message = `${path} cannot be written: ${messageOf(cause)}`;
    throw storageError(path, cause, 'SYNC_CONFIG_DIR', { message });
  }
}
