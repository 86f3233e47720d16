import type { Env } from '../base/env.ts';
import type { Clock } from '../base/time.ts';
import { startTool } from '../system/child-call.ts';

/** The tool of systemd that sends notifications: Node.js has no datagram sockets of Unix. */
export const NOTIFY_TOOL = 'systemd-notify';

/** Shortest interval between two notifications (ms). The watchdog of the unit waits for five of them. */
export const KEEP_ALIVE_MS = 60_000;

/**
 * Returns a function that reports to systemd that this service is up and that its loop runs. It repeats READY,
 * because systemd before 246 may lose one. It does nothing for a service that does not notify.
 */
export function keepAlive(clock: Clock, env: Env): () => void {
  const { NOTIFY_SOCKET, PATH } = env;
  let sentAt = -Infinity;
  return () => {
    const now = clock.monotonic();
    if (NOTIFY_SOCKET === undefined || now - sentAt < KEEP_ALIVE_MS) return;
    sentAt = now;
    startTool([NOTIFY_TOOL, '--ready', 'WATCHDOG=1'], { NOTIFY_SOCKET, PATH }, 'all');
  };
}
