import type { Context } from '../base/context.ts';
import { systemCode } from '../base/errors.ts';
import { processStart } from './process-start.ts';
import { isHeld } from '../system/process-lock.ts';
import { type WatcherPaths, inspectWatcher, isProcessThere } from './registry.ts';
import { writeState } from './state-file.ts';

export type StopOutcome =
  | {
      readonly outcome: 'stopped';
      readonly pid: number;
      readonly tookMs: number;
      readonly killed?: true;
    }
  | { readonly outcome: 'not-running' }
  /** It survived SIGKILL: it hangs in a system call. */
  | { readonly outcome: 'still-running'; readonly pid: number; readonly waitedMs: number }
  /** It runs, but its process cannot be signalled; `why` as a phrase. */
  | { readonly outcome: 'out-of-reach'; readonly pid: number | undefined; readonly why: string };

/** Grace periods after SIGTERM (a daemon ends within 5 s) and after SIGKILL (ms). */
const STOP_PATIENCE_MS = { ask: 8_000, kill: 2_000 };
const POLL_MS = 50;
/** Longest time between taking the lock and writing the state file (ms). */
const SETTLE_MS = 2_000;

/**
 * Asks a daemon to end, kills it if it does not, and waits until its process is gone. Signals only a
 * process if its pid and start time match the state file: pids are reused. A process that released the
 * lock and hangs is still that daemon.
 *
 * @throws SyncError `STORAGE`, and `INTERRUPTED` when the signal is aborted
 */
export async function stopDaemon(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  paths: WatcherPaths,
  platform: NodeJS.Platform,
  kill: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void,
  patienceMs = STOP_PATIENCE_MS,
): Promise<StopOutcome> {
  const began = clock.monotonic();
  let target = findTarget(paths, platform);
  // A process that has just taken the lock has not written its state yet.
  while ('why' in target && clock.monotonic() < began + SETTLE_MS) {
    await clock.sleep(POLL_MS, signal);
    target = findTarget(paths, platform);
  }
  if ('outcome' in target) return target;
  const { pid, start } = target;
  const lives = () =>
    start === undefined ? isHeld(paths.lockFile) : processStart(pid, platform) === start;
  const told = clock.monotonic();
  const waited = () => Math.round(clock.monotonic() - told);
  for (const [name, ms] of [
    ['SIGTERM', patienceMs.ask],
    ['SIGKILL', patienceMs.ask + patienceMs.kill],
  ] as const) {
    try {
      kill(pid, name);
    } catch (error) {
      // It ended before the signal.
      if (systemCode(error) !== 'ESRCH') {
        return { outcome: 'out-of-reach', pid, why: 'it belongs to another user' };
      }
    }
    while (lives() && waited() < ms) await clock.sleep(POLL_MS, signal);
    if (lives()) continue;
    recordEnd(paths, pid, clock.now());
    const killed = name === 'SIGKILL' ? ({ killed: true } as const) : {};
    return { outcome: 'stopped', pid, tookMs: waited(), ...killed };
  }
  return { outcome: 'still-running', pid, waitedMs: waited() };
}

/** Writes the end of a process that had no time to write it: SIGKILL, and on Windows any signal. */
function recordEnd(paths: WatcherPaths, pid: number, at: number): void {
  // The process is gone, but the system may free its lock a moment later.
  const { state } = inspectWatcher(paths);
  if (state?.pid !== pid || state.ended !== undefined) return;
  try {
    writeState(paths, { ...state, ended: { at, exitCode: 0 } }, false);
  } catch {
    // A full disk: the state still says that the process is gone.
  }
}

type Untouched = Extract<StopOutcome, { outcome: 'not-running' | 'out-of-reach' }>;

/** Finds the daemon's process by its state file. @returns the outcome if it cannot be signalled */
function findTarget(
  paths: WatcherPaths,
  platform: NodeJS.Platform,
): Untouched | { readonly pid: number; readonly start: string | undefined } {
  const { state, running } = inspectWatcher(paths);
  if (state === undefined) {
    if (!running) return { outcome: 'not-running' };
    return { outcome: 'out-of-reach', pid: undefined, why: 'its state file cannot be read' };
  }
  const { pid, ended } = state;
  const start = processStart(pid, platform);
  if (!running) {
    return isProcessThere(state, platform) ? { pid, start } : { outcome: 'not-running' };
  }
  if (ended === undefined && start === state.processStart) return { pid, start };
  const seen = start === undefined ? 'not visible from here' : 'another one';
  return {
    outcome: 'out-of-reach',
    pid,
    why: `process ${String(pid)} is ${seen}: does it run in a container?`,
  };
}
