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
export const STOP_PATIENCE_MS = 10_000;
const LOOK_MS = 50;

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
  const { record, running } = inspectDaemon(place);
  if (!running) return { outcome: 'not-running' };
  if (record === undefined) {
    return { outcome: 'out-of-reach', pid: undefined, why: 'its record cannot be read' };
  }
  const { pid } = record;
  const start = processStart(pid, platform);
  if (start !== record.processStart) {
    const why = `process ${String(pid)} is ${start === undefined ? 'not to be seen from here' : 'another one'}`;
    return { outcome: 'out-of-reach', pid, why: `${why}: does it run in a container?` };
  }
  try {
    kill(pid, 'SIGTERM');
  } catch (error) {
    // Gone between the look and the signal: the lock says so in a moment.
    if (systemCode(error) !== 'ESRCH') {
      return { outcome: 'out-of-reach', pid, why: `it belongs to somebody else` };
    }
  }
  const began = clock.now();
  for (;;) {
    if (!isRunning(place)) return { outcome: 'stopped', pid, tookMs: clock.now() - began };
    const waitedMs = clock.now() - began;
    if (waitedMs >= patienceMs) return { outcome: 'still-running', pid, waitedMs };
    await clock.sleep(LOOK_MS, signal);
  }
}
