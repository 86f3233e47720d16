import { join, parse, resolve } from 'node:path';
import { openSession } from '../auth/open-session.ts';
import type { Config } from '../config/config.ts';
import type { Deps } from '../app/deps.ts';
import { SyncError } from '../base/errors.ts';
import { openHttp } from '../api/open-http.ts';
import { START_LIMIT_MS, launchDaemon } from '../daemon/launch.ts';
import {
  type BackgroundKind,
  alreadyWatching,
  inspectWatcher,
  watcherLogin,
  watcherPaths,
} from '../daemon/registry.ts';
import { type DaemonNeeds, absoluteFolders, absoluteStateDir } from './daemon.ts';

export interface DaemonStartOptions {
  readonly folders: readonly string[];
  /** Who keeps it: `daemon`, where it was started by hand. */
  readonly kind: BackgroundKind;
  /** Flags of `sync watch` that the daemon is given as well. */
  readonly passOn: readonly string[];
}

export interface DaemonStarted {
  readonly id: string;
  readonly pid: number;
  readonly folders: readonly string[];
  readonly log: string;
}

/**
 * Starts `sync watch` in the background; resolves once it watches.
 *
 * @throws SyncError `BUSY` if it runs already; `AUTH_REQUIRED` and the like without a login; what
 *   the daemon itself failed with
 */
export async function runDaemonStart(
  { folders: given, kind, passOn }: DaemonStartOptions,
  needs: DaemonNeeds & { readonly onWarning: (text: string) => void },
): Promise<DaemonStarted> {
  const { config, deps } = needs;
  const folders = absoluteFolders(deps, given);
  const stateDir = absoluteStateDir(needs);
  const paths = watcherPaths(stateDir, watcherLogin(config), folders);
  const found = inspectWatcher(paths);
  if (found.running) throw alreadyWatching(folders, found.state);
  await requireLogin(needs);
  const pid = await launchDaemon(
    {
      paths,
      command: [
        process.execPath,
        programFile(deps),
        ...watchArguments(config, folders, kind),
        ...passOn,
      ],
      env: { ...deps.env, ...absolutePlaces(needs) },
      cwd: parse(stateDir).root,
      limitMs: START_LIMIT_MS,
    },
    deps.signal,
  );
  return { id: paths.id, pid, folders, log: paths.logFile };
}

/** What `bin/sync.js` starts. */
export function programFile(deps: Deps): string {
  return join(deps.programDir, 'main.cjs');
}

export function watchArguments(
  config: Config,
  folders: readonly string[],
  kind: BackgroundKind,
): string[] {
  return ['watch', ...folders, '--profile', config.profile, '--background', kind];
}

/** The same files are found from any working directory. */
export function absolutePlaces(needs: DaemonNeeds): Record<string, string> {
  const { config, deps } = needs;
  return {
    SYNC_CONFIG_DIR: parse(resolve(deps.cwd, config.paths.configFile)).dir,
    SYNC_STATE_DIR: absoluteStateDir(needs),
  };
}

/**
 * There is a login to watch with, or may be: a keychain that is locked now is not the end, the
 * daemon tries again.
 *
 * @throws SyncError `AUTH_REQUIRED`, `KEYCHAIN_MISSING`, `CONFIG`, `STORAGE`
 */
export async function requireLogin({
  config,
  deps,
  onWarning,
}: DaemonNeeds & { readonly onWarning: (text: string) => void }): Promise<void> {
  const http = await openHttp({ env: deps.env, version: '', connections: 1 });
  const session = openSession(
    { ...deps, random: Math.random, trace: () => undefined, warn: onWarning },
    config,
    { ...deps, http, attended: deps.io.interactive },
  );
  try {
    await session.credentials(deps.signal);
  } catch (error) {
    if (!(error instanceof SyncError) || error.code !== 'KEYCHAIN_LOCKED') throw error;
    onWarning(`${error.message} Uploads wait until it is open.`);
  } finally {
    await session.close();
    await http.close();
  }
}
