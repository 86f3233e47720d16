import { dirname, join, parse } from 'node:path';
import type { AppContext } from '../../app/context.ts';
import { readDisk } from '../../app/disk-state.ts';
import { withSession } from '../../app/with-http.ts';
import { SyncError } from '../../base/errors.ts';
import { phrase, sync, NAME_VARIABLE, programName } from '../../base/phrase.ts';
import type { Config } from '../../config/config.ts';
import { launchDaemon } from '../../daemon/launch.ts';
import { overlap } from '../../daemon/registration.ts';
import {
  alreadyWatching,
  type FoundWatcher,
  healthOf,
  inspectWatcher,
  isEmpty,
  isProcessThere,
  listWatchers,
  scopeArguments,
  scopeNames,
  scopeOf,
  watcherLogin,
  watcherPaths,
} from '../../daemon/registry.ts';
import type { BackgroundKind, WatcherState, WatchScope } from '../../daemon/state-file.ts';
import { type StopOutcome, stopDaemon } from '../../daemon/stop.ts';
import { thisProcess } from '../../system/this-process.ts';

/*
 * The daemons of a profile: what `sync daemon`, `sync daemon install` and `sync watch --daemon` share.
 */

/** How long a daemon may take to start, the first rescan of a slow disk included (ms). */
const START_LIMIT_MS = 300_000;

export const HOW_TO_START = phrase`Start one with ${sync('watch', '--devices', '--daemon')}, or for a folder with ${sync('watch', 'DIR', '--daemon')}.`;

/** What people and programs learn of a daemon. Times in ms since the epoch. */
export type DaemonReport = ReturnType<typeof reportDaemons>[number];

/** A daemon that runs or ran. */
export type KnownDaemon = FoundWatcher & {
  readonly state: WatcherState & { readonly kind: BackgroundKind };
};

/** Returns the daemons of some profiles, running or not, in the order of their start. */
export function findDaemons({ paths }: Config, profiles: readonly string[]): KnownDaemon[] {
  return listWatchers(paths.stateDir)
    .filter(
      (found): found is KnownDaemon => found.state !== undefined && found.state.kind !== 'terminal',
    )
    .filter(({ state }) => profiles.includes(state.profile))
    .sort((a, b) => a.state.startedAt - b.state.startedAt);
}

/** Returns whether a daemon's process is there: it may hang after it released its lock. */
export function isThere({ state, running }: KnownDaemon, platform: NodeJS.Platform): boolean {
  return running || isProcessThere(state, platform);
}

/** Reports the daemons of this profile, in the order of their start. */
export function reportDaemons(
  { clock, platform }: Pick<AppContext, 'clock' | 'platform'>,
  config: Config,
) {
  const own = findDaemons(config, [config.profile]);
  const disk = own.some(({ running }) => running) ? readDisk(config).fault : undefined;
  return own.map((found) => {
    const { paths, state, running: holdsLock } = found;
    const { profile, kind, pid, startedAt, readyAt } = state;
    const running = isThere(found, platform);
    return {
      id: paths.id,
      profile,
      running,
      kind,
      pid,
      startedAt,
      /** Undefined if its first rescan was never complete. */
      readyAt,
      ...scopeOf(state),
      /** Undefined while it runs, and after it was killed. */
      ended: running ? undefined : state.ended,
      log: paths.logFile,
      health: holdsLock ? healthOf(found, clock.now(), disk) : undefined,
    };
  });
}

/**
 * Chooses the daemons of some profiles that watch one of the folders, or devices; without either, all.
 *
 * @throws SyncError `USAGE` if no daemon of these profiles ever watched one of them
 */
