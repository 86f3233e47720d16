import type { Context } from '../base/context.ts';
import { continueHint, holderOf, isStopped } from '../system/processes.ts';

/** After this time, a run names the process that it waits for (ms). */
const LONG_WAIT_MS = 30_000;
/** Pause before the next try (ms). */
const POLL_MS = 100;

/** Reports a long wait, once for each process. The text names the process and, if it is stopped, the remedy. */
export type OnLongWait = (text: string) => void;

export type ClaimWait = ReturnType<typeof claimWait>;

/** Returns a function that waits for recordings and days that other tasks or processes are sending. */
export function claimWait(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  onLongWait: OnLongWait | undefined,
) {
  const named = new Set<string>();
  const name = (mark: string | undefined) => {
    if (mark === undefined || named.has(mark)) return;
    named.add(mark);
    const pid = holderOf(mark);
    onLongWait?.(
      isStopped(pid)
        ? `Waiting for process ${pid}, which began to send the same and is stopped: ${continueHint(pid)}`
        : `Waiting for process ${pid}, which is still sending the same.`,
    );
  };
  /**
   * Tries until there is an outcome.
   *
   * @param attempt returns undefined while another task or process holds the claim
   * @param holder returns the mark of that process: see `holderOf`
   * @throws the errors of the attempt; the signal's reason if it is aborted
   */
  return async <T>(
    attempt: () => T | undefined | Promise<T | undefined>,
    holder: () => string | undefined,
  ): Promise<T> => {
    const began = clock.monotonic();
    for (;;) {
      const outcome = await attempt();
      if (outcome !== undefined) return outcome;
      if (clock.monotonic() - began >= LONG_WAIT_MS) name(holder());
      await clock.sleep(POLL_MS, signal);
    }
  };
}
