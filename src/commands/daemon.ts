import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Deps } from '../app/deps.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../base/errors.ts';
import { lastWords } from '../daemon/launch.ts';
import { LogReader } from '../daemon/log.ts';
import { eachOnce, haveOneInCommon } from '../daemon/registration.ts';
import {
  type BackgroundKind,
  type FoundWatcher,
  type SeenHealth,
  type WatcherEnd,
  type WatcherPaths,
  type WatcherState,
  healthOf,
  isProcessThere,
  listWatchers,
} from '../daemon/registry.ts';
import { type Kill, type StopOutcome, stopDaemon } from '../daemon/stop.ts';

export interface DaemonNeeds {
  readonly config: Config;
  readonly deps: Deps;
}

/** A daemon, as it is found. Times in ms since 1970. */
export interface DaemonReport {
  readonly id: string;
  readonly profile: string;
  readonly running: boolean;
  readonly kind: BackgroundKind;
  readonly pid: number;
  readonly folders: readonly string[];
  readonly startedAt: number;
  /** Absent: it never came to watching. */
  readonly readyAt: number | undefined;
  /** Absent while it runs, and where it was killed. */
  readonly ended: WatcherEnd | undefined;
  readonly log: string;
  /** What it says of itself; only while it runs. */
  readonly health: SeenHealth | undefined;
}

/** Absolute, whatever the daemon's own working directory is. */
export function absoluteStateDir({ config, deps }: DaemonNeeds): string {
  return resolve(deps.cwd, config.paths.stateDir);
}

export function absoluteFolders(deps: Deps, folders: readonly string[]): string[] {
  return eachOnce(folders.map((folder) => resolve(deps.cwd, folder)));
}

/** The daemons of this profile, running or not, in the order in which they were started. */
export function runDaemonStatus(needs: DaemonNeeds): DaemonReport[] {
  const { clock, platform } = needs.deps;
  return daemonsOf(needs).map((found) => {
    const { paths, state, running: holdsLock } = found;
    const running = holdsLock || isProcessThere(state, platform);
    return {
      id: paths.id,
      profile: state.profile,
      running,
      kind: state.kind,
      pid: state.pid,
      folders: state.folders,
      startedAt: state.startedAt,
      readyAt: state.readyAt,
      ended: running ? undefined : state.ended,
      log: paths.logFile,
      health: holdsLock ? healthOf(found, clock.now()) : undefined,
    };
  });
}

type KnownDaemon = FoundWatcher & {
  readonly state: WatcherState & { readonly kind: BackgroundKind };
};

function daemonsOf(needs: DaemonNeeds): KnownDaemon[] {
  return listWatchers(absoluteStateDir(needs))
    .filter(
      (found): found is KnownDaemon =>
        found.state?.profile === needs.config.profile && found.state.kind !== 'terminal',
    )
    .sort((a, b) => a.state.startedAt - b.state.startedAt);
}

/** A daemon that was to be stopped, and what came of it. */
export type DaemonStopped = { readonly id: string; readonly folders: readonly string[] } & Exclude<
  StopOutcome,
  { outcome: 'not-running' }
>;

export interface DaemonStopNeeds extends DaemonNeeds {
  readonly kill: Kill;
}

/** Stops the daemons of this profile: all, or those that watch one of the folders. */
export async function runDaemonStop(
  { folders }: { readonly folders: readonly string[] },
  needs: DaemonStopNeeds,
): Promise<{ stopped: DaemonStopped[]; exitCode: ExitCode }> {
  const stopped = await stopAll(
    chosen(needs, folders).map(({ paths }) => paths.id),
    needs,
  );
  const exitCode = worstExitCode(
    stopped.map(({ outcome }) => (outcome === 'stopped' ? ExitCode.ok : exitCodeOf('BUSY'))),
  );
  return { stopped, exitCode };
}

/** Stops those of these daemons that run. */
export async function stopAll(
  ids: readonly string[],
  needs: DaemonStopNeeds,
): Promise<DaemonStopped[]> {
  const { clock, signal, platform } = needs.deps;
  const wanted = daemonsOf(needs).filter(({ paths }) => ids.includes(paths.id));
  const results = await Promise.all(
    wanted.map(async ({ paths, state: { folders } }) => {
      const result = await stopDaemon(paths, { clock, signal, platform, kill: needs.kill });
      return { id: paths.id, folders, ...result };
    }),
  );
  return results.filter((result): result is DaemonStopped => result.outcome !== 'not-running');
}

/** @throws SyncError `USAGE` if no daemon of this profile ever watched one of the folders */
function chosen(needs: DaemonNeeds, given: readonly string[]): KnownDaemon[] {
  const all = daemonsOf(needs);
  if (given.length === 0) return all;
  const wanted = absoluteFolders(needs.deps, given);
  const found = all.filter(({ state }) => haveOneInCommon(state.folders, wanted));
  if (found.length > 0) return found;
  const known = [...new Set(all.flatMap(({ state }) => state.folders))];
  throw new SyncError('USAGE', `No daemon watches ${wanted.join(', ')}.`, {
    hint: known.length === 0 ? 'There is none at all.' : `There are: ${known.join(', ')}.`,
  });
}

export interface DaemonLogsOptions {
  readonly folders: readonly string[];
  /** How many of the last lines, of each daemon. */
  readonly lines: number;
  readonly follow: boolean;
}

export interface DaemonLogsNeeds extends DaemonNeeds {
  readonly onLine: (daemon: { id: string; folders: readonly string[] }, line: string) => void;
}

/**
 * Hands on what the daemons of this profile said; with `follow` until the signal is aborted, or
 * nobody reads it any more.
 * @throws SyncError `USAGE` if there was never a daemon
 */
export async function runDaemonLogs(
  { folders, lines, follow }: DaemonLogsOptions,
  needs: DaemonLogsNeeds,
): Promise<void> {
  const daemons = chosen(needs, folders);
  if (daemons.length === 0) {
    throw new SyncError('USAGE', `Profile "${needs.config.profile}" never had a daemon.`, {
      hint: 'Start one with `sync watch DIR --daemon`.',
    });
  }
  const { clock, signal, io } = needs.deps;
  const readers = daemons.map(({ paths, state, running }) => {
    const who = { id: paths.id, folders: state.folders };
    const reader = new LogReader(paths.logFile, clock);
    for (const line of reader.last(lines)) needs.onLine(who, line);
    if (!running) for (const line of crashLines(paths)) needs.onLine(who, line);
    return { who, reader };
  });
  if (!follow) return;
  const ended = AbortSignal.any([signal, io.unread]);
  await Promise.all(
    readers.map(({ who, reader }) => reader.follow((line) => needs.onLine(who, line), ended)),
  );
}

/** What the runtime said when it fell over. */
function crashLines({ crashFile }: WatcherPaths): string[] {
  const words = lastWords(crashFile);
  return words === '' ? [] : words.split('\n');
}