export function chooseDaemons(
  config: Config,
  profiles: readonly string[],
  wanted: WatchScope,
): KnownDaemon[] {
  const all = findDaemons(config, profiles);
  if (isEmpty(wanted)) return all;
  const found = all.filter(({ state }) => overlap(state, wanted));
  if (found.length > 0) return found;
  const known = [...new Set(all.map(({ state }) => scopeNames(state)))];
  throw new SyncError('USAGE', `No background watcher watches ${scopeNames(wanted)}.`, {
    hint:
      known.length === 0
        ? phrase`No background watcher was ever started. ${HOW_TO_START}`
        : `Background watchers watch: ${known.join(', ')}.`,
  });
}

export type DaemonStopped = Pick<DaemonReport, 'id' | 'profile' | 'folders' | 'devices'> &
  Exclude<StopOutcome, { outcome: 'not-running' }>;

export async function stopDaemons(
  context: AppContext,
  daemons: readonly KnownDaemon[],
): Promise<DaemonStopped[]> {
  const kill = (pid: number, name: 'SIGTERM' | 'SIGKILL') => void process.kill(pid, name);
  const results = await Promise.all(
    daemons.map(async ({ paths, state }) => {
      const result = await stopDaemon(context, paths, context.platform, kill);
      return { id: paths.id, profile: state.profile, ...scopeOf(state), ...result };
    }),
  );
  return results.filter((result): result is DaemonStopped => result.outcome !== 'not-running');
}

export interface DaemonStartOptions extends WatchScope {
  readonly kind: BackgroundKind;
  /** Flags of `sync watch` for the daemon. */
  readonly passOn: readonly string[];
}

/**
 * Starts `sync watch` in the background; resolves once it watches.
 *
 * @throws SyncError `BUSY` if it runs already; `AUTH_REQUIRED` and the like without a login; the
 *   failure of the daemon itself
 */
export async function startDaemon(
  context: AppContext,
  config: Config,
  { kind, passOn, ...given }: DaemonStartOptions,
) {
  const scope = scopeOf(given);
  const { stateDir } = config.paths;
  const paths = watcherPaths(stateDir, watcherLogin(config), scope);
  const found = inspectWatcher(paths);
  if (found.running) throw alreadyWatching(scope, found.state, config.profile);
  await requireLogin(context, config);
  const args = [programFile(context), ...watchArguments(config, scope, kind), ...passOn];
  const pid = await launchDaemon(
    {
      paths,
      command: [thisProcess.nodePath, ...args],
      env: { ...context.env, ...placeVariables(config), [NAME_VARIABLE]: programName() },
      cwd: parse(stateDir).root,
      limitMs: START_LIMIT_MS,
    },
    context.signal,
  );
  return { id: paths.id, pid, ...scope, log: paths.logFile };
}

/** Returns the file that `bin/sync.js` starts. */
export function programFile({ programDir }: Pick<AppContext, 'programDir'>): string {
  return join(programDir, 'main.cjs');
}

export function watchArguments(
  { profile }: Config,
  scope: WatchScope,
  kind: BackgroundKind,
): string[] {
  return ['watch', ...scopeArguments(scope), '--profile', profile, '--background', kind];
}

/** Returns variables that locate the same files from every working directory. */
export function placeVariables({ paths }: Config): Record<string, string> {
  return { SYNC_CONFIG_DIR: dirname(paths.configFile), SYNC_STATE_DIR: paths.stateDir };
}

/**
 * Checks that there is a login to watch with. A locked keychain only delays uploads.
 *
 * @throws SyncError `AUTH_REQUIRED`, `KEYCHAIN_MISSING`, `CONFIG`, `STORAGE`
 */
export async function requireLogin(context: AppContext, config: Config): Promise<void> {
  try {
    await withSession(context, config, (session) => session.credentials(context.signal));
  } catch (error) {
    if (!(error instanceof SyncError) || error.code !== 'KEYCHAIN_LOCKED') throw error;
    context.warn(`${error.message} Uploads wait until it is unlocked.`);
  }
}

export const SERVICE_MANAGERS = {
  systemd: 'systemd',
  launchd: 'launchd',
  'windows-task': 'the Task Scheduler',
} as const;
