import { posix, win32 } from 'node:path';
import type { Env } from '../base/env.ts';
import { SyncError } from '../base/errors.ts';

/** The program's files (absolute paths). */
export interface Paths {
  /** The configuration, which holds no secrets. */
  readonly configFile: string;
  /** Ledger, locks, logs, and the optional token file. Only the owner has access. */
  readonly stateDir: string;
}

const NAME = 'athlete-sync';
const FILE = 'config.json';

/**
 * Returns the path of the configuration file for all users of this machine. Only an administrator can
 * write there; on Windows, every user can make folders in `%ProgramData%`.
 */
export function systemConfigFile(env: Env, platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return posix.join('/Library', 'Application Support', NAME, FILE);
    case 'win32':
      return win32.join(env['ProgramFiles'] ?? 'C:\\Program Files', NAME, FILE);
    default:
      return posix.join('/etc', NAME, FILE);
  }
}

/**
 * Returns the platform's standard folders (XDG base directories, Application Support, AppData), or
 * `SYNC_CONFIG_DIR` and `SYNC_STATE_DIR`.
 *
 * @throws SyncError `CONFIG` if there is no home folder; the working directory is never used instead
 */
export function findPaths(env: Env, platform: NodeJS.Platform, homeDir: string): Paths {
  const path = platform === 'win32' ? win32 : posix;
  const join = (...parts: string[]) => path.join(...parts);
  const place = (): { config: string; state: string } => {
    switch (platform) {
      case 'darwin': {
        const support = join(homeDir, 'Library', 'Application Support', NAME);
        return { config: support, state: join(support, 'state') };
      }
      case 'win32':
        return {
          config: join(env['APPDATA'] ?? join(homeDir, 'AppData', 'Roaming'), NAME),
          state: join(env['LOCALAPPDATA'] ?? join(homeDir, 'AppData', 'Local'), NAME),
        };
      default:
        return {
          config: join(xdgFolder(env['XDG_CONFIG_HOME'], join(homeDir, '.config')), NAME),
          state: join(xdgFolder(env['XDG_STATE_HOME'], join(homeDir, '.local', 'state')), NAME),
        };
    }
  };
  const found = place();
  const homely = (folder: string) => {
    if (path.isAbsolute(folder)) return folder;
    throw new SyncError(
      'CONFIG',
      `There is no home folder to keep anything in (HOME is "${homeDir}").`,
      {
        hint: 'Set HOME, or SYNC_CONFIG_DIR and SYNC_STATE_DIR.',
      },
    );
  };
  // Lines of a file from Windows end with a carriage return.
  const named = (variable: string) => env[variable]?.trim();
  return {
    configFile: join(named('SYNC_CONFIG_DIR') || homely(found.config), FILE),
    stateDir: named('SYNC_STATE_DIR') || homely(found.state),
  };
}

/** Returns a folder of the XDG base directories: a relative one is invalid there, and not used. */
export function xdgFolder(folder = '', otherwise: string): string {
  return posix.isAbsolute(folder) ? folder : otherwise;
}
