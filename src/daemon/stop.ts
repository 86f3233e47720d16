import { systemCode } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import { processStart } from './process-start.ts';
import { type WatcherPaths, inspectWatcher, isProcessThere, isRunning } from './registry.ts';

/** What became of a daemon that was asked to end. */
export type StopOutcome =
  | {
      readonly outcome: 'stopped';
      readonly pid: number;
      readonly tookMs: number;
      /** It did not end by itself. */
      readonly killed?: true;
    }
  | { readonly outcome: 'not-running' }
  /** It was asked to end, then killed, and is still there: it hangs in the kernel. */
  | { readonly outcome: 'still-running'; readonly pid: number; readonly waitedMs: number }
  /** It runs, but nobody may be told to end: `why` says what is known. */
  | { readonly outcome: 'out-of-reach'; readonly pid: number | undefined; readonly why: string };

/** `process.kill` */
export type Kill = (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void;

export interface StopNeeds {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly platform: NodeJS.Platform;
  readonly kill: Kill;
}

/** How long a daemon may take to end, in ms: by itself (it does so within 5 s), then once it was killed. */
const STOP_PATIENCE_MS = { ask: 8_000, kill: 2_000 };
const LOOK_MS = 50;
/** How long it may take between taking the lock and writing the record, in ms. */
const SETTLE_MS = 2_000;

/**
 * Asks a daemon to end, kills it if it does not, and waits until its process is gone. Only the process
 * that the daemon's record names by number and start is sent a signal: numbers are used again. A
 * process that gave the lock back and hangs is that daemon still.
 *
 * @throws SyncError `STORAGE`, and `INTERRUPTED` when the signal is aborted
 */
export async function stopDaemon(
  paths: WatcherPaths,
  { clock, signal, platform, kill }: StopNeeds,
  patienceMs = STOP_PATIENCE_MS,
): Promise<StopOutcome> {
  const began = clock.monotonic();
  let target = findTarget(paths, platform);
  // Whoever just took the lock has not written its record yet: the one before is still there.
  while (target.found === 'unknown' && clock.monotonic() < began + SETTLE_MS) {
    await clock.sleep(LOOK_MS, signal);
    target = findTarget(paths, platform);
  }
  if (target.found === 'nobody') return { outcome: 'not-running' };
  if (target.found === 'unknown') {
    return { outcome: 'out-of-reach', pid: target.pid, why: target.why };
  }
  const { pid, start } = target;
  const lives = () =>
    start === undefined ? isRunning(paths) : processStart(pid, platform) === start;
  const told = clock.monotonic();
  const waited = () => Math.round(clock.monotonic() - told);
  for (const [name, ms] of [
    ['SIGTERM', patienceMs.ask],
    ['SIGKILL', patienceMs.ask + patienceMs.kill],
  ] as const) {
    try {
      kill(pid, name);
    } catch (error) {
      // Gone between the look and the signal.
      if (systemCode(error) !== 'ESRCH') {
        return { outcome: 'out-of-reach', pid, why: 'it belongs to somebody else' };
      }
    }
    while (lives() && waited() < ms) await clock.sleep(LOOK_MS, signal);
    if (lives()) continue;
    const killed = name === 'SIGKILL' ? ({ killed: true } as const) : {};
    return { outcome: 'stopped', pid, tookMs: waited(), ...killed };
  }
  return { outcome: 'still-running', pid, waitedMs: waited() };
}

type Target =
  | { readonly found: 'nobody' }
  | { readonly found: 'daemon'; readonly pid: number; readonly start: string | undefined }
  | { readonly found: 'unknown'; readonly pid: number | undefined; readonly why: string };

/** The daemon's process, if the record tells which one that is. */
function findTarget(paths: WatcherPaths, platform: NodeJS.Platform): Target {
  const { state, running } = inspectWatcher(paths);
  if (state === undefined) {
    if (!running) return { found: 'nobody' };
    return { found: 'unknown', pid: undefined, why: 'its record cannot be read' };
  }
  const { pid, ended } = state;
  const start = processStart(pid, platform);
  if (!running) {
    return isProcessThere(state, platform) ? { found: 'daemon', pid, start } : { found: 'nobody' };
  }
  if (ended === undefined && start === state.processStart) return { found: 'daemon', pid, start };
  const seen = start === undefined ? 'not to be seen from here' : 'another one';
  return {
    found: 'unknown',
    pid,
    why: `process ${String(pid)} is ${seen}: does it run in a container?`,
  };
}
