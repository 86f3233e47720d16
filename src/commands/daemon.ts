import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Deps } from '../app/deps.ts';
import { ExitCode, SyncError, exitCodeOf, worstExitCode } from '../base/errors.ts';
import { openLogReader } from '../daemon/follow-log.ts';
import { lastWords } from '../daemon/launch.ts';
import { type DaemonPlace, daemonPlaces } from '../daemon/place.ts';
import {
  type BackgroundKind,
  type DaemonEnd,
  type DaemonState,
  inspectDaemon,
  isProcessThere,
} from '../daemon/record.ts';
import { type Kill, type StopOutcome, stopDaemon } from '../daemon/stop.ts';
import { eachOnce, haveOneInCommon } from '../watch/folder-names.ts';
import { type SeenHealth, readHealth } from '../watch/health.ts';

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
  readonly ended: DaemonEnd | undefined;
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

/**
 * Whose daemon it is: the profile, and the token where that is from the environment, since one
 * profile can then stand for several athletes.
 */
export function loginName({ profile, environmentTokens }: Config): string {
  const token = environmentTokens.access ?? environmentTokens.refresh;
  if (token === undefined) return profile;
  return `${profile} ${createHash('sha256').update(token.reveal()).digest('hex').slice(0, 16)}`;
}

/** The daemons of this profile, running or not, in the order in which they were started. */
export function runDaemonStatus(needs: DaemonNeeds): DaemonReport[] {
  const healths = readHealth(absoluteStateDir(needs), needs.deps.clock.now());
  return daemonsOf(needs).map(({ place, record, running: holdsLock }) => {
    const running = holdsLock || isProcessThere(record, needs.deps.platform);
    return {
      id: place.id,
      profile: record.profile,
      running,
      kind: record.kind,
      pid: record.pid,
      folders: record.folders,
      startedAt: record.startedAt,
      readyAt: record.readyAt,
      ended: running ? undefined : record.ended,
      log: place.logFile,
      health: running ? healths.find(({ pid, alive }) => alive && pid === record.pid) : undefined,
    };
  });
}

type KnownDaemon = DaemonState & { readonly record: NonNullable<DaemonState['record']> };

function daemonsOf(needs: DaemonNeeds): KnownDaemon[] {
  return daemonPlaces(absoluteStateDir(needs))
    .map((place) => inspectDaemon(place))
    .filter((state): state is KnownDaemon => state.record?.profile === needs.config.profile)
    .sort((a, b) => a.record.startedAt - b.record.startedAt);
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
    chosen(needs, folders).map(({ place }) => place.id),
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
  const wanted = daemonsOf(needs).filter(({ place }) => ids.includes(place.id));
  const results = await Promise.all(
    wanted.map(async ({ place, record: { folders } }) => {
      const result = await stopDaemon(place, { clock, signal, platform, kill: needs.kill });
      return { id: place.id, folders, ...result };
    }),
  );
  return results.filter((result): result is DaemonStopped => result.outcome !== 'not-running');
}

/** @throws SyncError `USAGE` if no daemon of this profile ever watched one of the folders */
function chosen(needs: DaemonNeeds, given: readonly string[]): KnownDaemon[] {
  const all = daemonsOf(needs);
  if (given.length === 0) return all;
  const wanted = absoluteFolders(needs.deps, given);
  const found = all.filter(({ record }) => haveOneInCommon(record.folders, wanted));
  if (found.length > 0) return found;
  const known = [...new Set(all.flatMap(({ record }) => record.folders))];
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
  const readers = daemons.map(({ place, record, running }) => {
    const who = { id: place.id, folders: record.folders };
    const reader = openLogReader(place.logFile, clock);
    for (const line of reader.last(lines)) needs.onLine(who, line);
    if (!running) for (const line of crashLines(place)) needs.onLine(who, line);
    return { who, reader };
  });
  try {
    if (!follow) return;
    const ended = AbortSignal.any([signal, io.unread]);
    await Promise.all(
      readers.map(({ who, reader }) => reader.follow((line) => needs.onLine(who, line), ended)),
    );
  } finally {
    for (const { reader } of readers) reader.close();
  }
}

/** What the runtime said when it fell over. */
function crashLines({ crashFile }: DaemonPlace): string[] {
  const words = lastWords(crashFile);
  return words === '' ? [] : words.split('\n');
}
