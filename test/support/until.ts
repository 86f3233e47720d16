import { setTimeout as sleep } from 'node:timers/promises';

/** How long something may take before it counts as never (ms): a busy machine fails no test. */
export const NEVER_MS = 120_000;

/** Resolves when the condition holds. */
export async function until(
  condition: () => boolean,
  what: string | (() => string) = String(condition),
): Promise<void> {
  const end = Date.now() + NEVER_MS;
  while (!condition()) {
    if (Date.now() > end) {
      throw new Error(`still not: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(5);
  }
}
