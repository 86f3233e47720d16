import { setTimeout as sleep } from 'node:timers/promises';

/** How long something may take before it counts as never (ms): a busy machine fails no test. */
export const NEVER_MS = 120_000;

/** Pauses between two looks (ms): the second one after the first ten looks, since a look may cost much. */
const PAUSES_MS = [5, 25] as const;

/** Resolves when the condition holds. */
export async function until(
  condition: () => boolean,
  what: string | (() => string) = String(condition),
): Promise<void> {
  const end = Date.now() + NEVER_MS;
  for (let looks = 1; !condition(); looks++) {
    if (Date.now() > end) {
      throw new Error(`still not: ${typeof what === 'string' ? what : what()}`);
    }
    await sleep(PAUSES_MS[looks < 10 ? 0 : 1]);
  }
}
