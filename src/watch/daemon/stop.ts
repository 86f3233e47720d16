import { systemCode } from '../../errors.ts';
import type { Clock } from '../../time.ts';
import type { DaemonPlace } from './place.ts';
import { processStart } from './process-start.ts';
import { inspectDaemon, isRunning } from './record.ts';

/** What became of a daemon that was asked to end. */
export type StopOutcome =
  | { readonly outcome: 'stopped'; readonly pid: number; readonly tookMs: number }
  | { readonly outcome: 'not-running' }
  /** It was told to end, and has not yet. */
  | { readonly outcome: 'still-running'; readonly pid: number; readonly waitedMs: number }
  /** It runs, but nobody may be told to end: `why` says what is known. */
  | { readonly outcome: 'out-of-reach'; readonly pid: number | undefined; readonly why: string };

export interface StopNeeds {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly platform: NodeJS.Platform;
  /** `process.kill` */
  readonly kill: (pid: number, signal: 'SIGTERM') => void;
}

/** How long a daemon may take to end, in ms: it finishes or gives up its request within 5 s. */
const STOP_PATIENCE_MS = 10_000;
const LOOK_MS = 50;
/** How long it may take between taking the lock and writing the record, in ms. */
const SETTLE_MS = 2_000;

/**
 * Asks a daemon to end and waits until it has. Only a process that holds the daemon's lock, and
 * that started when the daemon's record says, is told anything: pids are used again.
 *
 * @throws SyncError `STORAGE`, and `INTERRUPTED` when the signal is aborted
 */
export async function stopDaemon(
  place: DaemonPlace,
  { clock, signal, platform, kill }: StopNeeds,
  patienceMs = STOP_PATIENCE_MS,
): Promise<StopOutcome> {
  const began = clock.monotonic();
  let target = findTarget(place, platform);
  // Whoever just took the lock has not written its record yet: the one before is still there.
  while (target.found === 'unknown' && clock.monotonic() < began + SETTLE_MS) {
    await clock.sleep(LOOK_MS, signal);
    target = findTarget(place, platform);
  }
  if (target.found === 'nobody') return { outcome: 'not-running' };
  if (target.found === 'unknown') {
    return { outcome: 'out-of-reach', pid: target.pid, why: target.why };
  }
  const { pid } = target;
  try {
    kill(pid, 'SIGTERM');
  } catch (error) {
    // Gone between the look and the signal: the lock says so in a moment.
    if (systemCode(error) !== 'ESRCH') {
      return { outcome: 'out-of-reach', pid, why: 'it belongs to somebody else' };
    }
  }
  const told = clock.monotonic();
  for (;;) {
    if (!isRunning(place)) return { outcome: 'stopped', pid, tookMs: clock.monotonic() - told };
    const waitedMs = clock.monotonic() - told;
    if (waitedMs >= patienceMs) return { outcome: 'still-running', pid, waitedMs };
    await clock.sleep(LOOK_MS, signal);
  }
}

type Target =
  | { readonly found: 'nobody' }
  | { readonly found: 'daemon'; readonly pid: number }
  | { readonly found: 'unknown'; readonly pid: number | undefined; readonly why: string };

/** The process that holds the daemon's lock, if the record tells which one that is. */
function findTarget(place: DaemonPlace, platform: NodeJS.Platform): Target {
  const { record, running } = inspectDaemon(place);
  if (!running) return { found: 'nobody' };
  if (record === undefined) {
    return { found: 'unknown', pid: undefined, why: 'its record cannot be read' };
  }
  const { pid, ended } = record;
  const start = processStart(pid, platform);
  if (ended === undefined && start === record.processStart) return { found: 'daemon', pid };
  const seen = start === undefined ? 'not to be seen from here' : 'another one';
  return {
    found: 'unknown',
    pid,
    why: `process ${String(pid)} is ${seen}: does it run in a container?`,
  };
}
